"""What may be written at a place: words of the language, names in scope, tools, fields, members."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from ..compiler.names.catalogue import Declared
from ..compiler.names.scenariopaths import uses
from ..compiler.typing.types import BUILT_IN
from ..dsl.expectations import words
from ..dsl.lexer import Token
from ..dsl.nodes import Argument, Effect, Enum, Expr, Reads, Record, Saga, Tool, of
from ..dsl.source import Source
from ..runtime.formula import Type
from ..runtime.signatures import FUNCTIONS
from .analysis import Analysis
from .help import CLAUSES, WORDS
from .hover import typed
from .paths import segments
from .place import Place, place
from .scope import Meaning, Scope
from .unchanged import unchanged
from .writing import Value, Writing

ItemKind = Literal[
    "keyword", "value", "parameter", "field", "member", "tool", "agent", "saga", "record", "enum",
    "type", "function", "statement", "kind", "group", "file", "error",
]  # fmt: skip
_READERS = frozenset(("VERIFY", "REMEMBER", "EXPECTING", "EVIDENCE"))
_UNDOERS = frozenset(("UNDO", "CORRECTIVE"))
_GROUP = re.compile(r"needs\s*(?:[0-9]+\s+of\s*)?\Z")
_PATH = re.compile(r"(?:[A-Za-z_]\w*(?:\[[^\]\n]*\])?\.)*\Z")
_FROM = re.compile(r"from\s*\Z")
_IMPORTED = re.compile(r'[^"]*?\}\s*from\s*"([^"\n]*)"')
_HELP = {said.split("`", 2)[1].split()[0]: said for said in reversed(list(CLAUSES.values()))}


@dataclass(frozen=True, slots=True)
class Item:
    """One completion; `insert` is what is written where that is not the label."""

    label: str
    kind: ItemKind
    detail: str = ""
    doc: str = ""
    insert: str = ""
    first: bool = False


def completion(
    analysis: Analysis,
    offset: int,
    groups: Iterable[str] = (),
    files: Iterable[str] = (),
    exports: Iterable[Declared] | None = None,
) -> list[Item]:
    """Gives what may stand at an offset.

    `groups` and `files` are those that a text may name; `exports` what the file of an import
    declares, None where that is not known.
    """
    known = unchanged(analysis.text, analysis.good, offset)
    here = place(known.source, offset, known.statements)
    if here.where == "comment":
        return []
    if here.where == "text":
        return list(_in_text(here, groups, files))
    writing = Writing(analysis)
    items = list(_Completing(analysis, here, writing, exports).items())
    return list({(item.label, item.kind): item for item in items}.values())


def imported_file(analysis: Analysis, offset: int) -> str | None:
    """Gives the path of the import whose names are being written, as it stands behind them."""
    found = _IMPORTED.match(analysis.text.source.text, offset)
    return found[1] if found is not None else None


def _in_text(here: Place, groups: Iterable[str], files: Iterable[str]) -> Iterator[Item]:
    if _GROUP.search(here.before):
        yield from (Item(name, "group") for name in sorted(groups))
    elif _FROM.search(here.before):
        yield from (Item(name, "file") for name in sorted(files))


@dataclass(slots=True)
class _Completing:
    analysis: Analysis
    here: Place
    writing: Writing
    exports: Iterable[Declared] | None
    shown: dict[Type, str] = field(default_factory=dict[Type, str])

    def items(self) -> Iterator[Item]:
        stopped = self.here.stopped
        if stopped is None:
            return
        fitting = stopped.fitting()
        for word in words(fitting):
            if word.isalpha() and word != "python":
                yield Item(word, "keyword", "", WORDS.get(word, _HELP.get(word, "")))
        if "PYTHON" in fitting:
            yield Item("python", "keyword")
        if "$END" in fitting and self.here.where == "code":
            # The declaration is over, so that another one may begin.
            beginning = place(Source("", ""), 0).stopped
            for word in words(beginning.fitting()) if beginning is not None else ():
                yield Item(word, "keyword", "", _HELP.get(word, ""))
        behind = stopped.then("NAME")
        if behind is not None and "NAME" in fitting:
            yield from self.names(behind.ends(), behind.fitting())

    def names(self, ends: frozenset[str], following: frozenset[str]) -> Iterator[Item]:
        before = self.here.behind()
        last = before[-1] if before else None
        word = self.keyword()
        if isinstance(last, Token) and last.type == "DOT":
            yield from self.behind_dot(before[-2] if len(before) > 1 else None)
        elif "path_segment" in ends:
            yield from self.path_items("")
        elif "reference" in ends:
            yield from self.expression("COLON" in following)
        elif "named_type" in ends:
            yield from self.types()
        elif set(following) == {"LPAR"}:
            yield from self.callees(word)
        elif "import_item" in ends:
            exports = self.exports if self.exports is not None else ()
            yield from (self.declared(each.node.name.text, each) for each in exports)
        elif word in ("AFTER", "UNTIL") or "since" in ends:
            yield from self.statements(word)
        elif word == "USE" or (word == "WITH" and "commutes" in ends):
            yield from self.kind("tool")
        elif word == "WITH":
            yield from self.errors()
        elif word == "_FOR" and "scenario" in self.heads():
            yield from self.kind("saga")
        elif word == "GIVEN":
            yield from self.inputs()
        elif word in ("EFFECT", "READS"):
            yield from self.kinds()

    def keyword(self) -> str:
        """The last word of the language before the place."""
        for value in reversed(list(self.here.values())):
            if isinstance(value, Token) and value.isalpha() and value.type != "NAME":
                return value.type
        return ""

    def heads(self) -> set[str]:
        return {str(value) for value in self.here.values() if isinstance(value, Token)}

    def scope(self) -> tuple[Scope, list[Value]]:
        values = self.writing.values(self.here)
        scope = Scope(None, {value.name: Meaning(None, value.type) for value in values})
        return scope, values

    def behind_dot(self, base: object) -> Iterator[Item]:
        if isinstance(base, Expr):
            for value in self.writing.members(base, self.scope()[0]):
                kind: ItemKind = "member" if value.kind == "member" else "field"
                yield Item(value.name, kind, self.type(value), first=True)
            return
        written = _PATH.search(self.here.before)
        yield from self.path_items(written.group() if written is not None else "")

    def path_items(self, written: str) -> Iterator[Item]:
        saga = self.scenario_saga()
        for word, kind in segments(self.analysis, saga, written) if saga else ():
            yield Item(word, "statement", kind, first=True)

    def scenario_saga(self) -> str | None:
        """The saga that the scenario is for."""
        tokens = [v for v in self.here.values() if isinstance(v, Token)]
        return next((str(name) for head, name in pairwise(tokens) if head.type == "_FOR"), None)

    def expression(self, in_arguments: bool) -> Iterator[Item]:
        for value in self.scope()[1]:
            if value.kind == "checkpoint":
                continue
            kind: ItemKind = "parameter" if value.kind == "parameter" else "value"
            yield Item(value.name, kind, self.type(value), value.doc, first=True)
        if in_arguments:
            yield from self.arguments()
        for name, found in self.analysis.known().items():
            if found.noun in ("record", "enum"):
                yield self.declared(name, found)
        for name in FUNCTIONS:
            yield Item(name, "function", "function", insert=f"{name}(")

    def arguments(self) -> Iterator[Item]:
        """The names of parameters that a call does not have yet."""
        values = list(self.here.values())
        given: set[str] = set()
        count = depth = 0
        for at in range(len(values) - 1, 0, -1):
            value = values[at]
            if isinstance(value, Argument):
                count += 1
                given |= {value.name.text} if value.name is not None else set()
            elif isinstance(value, Token) and value.type in ("RPAR", "LPAR"):
                depth += 1 if value.type == "RPAR" else -1
                if depth < 0:
                    callee = self.analysis.named(str(values[at - 1]))
                    takes = self.writing.inputs(callee)
                    for place_, (name, meaning) in enumerate(takes.items()):
                        if name not in given and place_ >= count:
                            detail = self.type(Value(name, "parameter", meaning.type))
                            yield Item(f"{name}:", "parameter", detail, insert=f"{name}: ")
                    return

    def types(self) -> Iterator[Item]:
        for name, found in self.analysis.known().items():
            if found.noun in ("record", "enum"):
                yield replace(self.declared(name, found), first=True)
        yield from (Item(name, "type") for name in BUILT_IN)

    def callees(self, word: str) -> Iterator[Item]:
        if word == "CALLS":
            yield from self.usable()
            return
        for name, found in self.analysis.known().items():
            if found.noun in ("record", "enum"):
                continue
            if word == "STEP" or found.noun == "tool" or (word == "UNDO" and found.noun == "saga"):
                fits = _fits(found, word)
                yield replace(self.declared(name, found), first=fits, insert=f"{name}(")

    def usable(self) -> Iterator[Item]:
        """The tools that agents may use."""
        known = self.analysis.known()
        agents = [found for found in known.values() if found.noun == "agent"]
        listed = {use.name.text for agent in agents for use in uses(agent)}
        for name in sorted(listed & known.keys()):
            yield replace(self.declared(name, known[name]), first=True, insert=f"{name}(")

    def kind(self, noun: str) -> Iterator[Item]:
        for name, found in self.analysis.known().items():
            if found.noun == noun:
                yield replace(self.declared(name, found), first=True)

    def statements(self, word: str) -> Iterator[Item]:
        for value in self.writing.values(self.here):
            if value.kind in ("statement", "checkpoint"):
                yield Item(value.name, "statement", self.type(value), value.doc, first=True)
        if word == "UNTIL":
            # A promise stands in front of what it names.
            for _, symbol in self._named_statements():
                yield Item(symbol, "statement")

    def _named_statements(self) -> Iterator[tuple[str, str]]:
        tokens = [v for v in self.here.values() if isinstance(v, Token)]
        sagas = [str(name) for head, name in pairwise(tokens) if head.type == "SAGA"]
        for word, kind in segments(self.analysis, sagas[0], "") if sagas else ():
            yield kind, word

    def errors(self) -> Iterator[Item]:
        names = re.findall(r"\b(?:fails|transient|done) with ([\w, ]+)", self.analysis.text.raw)
        found = {name.strip() for each in names for name in each.split(",")}
        yield from (Item(name, "error") for name in sorted(found) if name[:1].isupper())

    def kinds(self) -> Iterator[Item]:
        found: set[str] = set()
        for each in self.analysis.known().values():
            if isinstance(each.node, Tool):
                found |= {effect.kind.text for effect in of(each.node.clauses, Effect)}
                found |= {reads.kind.text for reads in of(each.node.clauses, Reads)}
        yield from (Item(name, "kind", "kind of resource", first=True) for name in sorted(found))

    def inputs(self) -> Iterator[Item]:
        saga = self.scenario_saga()
        takes = self.writing.inputs(self.analysis.named(saga) if saga else None)
        for name, meaning in takes.items():
            yield Item(name, "parameter", self.type(Value(name, "parameter", meaning.type)))

    def type(self, value: Value) -> str:
        if value.type is None:
            return ""
        if value.type not in self.shown:
            self.shown[value.type] = typed(self.analysis.program, value.type)
        return self.shown[value.type]

    def declared(self, name: str, found: Declared) -> Item:
        said = found.node.doc.text if found.node.doc is not None else ""
        kinds: dict[str, ItemKind] = {
            "tool": "tool", "agent": "agent", "saga": "saga", "record": "record", "enum": "enum",
        }  # fmt: skip
        return Item(name, kinds[found.noun], self.signature(found), said)

    def signature(self, found: Declared) -> str:
        """Gives what a declaration takes and gives, as it is written, on one line."""
        node = found.node
        if isinstance(node, Record | Enum):
            return found.noun
        end = node.body.span.start if isinstance(node, Saga) else node.result.span.end
        good = self.analysis.good
        for program in (self.analysis.program, *([good.program] if good else [])):
            if program.declares(found):
                text = program.modules[found.module].source.text[node.name.span.end : end]
                return f"{found.noun} {' '.join(text.split())}"
        return found.noun


def _fits(found: Declared, word: str) -> bool:
    """True when a tool is of the class that a clause calls: reads verify, restoring ones undo."""
    if not isinstance(found.node, Tool):
        return word == "STEP"
    effects = of(found.node.clauses, Effect)
    restoring = bool(effects) and all(e.effect_class == "restoring" for e in effects)
    if word in _READERS:
        return not effects
    return restoring if word in _UNDOERS else not restoring
