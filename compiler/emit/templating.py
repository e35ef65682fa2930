"""The templates of the emitters: strict about what is missing, loaded once."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template


@cache
def template(name: str) -> Template:
    """Gives a template by its file's name. Values in SVG are escaped; those of Python are code."""
    environment = Environment(
        loader=PackageLoader(__name__.rpartition(".")[0]),
        undefined=StrictUndefined,
        autoescape=name.endswith(".svg.j2"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(name)
