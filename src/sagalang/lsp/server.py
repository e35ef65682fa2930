"""The language server on the wire: `saga lsp` speaks over standard input and output.

Documents are compiled in one thread of their own, a moment after the last key; what an editor asks
waits for that, but completions, which answer from the text as it is and the last compilation.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import tempfile
import traceback
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from ..runtime.plan import Plan
from .analysis import Analysis, analysed
from .positions import Encoding, Text
from .program import Program
from .wire import diagnostic
from .workspace import Workspace

PAUSE = 0.15
"""Seconds without a key before a document is compiled."""

Told = Callable[[Plan], str]
"""Writes the recovery plan of a saga for people."""
Answer = TypeVar("Answer")


class SagaServer(LanguageServer):
    """The server's state: the workspace, what is known of each document, what was published."""

    def __init__(self, told: Told) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "saga", version("sagalang"), text_document_sync_kind=lsp.TextDocumentSyncKind.Full
        )
        self.told = told
        self.files = Workspace()
        self.known: dict[str, Analysis] = {}
        """What is known of each open document, by path."""
        self.published: set[str] = set()
        self.worker = ThreadPoolExecutor(1, "compile")
        self._uris: dict[str, str] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._compiling: dict[str, tuple[Text, asyncio.Future[Program | None]]] = {}
        """The text of each document that was compiled last, and what comes or came of it."""
        self._running: set[asyncio.Task[None]] = set()
        self._folder_of_texts: str | None = None

    # --- files and addresses ---

    def begin(self, folder: str | None, encoding: Encoding) -> None:
        """Takes in the folder that the editor has open."""
        self.files = Workspace(Path(folder) if folder else Path.cwd(), encoding=encoding)

    def path(self, uri: str) -> str:
        """Gives the path of a document; one that was never saved lies in the open folder."""
        path = to_fs_path(uri)
        if path is None:
            path = str(self.files.folder / quote(uri, safe=""))
        path = str(Path(path))
        self._uris.setdefault(path, uri)
        return path

    def uri(self, name: str) -> str:
        """Gives the address of a module, spelled as the editor spells it."""
        path = self.files.path(name)
        return self._uris.get(path) or from_fs_path(path) or path

    def number(self, name: str) -> int | None:
        """Gives the version of a module that is open."""
        document = self.files.documents.get(self.files.path(name))
        return document.version if document is not None else None

    # --- compiling ---

    def changed(self, uri: str, raw: str, number: int | None, pause: float = PAUSE) -> None:
        """Takes in a document's text, to be compiled when nothing more is typed for a moment."""
        path = self.path(uri)
        self._uris[path] = uri
        self.files.put(path, raw, number)
        self._later(path, pause)

    def closed(self, uri: str) -> None:
        """Forgets a document; those that import it see its file again."""
        path = self.path(uri)
        name = self.files.name(path)
        waiting = self._waiting.pop(path, None)
        if waiting is not None:
            waiting.cancel()
        self.files.drop(path)
        self.known.pop(path, None)
        self._compiling.pop(path, None)
        self._importers(name)
        self.publish()

    def again(self) -> None:
        """Compiles every open document again: a file has changed on the disk."""
        for path in list(self.files.documents):
            self._later(path, PAUSE)

    def _later(self, path: str, pause: float) -> None:
        waiting = self._waiting.pop(path, None)
        if waiting is not None:
            waiting.cancel()
        loop = asyncio.get_running_loop()
        self._waiting[path] = loop.call_later(pause, self._start, path)

    def _start(self, path: str) -> None:
        self._waiting.pop(path, None)
        task = asyncio.get_running_loop().create_task(self._compile(path))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _compile(self, path: str) -> None:
        try:
            if await self.current(path, fresh=True) is not None:
                self.publish()
                self._importers(self.files.name(path))
        except Exception as error:
            # A fault of the compiler: what was known until now stays.
            self.trouble(error)

    def _importers(self, name: str) -> None:
        """Compiles the other open documents that import a module."""
        for path, analysis in list(self.known.items()):
            imports = name in analysis.program.modules and analysis.text.name != name
            if imports and path in self.files.documents and self._stale(analysis, name):
                self._later(path, PAUSE)

    def _stale(self, analysis: Analysis, name: str) -> bool:
        text = self.files.text(name)
        return text is None or text.source.text != analysis.program.modules[name].source.text

    async def aside(self, work: Callable[[], Answer]) -> Answer:
        """Does what takes its time in the thread that compiles; the editor is heard meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self.worker, work)

    async def current(self, path: str, fresh: bool = False) -> Analysis | None:
        """Gives what is known of a document as it stands, compiling it when it has changed."""
        while (document := self.files.documents.get(path)) is not None:
            found = self.known.get(path)
            if found is not None and found.text is document.text and not fresh:
                return found
            program = await self._program(path, document.text, fresh)
            fresh = False
            if program is not None and path in self.files.documents:
                self.known[path] = analysed(document.text, program, self.known.get(path))
        return None

    async def _program(self, path: str, text: Text, fresh: bool) -> Program | None:
        """Compiles a text once for all who ask; gives None when it has changed meanwhile."""
        running = self._compiling.get(path)
        if running is not None and running[0] is text and not fresh:
            return await asyncio.shield(running[1])
        files = self.files.snapshot()
        made = asyncio.ensure_future(self.aside(lambda: self._if_current(files, path, text)))
        self._compiling[path] = text, made
        # An editor that takes its question back takes back nobody else's.
        return await asyncio.shield(made)

    def _if_current(self, files: Workspace, path: str, text: Text) -> Program | None:
        """Compiles a text unless a newer one waits: whoever types is not to wait for each key."""
        document = self.files.documents.get(path)
        return files.compile(text) if document is not None and document.text is text else None

    def publish(self) -> None:
        """Publishes the problems of every open document, and those of files that these import."""
        found: dict[str, list[lsp.Diagnostic]] = {
            self.uri(self.files.name(path)): [] for path in self.files.documents
        }
        seen: set[object] = set()
        for analysis in self.known.values():
            own = analysis.text.name
            for each in analysis.diagnostics:
                at = each.primary.source
                is_open = self.files.path(at) in self.files.documents
                # An open document speaks for itself.
                if (at != own and is_open) or (at != own and each in seen):
                    continue
                seen.add(each)
                made = diagnostic(each, self.files.text, self.uri)
                if made is not None:
                    found.setdefault(self.uri(at), []).append(made)
        for uri in self.published - found.keys():
            self._send(uri, [])
        for uri, told in found.items():
            self._send(uri, told)
        self.published = {uri for uri, told in found.items() if told}

    def _send(self, uri: str, found: Sequence[lsp.Diagnostic]) -> None:
        number = None
        document = self.files.documents.get(self.path(uri))
        if document is not None:
            number = document.version
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, list(found), number)
        )

    async def programs(self, analysis: Analysis, word: str) -> list[Program]:
        """Gives the programs in which a name may be used: of open documents and other files."""
        found = [analysis.program]
        for path in list(self.files.documents):
            other = await self.current(path)
            if other is not None and other.program not in found:
                found.append(other.program)
        known = {program.root for program in found}
        files = self.files.snapshot()
        more = await self.aside(lambda: list(files.others(word, known)))
        return [*found, *more]

    # --- showing ---

    def show(self, title: str, text: str) -> None:
        """Opens a text beside the document, where the editor can."""
        window = self.client_capabilities.window
        support = window.show_document if window is not None else None
        if support is None or not support.support:
            return
        if self._folder_of_texts is None:
            self._folder_of_texts = tempfile.mkdtemp(prefix="saga-")
        path = Path(self._folder_of_texts, title)
        path.write_text(text, "utf-8")
        uri = from_fs_path(str(path)) or ""
        self.window_show_document(lsp.ShowDocumentParams(uri, take_focus=True))

    def trouble(self, error: BaseException) -> None:
        """Writes a fault of ours to the editor's log; what was asked gets no answer."""
        lines = "".join(traceback.format_exception(error))
        self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, lines))


