"""The page of the docs that lists kinds of events and columns of views, made from the code."""

from __future__ import annotations

from .columns import KINDS
from .views import VIEWS

_ABOUT = """\
# Events and views

`shop.duckdb`, the name of a log, is an ordinary DuckDB file with the views below. `saga sql`,
`Log.sql` and the notebook first move into it what the journal beside it has more, then they ask.
No run puts anything into it by itself: whatever else opens it (DuckDB's own shell, a dashboard)
finds what was there when somebody asked last. Any question brings it up to date:

```sh
saga sql "SELECT count(*) FROM runs"
```

DuckDB lets nobody else in while one process has a file open to write, and lets nobody write while
others read. So open it read-only (`duckdb -readonly shop.duckdb`), and not for longer than a
question takes: while it is held, questions read the journal instead, and say so. A store that is
lost, moved away or of an older version is made again from the journal.

The views stay from version to version, or the changelog says so. The tables behind them, in the
schemas `stored` and `derived`, do not. `runs`, `steps`, `attempts` and `effects` are worked out
when events are moved, so that a question about ten million events takes less than a second.
"""


def page() -> str:
    """Gives the page as Markdown: it is `docs/views.md`."""
    lines = [
        *_ABOUT.splitlines(),
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
