"""`saga check`: every mistake, then what is proved of each saga."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from .faults import Unreadable
from .options import path_argument
from .output import columns, print_json, quantity, say
from .programs import Seen, compiled, files, rendered

if TYPE_CHECKING:
    from ..compiler.proving.proofs import Proofs


@click.command()
@path_argument("paths", many=True)
@click.option("--format", "form", type=click.Choice(["text", "json", "sarif"]), default="text")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--strict", is_flag=True, help="Warnings are errors.")
@click.option(
    "--fix",
    is_flag=True,
    help="Make the fixes that keep the meaning, ask about the others, then check.",
)
def check(paths: tuple[str, ...], form: str, as_json: bool, strict: bool, fix: bool) -> None:
    """Shows every mistake in the files, then what is proved of each saga.

    \b
    Example:
      saga check fulfil.saga
    """
    seen: list[Seen] = []
    unreadable: list[str] = []
    form = "json" if as_json else form
    for path in files(paths):
        try:
            if fix:
                _mend(path, may_ask=form == "text")
            seen.append(compiled(path))
        except Unreadable as reason:
            say(f"error: {reason}")
            unreadable.append(str(reason))
    if form == "json":
        print_json(_document(seen))
    elif form == "sarif":
        print_json(_sarif(seen, unreadable))
    else:
        for one in seen:
            _print(one)
    found = Counter(d.severity.value for one in seen for d in one.diagnostics)
    if unreadable:
        sys.exit(2)
    sys.exit(1 if found["error"] or (strict and found["warning"]) else 0)


def _mend(path: str, *, may_ask: bool) -> None:
    from .mending import ask, mend, somebody_is_there

    asking = may_ask and somebody_is_there()
    mended = mend(path, ask if asking else None)
    if mended.changed:
        say(f"mended {path}")
    if mended.left and not asking:
        left = "1 fix is" if mended.left == 1 else f"{mended.left} fixes are"
        say(f"{path}: {left} left that may change the meaning; on a terminal `--fix` asks")


def _print(seen: Seen) -> None:
    text = rendered(seen)
    if text:
        click.echo(text, nl=False)
    if seen.compilation is not None:
        for name, proof in seen.compilation.proofs.items():
            click.echo(f"saga {name} ({seen.path})\n{_proved(proof)}\n")
    click.echo(_summary(seen))


def _proved(proof: Proofs) -> str:
    rows = [
        (step.path, step.tool, step.step_class, "retriable" if step.retriable else "may fail")
        for step in proof.steps
    ]
    after = ", ".join(proof.readiness.after)
    more = "with ever more of" if proof.readiness.approached else "after"
    where = f", {more} {after}" if after else ""
    lines = [columns(rows)] if rows else []
    lines.append(f"  least readiness {decimal(proof.readiness.least)}{where}")
    for promise in proof.promises:
        lines.append(f"  {'holds: ' if promise.holds else 'broken:'} {promise.text}")
    return "\n".join(lines)


def _summary(seen: Seen) -> str:
    found = Counter(d.severity.value for d in seen.diagnostics)
    if not found:
        sagas = len(seen.compilation.plans) if seen.compilation else 0
        return f"{seen.path}: no mistakes, {quantity(sagas, 'saga') if sagas else _instead(seen)}."
    counts = (quantity(number, name) for name, number in sorted(found.items()))
    return f"{seen.path}: {', '.join(counts)}."


def _instead(seen: Seen) -> str:
    """Says what a file without a saga has."""
    from ..dsl import nodes as n

    assert seen.compilation is not None
    loaded = seen.compilation.loaded
    declared = Counter(type(one) for one in loaded.modules[loaded.root].module.declarations)
    kinds = ((n.Tool, "tool"), (n.Agent, "agent"), (n.Record, "record"), (n.Enum, "enum"))
    counts = [quantity(declared[kind], noun) for kind, noun in kinds if declared[kind]]
    return f"no saga, but {', '.join(counts)}" if counts else "and no saga"


def decimal(value: Any) -> str:
    """Writes an exact fraction as a decimal of at most four places, never rounded up."""
    from fractions import Fraction

    scaled = Fraction(value) * 10_000
    text = f"{scaled.numerator // scaled.denominator / 10_000:.4f}".rstrip("0").rstrip(".")
    return text or "0"


def _sarif(seen: list[Seen], unreadable: list[str]) -> dict[str, Any]:
    from .. import __version__
    from ..dsl.render_sarif import to_sarif
    from .pages import rules

    sources = {name: source for one in seen for name, source in one.sources.items()}
    # What several files import is looked at with each of them, and told once.
    found = list(dict.fromkeys(diagnostic for one in seen for diagnostic in one.diagnostics))
    told = rules(diagnostic.code for diagnostic in found)
    return to_sarif(found, sources, rules=told, version=__version__, unreadable=unreadable)


def _document(seen: list[Seen]) -> dict[str, Any]:
    from ..dsl.render_json import to_json
    from ..runtime.plan import definition

    diagnostics: list[Any] = []
    sagas: list[dict[str, Any]] = []
    for one in seen:
        diagnostics.extend(to_json(one.diagnostics, one.sources))
        if one.compilation is None:
            continue
        for name, proof in one.compilation.proofs.items():
            sagas.append(
                {
                    "name": name,
                    "definition": definition(one.compilation.plans[name]),
                    "steps": [
                        {
                            "path": step.path,
                            "tool": step.tool,
                            "class": step.step_class,
                            "retriable": step.retriable,
                        }
                        for step in proof.steps
                    ],
                    "readiness": {
                        "least": decimal(proof.readiness.least),
                        "after": list(proof.readiness.after),
                        "approached": proof.readiness.approached,
                    },
                    "promises": [
                        {"text": p.text, "holds": p.holds, "counterexample": p.counterexample}
                        for p in proof.promises
                    ],
                }
            )
    return {"diagnostics": diagnostics, "sagas": sagas}
