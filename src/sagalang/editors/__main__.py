"""`python -m sagalang.editors`: makes the files for editors anew, in the checkout."""

from __future__ import annotations

from pathlib import Path

from .. import grammar
from .made import JUPYTERLAB, made


def main() -> None:
    """Writes the files beside the grammar that is imported."""
    folder = Path(grammar.__path__[0]).resolve() / "editors"
    for name, text in made((folder / JUPYTERLAB).read_text("utf-8")).items():
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
