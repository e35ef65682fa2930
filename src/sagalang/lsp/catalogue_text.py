"""Declarations as a hover shows them: their text in the canonical layout, with documentation."""

from __future__ import annotations

from ..dsl.diagnostics import has_errors
from ..dsl.formatter import format_module
from ..dsl.nodes import Agent, Enum, Record, Saga, Tool
from ..dsl.parser import Parsed, parse
from ..dsl.source import Source


def shown(node: Record | Enum | Tool | Agent | Saga, module: Parsed) -> str:
    """Gives a declaration in Markdown; of a saga only how it is called."""
    start = max(node.span.start, node.doc.span.end if node.doc is not None else 0)
    end = node.body.span.start if isinstance(node, Saga) else node.span.end
    text = module.source.text[start:end] + ("{ }" if isinstance(node, Saga) else "")
    parsed = parse(Source(node.name.text, text.strip()))
    laid_out = text.strip() if has_errors(parsed.diagnostics) else format_module(parsed)
    if isinstance(node, Saga):
        laid_out = laid_out.rstrip().removesuffix("{ }").removesuffix("{}").rstrip()
    said = f"\n\n{node.doc.text}" if node.doc is not None else ""
    return f"```saga\n{laid_out.rstrip()}\n```{said}"
