"""The card of a run: how it stands, who is asked, its graph, its timeline, its effects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..compiler.emit.palette import STATES, State
from ..runtime.engine.run import Run, Snapshot
from ..runtime.engine.views import last_checkpoints, run_view
from ..runtime.kernel.state import State as Kernel
from ..runtime.plan import Plan, statements
from . import card
from .axis import duration
from .card import Html
from .curve import curve, said as curve_said
from .programcard import graph
from .timeline import said as timeline_said, timeline

_LOOKS: Mapping[str, str] = {
    "running": "in_flight",
    "rolled_back": "compensated",
    "partly_rolled_back": "unknown",
    "cancelled": "skipped",
    "escalated": "failed",
    "paused": "waiting",
}
"""A run's statuses by the state whose colours they have; the others are called alike."""


class Sight(NamedTuple):
    """All that a card shows of a run, taken at one moment; `n` is None for how it stands now."""

    shown: Mapping[str, Any]
    plan: Plan
    statuses: dict[str, str]
    elapsed: int
    last: int
    attempts: Sequence[Mapping[str, Any]]
    changes: Sequence[Mapping[str, Any]]
    n: int | None = None


def sight(run: Run) -> Sight:
    """Looks at a run. Raises `LogError`."""
    status, reason = run.status, run.reason
    state = run.state
    shown = run_view(state, status if status == "paused" else "", reason)
    attempts = [row for row in run.timeline() if row["begin"] <= state.elapsed]
    changes = [row for row in run.readiness if row["n"] <= state.n]
    return _sight(shown, state, attempts, changes)


def sight_then(snapshot: Snapshot) -> Sight:
    """Looks at a run as it was."""
    return _sight(snapshot.to_json(), snapshot.state, (), (), snapshot.n)


def run_html(seen: Sight) -> Html:
    """Gives the card of a run as HTML."""
    shown = seen.shown
    moment = f"as it was after event {seen.n}" if seen.n is not None else ""
    facts = [_steps(shown), f"readiness {shown['readiness']}", duration(seen.elapsed)]
    if shown["checkpoints"]:
        facts.append(f"checkpoints {last_checkpoints(shown)}")
    parts = [
        card.title(
            shown["saga"],
            run_badge(shown["status"]),
            card.quiet("run"),
            card.code(shown["run_id"]),
            card.quiet(moment),
        ),
        card.paragraph(card.quiet(" · ".join(facts))),
        *_attention(shown, seen.plan),
        graph(seen.plan, seen.statuses),
    ]
    if shown["result"] is not None:
        parts += [card.heading("Result"), card.block(_value(shown["result"]))]
    if seen.attempts:
        drawn = timeline(seen.attempts, seen.elapsed)
        parts += [card.heading("Timeline"), card.picture(drawn, timeline_said(seen.attempts))]
    if shown["effects"]:
        parts += [card.heading("Effects outside"), effects_table(shown["effects"])]
    if len(seen.changes) > 1:
        drawn = curve(seen.changes, seen.last)
        parts += [
            card.heading("Readiness to roll back"),
            card.picture(drawn, curve_said(seen.changes)),
        ]
    return card.card(*parts)


def run_text(seen: Sight) -> str:
    """Gives the card of a run as text."""
    shown = seen.shown
    when = f", after event {seen.n}" if seen.n is not None else ""
    status = shown["status"].replace("_", " ")
    lines = [f"run {shown['run_id']} of {shown['saga']}: {status}{when}"]
    lines += [f"  {said}" for said in _said(shown, seen.plan)]
    width = max((len(step["path"]) for step in shown["steps"]), default=0)
    for step in shown["steps"]:
        error = step.get("error")
        because = f"  {error['type']}: {error['message']}" if error else ""
        state = STATES.get(step["status"])
        sign = state.glyph if state else " "
        words = step["status"].replace("_", " ")
        lines.append(f"  {sign} {step['path']:<{width}}  {words}{because}")
    lines += [
        f"  effect {row['resource']}: {row['status'].replace('_', ' ')}" for row in shown["effects"]
    ]
    lines.append(f"  readiness {shown['readiness']}")
    if shown["checkpoints"]:
        lines.append(f"  checkpoints {last_checkpoints(shown)}")
    return "\n".join(lines)


def effects_table(rows: Sequence[Mapping[str, Any]]) -> Html:
    """Gives what landed outside as a table."""
    made: list[tuple[object, ...]] = [
        (
            card.code(row["path"]),
            card.code(row["resource"]),
            row["class"],
            row["impact"],
            _effect_badge(row["status"]),
            card.code(row["undo"]) if row.get("undo") else row.get("corrective", ""),
        )
        for row in rows
    ]
    head: tuple[str, ...] = ("step", "what", "kind", "impact", "now", "taken back with")
    if not any(row[-1] for row in made):
        head, made = head[:-1], [row[:-1] for row in made]
    return card.table(head, made, "`run.effects`")


