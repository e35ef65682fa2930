"""Small plans of any shape, for laws that must hold for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

from hypothesis import strategies as st

from sagalang.runtime.plan import (
    EffectClass,
    If,
    Node,
    OnFailure,
    Parallel,
    Plan,
    Step,
    Tool,
)

from .handmade import either, gate, parallel, plan, requires, step, tool

CLASSES: tuple[EffectClass | None, ...] = (
    None,
    "reversible",
    "reversible",
    "compensatable",
    "irreversible",
)


@dataclass
class Sketch:
    """A plan on its way: numbers given so far, and what may be waited for."""

    draw: Callable[[st.SearchStrategy[int]], int]
    left: int
    numbers: count[int] = field(default_factory=count)
    tools: list[Tool] = field(default_factory=list[Tool])
    names: list[str] = field(default_factory=list[str])

    def below(self, limit: int) -> int:
        return self.draw(st.integers(0, limit - 1))

    def block(self, depth: int, waits: bool) -> list[Node]:
        made: list[Node] = []
        for _ in range(self.below(4)):
            if self.left > 0:
                made.append(self.statement(depth, waits))
        return made

    def statement(self, depth: int, waits: bool) -> Node:
        number = next(self.numbers)
        match self.below(6) if depth else 0:
            case 4:
                then = self.block(depth - 1, waits)
                before = len(self.names)
                otherwise = self.block(depth - 1, waits)
                if then and otherwise and self.below(2):
                    otherwise[0] = self._twin(then[0], otherwise[0], before)
                return either(number, tuple(then), tuple(otherwise))
            case 5:
                members = self.block(depth - 1, True)
                # What waits may be written before what it waits for.
                order = [self.below(1000) for _ in members]
                ranked = sorted(zip(order, range(len(members)), members, strict=True))
                return parallel(number, *(member for _, _, member in ranked))
            case _:
                return self.leaf(number, waits)

    def leaf(self, number: int, waits: bool) -> Node:
        self.left -= 1
        text = f"s{number}"
        found: set[str] = set()
        if waits and self.names:
            found = {self.names[self.below(len(self.names))] for _ in range(self.below(3))}
        self.names.append(text)
        policy: OnFailure = ("rollback", "rollback", "continue", "escalate")[self.below(4)]
        if self.below(8) == 0:
            return gate(text, otherwise=policy)
        effect = CLASSES[self.below(len(CLASSES))]
        made = tool(
            f"t{number}",
            effect,
            self.below(4) + 1,
            undo=bool(self.below(4)),
            fails=bool(self.below(2)),
        )
        self.tools.append(made)
        maybe = self.below(5) == 0
        return step(text, made, waits=tuple(sorted(found)), when=maybe, otherwise=policy)

    def _twin(self, one: Node, other: Node, before: int) -> Node:
        if not (isinstance(one, Step) and isinstance(other, Step)):
            return other
        if other.name in self.names[before:]:
            self.names.remove(other.name)
        return step(
            one.name,
            next(each for each in self.tools if each.name == other.tool),
            waits=tuple(path for path in other.waits if path != one.name),
            when=other.when is not None,
            otherwise=other.on_failure,
        )


@st.composite
def plans(draw: st.DrawFn, size: int = 6) -> Plan:
    """Any plan of up to `size` steps and gates."""
    sketch = Sketch(draw, size)
    body = sketch.block(3, False)
    if draw(st.booleans()):
        body.append(requires())
    return plan(*body, tools=tuple(sketch.tools))


@st.composite
def braids(draw: st.DrawFn, size: int = 7) -> Plan:
    """Plans whose statements run side by side and wait for each other, across branches too."""
    sketch = Sketch(draw, size)
    before = sketch.block(1, False)
    sketch.names.clear()
    members: list[Node] = []
    while sketch.left > 0 and len(members) < 4:
        if draw(st.booleans()):
            members.append(sketch.leaf(next(sketch.numbers), True))
        else:
            number = next(sketch.numbers)
            then, otherwise = sketch.block(2, True), sketch.block(1, True)
            members.append(either(number, tuple(then), tuple(otherwise)))
    order = draw(st.permutations(range(len(members))))
    body = parallel(next(sketch.numbers), *(members[index] for index in order))
    return plan(*before, body, tools=tuple(sketch.tools))


def told(plan: Plan) -> str:
    """A plan in a few lines, for people who read a failed example."""
    tools = {each.name: each for each in plan.tools}
    lines: list[str] = []

    def tell(body: Sequence[Node], depth: int) -> None:
        for node in body:
            words = [" " * 2 * depth + node.path]
            match node:
                case Step():
                    of = tools[node.tool]
                    words += (f"{e.effect_class}:{e.impact}" for e in of.effects)
                    words += ["undone"] * bool(node.undos) + ["when"] * (node.when is not None)
                    words += [node.on_failure, *("fails" for _ in of.fails)]
                case _:
                    pass
            lines.append(" ".join([*words, *(f"<{path}" for path in node.waits)]))
            match node:
                case If(then=then, otherwise=otherwise):
                    tell(then, depth + 1)
                    lines.append(" " * 2 * depth + "else")
                    tell(otherwise, depth + 1)
                case Parallel(body=inner):
                    tell(inner, depth + 1)
                case _:
                    pass

    tell(plan.body, 0)
    return "\n".join(lines)
