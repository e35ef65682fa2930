"""The server as an editor drives it: a child process, JSON-RPC over pipes, from start to end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

from sagalang.dsl.formatter import format_module
from sagalang.dsl.parser import parse
from sagalang.dsl.source import Source

from .client import Editor, Trouble, applied
from .desk import SAGAS, SHOP, Desk

pytestmark = pytest.mark.slow

PAY = SAGAS.split("\n").index("  step pay = charge(order.id, order.total)")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Desk(tmp_path)
    return tmp_path


def test_a_session_from_start_to_end(folder: Path) -> None:
    with Editor(folder) as editor:
        offered = editor.server_capabilities
        for name in (
            "hoverProvider", "completionProvider", "definitionProvider", "referencesProvider",
            "renameProvider", "documentFormattingProvider", "documentRangeFormattingProvider",
            "codeActionProvider", "codeLensProvider", "documentSymbolProvider",
            "foldingRangeProvider", "semanticTokensProvider",
        ):  # fmt: skip
            assert offered[name], name
        editor.open("sagas.saga", SAGAS)
        assert editor.codes("sagas.saga") == ["R502"]

        shown = editor.at("hover", "sagas.saga", PAY, 9)
        assert "**compensatable**" in shown["contents"]["value"]
        assert shown["range"]["start"] == {"line": PAY, "character": 7}

        found = editor.at("definition", "sagas.saga", PAY, 15)
        assert found["uri"] == editor.uri("shop.saga")
        uses = editor.at("references", "sagas.saga", PAY, 15, context={"includeDeclaration": False})
        assert len(uses) == 4

        lenses = editor.about("codeLens", "sagas.saga")
        commands = [each["command"] for each in lenses]
        [plan] = [each for each in commands if each["title"] == "show recovery plan"]
        text = editor.ask(
            "workspace/executeCommand",
            {"command": plan["command"], "arguments": plan["arguments"]},
        )
        assert text.startswith("saga sell\n") and "twice.else.again" in text
        assert "\x1b" not in text
        [asked] = [each for each in editor.requests if each["method"] == "window/showDocument"]
        shown_at: str = asked["params"]["uri"]
        opened = Path(unquote(urlparse(shown_at).path))
        assert opened.read_text("utf-8") == text

        names = [each["name"] for each in editor.about("documentSymbol", "sagas.saga")]
        assert names == ["sell", "all is well"]
        assert editor.about("foldingRange", "sagas.saga")
        assert len(editor.about("semanticTokens/full", "sagas.saga")["data"]) % 5 == 0
        assert editor.logged == []


def test_problems_follow_what_is_typed(folder: Path) -> None:
    with Editor(folder) as editor:
        editor.open("sagas.saga", SAGAS)
        editor.change("sagas.saga", SAGAS.replace("pay = charge(", "pay = chrge("))
        [problem] = [p for p in editor.problems[editor.uri("sagas.saga")] if p["code"] == "N201"]
        assert problem["severity"] == 1 and problem["source"] == "saga"
        assert problem["range"]["start"] == {"line": PAY, "character": 13}
        assert problem["message"].endswith("Did you mean `charge`?")
        for typed in ("  st", "  step a", "  step a = charge(ord"):
            text = SAGAS.replace("  return twice", f"{typed}\n  return twice")
            editor.change("sagas.saga", text, settle=False)
        editor.settle("sagas.saga")
        assert editor.codes("sagas.saga") == ["S106"], "one bracket, one message"
        editor.change("sagas.saga", SAGAS)
        assert editor.codes("sagas.saga") == ["R502"]
        related = editor.problems[editor.uri("sagas.saga")][0]["relatedInformation"]
        assert all(each["message"] for each in related)


def test_an_unsaved_file_counts_where_it_is_imported(folder: Path) -> None:
    with Editor(folder) as editor:
        editor.open("sagas.saga", SAGAS)
        editor.open("shop.saga", SHOP)
        editor.change("shop.saga", SHOP.replace("tool charge(", "tool debit("))
        editor.until(lambda: "N205" in editor.codes("sagas.saga"))
        editor.tell("textDocument/didClose", {"textDocument": {"uri": editor.uri("shop.saga")}})
        editor.until(lambda: editor.codes("sagas.saga") == ["R502"])


def test_a_mistake_in_an_imported_file_is_shown_there_and_goes_away(folder: Path) -> None:
    (folder / "shop.saga").write_text(SHOP.replace("retry 3 times", "retry 3 time"), "utf-8")
    with Editor(folder) as editor:
        editor.open("sagas.saga", SAGAS)
        editor.until(lambda: "S101" in editor.codes("shop.saga"))
        (folder / "shop.saga").write_text(SHOP, "utf-8")
        changed = {"changes": [{"uri": editor.uri("shop.saga"), "type": 2}]}
        editor.tell("workspace/didChangeWatchedFiles", changed)
        editor.until(lambda: editor.codes("shop.saga") == [])


def test_completion_does_not_wait_for_a_whole_text(folder: Path) -> None:
    with Editor(folder) as editor:
        editor.open("sagas.saga", SAGAS)
        text = SAGAS.replace("  return twice.again.id\n", "  let a = pay.\n")
        line = text.split("\n").index("  let a = pay.")
        editor.change("sagas.saga", text, settle=False)
        items = editor.at("completion", "sagas.saga", line, 14)
        assert [each["label"] for each in items] == ["id", "amount", "state"]
        assert items[0]["detail"] == "str"


def test_renaming_changes_every_file(folder: Path) -> None:
    with Editor(folder) as editor:
        editor.open("sagas.saga", SAGAS)
        editor.open("shop.saga", SHOP)
        line = next(n for n, text in enumerate(SHOP.split("\n")) if text.startswith("tool charge("))
        about = editor.at("prepareRename", "shop.saga", line, 7)
        assert about["start"] == {"line": line, "character": 5}
        made = editor.at("rename", "shop.saga", line, 7, newName="debit")
        files = {each["textDocument"]["uri"]: each["edits"] for each in made["documentChanges"]}
        assert files.keys() == {editor.uri("shop.saga"), editor.uri("sagas.saga")}
        sagas = applied(SAGAS, files[editor.uri("sagas.saga")])
        assert sagas == SAGAS.replace("charge", "debit")
        with pytest.raises(Trouble, match="`2` is not a name"):
            editor.at("rename", "shop.saga", line, 7, newName="2")
        with pytest.raises(Trouble, match="`mail` cannot be taken"):
            editor.at("rename", "shop.saga", line, 7, newName="mail")
        with pytest.raises(Trouble, match="no name here"):
            editor.at("prepareRename", "shop.saga", line, 2)


def test_fixes_are_offered_and_safe_ones_made_at_once(folder: Path) -> None:
    text = SAGAS.replace("charge(order.id, 1.0)", "charge(order.id, amount=1.0)")
    line = next(n for n, each in enumerate(text.split("\n")) if "amount=" in each)
    here = {"line": line, "character": text.split("\n")[line].index("amount=") + 6}
    with Editor(folder) as editor:
        editor.open("sagas.saga", text)
        asked: dict[str, Any] = {"range": {"start": here, "end": here}}
        found = editor.about("codeAction", "sagas.saga", context={"diagnostics": []}, **asked)
        [fix] = [each for each in found if each.get("isPreferred")]
        assert fix["kind"] == "quickfix" and fix["diagnostics"][0]["code"] == "S101"
        [edit] = fix["edit"]["documentChanges"]
        assert edit["textDocument"]["version"] == 1
        assert "amount: 1.0" in applied(text, edit["edits"])
        only = {"diagnostics": [], "only": ["source.fixAll"]}
        [whole] = editor.about("codeAction", "sagas.saga", context=only, **asked)
        assert whole["kind"] == "source.fixAll.saga"
        [explain] = [each for each in found if each["title"] == "Explain S101"]
        page = editor.ask("workspace/executeCommand", explain["command"] | {"title": None})
        assert page.startswith("# S101")
        command = {"command": "saga.fixAll", "arguments": [editor.uri("sagas.saga")]}
        assert editor.ask("workspace/executeCommand", command) is True
        [sent] = [each for each in editor.requests if each["method"] == "workspace/applyEdit"]
        assert sent["params"]["edit"]["documentChanges"]


STRANGE = '# 🎈 naïve\nrecord  A { a:str }\nsaga s(a: A) -> str { let b = "🎈{a.a}🎈" return b }\n'


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_places_are_utf_16_whatever_ends_the_lines(folder: Path, end: str) -> None:
    text = STRANGE.replace("\n", end)
    with Editor(folder) as editor:
        editor.open("strange.saga", text)
        assert editor.codes("strange.saga") == []
        column = STRANGE.split("\n")[2].index("{a.a}") + 2
        shown = editor.at("hover", "strange.saga", 2, column)
        assert shown["range"]["start"] == {"line": 2, "character": column}
        assert "a: A" in shown["contents"]["value"]
        options = {"tabSize": 2, "insertSpaces": True}
        edits = editor.about("formatting", "strange.saga", options=options)
        assert edits and all(
            each["newText"].replace(end, "").count("\n") == 0 for each in edits if end != "\n"
        )
        laid_out = format_module(parse(Source("strange.saga", STRANGE)))
        plain = [{**each, "newText": each["newText"].replace(end, "\n")} for each in edits]
        assert applied(STRANGE, plain) == laid_out


def test_an_editor_that_counts_bytes_is_answered_in_bytes(folder: Path) -> None:
    general = {"positionEncodings": ["utf-8", "utf-16"]}
    with Editor(folder, general=general) as editor:
        assert editor.server_capabilities["positionEncoding"] == "utf-8"
        editor.open("strange.saga", STRANGE)
        line = STRANGE.split("\n")[2]
        column = len(line[: line.index("{a.a}") + 1].encode("utf-8"))
        shown = editor.at("hover", "strange.saga", 2, column)
        assert shown["range"]["start"] == {"line": 2, "character": column}


def test_a_text_that_was_never_saved_is_served_too(folder: Path) -> None:
    with Editor(folder) as editor:
        uri = "untitled:Untitled-1"
        document = {
            "uri": uri,
            "languageId": "saga",
            "version": 1,
            "text": "saga s() { let a = b }",
        }
        editor.tell("textDocument/didOpen", {"textDocument": document})
        editor.until(lambda: uri in editor.problems)
        assert "N201" in [each["code"] for each in editor.problems[uri]]


def test_half_written_texts_never_end_it(folder: Path) -> None:
    with Editor(folder) as editor:
        editor.open("sagas.saga", "")
        for cut in range(0, len(SAGAS), 37):
            editor.change("sagas.saga", SAGAS[:cut], settle=False)
            line = SAGAS[:cut].count("\n")
            editor.at("completion", "sagas.saga", line, cut)
            editor.at("hover", "sagas.saga", line, 3)
        editor.about("codeLens", "sagas.saga")
        assert editor.logged == []


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    hide = "import sys; sys.modules['pygls'] = None; sys.argv = ['saga', 'lsp']"
    code = f"{hide}\nfrom sagalang.cli import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 2
    assert "pip install 'sagalang[lsp]'" in done.stderr
    assert "Traceback" not in done.stderr
