"""The site: the pages of this folder, a page for each rule, and the examples, built offline."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import sagalang.compiler
from sagalang.compiler.codes import CODES

ROOT = Path(__file__).parents[1]
RULES = Path(__file__).parent / "rules"
GROUPS = {
    "S": "Syntax",
    "N": "Names",
    "T": "Types",
    "G": "Order",
    "R": "Recovery",
    "P": "Promises",
    "X": "Secrets and trust",
}

project = "Sagalang"
author = "The Sagalang authors"
extensions = ["myst_parser"]
exclude_patterns = ["schemas", "images"]
html_theme = "furo"
html_title = "Sagalang"
html_extra_path = ["schemas"]
html_copy_source = False
html_show_copyright = False
myst_heading_anchors = 3
# Links out of this folder (to sources) are for readers of the repository; the pages of the rules
# show programs that are wrong, some in ways that no lexer accepts.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
nitpicky = True


def setup(app: Any) -> None:
    """Writes a page for each rule before the sources are looked for; Sphinx calls this."""
    app.connect("builder-inited", lambda _: write_rules())


def write_rules() -> None:
    """Writes the pages of the rules, which are those of `saga explain`, and their index."""
    for module in walk_packages(sagalang.compiler.__path__, "sagalang.compiler."):
        import_module(module.name)
    import_module("sagalang.dsl.parser")
    pages = {page.stem: page for page in sorted((ROOT / "compiler/explain").glob("*.md"))}
    RULES.mkdir(exist_ok=True)
    for old in RULES.glob("*.md"):
        if old.stem not in pages and old.stem != "index":
            old.unlink()
    about = "What `saga check` looks for. `saga explain CODE` shows the same pages."
    lines = ["# Rules", "", about]
    for letter, title in GROUPS.items():
        lines += ["", f"## {title}", "", "```{toctree}", ":maxdepth: 1", ""]
        lines += [code for code in pages if code.startswith(letter)]
        lines += ["```"]
    _write(RULES / "index.md", "\n".join(lines) + "\n")
    for code, page in pages.items():
        _write(RULES / f"{code}.md", f"```{{include}} {_up(page)}\n```\n")
    missing = sorted(set(CODES) - set(pages))
    if missing:
        raise RuntimeError(f"no page for {', '.join(missing)}")


def _up(page: Path) -> str:
    return f"../../{page.relative_to(ROOT).as_posix()}"


def _write(path: Path, text: str) -> None:
    # Only what changed, so that a second build reads only that.
    if not path.is_file() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")
