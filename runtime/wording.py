"""Clauses of a plan as the language writes them: what people read of tools and steps."""

from __future__ import annotations

from .catalogue import (
    AcceptEvidence,
    AgentTool,
    Argument,
    Binding,
    Condition,
    Corrective,
    Effect,
    Evidence,
    Idempotence,
    Parameter,
    Reading,
    Remember,
    Retry,
    Undo,
    Verdict,
    Verify,
)
from .formula import Formula

UNITS = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000))


def duration(milliseconds: int) -> str:
    """Gives a length of time: `24h`, `200ms`."""
    for unit, size in UNITS:
        if milliseconds and milliseconds % size == 0:
            return f"{milliseconds // size}{unit}"
    return f"{milliseconds}ms"


def call(tool: str, args: tuple[Argument, ...]) -> str:
    """Gives a call: `refund(result.id)`."""
    return f"{tool}({arguments(args)})"


def arguments(args: tuple[Argument, ...]) -> str:
    """Gives arguments as they are written, those of a call in the order of its parameters."""
    return ", ".join(argument.value.source for argument in args)


def parameters(declared: tuple[Parameter, ...]) -> str:
    """Gives inputs or parameters: `id: str, n: int = 1`."""
    return ", ".join(
        f"{one.name}: {one.type}" + (f" = {one.default.source}" if one.default else "")
        for one in declared
    )


def binding(bound: Binding) -> str:
    """Gives what is called: `shop.payments:charge (id, amount, idempotency_key: key)`."""
    given = ", ".join(
        f"{argument.name}: {argument.value.source}" if argument.name else argument.value.source
        for argument in bound.args
    )
    return f"{bound.target} ({given})"


def resource(part: Effect | Reading) -> str:
    """Gives a kind and what identifies it: `payment(order_id)`."""
    ids = ", ".join(each.source for each in part.ids)
    return f"{part.kind}({ids})" if ids else part.kind


def effect(changed: Effect) -> str:
    """Gives an effect: `payment(order_id) compensatable impact 8`."""
    impact = f" impact {changed.impact}" if changed.impact != 1 else ""
    return f"{resource(changed)} {changed.effect_class}{impact}"


def corrective(what: Corrective) -> str:
    """Gives what must happen after an irreversible effect: a text or a call, and who agrees."""
    said = what.text.source if what.text is not None else call(what.tool, what.args)
    return f'{said} needs "{what.needs}"' if what.needs else said


def retry(how: Retry) -> str:
    """Gives how often and how far apart attempts are: `5 times every 200ms..30s`."""
    if how.attempts == 1:
        return "never"
    times = "forever" if how.attempts is None else f"{how.attempts} times"
    return f"{times} every {duration(how.low)}..{duration(how.high)}"


def idempotence(why: Idempotence | None) -> str:
    """Gives why a repeated call is harmless, or says that it is not."""
    if why is None:
        return "no"
    lifetime = f" for {duration(why.lifetime)}" if why.lifetime is not None else ""
    return f"by key{lifetime}" if why.by == "key" else "naturally"


def verify(how: Verify | None) -> str:
    """Gives how to find out whether a call happened, in one line."""
    if how is None:
        return "no"
    lag = f" consistent after {duration(how.consistent_after)}" if how.consistent_after else ""
    verdicts = "; ".join(map(verdict, how.verdicts))
    return call(how.tool, how.args) + lag + (f": {verdicts}" if verdicts else "")


def verdict(line: Verdict) -> str:
    """Gives a line of a verify block: `applied when it.state == "captured" gives it`."""
    gives = f" gives {line.gives.source}" if line.gives is not None else ""
    return f"{line.kind} when {line.when.source}{gives}"


def undo(how: Undo) -> str:
    """Gives a compensation: `refund(result.id) within 90d`."""
    parts = [call(how.tool, how.args)]
    if how.when is not None:
        parts.append(f"when {how.when.source}")
    if how.within is not None:
        parts.append(f"within {duration(how.within)}")
    return " ".join(parts)


def undos(all_of_them: tuple[Undo, ...]) -> str:
    """Gives compensations in the order in which they are tried."""
    return "; else ".join(map(undo, all_of_them)) or "no"


def remember(what: Remember) -> str:
    """Gives an earlier state that is kept: `before = price_of(id)`."""
    return f"{what.name} = {call(what.tool, what.args)}"


def condition(what: Condition) -> str:
    """Gives what must hold, and the text when it does not."""
    return what.test.source + (f" else {what.otherwise.source}" if what.otherwise else "")


def evidence(what: Evidence) -> str:
    """Gives a witness and its weight."""
    return f"{call(what.tool, what.args)} weight {what.weight}"


def accepted(what: AcceptEvidence | None) -> str:
    """Gives how much evidence is taken."""
    return "no" if what is None else f">= {what.least} below impact {what.below}"


def uses(tools: tuple[AgentTool, ...]) -> str:
    """Gives what an agent may use: `search, order_now needs "leads"`."""
    return ", ".join(f'{use.tool} needs "{use.needs}"' if use.needs else use.tool for use in tools)


def formula(what: Formula | None) -> str:
    """Gives an expression as it is written."""
    return "no" if what is None else what.source
