"""What the server can do, each request with its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from ..dsl.span import Span
from . import navigation, rename, wire
from .actions import Action, actions, fix_all
from .analysis import Analysis
from .completion import completion, imported_file
from .formatting import formatting
from .hover import hover
from .lenses import lenses
from .pages import page
from .positions import Encoding, Text
from .server import SagaServer, answering, knowing
from .structure import folds, parts
from .tokens import MODIFIERS, TYPES, tokens

FIX_ALL = "source.fixAll.saga"


def register(server: SagaServer) -> None:
    """Registers every request that the server answers."""
    _documents(server)
    _looking(server)
    _changing(server)
    _commands(server)


async def _known(server: SagaServer, uri: str) -> Analysis | None:
    return await server.current(server.path(uri))


def _documents(server: SagaServer) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(ls: SagaServer, params: lsp.InitializeParams) -> None:
        encodings: dict[str, Encoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
        agreed = str(
            getattr(ls.workspace.position_encoding, "value", ls.workspace.position_encoding)
        )
        ls.begin(ls.workspace.root_path, encodings.get(agreed, "utf-16"))

    @server.feature(lsp.INITIALIZED)
    def initialized(ls: SagaServer, params: lsp.InitializedParams) -> None:
        workspace = ls.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace is not None else None
        if watching is not None and watching.dynamic_registration:
            watchers = [lsp.FileSystemWatcher(p) for p in ("**/*.saga", "**/saga.toml")]
            options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
            method = lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES
            ls.client_register_capability(
                lsp.RegistrationParams([lsp.Registration("saga-files", method, options)])
            )

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(ls: SagaServer, params: lsp.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        ls.changed(document.uri, document.text, document.version, 0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(ls: SagaServer, params: lsp.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        if params.content_changes:
            ls.changed(document.uri, params.content_changes[-1].text, document.version)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(ls: SagaServer, params: lsp.DidCloseTextDocumentParams) -> None:
        ls.closed(params.text_document.uri)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(ls: SagaServer, params: lsp.DidChangeWatchedFilesParams) -> None:
        ls.again()


def _looking(server: SagaServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    @answering
    @knowing
    async def hovered(ls: SagaServer, known: Analysis, params: lsp.HoverParams) -> lsp.Hover | None:
        found = hover(known, wire.offset(known.text, params.position))
        if found is None:
            return None
        about = wire.span_range(known.text, found.start, found.end)
        return lsp.Hover(wire.markdown(found.markdown), about)

    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", '"', "("])
    )
    @answering
    async def completed(
        ls: SagaServer, params: lsp.CompletionParams
    ) -> list[lsp.CompletionItem] | None:
        return await _completed(ls, params)

    _leading(server, lsp.TEXT_DOCUMENT_DEFINITION, navigation.definition)
    _leading(server, lsp.TEXT_DOCUMENT_TYPE_DEFINITION, navigation.type_definition)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    @answering
    @knowing
    async def used(
        ls: SagaServer, known: Analysis, params: lsp.ReferenceParams
    ) -> list[lsp.Location] | None:
        symbol = navigation.meant(known, wire.offset(known.text, params.position))
        if symbol is None:
            return None
        programs = await ls.programs(known, symbol.name)
        spans = navigation.uses(symbol.key, programs, params.context.include_declaration)
        found = [wire.location(span, ls.files.text, ls.uri) for span in spans]
        return [each for each in found if each is not None]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    @answering
    @knowing
    async def highlighted(
        ls: SagaServer, known: Analysis, params: lsp.DocumentHighlightParams
    ) -> list[lsp.DocumentHighlight]:
        kinds = (lsp.DocumentHighlightKind.Read, lsp.DocumentHighlightKind.Write)
        found = navigation.within(known, wire.offset(known.text, params.position))
        return [
            lsp.DocumentHighlight(wire.span_range(known.text, s.start, s.end), kinds[declares])
            for s, declares in found
        ]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    @answering
    @knowing
    async def symbols(
        ls: SagaServer, known: Analysis, params: lsp.DocumentSymbolParams
    ) -> list[lsp.DocumentSymbol]:
        parsed = known.program.modules[known.text.name]
        return [wire.symbol(part, known.text) for part in parts(parsed)]

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    @answering
    @knowing
    async def folded(
        ls: SagaServer, known: Analysis, params: lsp.FoldingRangeParams
    ) -> list[lsp.FoldingRange]:
        found = folds(known.program.modules[known.text.name])
        comment = lsp.FoldingRangeKind.Comment
        return [
            lsp.FoldingRange(first, last, kind=comment if said else None)
            for first, last, said in found
        ]

    @server.feature(
        lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
        lsp.SemanticTokensLegend(list(TYPES), list(MODIFIERS)),
    )
    @answering
    @knowing
    async def coloured(
        ls: SagaServer, known: Analysis, params: lsp.SemanticTokensParams
    ) -> lsp.SemanticTokens:
        return wire.semantic(list(tokens(known)), known.text)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions())
    @answering
    @knowing
    async def lensed(
        ls: SagaServer, known: Analysis, params: lsp.CodeLensParams
    ) -> list[lsp.CodeLens]:
        uri = params.text_document.uri
        return [
            lsp.CodeLens(
                wire.span_range(known.text, lens.span.start, lens.span.end),
                lsp.Command(lens.title, "saga.plan", arguments=[uri, lens.saga]),
            )
            for lens in lenses(known)
        ]


def _leading(server: SagaServer, method: str, find: Callable[[Analysis, int], Span | None]) -> None:
    """Registers a request that leads from a place to another one."""

    @server.feature(method)
    @answering
    @knowing
    async def led(
        ls: SagaServer, known: Analysis, params: lsp.TextDocumentPositionParams
    ) -> lsp.Location | None:
        span = find(known, wire.offset(known.text, params.position))
        return None if span is None else wire.location(span, ls.files.text, ls.uri)


async def _completed(
    ls: SagaServer, params: lsp.CompletionParams
) -> list[lsp.CompletionItem] | None:
    path = ls.path(params.text_document.uri)
    document = ls.files.documents.get(path)
    before = ls.known.get(path) or await ls.current(path)
    if document is None or before is None:
        return None
    # The text is newer than what was compiled: names of other declarations come from that.
    known = Analysis(document.text, before.program, before.good)
    at = wire.offset(known.text, params.position)
    exports = None
    written = imported_file(known, at)
    if written is not None:
        exports = ls.files.exports(known.text.name, written)
    groups = ls.files.groups_known(known.text)
    found = completion(known, at, groups, ls.files.importable(path), exports)
    return [wire.item(each) for each in found]


def _changing(server: SagaServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    @knowing
    async def prepared(
        ls: SagaServer, known: Analysis, params: lsp.PrepareRenameParams
    ) -> lsp.Range:
        try:
            _, span = rename.target(known, wire.offset(known.text, params.position))
        except rename.Refused as reason:
            raise JsonRpcInvalidParams(str(reason)) from None
        return wire.span_range(known.text, span.start, span.end)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    @knowing
    async def renamed(
        ls: SagaServer, known: Analysis, params: lsp.RenameParams
    ) -> lsp.WorkspaceEdit:
        try:
            symbol, _ = rename.target(known, wire.offset(known.text, params.position))
            programs = await ls.programs(known, symbol.name)
            renaming = rename.Renaming(symbol, rename.spans(symbol, programs))
            anew = ls.files.snapshot().recompiled
            found = await ls.aside(
                lambda: rename.checked(renaming, params.new_name, programs, anew)
            )
        except rename.Refused as reason:
            raise JsonRpcInvalidParams(str(reason)) from None
        return _edit(ls, found)

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    @answering
    async def formatted(
        ls: SagaServer, params: lsp.DocumentFormattingParams
    ) -> list[lsp.TextEdit] | None:
        text = _text(ls, params.text_document.uri)
        if text is None:
            return None
        found = await ls.aside(lambda: formatting(text))
        return [wire.text_edit(text, edit) for edit in found]

    @server.feature(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)
    @answering
    async def range_formatted(
        ls: SagaServer, params: lsp.DocumentRangeFormattingParams
    ) -> list[lsp.TextEdit] | None:
        text = _text(ls, params.text_document.uri)
        if text is None:
            return None
        found = formatting(text, params.range.start.line, params.range.end.line)
        return [wire.text_edit(text, edit) for edit in found]

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, FIX_ALL]),
    )
    @answering
    @knowing
    async def offered(
        ls: SagaServer, known: Analysis, params: lsp.CodeActionParams
    ) -> list[lsp.CodeAction | lsp.Command]:
        start = wire.offset(known.text, params.range.start)
        end = wire.offset(known.text, params.range.end)
        found = [_action(ls, each) for each in actions(known, start, end)]
        only = params.context.only
        return [a for a in found if only is None or any(_is_kind(a, str(k)) for k in only)]


def _action(ls: SagaServer, found: Action) -> lsp.CodeAction:
    if found.kind == "explain":
        command = lsp.Command(found.title, "saga.explain", arguments=[found.code])
        return lsp.CodeAction(found.title, lsp.CodeActionKind.QuickFix, command=command)
    about = None
    if found.diagnostic is not None:
        made = wire.diagnostic(found.diagnostic, ls.files.text, ls.uri)
        about = [made] if made is not None else None
    return lsp.CodeAction(
        title=found.title,
        kind=FIX_ALL if found.kind == "all" else lsp.CodeActionKind.QuickFix,
        diagnostics=about,
        is_preferred=found.preferred or None,
        edit=_edit(ls, found.edits),
    )


def _is_kind(action: lsp.CodeAction, wanted: str) -> bool:
    kind = action.kind
    text = str(kind.value if isinstance(kind, lsp.CodeActionKind) else kind)
    return text == wanted or text.startswith(f"{wanted}.")


def _edit(ls: SagaServer, found: Any) -> lsp.WorkspaceEdit:
    workspace = ls.client_capabilities.workspace
    support = workspace.workspace_edit if workspace is not None else None
    if support is not None and support.document_changes:
        return wire.edits(found, ls.files.text, ls.uri, ls.number)
    return wire.plain_edits(found, ls.files.text, ls.uri)


def _text(ls: SagaServer, uri: str) -> Text | None:
    document = ls.files.documents.get(ls.path(uri))
    return document.text if document is not None else None


def _commands(server: SagaServer) -> None:
    @server.command("saga.plan")
    async def plan(ls: SagaServer, uri: str, saga: str) -> str:
        """Shows the recovery plan of a saga; gives its text."""
        known = await _known(ls, uri)
        compilation = known.program.compilation if known is not None else None
        found = compilation.plans.get(saga) if compilation is not None else None
        if found is None:
            raise JsonRpcInvalidParams(f"`{saga}` has errors: mend them, then it has a plan.")
        text = ls.told(found)
        ls.show(f"{saga}.plan.txt", text)
        return text

    @server.command("saga.explain")
    async def explain(ls: SagaServer, code: str) -> str:
        """Shows the page of a rule; gives its text."""
        text = page(code)
        if text is None:
            raise JsonRpcInvalidParams(f"There is no rule `{code}`.")
        ls.show(f"{code}.md", text)
        return text

    @server.command("saga.fixAll")
    async def fix(ls: SagaServer, uri: str) -> bool:
        """Makes every fix of a document that keeps the meaning; tells whether there was one."""
        known = await _known(ls, uri)
        edit = fix_all(known) if known is not None else None
        if edit is None:
            return False
        done = await ls.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(_edit(ls, [edit])))
        return done.applied
