"""What a wrong type is told as: the value, what it is, what is wanted there, and the way out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic, Fix, replacement
from ...dsl.nodes import Enum, Expr, NoneLiteral, Record, TextLiteral
from ...dsl.span import Span
from ...runtime.formula import Name, Type
from ..codes import declare
from ..names.catalogue import Catalogue
from .narrowing import path_of
from .secrecy import handed
from .types import BOOL, DECISION, NONE, coerced, holds_secret, inside, present, shown

T301 = declare("T301", "error", "mismatch")
T305 = declare("T305", "error", "may be none")
T306 = declare("T306", "error", "not a bool")


class Role(Struct, frozen=True):
    """What an expression is there for, as a message begins with it, and where that is declared."""

    text: str
    declared: Span | None = None

    @property
    def also(self) -> Sequence[tuple[Span, str]]:
        """The label of the declaration, if there is one."""
        return () if self.declared is None else [(self.declared, "wanted here")]


VALUE = Role("This")
ANY = Name("")
"""Any tree will do where only whether a coercion exists is asked."""


def mismatch(
    catalogue: Catalogue,
    module: str,
    expr: Expr,
    text: str,
    given: Type,
    wanted: Type,
    role: Role = VALUE,
) -> Diagnostic:
    """Makes T301, T305 or T306 for a value that is not of the type wanted; `text` is its source."""
    may_be_none = given == NONE or given.kind == "optional"
    if given == NONE and path_of(expr):
        return T305(
            f"`{text}` never has a value: what it stands for returns nothing.",
            expr.span,
            "always none",
            also=role.also,
            helps=["The value of a loop is what its block returns: end that with `return ...`.",
                   "A called saga has one that says `-> TYPE` and returns it."],
        )  # fmt: skip
    if may_be_none and (given == NONE or coerced(ANY, present(given), wanted) is not None):
        return none(expr, text, role)
    if wanted == BOOL:
        return T306(
            f"{role.text} must be true or false, but this is {shown(given)}.",
            expr.span,
            also=role.also,
            helps=[
                f"Write `{text}.approved`."
                if given == DECISION
                else "Compare it with something, for example `> 0` or `!= none`."
            ],
        )
    if holds_secret(given) and not holds_secret(wanted):
        return handed(role.text, expr, given, wanted, role.also)
    if isinstance(expr, NoneLiteral):
        return none(expr, text, role)
    fix = _fix(catalogue, module, expr, text, given, wanted)
    return T301(
        f"{role.text} must be {shown(wanted)}, but this is {shown(given)}.",
        expr.span,
        shown(given),
        also=role.also,
        helps=["A number is written without quotation marks."]
        if fix is not None and isinstance(expr, TextLiteral) and fix.edits[0].text[0].isdigit()
        else _helps(given, wanted, catalogue.word(module, present(wanted)))
        or _fields(catalogue, expr, text, given, wanted),
        fix=fix,
    )


def none(expr: Expr, text: str, role: Role = VALUE, then: str = "") -> Diagnostic:
    """Makes T305: a value that may be none where it must be there; `then` says what comes of it."""
    if isinstance(expr, NoneLiteral):
        return T305(f"{role.text} must not be none.", expr.span, also=role.also)
    short = text if len(text) <= 40 and "\n" not in text else ""
    named = f"`{short}`" if short else "this value"
    helps = [f"Give another value for that case: `default({short or '...'}, ...)`."]
    if path_of(expr):
        known = short or "..."
        before = f"`when {known} != none`, or `requires {known} != none` before"
        helps.insert(0, f"Check it first: {before}.")
    wanted = f"{role.text} must be there, but {named} may be none."
    plain = f"{named[0].upper()}{named[1:]} may be none{then}."
    message = plain if then or role is VALUE else wanted
    return T305(message, expr.span, "may be none", also=role.also, helps=helps)


def _helps(given: Type, wanted: Type, word: str | None) -> list[str]:
    kinds = (given.kind, present(wanted).kind)
    if set(kinds) == {"decimal", "float"}:
        return [f"A float is not exact, so nothing converts by itself: say `{kinds[1]}(...)`."]
    if kinds[1] == "str" and kinds[0] in ("int", "float", "decimal", "bool", "enum"):
        return ['Write `str(...)`, or put it into a text: `"{...}"`.']
    if kinds[0] == "str" and kinds[1] in ("int", "float", "decimal"):
        return [f"Convert it: `{kinds[1]}(...)` fails the step when the text is no number."]
    if kinds[0] == "str" and kinds[1] in ("date", "datetime"):
        example = "2026-12-01" if kinds[1] == "date" else "2026-12-01T10:00:00+00:00"
        return [f'In a scenario a text may stand for it: `"{example}"`.']
    if kinds == ("decimal", "int"):
        return ["Round it: `round(...)`."]
    if kinds == ("str", "bytes"):
        return ['In a scenario base64 may stand for it: `"aGVsbG8="`.']
    if kinds[1] == "secret":
        return ["A secret comes in as an input that is declared so, and is passed on whole."]
    if given.kind == "map" and kinds[1] == "record" and word:
        return [f"Write `{word}(...)`."]
    if kinds[1] == "list" and given == inside(present(wanted)):
        return ["Write `[...]` around it."]
    return []


def _fields(catalogue: Catalogue, expr: Expr, text: str, given: Type, wanted: Type) -> list[str]:
    """Gives the field of a record that is of the type wanted, when it has just one."""
    declared = catalogue.of_type(given)
    if declared is None or not isinstance(declared.node, Record) or not path_of(expr):
        return []
    module = declared.module
    fitting = [
        field.name.text
        for field in declared.node.fields
        if catalogue.type(module, field.type) == present(wanted)
    ]
    if len(fitting) != 1:
        return []
    return [f"Its field `{fitting[0]}` is {shown(present(wanted))}: `{text}.{fitting[0]}`."]


def _fix(
    catalogue: Catalogue, module: str, expr: Expr, text: str, given: Type, wanted: Type
) -> Fix | None:
    target = present(wanted)
    declared = catalogue.of_type(target)
    if declared is not None and isinstance(declared.node, Enum) and isinstance(expr, TextLiteral):
        word = catalogue.word(module, target)
        if word and expr.plain in {member.text for member in declared.node.members}:
            return replacement("ask", expr.span, f"{word}.{expr.plain}")
    if isinstance(expr, TextLiteral) and target.kind in ("int", "decimal", "float"):
        number = expr.plain if expr.plain is not None else ""
        if re.fullmatch(r"[0-9]+" if target.kind == "int" else r"[0-9]+(\.[0-9]+)?", number):
            return replacement("ask", expr.span, number)
    if {given.kind, target.kind} == {"decimal", "float"}:
        return replacement("ask", expr.span, f"{target.kind}({text})")
    return None
