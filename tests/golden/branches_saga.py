# Made by sagalang 0.1.0 from branches.saga. What is changed here is lost when it is compiled again.
#
# triage: definition 57f15f93e3f8ce4bbcff174f361964e39f4a548e94265626a6a42d7b5fa76611
# peek: definition ddc4ed84a4dab7436075cbb7047185a892ec4bbca7e0dae24470d697b3db03fb
#
# Run it:  python branches_saga.py --input '{"id": ..., "urgent": ...}'
# Use it:  from branches_saga import triage, peek
"""The sagas of branches.saga."""

from __future__ import annotations

from dataclasses import dataclass

from sagalang.runtime.module import (
    SECOND,
    Apply,
    Binary,
    Binding,
    Compare,
    Effect,
    Idempotence,
    If,
    Index,
    Literal,
    Logic,
    MapOf,
    Name,
    Parallel,
    Parameter,
    Record,
    Retry,
    Return,
    Source,
    T,
    Text,
    Tool,
    Unary,
    Undo,
    arg,
    get,
    main,
    saga,
    step,
)


@dataclass(frozen=True, kw_only=True)
class Ticket:
    id: str
    level: int


# Where the lines of the sources begin.

branches_saga = Source(
    "branches.saga",
    (
        "2:13 3:51 4:121 5:161 6:188 7:219 8:242 10:260 13:448 14:536 15:561 16:574 17:590 19:650 "
        "20:696 22:748 23:793 25:903 26:927 27:943 28:960 29:997 30:1034 33:1096 35:1139 40:1190 "
        "41:1221 42:1246"
    ),
)
f, at = branches_saga.formula, branches_saga.place

# The types, as the plans have them.

Ticket_type = Record(
    name="Ticket",
    fields=(
        Parameter(name="id", type=T("str"), at=at("2:17+7")),
        Parameter(name="level", type=T("int"), at=at("2:26+10")),
    ),
    at=at("2:8+6"),
)

# The tools: what each changes, how to verify it, how to undo it.

look = Tool(
    name="look",
    parameters=(Parameter(name="id", type=T("str"), at=at("3:11+7")),),
    result=T("Ticket"),
    call=Binding(target="world:look", args=(arg("id", f("id", "3:11", "str")),), at=at("3:32+24")),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("3:6+4"),
)

open_ = Tool(
    name="open",
    parameters=(
        Parameter(name="id", type=T("str"), at=at("4:11+7")),
        Parameter(name="at", type=T("str"), at=at("4:20+7")),
    ),
    result=T("Ticket"),
    call=Binding(
        target="world:open",
        args=(arg("id", f("id", "4:11", "str")), arg("at", f("at", "4:20", "str"))),
        at=at("5:3+24"),
    ),
    effects=(
        Effect(
            kind="ticket",
            ids=(f("id", "6:17", "str"),),
            effect_class="reversible",
            at=at("6:3+28"),
        ),
    ),
    idempotent=Idempotence(by="naturally", at=at("7:3+20")),
    undos=(Undo(tool="shut", args=(arg("id", f("id", "8:13", "str")),), at=at("8:3+13")),),
    at=at("4:6+4"),
)

shut = Tool(
    name="shut",
    parameters=(Parameter(name="id", type=T("str"), at=at("10:11+7")),),
    result=T("json"),
    call=Binding(
        target="world:shut",
        args=(arg("id", f("id", "10:11", "str")),),
        at=at("10:30+24"),
    ),
    effects=(Effect(kind="ticket", effect_class="restoring", at=at("10:55+23")),),
    idempotent=Idempotence(by="naturally", at=at("10:79+20")),
    retry=Retry(attempts=5, at=at("10:100+13")),
    at=at("10:6+4"),
)

# The sagas.

