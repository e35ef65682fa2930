"""The site: it is built offline without a warning, with a page for each rule."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q"]
    made = subprocess.run(
        [*command, "-d", str(tmp_path / "trees"), "docs", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    for rule in (ROOT / "compiler/explain").glob("*.md"):
        page = (tmp_path / "site/rules" / f"{rule.stem}.html").read_text("utf-8")
        assert 'class="highlight-saga' in page
    for path in (tmp_path / "site").rglob("*.html"):
        assert "https://fonts." not in path.read_text("utf-8")
