"""What the language's own functions and operators take and give: data, for typing and for tests.

Types are written as in a program. `T` stands for any type; `N` for int, float or decimal; `O` for
what can be put in order (`ORDERED`). `O...` takes one or more. The first row that fits counts.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One way to call a function: the types that it takes, and the type that it gives.

    `can_fail` is true when the values of some arguments make it fail (sizes apart).
    """

    takes: tuple[str, ...]
    gives: str
    can_fail: bool = False


NUMBERS = ("int", "float", "decimal")
ORDERED = (*NUMBERS, "str", "date", "datetime", "duration")

FUNCTIONS: dict[str, tuple[Row, ...]] = {
    "len": (Row(("str",), "int"), Row(("list[T]",), "int"), Row(("map[T]",), "int"),
            Row(("bytes",), "int")),
    "sum": (Row(("list[N]",), "N", True),),
    "min": (Row(("list[O]",), "O?", True), Row(("O", "O..."), "O", True)),
    "max": (Row(("list[O]",), "O?", True), Row(("O", "O..."), "O", True)),
    "round": (Row(("N",), "int", True), Row(("decimal", "int"), "decimal", True),
              Row(("float", "int"), "float", True)),
    "abs": (Row(("N",), "N"), Row(("duration",), "duration")),
    "str": (Row(("T",), "str"),),
    "int": (Row(("str",), "int", True), Row(("N",), "int", True)),
    "decimal": (Row(("str",), "decimal", True), Row(("N",), "decimal", True)),
    "float": (Row(("str",), "float", True), Row(("N",), "float", True)),
    "lower": (Row(("str",), "str"),),
    "upper": (Row(("str",), "str"),),
    "trim": (Row(("str",), "str"),),
    "split": (Row(("str",), "list[str]"), Row(("str", "str"), "list[str]", True)),
    "join": (Row(("list[str]", "str"), "str"),),
    "keys": (Row(("map[T]",), "list[str]"),),
    "values": (Row(("map[T]",), "list[T]"),),
    "any": (Row(("list[bool]",), "bool"),),
    "all": (Row(("list[bool]",), "bool"),),
    "default": (Row(("T?", "T"), "T"),),
    "unique": (Row(("list[T]",), "list[T]"),),
    "sorted": (Row(("list[O]",), "list[O]", True),),
    "range": (Row(("int",), "list[int]", True), Row(("int", "int"), "list[int]", True)),
    "chunks": (Row(("list[T]", "int"), "list[list[T]]", True),),
    "started_at": (Row((), "datetime"),),
}  # fmt: skip

OPERATORS: dict[str, tuple[Row, ...]] = {
    "+": (Row(("int", "int"), "int"), Row(("decimal", "decimal"), "decimal", True),
          Row(("float", "float"), "float", True), Row(("str", "str"), "str"),
          Row(("list[T]", "list[T]"), "list[T]"),
          Row(("duration", "duration"), "duration", True),
          Row(("datetime", "duration"), "datetime", True),
          Row(("duration", "datetime"), "datetime", True),
          Row(("date", "duration"), "date", True), Row(("duration", "date"), "date", True)),
    "-": (Row(("int", "int"), "int"), Row(("decimal", "decimal"), "decimal", True),
          Row(("float", "float"), "float", True),
          Row(("duration", "duration"), "duration", True),
          Row(("datetime", "duration"), "datetime", True),
          Row(("datetime", "datetime"), "duration", True),
          Row(("date", "duration"), "date", True), Row(("date", "date"), "duration")),
    "*": (Row(("int", "int"), "int"), Row(("decimal", "decimal"), "decimal", True),
          Row(("float", "float"), "float", True), Row(("duration", "int"), "duration", True),
          Row(("int", "duration"), "duration", True)),
    "/": (Row(("int", "int"), "decimal", True), Row(("decimal", "decimal"), "decimal", True),
          Row(("float", "float"), "float", True), Row(("duration", "duration"), "decimal", True)),
    "//": (Row(("int", "int"), "int", True), Row(("decimal", "decimal"), "decimal", True),
           Row(("float", "float"), "float", True), Row(("duration", "duration"), "int", True)),
    "%": (Row(("int", "int"), "int", True), Row(("decimal", "decimal"), "decimal", True),
          Row(("float", "float"), "float", True),
          Row(("duration", "duration"), "duration", True)),
}  # fmt: skip
"""Beside a decimal or a float an int becomes one first; a decimal never meets a float."""