triage = saga(
    name="triage",
    doc="Branches in work side by side, and work side by side in branches.",
    format=1,
    edition=2026,
    parameters=(
        Parameter(name="id", type=T("str"), at=at("13:13+7")),
        Parameter(name="urgent", type=T("bool"), at=at("13:22+12")),
        Parameter(
            name="levels",
            type=T("map[int]"),
            default=f(
                "{ first: 1, second: 2 }",
                "13:55",
                "map[int]",
                MapOf((("first", Literal(1)), ("second", Literal(2)))),
            ),
            at=at("13:36+42"),
        ),
    ),
    result=T("int"),
    body=(
        step(
            look,
            path="ticket",
            name="ticket",
            args=(arg("id", f("id", "14:22", "str")),),
            type=T("Ticket"),
            at=at("14:8+6"),
        ),
        Parallel(
            path="parallel#1",
            body=(
                If(
                    path="if#1",
                    condition=f("urgent", "16:8", "bool"),
                    then=(
                        step(
                            open_,
                            path="page",
                            name="page",
                            args=(
                                arg(
                                    "id",
                                    f(
                                        '"{id}-page"',
                                        "17:24",
                                        "str",
                                        Text((Name("id"), Literal("-page"))),
                                    ),
                                ),
                                arg("at", f('"on call"', "17:37", "str", Literal("on call"))),
                            ),
                            type=T("Ticket"),
                            at=at("17:12+4"),
                        ),
                    ),
                    otherwise=(
                        step(
                            open_,
                            path="queue",
                            name="queue",
                            args=(
                                arg(
                                    "id",
                                    f(
                                        '"{id}-queue"',
                                        "19:25",
                                        "str",
                                        Text((Name("id"), Literal("-queue"))),
                                    ),
                                ),
                                arg("at", f('"desk"', "19:39", "str", Literal("desk"))),
                            ),
                            type=T("Ticket"),
                            at=at("19:12+5"),
                        ),
                        step(
                            open_,
                            path="told",
                            name="told",
                            args=(
                                arg(
                                    "id",
                                    f(
                                        '"{id}-told"',
                                        "20:24",
                                        "str",
                                        Text((Name("id"), Literal("-told"))),
                                    ),
                                ),
                                arg("at", f("queue.id", "20:37", "str")),
                            ),
                            type=T("Ticket"),
                            at=at("20:12+4"),
                        ),
                    ),
                    at=at("16:5+2"),
                ),
                step(
                    open_,
                    path="copy",
                    name="copy",
                    args=(
                        arg(
                            "id",
                            f('"{id}-copy"', "22:22", "str", Text((Name("id"), Literal("-copy")))),
                        ),
                        arg("at", f("ticket.id", "22:35", "str")),
                    ),
                    type=T("Ticket"),
                    at=at("22:10+4"),
                ),
                step(
                    open_,
                    path="twin",
                    name="twin",
                    waits=("copy",),
                    args=(
                        arg(
                            "id",
                            f('"{id}-twin"', "23:22", "str", Text((Name("id"), Literal("-twin")))),
                        ),
                        arg("at", f("copy.id", "23:35", "str")),
                    ),
                    type=T("Ticket?"),
                    when=f(
                        'ticket.level > default(levels["second"], 0) or not urgent',
                        "23:49",
                        "bool",
                        Logic(
                            "or",
                            Compare(
                                ">",
                                get("ticket.level"),
                                Apply(
                                    "default",
                                    (Index(Name("levels"), Literal("second")), Literal(0)),
                                ),
                            ),
                            Unary("not", Name("urgent")),
                        ),
                    ),
                    at=at("23:10+4"),
                ),
            ),
            at=at("15:3+8"),
        ),
        If(
            path="if#2",
            condition=f(
                "ticket.level > 2", "25:6", "bool", Compare(">", get("ticket.level"), Literal(2))
            ),
            then=(
                If(
                    path="if#3",
                    condition=f("urgent", "26:8", "bool"),
                    then=(
                        Parallel(
                            path="parallel#2",
                            body=(
                                step(
                                    open_,
                                    path="a",
                                    name="a",
                                    args=(
                                        arg(
                                            "id",
                                            f(
                                                '"{id}-a"',
                                                "28:23",
                                                "str",
                                                Text((Name("id"), Literal("-a"))),
                                            ),
                                        ),
                                        arg("at", f('"a"', "28:33", "str", Literal("a"))),
                                    ),
                                    type=T("Ticket"),
                                    at=at("28:14+1"),
                                ),
                                step(
                                    open_,
                                    path="b",
                                    name="b",
                                    args=(
                                        arg(
                                            "id",
                                            f(
                                                '"{id}-b"',
                                                "29:23",
                                                "str",
                                                Text((Name("id"), Literal("-b"))),
                                            ),
                                        ),
                                        arg("at", f('"b"', "29:33", "str", Literal("b"))),
                                    ),
                                    type=T("Ticket"),
                                    at=at("29:14+1"),
                                ),
                                step(
                                    open_,
                                    path="c",
                                    name="c",
                                    waits=("a", "b"),
                                    args=(
                                        arg(
                                            "id",
                                            f(
                                                '"{id}-c"',
                                                "30:23",
                                                "str",
                                                Text((Name("id"), Literal("-c"))),
                                            ),
                                        ),
                                        arg(
                                            "at",
                                            f(
                                                '"{a.id}{b.id}"',
                                                "30:33",
                                                "str",
                                                Text((get("a.id"), get("b.id"))),
                                            ),
                                        ),
                                    ),
                                    type=T("Ticket"),
                                    at=at("30:14+1"),
                                ),
                            ),
                            at=at("27:7+8"),
                        ),
                    ),
                    at=at("26:5+2"),
                ),
                Return(
                    path="return#1",
                    value=f(
                        "ticket.level * 2 + 1",
                        "33:12",
                        "int",
                        Binary("+", Binary("*", get("ticket.level"), Literal(2)), Literal(1)),
                    ),
                    at=at("33:5+6"),
                ),
            ),
            otherwise=(
                Return(
                    path="return#2",
                    value=f("-1", "35:12", "int", Unary("-", Literal(1))),
                    at=at("35:5+6"),
                ),
            ),
            at=at("25:3+2"),
        ),
    ),
    tools=(look, open_, shut),
    records=(Ticket_type,),
    at=at("13:6+6"),
    classes={"Ticket": Ticket},
    file=__file__,
)

peek = saga(
    name="peek",
    doc="A saga that only looks.",
    format=1,
    edition=2026,
    parameters=(Parameter(name="id", type=T("str"), at=at("40:11+7")),),
    result=T("Ticket"),
    body=(
        step(
            look,
            path="ticket",
            name="ticket",
            args=(arg("id", f("id", "41:22", "str")),),
            type=T("Ticket"),
            at=at("41:8+6"),
        ),
        Return(path="return#1", value=f("ticket", "42:10", "Ticket"), at=at("42:3+6")),
    ),
    tools=(look,),
    records=(Ticket_type,),
    at=at("40:6+4"),
    classes={"Ticket": Ticket},
    file=__file__,
)

if __name__ == "__main__":
    raise SystemExit(main(triage, peek))
