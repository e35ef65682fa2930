"""`saga catalogue`: of each tool what it changes, how that is verified and undone, who uses it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from .options import path_argument
from .output import print_json, quantity, table
from .programs import Mistakes, compiled, files

if TYPE_CHECKING:
    from ..runtime.plan import Plan
    from ..runtime.verification import Entry, Use

HEAD = ("tool", "class", "impact", "verify", "undo", "repeated", "used by")


@click.command()
@path_argument("paths", many=True)
@click.option("--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def catalogue(paths: tuple[str, ...], form: str, as_json: bool) -> None:
    """Lists what each tool changes, how that is verified and undone, and who uses it.

    \b
    Example:
      saga catalogue fulfil.saga
      saga catalogue sagas/ --format markdown > catalogue.md
    """
    from ..runtime.verification import catalogue as entries

    found = entries([plan for path in files(paths) for plan in _plans(path)])
    if as_json or form == "json":
        print_json({"tools": [_entry(one) for one in found]})
    elif form == "markdown":
        click.echo(_markdown(found))
    else:
        click.echo(_text(found))


def _plans(path: str) -> list[Plan]:
    seen = compiled(path)
    if seen.compilation is None or not seen.compilation.ok:
        raise Mistakes(seen)
    idle = seen.compilation.idle
    return [*seen.compilation.plans.values(), *([] if idle is None else [idle])]


def _text(entries: list[Entry]) -> str:
    if not entries:
        return "there is no tool"
    changing, reads = _parted(entries)
    parts = [table(HEAD, _rows(changing))] if changing else ["no tool changes anything outside"]
    parts += [_told(one) for one in changing]
    if reads:
        rows = [(one.tool, ", ".join(_used(one)) or "nothing uses it") for one in reads]
        parts.append("reads\n" + table(("", ""), rows, "  ").split("\n", 1)[1])
    return "\n\n".join(parts)


def _parted(entries: list[Entry]) -> tuple[list[Entry], list[Entry]]:
    from ..runtime.verification import changing

    return changing(entries), [one for one in entries if not one.effects]


def _rows(entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    return [
        (
            one.tool,
            one.worst,
            str(one.impact),
            _name(one.verify) or "–",
            ", ".join(_name(undo.call) for undo in one.undos) or "–",
            one.idempotent or "–",
            ", ".join(dict.fromkeys(use.saga for use in one.uses)) or "; ".join(one.serves) or "–",
        )
        for one in entries
    ]


def _name(call: str) -> str:
    return call.partition("(")[0]


def _told(one: Entry) -> str:
    where = f"  ({one.at.file}:{one.at.line})" if one.at.line else ""
    lines = [f"{one.tool}({one.parameters}) -> {one.result}{where}"]
    lines += [f"  {line}" for line in one.doc.split("\n")] if one.doc else []
    lines += [f"  {label:<10} {'' if label else '  '}{said}" for label, said in _facts(one)]
    return "\n".join(lines)


def _facts(one: Entry) -> Iterator[tuple[str, str]]:
    """Gives what is said of a tool, with what it is about."""
    for number, effect in enumerate(one.effects):
        said = f"{effect.resource}: {effect.effect_class}, impact {effect.impact}"
        yield "changes" if not number else "and", said
        if effect.corrective:
            yield "corrective", effect.corrective
    yield "calls", one.binding + (f" of {one.service}" if one.service else "")
    if one.reads:
        yield "depends on", ", ".join(one.reads)
    if one.remembers:
        yield "remembers", "; ".join(one.remembers)
    lag = f", {one.consistent_after} after the call" if one.consistent_after else ""
    if one.verify:
        yield "verify", one.verify + lag
        yield from (("", verdict) for verdict in one.verdicts)
    for evidence in one.evidence:
        yield "evidence", evidence
    yield "if unknown", one.unknown
    yield "repeated", one.idempotent or "it may happen twice"
    for number, undo in enumerate(one.undos):
        when = f" when {undo.when}" if undo.when else ""
        within = f", accepted for {undo.within}" if undo.within else ""
        yield "undo" if not number else "or undo", f"{undo.call}{when}{within}"
        if undo.steps:
            # No one call takes the whole back: what a reader has to agree on are all of them.
            yield "", f"by a saga: {', then '.join(undo.steps)}"
    attempts = "one" if one.attempts == "never" else one.attempts
    yield "attempts", f"{attempts}, timeout {one.timeout}, settle {one.settle}"
    for label, names in (("refused", one.refused), ("not landed", one.transient)):
        if names:
            yield label, ", ".join(names)
    if one.done:
        yield "done", f"also with {', '.join(one.done)}"
    if one.between_runs:
        yield "other runs", one.between_runs
    if one.runbook:
        yield "runbook", one.runbook
    if one.serves:
        yield "serves as", ", ".join(one.serves)
    for use in one.uses:
        yield "used by", _use(use)


def _use(use: Use) -> str:
    role = "" if use.role == "step" else f" ({use.role})"
    gates = (
        f", behind {quantity(len(use.gates), 'gate')}: {', '.join(use.gates)}" if use.gates else ""
    )
    return f"{use.saga}: {use.path}{role}{gates}"


def _used(one: Entry) -> list[str]:
    return [*one.serves, *(f"{use.saga}: {use.path}" for use in one.uses)]


def _markdown(entries: list[Entry]) -> str:
    changing, reads = _parted(entries)
    lines = ["# Verification catalogue", ""]
    if changing:
        lines += [_row(HEAD), _row(["---"] * len(HEAD))]
        lines += [
            _row([code(cell) if cell != "–" else cell for cell in row]) for row in _rows(changing)
        ]
    for one in changing:
        lines += ["", f"## {code(one.tool)}", ""]
        lines += [one.doc, ""] if one.doc else []
        lines += [code(f"{one.tool}({one.parameters}) -> {one.result}"), ""]
        for label, said in _facts(one):
            lines.append(f"- {label}: {code(said)}" if label else f"  - {code(said)}")
    if reads:
        lines += ["", "## Reads", ""]
        lines += [f"- {code(one.tool)}: {', '.join(map(code, _used(one))) or 'nothing uses it'}"
                  for one in reads]  # fmt: skip
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def code(text: str) -> str:
    """Gives a text as code in Markdown, whatever stands in it."""
    line = " ".join(text.split("\n"))
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _entry(one: Entry) -> dict[str, Any]:
    return {
        "tool": one.tool,
        "doc": one.doc,
        "at": {"file": one.at.file, "line": one.at.line, "column": one.at.column},
        "parameters": one.parameters,
        "result": one.result,
        "call": one.binding,
        "service": one.service,
        "class": one.worst,
        "impact": one.impact,
        "effects": [
            {
                "resource": effect.resource,
                "class": effect.effect_class,
                "impact": effect.impact,
                "corrective": effect.corrective,
            }
            for effect in one.effects
        ],
        "reads": list(one.reads),
        "remembers": list(one.remembers),
        "verify": one.verify,
        "consistent_after": one.consistent_after,
        "verdicts": list(one.verdicts),
        "evidence": list(one.evidence),
        "unknown": one.unknown,
        "idempotent": one.idempotent,
        "undos": [{**undo._asdict(), "steps": list(undo.steps)} for undo in one.undos],
        "attempts": one.attempts,
        "timeout": one.timeout,
        "settle": one.settle,
        "refused": list(one.refused),
        "transient": list(one.transient),
        "done": list(one.done),
        "between_runs": one.between_runs,
        "runbook": one.runbook,
        "uses": [use._asdict() for use in one.uses],
        "serves": list(one.serves),
    }
