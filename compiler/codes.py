"""Codes of diagnostics as data: each module declares its own, and the table is made of them.

>>> unknown = Code("N201", Severity.ERROR, "unknown name")
>>> unknown("There is no tool `chrge`.", Span("a.saga", 4, 9), "not known").message
'There is no tool `chrge`.'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from ..dsl.diagnostics import Diagnostic, Fix, Severity, problem
from ..dsl.span import Span


class Code(Struct, frozen=True):
    """A stable code with the severity it has unless a finding says otherwise, and its title."""

    code: str
    severity: Severity
    title: str

    def __call__(
        self,
        message: str,
        at: Span,
        says: str = "",
        *,
        also: Sequence[tuple[Span, str]] = (),
        helps: Sequence[str] = (),
        fix: Fix | None = None,
    ) -> Diagnostic:
        """Makes a diagnostic of this code."""
        return problem(
            self.code, message, at, says, severity=self.severity, also=also, helps=helps, fix=fix
        )


_declared: dict[str, Code] = {}

CODES: Mapping[str, Code] = MappingProxyType(_declared)
"""Every code that a loaded module of the compiler has declared, by its text."""


def declare(code: str, severity: str, title: str) -> Code:
    """Declares a code in the module that gives it; a code has one home.

    Raises `ValueError` when it is declared with another severity or title.
    """
    made = Code(code, Severity(severity), title)
    if _declared.setdefault(code, made) != made:
        raise ValueError(f"{code} is declared twice")
    return made
