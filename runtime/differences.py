"""What differs in the meaning of two definitions of a saga, each difference named."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, Literal as OneOf, NamedTuple, TypeVar

from .aspects import Change, Weight, of_agent, of_statement, of_tool
from .catalogue import Part
from .formula import Place
from .meaning import meaning
from .plan import Checkpoint, If, Node, Parallel, Plan, UndoSaga
from .reach import Key, Versions, keyed
from .wording import duration, parameters

LONGEST = 60
P = TypeVar("P", bound=Part)
KINDS = {"let": "value", "if": "choice", "saga": "saga call", "agent": "agent call"}


class Difference(NamedTuple):
    """One difference: what it is about, its name or path, how it differs, where in both.

    `changes` say what is said otherwise; `says` is the whole difference in a few words.
    """

    what: str
    name: str
    change: OneOf["added", "removed", "moved", "changed"]
    says: str
    changes: tuple[Change, ...] = ()
    old: Place | None = None
    new: Place | None = None

    def __str__(self) -> str:
        return f"the {self.what} `{self.name}` {self.says}"


def differences(old: Plan, new: Plan) -> list[Difference]:
    """Names every difference in meaning between two definitions, in the order of the plans."""
    was, now = keyed(old.body), keyed(new.body)
    found = [*_whole(old, new), *_inputs(old, new), *_statements(was, now)]
    found += _moved(Versions.of(old, new))
    found += _parts("tool", old.tools, new.tools, of_tool)
    found += _parts("agent", old.agents, new.agents, of_agent)
    found += _undo_sagas(old, new)
    found += _parts("record", old.records, new.records, _fields)
    found += _parts("enum", old.enums, new.enums, _members)
    if not found and meaning(old) != meaning(new):
        says = "is written otherwise, which changes neither a call nor its order"
        return [Difference("saga", old.saga, "changed", says, (), old.at, new.at)]
    return found


def noun(statement: Node) -> str:
    """Gives what people call a statement."""
    tag = str(statement.__struct_config__.tag)
    return KINDS.get(tag, tag)


def _whole(old: Plan, new: Plan) -> list[Difference]:
    """Compares what is said of the saga itself."""
    changes: list[Change] = []
    for name, was, now in (
        ("name", old.saga, new.saga),
        ("result", str(old.result), str(new.result)),
        ("deadline", _time(old.deadline), _time(new.deadline)),
        ("runbook", old.runbook or "none", new.runbook or "none"),
        ("promise", _promised(old), _promised(new)),
        ("guard", _guarded(old), _guarded(new)),
        ("edition", str(old.edition), str(new.edition)),
    ):
        if was != now:
            changes.append(Change(name, "free", was, now))
    after = [meaning(plan.on_rollback) for plan in (old, new)]
    if after[0] != after[1]:
        changes.append(Change("on rollback", "free", "", ""))
    if not changes:
        return []
    return [Difference("saga", old.saga, "changed", _said(changes), tuple(changes), old.at, new.at)]


def _inputs(old: Plan, new: Plan) -> list[Difference]:
    def compared(was: Any, now: Any) -> list[Change]:
        said = (parameters((was,)), parameters((now,)))
        weight: Weight = "free" if was.type == now.type else "past"
        return [Change("declaration", weight, *said)] if meaning(was) != meaning(now) else []

    return _parts("input", old.parameters, new.parameters, compared)


def _parts(what: str, old: Sequence[P], new: Sequence[P], compare: Any) -> list[Difference]:
    was: Mapping[str, Any] = {part.name: part for part in old}  # type: ignore[attr-defined]
    now: Mapping[str, Any] = {part.name: part for part in new}  # type: ignore[attr-defined]
    found: list[Difference] = []
    for name, part in was.items():
        if name not in now:
            found.append(Difference(what, name, "removed", "is gone", old=part.at))
        elif changes := compare(part, now[name]):
            found.append(_changed(what, name, changes, part.at, now[name].at))
    for name, part in now.items():
        if name not in was:
            found.append(Difference(what, name, "added", "is new", new=part.at))
    return found


def _undo_sagas(old: Plan, new: Plan) -> list[Difference]:
    """Compares the sagas that undos name, and what stands in those that both have."""

    def compared(was: UndoSaga, now: UndoSaga) -> list[Change]:
        said = (parameters(was.parameters), parameters(now.parameters))
        if meaning(was.parameters) != meaning(now.parameters):
            return [Change("inputs", "logged", *said)]
        orders = [[key for key in keyed(saga.body) if key in both(was, now)] for saga in (was, now)]
        return [Change("order of its steps", "logged", "", "")] if orders[0] != orders[1] else []

    def both(was: UndoSaga, now: UndoSaga) -> set[Key]:
        return set(keyed(was.body)) & set(keyed(now.body))

    found = _parts("undo saga", old.undo_sagas, new.undo_sagas, compared)
    later = {saga.name: saga for saga in new.undo_sagas}
    for saga in old.undo_sagas:
        if saga.name in later:
            found += _statements(keyed(saga.body), keyed(later[saga.name].body))
    return found


def _fields(old: Any, new: Any) -> list[Change]:
    was, now = parameters(old.fields), parameters(new.fields)
    return [Change("fields", "past", was, now)] if meaning(old) != meaning(new) else []


def _members(old: Any, new: Any) -> list[Change]:
    was, now = ", ".join(old.members), ", ".join(new.members)
    return [Change("members", "past", was, now)] if was != now else []


def _statements(was: Mapping[Key, Node], now: Mapping[Key, Node]) -> list[Difference]:
    found: list[Difference] = []
    for key, node in was.items():
        if isinstance(node, Parallel):
            continue
        if key not in now:
            found.append(Difference(noun(node), node.path, "removed", "is gone", old=node.at))
        elif changes := of_statement(node, now[key]):
            found.append(_changed(noun(node), node.path, changes, node.at, now[key].at))
    for key, node in now.items():
        if key not in was and not isinstance(node, Parallel):
            found.append(Difference(noun(node), node.path, "added", "is new", new=node.at))
    return found


def _moved(versions: Versions) -> list[Difference]:
    """Names what has other predecessors than it had, among what is in both.

    Of two that changed places the one is named that left the order which most of them keep.
    """
    was, now, numbers, _ = versions
    common = [key for key, node in was.nodes.items() if key in now.nodes and _ordered(node)]
    kept = _longest(common, [key for key in now.nodes if key in set(common)])
    mask = sum(1 << numbers[key] for key in common)
    stable = sum(1 << numbers[key] for key in kept)
    found: list[Difference] = []
    for key in common:
        number = numbers[key]
        others = mask if key not in kept else stable
        earlier = was.reach.moments[number].before & others
        later = now.reach.moments[number].before & others
        if earlier == later:
            continue
        gained, lost = later & ~earlier, earlier & ~later
        said = [
            *([f"now waits for {versions.last(gained)}"] if gained else []),
            *([f"no longer waits for {versions.last(lost)}"] if lost else []),
        ]
        old, new = was.nodes[key], now.nodes[key]
        says = " and ".join(said)
        found.append(Difference(noun(old), old.path, "moved", says, (), old.at, new.at))
    return found


def _ordered(node: Node) -> bool:
    return not isinstance(node, Parallel | If | Checkpoint)


def _longest(old: Sequence[Key], new: Sequence[Key]) -> set[Key]:
    """Gives the keys of a longest common order of two orders of the same keys."""
    at = {key: index for index, key in enumerate(old)}
    tails: list[int] = []
    chains: list[Key] = []
    before: dict[Key, Key | None] = {}
    for key in new:
        place = bisect_left(tails, at[key])
        before[key] = chains[place - 1] if place else None
        tails[place : place + 1] = [at[key]]
        chains[place : place + 1] = [key]
    kept: set[Key] = set()
    last = chains[-1] if chains else None
    while last is not None:
        kept.add(last)
        last = before[last]
    return kept


def _changed(what: str, name: str, changes: list[Change], old: Place, new: Place) -> Difference:
    return Difference(what, name, "changed", _said(changes), tuple(changes), old, new)


def _said(changes: Sequence[Change]) -> str:
    return "differs in " + ", ".join(map(_told, changes))


def _told(change: Change) -> str:
    if change.old == change.new:
        return change.name
    return f"{change.name} ({cut(change.old)} → {cut(change.new)})"


def cut(text: str) -> str:
    """Cuts a text to what can be read in a line."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _time(length: int | None) -> str:
    return "none" if length is None else duration(length)


def _promised(plan: Plan) -> str:
    return "; ".join(promise.source for promise in plan.promises) or "none"


def _guarded(plan: Plan) -> str:
    guards = (f"readiness >= {guard.least.source} needs {guard.group}" for guard in plan.guards)
    return "; ".join(guards) or "none"