def incident_panel(incident: Mapping[str, Any], run: str = "run") -> Html:
    """Gives what people are asked, what each answer is called, and how it is given."""
    path = incident["path"]
    parts = [card.paragraph(card.Html(f"<strong>{card.text(incident['summary'])}</strong>"))]
    if incident["recommended"]:
        parts.append(card.paragraph(f"Recommended: {incident['recommended']}"))
    parts += [card.paragraph(f"· {reason}") for reason in incident["reasons"]]
    rows = [
        (card.code(row["path"]), card.code(row["resource"]), row["verified"])
        for row in incident["resources"]
    ]
    if rows:
        parts.append(card.table(("step", "what", "verify says"), rows, "`run.incident`"))
    for row in incident["deadlines"]:
        what = f"`{row['undo']}` takes it back" if "undo" in row else "its key is known"
        parts.append(card.paragraph(f"{row['path']}: {what} until {card.moment(row['until'])}"))
    answers = [f'{run}.resolve("{path}", "{each}", by="...")' for each in incident["answers"]]
    parts.append(card.paragraph(Html("Answers: " + " ".join(map(card.code, answers)))))
    if incident["runbook"]:
        parts.append(card.paragraph(f"Runbook: {incident['runbook']}"))
    return card.panel(STATES["failed"], *parts)


def run_badge(status: str) -> Html:
    """Gives the status of a run in its colours."""
    state = _look(status)
    return card.badge(state, status.replace("_", " "))


def _sight(
    shown: Mapping[str, Any],
    state: Kernel,
    attempts: Sequence[Mapping[str, Any]],
    changes: Sequence[Mapping[str, Any]],
    n: int | None = None,
) -> Sight:
    statuses = {row["path"]: row["status"] for row in shown["steps"]}
    statuses |= {path: gate.phase for path, gate in state.gates.items()}
    statuses |= {
        path: "waiting" if pause.phase == "ready" else pause.phase
        for path, pause in state.pauses.items()
    }
    statuses |= state.choices
    plan = state.index.plan
    return Sight(shown, plan, statuses, state.elapsed, state.n, attempts, changes, n)


def _attention(shown: Mapping[str, Any], plan: Plan) -> list[Html]:
    """Gives what people should see first: who is asked, why it does not go on, what went wrong."""
    parts: list[Html] = []
    for row in shown["waiting_for"]:
        until = f", until {card.moment(row['until'])}" if row["until"] else ""
        asked = [card.paragraph(_wanted(row, until))]
        if row["shows"]:
            rows = [(card.code(name), _value(value)) for name, value in row["shows"].items()]
            asked.append(card.table(("shown", ""), rows, "`run.waiting_for`"))
        path = json.dumps(row["path"], ensure_ascii=False)
        if row["kind"] == "gate":
            call = card.code(f'run.approve({path}, by="...")')
            other = card.code(f'run.reject({path}, by="...")')
            asked.append(card.paragraph(Html(f"{call} {other}")))
        elif row["kind"] == "signal":
            asked.append(card.paragraph(card.code(f"run.signal({path}, ...)")))
        parts.append(card.panel(STATES["waiting"], *asked))
    if shown.get("reason"):
        parts.append(card.panel(STATES["waiting"], card.paragraph(f"Paused: {shown['reason']}")))
    if shown["incident"]:
        parts.append(incident_panel(shown["incident"]))
    if shown["error"]:
        parts.append(card.panel(STATES["failed"], card.paragraph(_cause(shown, plan))))
    return parts


def _wanted(row: Mapping[str, Any], until: str) -> str:
    match row["kind"]:
        case "gate":
            return f"{row['path']}: {row['needs']} decide{until}."
        case "signal":
            return f"{row['path']}: a signal ({row['needs']}) is waited for{until}."
        case "timer":
            return f"{row['path']}: it goes on by itself{until}."
        case _:
            return f"{row['path']}: {row['needs']} comes first."


def _said(shown: Mapping[str, Any], plan: Plan) -> list[str]:
    lines: list[str] = []
    if shown["error"]:
        lines.append(_cause(shown, plan))
    if shown.get("reason"):
        lines.append(f"paused: {shown['reason']}")
    lines += [f"waits at {row['path']} for {row['needs']}" for row in shown["waiting_for"]]
    if shown["incident"]:
        answers = ", ".join(shown["incident"]["answers"])
        lines.append(f"escalated: {shown['incident']['summary']} (answers: {answers})")
    return lines


def _cause(shown: Mapping[str, Any], plan: Plan) -> str:
    """Says what went wrong, in which step when that is known, and where that is declared."""
    error = shown["error"]
    said = f"{error['type']}: {error['message']}"
    path = next((row["path"] for row in shown["steps"] if row.get("error") == error), "")
    step = next((one for one in statements(plan.body) if one.path == path), None)
    if step is None:
        return said
    where = f" ({step.at.file}, line {step.at.line})" if step.at.file else ""
    return f"{path}{where} · {said}"


def _steps(shown: Mapping[str, Any]) -> str:
    done = sum(row["status"] == "succeeded" for row in shown["steps"])
    return f"{done} of {len(shown['steps'])} steps done"


def _effect_badge(status: str) -> Html:
    names = {"standing": "succeeded", "undone": "compensated", "in_flight": "in_flight"}
    name = names.get(status, "compensation_failed" if status == "undo_failed" else "unknown")
    return card.badge(STATES[name], status.replace("_", " "))


def _look(status: str) -> State:
    return STATES[_LOOKS.get(status, status)]


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
