# Made by sagalang 0.1.0 from names.saga. What is changed here is lost when it is compiled again.
#
# class_: definition d7d326e5f9b1756cb8432ffbff4dfd73221e6eb211c9bf5523b3ec9d06d66cd0
# main: definition 1f1f872f31037dd906167b267227338ccc1a61ba14d88fc3ade219673a2a6de1
#
# Run it:  python names_saga.py --input '{"print": ...}'
# Use it:  from names_saga import class_, main
"""The sagas of names.saga."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from sagalang.runtime.module import (
    SECOND,
    Binary,
    Binding,
    Effect,
    Enum,
    Idempotence,
    Let,
    Literal,
    Name,
    Parameter,
    Record as Record_,
    RecordOf,
    Retry,
    Return,
    Source,
    T,
    Tool as Tool_,
    Type,
    Undo,
    arg,
    main as main_,
    saga,
    step,
)


class Step(StrEnum):
    class_ = "class"
    name_ = "name"
    lower_ = "lower"
    x_private = "_private"
    mro_ = "mro"
    import_ = "import"


@dataclass(frozen=True, kw_only=True)
class Record:
    class_: str = field(metadata={"saga": "class"})
    str_: str = field(metadata={"saga": "str"})
    list_: list[str] = field(metadata={"saga": "list"})
    self: int
    field_: Step = field(metadata={"saga": "field"})
    dataclass: bool = True
    x__init__: int = field(default=1, metadata={"saga": "__init__"})
    Decimal_: Decimal = field(metadata={"saga": "Decimal"})
    dt_: dt.date | None = field(default=None, metadata={"saga": "dt"})


@dataclass(frozen=True, kw_only=True)
class record:
    Record_: Record = field(metadata={"saga": "Record"})
    kind: Step = Step.class_


# Where the lines of the sources begin.

names_saga = Source(
    "names.saga",
    (
        "3:89 4:145 5:304 6:362 7:408 8:451 9:483 10:506 12:523 13:631 14:698 15:765 16:851 17:933 "
        "18:969 19:995 20:1021 21:1044 22:1069 24:1122 25:1153 26:1177"
    ),
)
f_, at = names_saga.formula, names_saga.place

# The types, as the plans have them.

Step_type = Enum(
    name="Step",
    members=("class", "name", "lower", "_private", "mro", "import"),
    at=at("3:6+4"),
)

Record_type = Record_(
    name="Record",
    fields=(
        Parameter(name="class", type=T("str"), at=at("4:17+10")),
        Parameter(name="str", type=T("str"), at=at("4:29+8")),
        Parameter(name="list", type=T("list[str]"), at=at("4:39+15")),
        Parameter(name="self", type=T("int"), at=at("4:56+9")),
        Parameter(name="field", type=T("enum Step"), at=at("4:67+11")),
        Parameter(
            name="dataclass",
            type=T("bool"),
            default=f_("true", "4:98", "bool", Literal(True)),
            at=at("4:80+22"),
        ),
        Parameter(
            name="__init__",
            type=T("int"),
            default=f_("1", "4:120", "int", Literal(1)),
            at=at("4:104+17"),
        ),
        Parameter(name="Decimal", type=T("decimal"), at=at("4:123+16")),
        Parameter(
            name="dt",
            type=T("date?"),
            default=f_("none", "4:153", "date?", Literal(None)),
            at=at("4:141+16"),
        ),
    ),
    at=at("4:8+6"),
)

record_type = Record_(
    name="record",
    fields=(
        Parameter(name="Record", type=T("Record"), at=at("5:17+14")),
        Parameter(
            name="kind",
            type=T("enum Step"),
            default=f_("Step.class", "5:46", "enum Step", Literal("class")),
            at=at("5:33+23"),
        ),
    ),
    at=at("5:8+6"),
)

# The tools: what each changes, how to verify it, how to undo it.

Tool = Tool_(
    name="Tool",
    parameters=(Parameter(name="T", type=T("str"), at=at("13:11+6")),),
    result=T("json"),
    call=Binding(target="world:Tool", args=(arg("T", f_("T", "13:11", "str")),), at=at("13:29+24")),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("13:6+4"),
)

f = Tool_(
    name="f",
    parameters=(Parameter(name="at", type=T("str"), at=at("12:8+7")),),
    result=T("json"),
    call=Binding(target="world:f", args=(arg("at", f_("at", "12:8", "str")),), at=at("12:27+21")),
    effects=(Effect(kind="print", effect_class="restoring", at=at("12:49+22")),),
    idempotent=Idempotence(by="naturally", at=at("12:72+20")),
    retry=Retry(attempts=5, at=at("12:93+13")),
    at=at("12:6+1"),
)

print_ = Tool_(
    name="print",
    parameters=(
        Parameter(name="self", type=T("str"), at=at("6:12+9")),
        Parameter(name="class", type=T("str"), at=at("6:23+10")),
    ),
    result=T("Record"),
    call=Binding(
        target="world:print_",
        args=(arg("", f_("self", "7:31", "str")), arg("", f_("class", "7:37", "str"))),
        at=at("7:3+40"),
    ),
    effects=(
        Effect(
            kind="print",
            ids=(f_("self", "8:16", "str"),),
            effect_class="reversible",
            at=at("8:3+29"),
        ),
    ),
    idempotent=Idempotence(by="naturally", at=at("9:3+20")),
    undos=(Undo(tool="f", args=(arg("at", f_("self", "10:10", "str")),), at=at("10:3+12")),),
    at=at("6:6+5"),
)

step_of = Tool_(
    name="step_of",
    parameters=(Parameter(name="lambda", type=T("int"), at=at("15:14+11")),),
    result=T("int"),
    call=Binding(
        target="world:step_of",
        args=(arg("", f_("lambda", "15:65", "int")),),
        at=at("15:36+36"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("15:6+7"),
)

tool = Tool_(
    name="tool",
    parameters=(Parameter(name="t", type=T("str"), at=at("14:11+6")),),
    result=T("json"),
    call=Binding(target="world:tool", args=(arg("t", f_("t", "14:11", "str")),), at=at("14:29+24")),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("14:6+4"),
)

# The sagas.

class_ = saga(
    name="class",
    format=1,
    edition=2026,
    parameters=(
        Parameter(name="print", type=T("str"), at=at("16:12+10")),
        Parameter(
            name="match",
            type=T("int"),
            default=f_("1", "16:37", "int", Literal(1)),
            at=at("16:24+14"),
        ),
        Parameter(
            name="__class__",
            type=T("enum Step"),
            default=f_("Step.import", "16:58", "enum Step", Literal("import")),
            at=at("16:40+29"),
        ),
    ),
    result=Type(kind="record", name="record"),
    body=(
        step(
            print_,
            path="__init__",
            name="__init__",
            args=(
                arg("self", f_("print", "17:25", "str")),
                arg("class", f_('"x"', "17:32", "str", Literal("x"))),
            ),
            type=T("Record"),
            at=at("17:8+8"),
        ),
        step(
            Tool,
            path="Load",
            name="Load",
            args=(arg("T", f_("print", "18:20", "str")),),
            type=T("json"),
            at=at("18:8+4"),
        ),
        step(
            tool,
            path="load",
            name="load",
            args=(arg("t", f_("print", "19:20", "str")),),
            type=T("json"),
            at=at("19:8+4"),
        ),
        Let(
            path="type",
            name="type",
            value=f_("match + 1", "20:14", "int", Binary("+", Name("match"), Literal(1))),
            at=at("20:7+4"),
        ),
        step(
            step_of,
            path="_",
            name="_",
            args=(arg("lambda", f_("type", "21:20", "int")),),
            type=T("int"),
            at=at("21:8+1"),
        ),
        Return(
            path="return#1",
            value=f_(
                "record(Record: __init__, kind: __class__)",
                "22:10",
                Type(kind="record", name="record"),
                RecordOf("record", (("Record", Name("__init__")), ("kind", Name("__class__")))),
            ),
            at=at("22:3+6"),
        ),
    ),
    tools=(Tool, f, print_, step_of, tool),
    records=(Record_type, record_type),
    enums=(Step_type,),
    at=at("16:6+5"),
    classes={"Step": Step, "Record": Record, "record": record},
    file=__file__,
)

main = saga(
    name="main",
    format=1,
    edition=2026,
    parameters=(Parameter(name="saga", type=T("str"), at=at("24:11+9")),),
    result=T("json"),
    body=(
        step(
            Tool,
            path="get",
            name="get",
            args=(arg("T", f_("saga", "25:19", "str")),),
            type=T("json"),
            at=at("25:8+3"),
        ),
        Return(path="return#1", value=f_("get", "26:10", "json"), at=at("26:3+6")),
    ),
    tools=(Tool,),
    at=at("24:6+4"),
    file=__file__,
)

if __name__ == "__main__":
    raise SystemExit(main_(class_, main))
