# Made by sagalang 0.1.0 from imports.saga. What is changed here is lost when it is compiled again.
#
# leave: definition 63794b937a06ed2cd99fc889868c8944e48e78f7c2a040d104ff2402eb3a2142
#
# Run it:  python imports_saga.py --input '{"id": ..., "text": ...}'
# Use it:  from imports_saga import leave
"""Leaves a note, and says what lies there."""

from __future__ import annotations

from dataclasses import dataclass

from sagalang.runtime.module import (
    SECOND,
    Apply,
    Binding,
    Compare,
    Effect,
    Idempotence,
    ListOf,
    Literal,
    Name,
    Parameter,
    Record,
    RecordOf,
    Requires,
    Retry,
    Return,
    Source,
    T,
    Text,
    Tool,
    Undo,
    Verify,
    arg,
    main,
    saga,
    step,
)


@dataclass(frozen=True, kw_only=True)
class Note:
    sheet: Note_2
    copies: int


@dataclass(frozen=True, kw_only=True)
class Note_2:
    id: str
    text: str


# Where the lines of the sources begin.

imports_saga = Source("imports.saga", "5:158 8:248 9:289 10:318 11:344 12:398")
f, at = imports_saga.formula, imports_saga.place

parts_desk_saga = Source("parts/desk.saga", "2:13 3:48 5:154 6:193 7:219 8:248 9:271 10:292 12:310")
f_desk, at_desk = parts_desk_saga.formula, parts_desk_saga.place

# The types, as the plans have them.

Note_type = Record(
    name="Note",
    fields=(
        Parameter(name="sheet", type=T("Note_2"), at=at("5:15+12")),
        Parameter(name="copies", type=T("int"), at=at("5:29+11")),
    ),
    at=at("5:8+4"),
)

Note_2_type = Record(
    name="Note_2",
    fields=(
        Parameter(name="id", type=T("str"), at=at_desk("2:15+7")),
        Parameter(name="text", type=T("str"), at=at_desk("2:24+9")),
    ),
    at=at_desk("2:8+4"),
)

# The tools: what each changes, how to verify it, how to undo it.

note_of = Tool(
    name="note_of",
    parameters=(Parameter(name="id", type=T("str"), at=at_desk("3:14+7")),),
    result=T("Note_2?"),
    call=Binding(
        target="world:note_of",
        args=(arg("id", f_desk("id", "3:14", "str")),),
        at=at_desk("3:34+27"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at_desk("3:6+7"),
)

put = Tool(
    name="put",
    doc="Puts a note on the desk.",
    parameters=(
        Parameter(name="id", type=T("str"), at=at_desk("5:10+7")),
        Parameter(name="text", type=T("str"), at=at_desk("5:19+9")),
    ),
    result=T("Note_2"),
    call=Binding(
        target="world:put",
        args=(arg("id", f_desk("id", "5:10", "str")), arg("text", f_desk("text", "5:19", "str"))),
        at=at_desk("6:3+23"),
    ),
    effects=(
        Effect(
            kind="note",
            ids=(f_desk("id", "7:15", "str"),),
            effect_class="reversible",
            at=at_desk("7:3+26"),
        ),
    ),
    idempotent=Idempotence(by="naturally", at=at_desk("8:3+20")),
    verify=Verify(
        tool="note_of",
        args=(arg("id", f_desk("id", "9:18", "str")),),
        at=at_desk("9:3+18"),
    ),
    undos=(
        Undo(tool="take", args=(arg("id", f_desk("id", "10:13", "str")),), at=at_desk("10:3+13")),
    ),
    at=at_desk("5:6+3"),
)

take = Tool(
    name="take",
    parameters=(Parameter(name="id", type=T("str"), at=at_desk("12:11+7")),),
    result=T("json"),
    call=Binding(
        target="world:take",
        args=(arg("id", f_desk("id", "12:11", "str")),),
        at=at_desk("12:30+24"),
    ),
    effects=(Effect(kind="note", effect_class="restoring", at=at_desk("12:55+21")),),
    idempotent=Idempotence(by="naturally", at=at_desk("12:77+20")),
    retry=Retry(attempts=5, at=at_desk("12:98+13")),
    at=at_desk("12:6+4"),
)

# The sagas.

leave = saga(
    name="leave",
    doc="Leaves a note, and says what lies there.",
    format=1,
    edition=2026,
    parameters=(
        Parameter(name="id", type=T("str"), at=at("8:12+7")),
        Parameter(name="text", type=T("str"), at=at("8:21+9")),
    ),
    result=T("Note"),
    body=(
        step(
            put,
            path="sheet",
            name="sheet",
            args=(arg("id", f("id", "9:20", "str")), arg("text", f("text", "9:24", "str"))),
            type=T("Note_2"),
            at=at("9:8+5"),
        ),
        step(
            note_of,
            path="seen",
            name="seen",
            args=(arg("id", f("id", "10:23", "str")),),
            type=T("Note_2?"),
            at=at("10:8+4"),
        ),
        Requires(
            path="requires#1",
            test=f("seen != none", "11:12", "bool", Compare("!=", Name("seen"), Literal(None))),
            otherwise=f(
                '"the note {id} has gone"',
                "11:30",
                "str",
                Text((Literal("the note "), Name("id"), Literal(" has gone"))),
            ),
            at=at("11:3+8"),
        ),
        Return(
            path="return#1",
            value=f(
                "Note(sheet: seen, copies: len([sheet]))",
                "12:10",
                "Note",
                RecordOf(
                    "Note",
                    (
                        ("sheet", Name("seen")),
                        ("copies", Apply("len", (ListOf((Name("sheet"),)),))),
                    ),
                ),
            ),
            at=at("12:3+6"),
        ),
    ),
    tools=(note_of, put, take),
    records=(Note_type, Note_2_type),
    at=at("8:6+5"),
    classes={"Note": Note, "Note_2": Note_2},
    file=__file__,
)

if __name__ == "__main__":
    raise SystemExit(main(leave))
