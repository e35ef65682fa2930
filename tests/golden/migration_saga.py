# Made by sagalang 0.1.0 from migration.saga. What is changed here is lost when it is compiled again.
#
# move_page: definition 83b67e6cdab5df385544e36552fcf01091c72223f18331e6861c6320a1e499e6
# move_folder: definition 5c15d20bf392054a94dc2e1e84300e9fdf76843b29ea09fbab037c0c716d27e8
#
# Run it:  python migration_saga.py --input '{"page": ..., "stores": ...}'
# Use it:  from migration_saga import move_page, move_folder
"""The sagas of migration.saga."""

from __future__ import annotations

from dataclasses import dataclass

from sagalang.runtime.module import (
    HOUR,
    MINUTE,
    SECOND,
    Binding,
    Each,
    Effect,
    Expecting,
    First,
    Idempotence,
    ListOf,
    Literal,
    Next,
    Parameter,
    Reading,
    Record,
    Repeat,
    Retry,
    Return,
    SagaCall,
    Source,
    T,
    Tool,
    Undo,
    Verify,
    arg,
    main,
    saga,
    step,
)


@dataclass(frozen=True, kw_only=True)
class Copy:
    id: str
    page: str


@dataclass(frozen=True, kw_only=True)
class Page:
    id: str
    title: str
    version: int


@dataclass(frozen=True, kw_only=True)
class Batch:
    pages: list[Page]
    cursor: str | None


# Where the lines of the sources begin.

migration_saga = Source(
    "migration.saga",
    (
        "5:96 6:146 7:195 9:231 10:280 14:322 15:355 17:393 20:413 21:460 25:502 26:557 27:627 "
        "28:667 31:739 32:772 33:802 36:865 37:911 38:938 39:962 41:1006 44:1039 45:1083 46:1148 "
        "47:1183 48:1203 49:1219 52:1249 53:1289 54:1320 55:1345 56:1368 60:1474 61:1529 62:1560 "
        "63:1603 64:1652 66:1675 67:1715 68:1775 72:1889 75:1996 76:2053 77:2091 78:2184 79:2226 "
        "81:2250 82:2267 84:2292"
    ),
)
f, at = migration_saga.formula, migration_saga.place

# The types, as the plans have them.

Copy_type = Record(
    name="Copy",
    fields=(
        Parameter(name="id", type=T("str"), at=at("7:15+7")),
        Parameter(name="page", type=T("str"), at=at("7:24+9")),
    ),
    at=at("7:8+4"),
)

Page_type = Record(
    name="Page",
    fields=(
        Parameter(name="id", type=T("str"), at=at("5:15+7")),
        Parameter(name="title", type=T("str"), at=at("5:24+10")),
        Parameter(name="version", type=T("int"), at=at("5:36+12")),
    ),
    at=at("5:8+4"),
)

Batch_type = Record(
    name="Batch",
    fields=(
        Parameter(name="pages", type=T("list[Page]"), at=at("6:16+17")),
        Parameter(name="cursor", type=T("str?"), at=at("6:35+12")),
    ),
    at=at("6:8+5"),
)

# The tools: what each changes, how to verify it, how to undo it.