def answering(
    handler: Callable[[SagaServer, Any], Awaitable[Answer]],
) -> Callable[[SagaServer, Any], Awaitable[Answer | None]]:
    """Makes a handler that never fails for what a text holds: its fault goes to the log."""

    @functools.wraps(handler)
    async def answer(server: SagaServer, params: Any) -> Answer | None:
        try:
            return await handler(server, params)
        except (asyncio.CancelledError, KeyboardInterrupt):
            raise
        except Exception as error:
            server.trouble(error)
            return None

    return answer


Knowing = Callable[[SagaServer, Analysis, Any], Awaitable[Answer]]


def knowing(handler: Knowing[Answer]) -> Callable[[SagaServer, Any], Awaitable[Answer | None]]:
    """Makes a handler of one that gets what is known of the document that it is asked about."""

    @functools.wraps(handler)
    async def answer(ls: SagaServer, params: Any) -> Answer | None:
        known = await ls.current(ls.path(params.text_document.uri))
        return None if known is None else await handler(ls, known, params)

    return answer


def serve(told: Told) -> None:
    """Serves one editor over standard input and output, until it says `exit`."""
    from .features import register

    logging.getLogger("pygls.protocol.json_rpc").addFilter(_no_refusal)
    server = SagaServer(told)
    register(server)
    server.start_io()


def _no_refusal(record: logging.LogRecord) -> bool:
    """Keeps what an editor was refused, with the reason, from being logged as a fault too."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, JsonRpcInvalidParams)
