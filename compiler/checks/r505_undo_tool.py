"""R505: an undo can be repeated, and does not itself leave something that nothing takes back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic, Severity
from ...dsl.span import Span
from ...runtime.plan import (
    AgentCall,
    Checkpoint,
    Each,
    Effect,
    First,
    Gate,
    Node,
    Retry,
    SagaCall,
    Scope,
    Sleep,
    Step,
    Tool,
    Wait,
    statements,
)
from ..codes import declare
from ..proving.undos import in_force, of_calls
from ..proving.undosagas import Use, local, read_answers, uses
from ..proving.view import View
from ..proving.words import thing

CODE = declare("R505", "error", "undo that cannot be relied on")

ENOUGH = 3
"""So many attempts, or more, are enough for an undo."""

MISFITS: dict[type[Node], tuple[str, str]] = {
    Gate: (
        "asks people, and until they answer the rollback stands still",
        "Ask before the step that is taken back, or after the rollback.",
    ),
    Wait: (
        "waits for a signal, and until it comes the rollback stands still",
        "Wait for it before the step that is taken back.",
    ),
    Sleep: (
        "sleeps, and all that was done before stands meanwhile",
        "Let a read poll with `until`, or take it out.",
    ),
    AgentCall: (
        "lets an agent decide, and nobody knows before what that takes back",
        "Call the tools by themselves.",
    ),
    Scope: (
        "is a scope, and what takes something back is not itself rolled back",
        "Write its steps without the scope; `if` and `when` may decide between them.",
    ),
    First: (
        "tries one item after another, and what takes something back is not itself rolled back",
        "Let a read find out which one it is.",
    ),
    Checkpoint: (
        "is a checkpoint, and nothing goes back to the middle of a rollback",
        "Take it out.",
    ),
}


def run(view: View) -> Iterator[Diagnostic]:
    """Finds undos that only read, are irreversible, may happen twice, or are given up early.

    Cost: O(undos), and of each saga that they name one look at each of its statements.
    """
    of_steps = ((step.path, tool.name, undo) for _, step, tool, undo in in_force(view))
    calls = ((call.path, call.saga, undo) for _, call, undo in of_calls(view))
    sagas = {saga.name for saga in view.plan.undo_sagas}
    for path, action, undo in chain(of_steps, calls):
        by = view.tools[undo.tool]
        final = _final(by)
        at, there = view.span(undo.at), view.span(by.at)
        tries = _few_tries(undo.retry or by.retry)
        if not by.states_effects:
            continue
        if by.is_read:
            it = "each step of it" if undo.tool in sagas else "it"
            yield CODE(
                f"`{path}` is rolled back and `{by.name}` is called for it: {it} only reads, "
                "so nothing is taken back.",
                at,
                "an undo has to change something",
                also=[(there, "only reads" if undo.tool in sagas else "`effect none`")],
                helps=[f"Name the tool that takes back what `{action}` does."],
            )
        elif undo.tool in sagas:
            continue
        elif final is not None:
            yield CODE(
                f"`{path}` is rolled back by `{by.name}`: that is irreversible itself, and "
                f"nothing takes the {thing(final.kind)} back.",
                at,
                "an undo must not be irreversible",
                also=[(view.span(final.at), "irreversible")],
                helps=[
                    "Use a tool whose effect is `restoring`, or make the action itself "
                    f"irreversible with `corrective {by.name}(...)`."
                ],
            )
        elif by.idempotent is None:
            yield CODE(
                f"`{path}` is rolled back and the answer of `{by.name}` is lost: calling it "
                "again may do it twice.",
                at,
                "may happen twice",
                also=[(there, "neither `idempotent by key` nor `idempotent naturally`")],
                helps=[f"Add `idempotent by key` to `{by.name}` and pass `key` on to the service."],
            )
        elif tries:
            also = [] if undo.retry is not None else [(there, "says how often")]
            found = CODE(
                f"`{path}` is rolled back and the service is away for a moment: `{by.name}` "
                f"is tried {tries}, then people are needed.",
                at,
                f"tried only {tries}",
                also=also,
                helps=[f"Add `retry 10 times every 1s..5m` to `{by.name}`."],
            )
            yield replace(found, severity=Severity.WARNING)
    for use in uses(view):
        yield from _in_saga(view, use)


def _final(tool: Tool) -> Effect | None:
    return next((e for e in tool.effects if e.effect_class == "irreversible"), None)


def _few_tries(retry: Retry) -> str:
    """Says how often is tried what is given up early; empty for what is tried often enough."""
    if retry.attempts is None or retry.attempts >= ENOUGH:
        return ""
    return "once" if retry.attempts == 1 else "twice"


def _in_saga(view: View, use: Use) -> Iterator[Diagnostic]:
    """Finds what in a saga cannot stand where something is taken back."""
    for node in statements(use.saga.body):
        if isinstance(node, Step):
            yield from _step(view, use, node)
            continue
        why = MISFITS.get(type(node))
        if why is None and isinstance(node, Each) and node.tolerate:
            why = (
                "tolerates failures, and then not all is taken back that counts as taken back",
                "Take `tolerate` out: people are asked about what fails for good.",
            )
        if why is None and isinstance(node, SagaCall) and node.on_failure == "continue":
            why = _GOES_ON
        if why is not None:
            yield _misfit(view, use, node, *why)
    for node, call in read_answers(view, use.saga):
        tool = view.tools[call.tool]
        found = CODE(
            f"`{use.path}` is rolled back by `{use.saga.name}` and `{tool.name}` says "
            f"`{tool.done[0]}`: it is so already, `{local(use.saga, call)}` gives nothing, "
            f"`{local(use.saga, node)}` needs it, and people have to help.",
            view.span(node.at),
            f"reads what `{call.name}` gave",
            also=[(view.span(tool.at), "`done with`, and no `verify`"), _named(view, use)],
            helps=[
                f"Add a `verify` to `{tool.name}`, whose answer is then the value, or give it to "
                "the saga as an argument."
            ],
        )
        yield replace(found, severity=Severity.WARNING)


_GOES_ON = (
    "goes on when it fails, and then not all is taken back that counts as taken back",
    "Take `else continue` out: people are asked about what fails for good.",
)


def _step(view: View, use: Use, node: Step) -> Iterator[Diagnostic]:
    tool = view.tools[node.tool]
    name = local(use.saga, node)
    if node.expecting is not None:
        yield _misfit(
            view, use, node, "expects something unchanged, and a rollback is not the time to find "
            "out that it is not", "Take `expecting` out; `when` or `if` may decide by a read.",
        )  # fmt: skip
    if tool.is_read or not tool.states_effects:
        return
    final = _final(tool)
    rolled = f"`{use.path}` is rolled back by `{use.saga.name}`"
    at = view.span(node.at)
    if final is not None:
        yield CODE(
            f"{rolled}: its step `{name}` is irreversible itself, and nothing takes the "
            f"{thing(final.kind)} back.",
            at,
            "an undo must not be irreversible",
            also=[(view.span(final.at), "irreversible"), _named(view, use)],
            helps=[
                "Take the step out, and do it after the rollback (`on rollback`, or a "
                "`corrective`)."
            ],
        )
    elif tool.idempotent is None:
        yield CODE(
            f"{rolled} and the answer of `{name}` is lost: calling `{tool.name}` again may do it "
            "twice.",
            at,
            "may happen twice",
            also=[
                (view.span(tool.at), "neither `idempotent by key` nor `idempotent naturally`"),
                _named(view, use),
            ],
            helps=[f"Add `idempotent by key` to `{tool.name}` and pass `key` on to the service."],
        )
    elif node.on_failure == "continue":
        yield _misfit(view, use, node, *_GOES_ON)
    elif tries := _few_tries(node.retry):
        found = CODE(
            f"{rolled} and the service is away for a moment: `{name}` is tried {tries}, then "
            "people are needed.",
            at,
            f"tried only {tries}",
            also=[(view.span(tool.at), "says how often"), _named(view, use)],
            helps=[f"Add `retry 10 times every 1s..5m` to `{tool.name}`."],
        )
        yield replace(found, severity=Severity.WARNING)


def _misfit(view: View, use: Use, node: Node, why: str, help_: str) -> Diagnostic:
    return CODE(
        f"`{use.path}` is rolled back by `{use.saga.name}`: `{local(use.saga, node)}` {why}.",
        view.span(node.at),
        "cannot stand in an undo",
        also=[_named(view, use)],
        helps=[help_],
    )


def _named(view: View, use: Use) -> tuple[Span, str]:
    return view.span(use.undo.at), "named as an undo here"
