"""The pages of the rules: which codes there are, and what stands on the page of each."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..dsl.render_sarif import Rule


def codes() -> list[str]:
    """Gives the codes that have a page."""
    pages = files("sagalang.compiler.explain").iterdir()
    return sorted(page.name.removesuffix(".md") for page in pages if page.name.endswith(".md"))


def page(code: str) -> str:
    """Gives the page of a code as Markdown."""
    return (files("sagalang.compiler.explain") / f"{code}.md").read_text("utf-8")


def rules(wanted: Iterable[str]) -> list[Rule]:
    """Gives rules as their pages tell them, by code."""
    from ..dsl.diagnostics import Severity
    from ..dsl.render_sarif import Rule

    found: list[Rule] = []
    for code in sorted(set(wanted)):
        text = page(code)
        head, _, rest = text.partition("\n")
        severity = rest.strip().partition("\n")[0].strip("*")
        found.append(Rule(code, head.partition(" · ")[2], Severity(severity), text))
    return found
