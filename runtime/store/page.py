"""The page of the docs that lists kinds of events and columns of views, made from the code."""

from __future__ import annotations

from .columns import KINDS
from .views import VIEWS


def page() -> str:
    """Gives the page as Markdown."""
    lines = [
        "# Events and views",
        "",
        "## Kinds of events",
        "",
        "| kind | what it says |",
        "| --- | --- |",
    ]
    lines += [f"| `{kind}` | {about} |" for kind, about in KINDS.items()]
    lines += ["", "## Views", ""]
    for view in VIEWS:
        lines += [
            f"### {view.name}",
            "",
            view.about,
            "",
            "| column | what it says |",
            "| --- | --- |",
        ]
        lines += [f"| `{column.name}` | {column.about} |" for column in view.columns]
        lines.append("")
    return "\n".join(lines)
