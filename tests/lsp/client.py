"""An editor as the server sees it: a real child process, real JSON-RPC over its pipes."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

PATIENCE = 60.0
"""Seconds after which the server counts as lost; nothing is measured with it."""

CAPABILITIES: dict[str, Any] = {
    "workspace": {"workspaceEdit": {"documentChanges": True}, "applyEdit": True},
    "window": {"showDocument": {"support": True}},
    "textDocument": {"publishDiagnostics": {"relatedInformation": True}},
}


class Trouble(Exception):
    """What the server answered in place of a result."""


class Editor:
    """One server, and what an editor holds of it."""

    def __init__(self, folder: Path, **capabilities: Any) -> None:
        self.folder = folder
        self.capabilities = {**CAPABILITIES, **capabilities}
        self.number = 0
        self.versions: dict[str, int] = {}
        self.problems: dict[str, list[dict[str, Any]]] = {}
        self.requests: list[dict[str, Any]] = []
        """What the server asked of the editor."""
        self.logged: list[str] = []
        self._arrived: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._answers: dict[int, dict[str, Any]] = {}

    def __enter__(self) -> Self:
        self.server = subprocess.Popen(
            [sys.executable, "-c", "from sagalang.cli import main; main()", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self.folder,
            env={**os.environ},
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.server_capabilities = self.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": self.folder.as_uri(),
                "capabilities": self.capabilities,
            },
        )["capabilities"]
        self.tell("initialized", {})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.server.kill()
        self.server.wait(PATIENCE)
        self.reader.join(PATIENCE)
        for pipe in (self.server.stdin, self.server.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()

    def close(self) -> None:
        """Ends it as editors do; the server must end well."""
        assert self.ask("shutdown", None) is None
        self.tell("exit", None)
        assert self.server.wait(PATIENCE) == 0

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    # --- the wire ---

    def _read(self) -> None:
        assert self.server.stdout is not None
        while head := self.server.stdout.readline():
            if not head.lower().startswith(b"content-length:"):
                continue
            length = int(head.split(b":")[1])
            while self.server.stdout.readline().strip():
                pass
            self._arrived.put(json.loads(self.server.stdout.read(length)))
        self._arrived.put(None)

    def _write(self, message: dict[str, Any]) -> None:
        assert self.server.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.server.stdin.flush()

    def _take(self) -> None:
        message = self._arrived.get(timeout=PATIENCE)
        assert message is not None, "the server has ended"
        method = message.get("method")
        params: Any = message.get("params")
        if method is None:
            self._answers[message["id"]] = message
        elif "id" in message:
            self.requests.append(message)
            answer = {"applied": True} if method == "workspace/applyEdit" else {"success": True}
            self._write({"id": message["id"], "result": answer})
        elif method == "textDocument/publishDiagnostics":
            self.problems[params["uri"]] = params["diagnostics"]
            self.versions[f"published {params['uri']}"] = params.get("version") or 0
        elif method == "window/logMessage":
            self.logged.append(params["message"])

    def tell(self, method: str, params: Any) -> None:
        """Sends a notification."""
        self._write({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        """Sends a request and waits for its answer. Raises `Trouble`."""
        self.number += 1
        number = self.number
        self._write({"id": number, "method": method, "params": params})
        while number not in self._answers:
            self._take()
        answer = self._answers.pop(number)
        if "error" in answer:
            raise Trouble(answer["error"]["message"])
        return answer["result"]

    # --- documents ---

    def open(self, name: str, text: str) -> None:
        """Opens a document and waits for its first problems."""
        uri = self.uri(name)
        self.versions[uri] = 1
        document = {"uri": uri, "languageId": "saga", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        self.settle(name)

    def change(self, name: str, text: str, *, settle: bool = True) -> None:
        """Types: the whole text is sent, as the server asks for."""
        uri = self.uri(name)
        self.versions[uri] += 1
        about = {"uri": uri, "version": self.versions[uri]}
        self.tell(
            "textDocument/didChange", {"textDocument": about, "contentChanges": [{"text": text}]}
        )
        if settle:
            self.settle(name)

    def settle(self, name: str) -> None:
        """Waits until the problems of a document's last version are there."""
        uri = self.uri(name)
        while self.versions.get(f"published {uri}") != self.versions[uri]:
            self._take()

    def until(self, holds: Callable[[], bool]) -> None:
        """Takes in what the server sends until something holds."""
        while not holds():
            self._take()

    def codes(self, name: str) -> list[str]:
        """The codes of the problems of a document."""
        return [each["code"] for each in self.problems.get(self.uri(name), [])]

    def at(self, method: str, name: str, line: int, character: int, **more: Any) -> Any:
        """Asks about a place in a document."""
        place = {"line": line, "character": character}
        about = {"textDocument": {"uri": self.uri(name)}, "position": place}
        return self.ask(f"textDocument/{method}", {**about, **more})

    def about(self, method: str, name: str, **more: Any) -> Any:
        """Asks about a document."""
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": self.uri(name)}, **more})


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    """A text with an editor's edits made, counted in UTF-16 as editors do."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode("utf-16-le")) // 2 + 1)
    units = text.encode("utf-16-le")

    def offset(place: dict[str, int]) -> int:
        return starts[place["line"]] + place["character"]

    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        start, end = (2 * offset(edit["range"][side]) for side in ("start", "end"))
        units = units[:start] + cast(str, edit["newText"]).encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le")
