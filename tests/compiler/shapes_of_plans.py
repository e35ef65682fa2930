"""Small plans of any shape, for laws that must hold for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

from hypothesis import strategies as st

from sagalang.runtime.plan import (
    Agent,
    AgentCall,
    Each,
    EffectClass,
    Node,
    OnFailure,
    Plan,
    Repeat,
    SagaCall,
    Step,
    Tool,
    blocks,
)

from .handmade import (
    agent,
    asked,
    called,
    each,
    either,
    first,
    gate,
    parallel,
    plan,
    repeat,
    requires,
    scope,
    step,
    tool,
)

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
    agents: list[Agent] = field(default_factory=list[Agent])
    names: list[str] = field(default_factory=list[str])
    kinds: int = 6
    prefix: str = ""

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
        match self.below(self.kinds) if depth else 0:
            case 6 | 7 | 8 | 9 | 10 | 11 as kind:
                return self.compound(kind, number, depth, waits)
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
        text = f"{self.prefix}s{number}"
        found = self.waited(waits)
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
        may_stand = self.kinds > 6 and self.below(4) == 0
        return step(text, made, waits=found, when=maybe, otherwise=policy, accepted=may_stand)

    def waited(self, waits: bool) -> tuple[str, ...]:
        if not waits or not self.names:
            return ()
        few = range(self.below(3))
        return tuple(sorted({self.names[self.below(len(self.names))] for _ in few}))

    def inner(self, path: str, depth: int) -> tuple[Node, ...]:
        """A body of its own: nothing outside sees its names, and it sees none to wait for."""
        names, prefix = self.names, self.prefix
        self.names, self.prefix = [], f"{path}."
        made = tuple(self.block(depth - 1, False))
        self.names, self.prefix = names, prefix
        return made

    def compound(self, kind: int, number: int, depth: int, waits: bool) -> Node:
        text = f"{self.prefix}c{number}"
        found = self.waited(waits)
        policy: OnFailure = ("rollback", "rollback", "continue", "escalate")[self.below(4)]
        many, tolerate = self.below(2) + 1, self.below(3) // 2
        match kind:
            case 6:
                body = self.inner(text, depth)
                other = self.inner(f"{text}.else", depth) if self.below(3) else None
                made: Node = scope(text, body, other, waits=found)
            case 7:
                body = self.inner(f"{text}[*]", depth)
                made = each(text, *body, at_once=many, tolerate=tolerate, waits=found)
            case 8:
                made = first(text, *self.inner(f"{text}[*]", depth), waits=found)
            case 9:
                made = repeat(text, *self.inner(f"{text}[*]", depth), limit=many, waits=found)
            case 10:
                body = self.inner(text, depth)
                maybe = self.below(4) == 0
                made = called(text, *body, otherwise=policy, when=maybe, waits=found)
            case _:
                made = self.asking(text, policy, found)
        self.names.append(text)
        return made

    def asking(self, text: str, policy: OnFailure, waits: tuple[str, ...]) -> Node:
        self.left -= 1
        for _ in range(self.below(2) + 1):
            effect = CLASSES[self.below(len(CLASSES))]
            self.tools.append(tool(f"t{next(self.numbers)}", effect, self.below(4) + 1))
        uses = self.tools[-(self.below(2) + 1) :]
        made = agent(f"a{next(self.numbers)}", *uses, at_most=(None, 1, 2)[self.below(3)])
        self.agents.append(made)
        return asked(text, made, otherwise=policy, when=self.below(4) == 0, waits=waits)

    def _twin(self, one: Node, other: Node, before: int) -> Node:
        if not (isinstance(one, Step) and isinstance(other, Step)):
            return other
        if other.path in self.names[before:]:
            self.names.remove(other.path)
        return step(
            one.path,
            next(each for each in self.tools if each.name == other.tool),
            waits=tuple(path for path in other.waits if path != one.path),
            when=other.when is not None,
            otherwise=other.on_failure,
            accepted=other.accepted is not None,
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


@st.composite
def wholes(draw: st.DrawFn, size: int = 4) -> Plan:
    """Plans of every statement: scopes, loops, called sagas and agents in each other."""
    sketch = Sketch(draw, size, kinds=12)
    body = sketch.block(3, False)
    if draw(st.booleans()):
        body.append(requires())
    return plan(*body, tools=tuple(sketch.tools), agents=tuple(sketch.agents))


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
                    words += ["accepted"] * (node.accepted is not None)
                    words += [node.on_failure, *("fails" for _ in of.fails)]
                case AgentCall(agent=agent):
                    of_agent = next(each for each in plan.agents if each.name == agent)
                    words += [f"at most {of_agent.at_most}", node.on_failure]
                    for use in of_agent.uses:
                        words += (f"{e.effect_class}:{e.impact}" for e in tools[use.tool].effects)
                case Each():
                    words += [f"each at once {node.at_once} tolerate {node.tolerate}"]
                case Repeat():
                    words += [f"repeat at most {node.limit}"]
                case SagaCall():
                    words += ["when"] * (node.when is not None) + [node.on_failure, "saga"]
                case _:
                    words.append(type(node).__name__.lower())
            lines.append(" ".join([*words, *(f"<{path}" for path in node.waits)]))
            for number, inner in enumerate(blocks(node)):
                if number:
                    lines.append(" " * 2 * depth + "else")
                tell(inner, depth + 1)

    tell(plan.body, 0)
    return "\n".join(lines)