copy = Tool(
    name="copy",
    parameters=(
        Parameter(name="page", type=T("str"), at=at("25:11+9")),
        Parameter(name="store", type=T("str"), at=at("25:22+10")),
        Parameter(name="title", type=T("str"), at=at("25:34+10")),
    ),
    result=T("Copy"),
    call=Binding(
        target="new:create",
        args=(
            arg("", f("page", "26:29", "str")),
            arg("", f("store", "26:35", "str")),
            arg("", f("title", "26:42", "str")),
            arg("idempotency_key", f("key", "26:66", "str"), at("26:49+20")),
        ),
        at=at("26:3+67"),
    ),
    effects=(
        Effect(
            kind="copy",
            ids=(f("page", "27:15", "str"),),
            effect_class="reversible",
            impact=2,
            at=at("27:3+37"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("28:3+17")),
    fails=("Full", "TitleTaken"),
    transient=("Busy",),
    retry=Retry(attempts=5, low=200, at=at("31:3+30")),
    verify=Verify(
        tool="copy_of",
        args=(arg("page", f("page", "32:18", "str")), arg("store", f("store", "32:24", "str"))),
        at=at("32:3+27"),
    ),
    undos=(
        Undo(
            tool="discard",
            args=(arg("page", f("page", "33:16", "str")), arg("store", f("store", "33:22", "str"))),
            retry=Retry(attempts=20, high=5 * MINUTE, at=at("33:31+27")),
            at=at("33:3+57"),
        ),
    ),
    at=at("25:6+4"),
)

copy_of = Tool(
    name="copy_of",
    parameters=(
        Parameter(name="page", type=T("str"), at=at("20:14+9")),
        Parameter(name="store", type=T("str"), at=at("20:25+10")),
    ),
    result=T("Copy?"),
    call=Binding(
        target="new:find",
        args=(arg("page", f("page", "20:14", "str")), arg("store", f("store", "20:25", "str"))),
        at=at("21:3+22"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("20:6+7"),
)

discard = Tool(
    name="discard",
    parameters=(
        Parameter(name="page", type=T("str"), at=at("36:14+9")),
        Parameter(name="store", type=T("str"), at=at("36:25+10")),
    ),
    result=T("json"),
    call=Binding(
        target="new:delete",
        args=(arg("page", f("page", "36:14", "str")), arg("store", f("store", "36:25", "str"))),
        at=at("37:3+24"),
    ),
    effects=(Effect(kind="copy", effect_class="restoring", at=at("38:3+21")),),
    idempotent=Idempotence(by="naturally", at=at("39:3+20")),
    done=("NotFound",),
    retry=Retry(attempts=10, high=5 * MINUTE, at=at("41:3+27")),
    at=at("36:6+7"),
)

page_of = Tool(
    name="page_of",
    parameters=(Parameter(name="id", type=T("str"), at=at("14:14+7")),),
    result=T("Page?"),
    call=Binding(target="old:get", args=(arg("id", f("id", "14:14", "str")),), at=at("15:3+21")),
    reads=(Reading(kind="page", ids=(f("id", "17:14", "str"),), at=at("17:3+14")),),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("14:6+7"),
)

redirect = Tool(
    name="redirect",
    parameters=(
        Parameter(name="page", type=T("str"), at=at("44:15+9")),
        Parameter(name="to", type=T("str"), at=at("44:26+7")),
    ),
    result=T("json"),
    call=Binding(
        target="router:redirect",
        args=(
            arg("", f("page", "45:34", "str")),
            arg("", f("to", "45:40", "str")),
            arg("idempotency_key", f("key", "45:61", "str"), at("45:44+20")),
        ),
        at=at("45:3+62"),
    ),
    effects=(
        Effect(
            kind="route",
            ids=(f("page", "46:16", "str"),),
            effect_class="compensatable",
            at=at("46:3+32"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("47:3+17")),
    retry=Retry(attempts=5, at=at("48:3+13")),
    undos=(
        Undo(
            tool="restore_route",
            args=(arg("page", f("page", "49:22", "str")),),
            at=at("49:3+24"),
        ),
    ),
    at=at("44:6+8"),
)

restore_route = Tool(
    name="restore_route",
    parameters=(Parameter(name="page", type=T("str"), at=at("52:20+9")),),
    result=T("json"),
    call=Binding(
        target="router:restore",
        args=(arg("page", f("page", "52:20", "str")),),
        at=at("53:3+28"),
    ),
    effects=(Effect(kind="route", effect_class="restoring", at=at("54:3+22")),),
    idempotent=Idempotence(by="naturally", at=at("55:3+20")),
    retry=Retry(attempts=10, at=at("56:3+14")),
    at=at("52:6+13"),
)

batch = Tool(
    name="batch",
    parameters=(
        Parameter(name="folder", type=T("str"), at=at("9:12+11")),
        Parameter(name="cursor", type=T("str?"), at=at("9:25+12")),
    ),
    result=T("Batch"),
    call=Binding(
        target="old:list",
        args=(
            arg("folder", f("folder", "9:12", "str")),
            arg("cursor", f("cursor", "9:25", "str?")),
        ),
        at=at("10:3+22"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("9:6+5"),
)

# The sagas.

move_page = saga(
    name="move_page",
    doc="Copies one page to the first store that takes it, and points its address there.",
    format=1,
    edition=2026,
    parameters=(
        Parameter(name="page", type=T("Page"), at=at("60:16+10")),
        Parameter(name="stores", type=T("list[str]"), at=at("60:28+17")),
    ),
    result=T("str"),
    body=(
        step(
            page_of,
            path="seen",
            name="seen",
            args=(arg("id", f("page.id", "61:23", "str")),),
            type=T("Page?"),
            at=at("61:8+4"),
        ),
        First(
            path="place",
            name="place",
            variable="store",
            items=f("stores", "62:26", "list[str]"),
            by=f("store", "62:36", "str"),
            item=T("str"),
            type=T("str"),
            body=(
                step(
                    copy,
                    path="place[*].made",
                    name="made",
                    args=(
                        arg("page", f("page.id", "63:22", "str")),
                        arg("store", f("store", "63:31", "str")),
                        arg("title", f("page.title", "63:38", "str")),
                    ),
                    type=T("Copy"),
                    at=at("63:10+4"),
                ),
                Return(
                    path="place[*].return#1",
                    value=f("made.id", "64:12", "str"),
                    at=at("64:5+6"),
                ),
            ),
            at=at("62:9+5"),
        ),
        step(
            redirect,
            path="route",
            name="route",
            args=(arg("page", f("page.id", "66:25", "str")), arg("to", f("place", "66:34", "str"))),
            type=T("json"),
            expecting=Expecting(
                tool="page_of",
                args=(arg("id", f("page.id", "67:23", "str")),),
                field=("version",),
                since="seen",
                at=at("67:5+55"),
            ),
            at=at("66:8+5"),
        ),
        Return(path="return#1", value=f("place", "68:10", "str"), at=at("68:3+6")),
    ),
    tools=(copy, copy_of, discard, page_of, redirect, restore_route),
    records=(Copy_type, Page_type),
    at=at("60:6+9"),
    classes={"Copy": Copy, "Page": Page},
    file=__file__,
)

batches_moved_move_place = (
    step(
        copy,
        path="batches[*].moved[*].move.place[*].made",
        name="made",
        args=(
            arg("page", f("page.id", "63:22", "str")),
            arg("store", f("store", "63:31", "str")),
            arg("title", f("page.title", "63:38", "str")),
        ),
        type=T("Copy"),
        at=at("63:10+4"),
    ),
    Return(
        path="batches[*].moved[*].move.place[*].return#1",
        value=f("made.id", "64:12", "str"),
        at=at("64:5+6"),
    ),
)


batches_moved_move = (
    step(
        page_of,
        path="batches[*].moved[*].move.seen",
        name="seen",
        args=(arg("id", f("page.id", "61:23", "str")),),
        type=T("Page?"),
        at=at("61:8+4"),
    ),
    First(
        path="batches[*].moved[*].move.place",
        name="place",
        variable="store",
        items=f("stores", "62:26", "list[str]"),
        by=f("store", "62:36", "str"),
        item=T("str"),
        type=T("str"),
        body=batches_moved_move_place,
        at=at("62:9+5"),
    ),
    step(
        redirect,
        path="batches[*].moved[*].move.route",
        name="route",
        args=(arg("page", f("page.id", "66:25", "str")), arg("to", f("place", "66:34", "str"))),
        type=T("json"),
        expecting=Expecting(
            tool="page_of",
            args=(arg("id", f("page.id", "67:23", "str")),),
            field=("version",),
            since="batches[*].moved[*].move.seen",
            at=at("67:5+55"),
        ),
        at=at("66:8+5"),
    ),
    Return(
        path="batches[*].moved[*].move.return#1",
        value=f("place", "68:10", "str"),
        at=at("68:3+6"),
    ),
)


batches_moved = (
    SagaCall(
        path="batches[*].moved[*].move",
        saga="move_page",
        name="move",
        args=(
            arg("page", f("page", "78:29", "Page")),
            arg("stores", f("stores", "78:35", "list[str]")),
        ),
        parameters=(
            Parameter(name="page", type=T("Page"), at=at("60:16+10")),
            Parameter(name="stores", type=T("list[str]"), at=at("60:28+17")),
        ),
        result=T("str"),
        type=T("str"),
        body=batches_moved_move,
        at=at("78:12+4"),
    ),
    Return(path="batches[*].moved[*].return#1", value=f("move", "79:14", "str"), at=at("79:7+6")),
)


move_folder = saga(
    name="move_folder",
    doc="Moves a folder; of each batch up to three pages that cannot be moved stay where they are.",
    format=1,
    edition=2026,
    parameters=(
        Parameter(name="folder", type=T("str"), at=at("72:18+11")),
        Parameter(
            name="stores",
            type=T("list[str]"),
            default=f(
                '["main", "spare"]',
                "72:51",
                "list[str]",
                ListOf((Literal("main"), Literal("spare"))),
            ),
            at=at("72:31+37"),
        ),
    ),
    result=T("list[list[str?]]"),
    deadline=12 * HOUR,
    body=(
        Repeat(
            path="batches",
            name="batches",
            variable="cursor",
            start=f("none", "75:32", "none", Literal(None)),
            limit=1000,
            item=T("str?"),
            type=T("list[list[str?]]"),
            body=(
                step(
                    batch,
                    path="batches[*].read",
                    name="read",
                    args=(
                        arg("folder", f("folder", "76:23", "str")),
                        arg("cursor", f("cursor", "76:31", "str?")),
                    ),
                    type=T("Batch"),
                    at=at("76:10+4"),
                ),
                Each(
                    path="batches[*].moved",
                    name="moved",
                    variable="page",
                    items=f("read.pages", "77:26", "list[Page]"),
                    by=f("page.id", "77:40", "str"),
                    at_once=4,
                    undo_at_once=2,
                    tolerate=3,
                    item=T("Page"),
                    type=T("list[str?]"),
                    body=batches_moved,
                    at=at("77:10+5"),
                ),
                Return(
                    path="batches[*].return#1",
                    value=f("moved", "81:12", "list[str?]"),
                    at=at("81:5+6"),
                ),
                Next(
                    path="batches[*].next#1",
                    value=f("read.cursor", "82:10", "str?"),
                    at=at("82:5+4"),
                ),
            ),
            at=at("75:10+7"),
        ),
        Return(path="return#1", value=f("batches", "84:10", "list[list[str?]]"), at=at("84:3+6")),
    ),
    tools=(batch, copy, copy_of, discard, page_of, redirect, restore_route),
    records=(Batch_type, Copy_type, Page_type),
    at=at("72:6+11"),
    classes={"Batch": Batch, "Copy": Copy, "Page": Page},
    file=__file__,
)

if __name__ == "__main__":
    raise SystemExit(main(move_page, move_folder))
