"""Random programs as text: they go through the whole compiler, as a user's would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from hypothesis import strategies as st

EDITION = "edition 2026\n"
LOOK = """
tool look(id: str) -> str? { call python "world:look" effect none retry forever }
"""
TOOLS: dict[str, str] = {
    # A plain step: can be refused, and taken back whatever becomes of the call.
    "make": """
tool make(id: str) -> str {
  call python "world:make" (id, idempotency_key: key)
  effect thing(id) reversible
  commutes
  idempotent by key
  fails with Refused
  retry 2 times every 10ms..10ms
  timeout 1s settle 1s
  verify look(id)
  undo drop(id)
}""",
    # Never fails for good, and can be taken back.
    "sure": """
tool sure(id: str) -> str {
  call python "world:sure" (id, idempotency_key: key)
  effect thing(id) reversible
  commutes
  idempotent by key
  retry forever every 10ms..10ms
  timeout 1s settle 1s
  verify look(id)
  undo drop(id)
}""",
    # Its undo needs the result, which a verify gives.
    "given": """
tool given(id: str) -> str {
  call python "world:given" (id, idempotency_key: key)
  effect thing(id) compensatable
  commutes
  idempotent by key
  fails with Refused
  retry 2 times every 10ms..10ms
  timeout 1s settle 1s
  verify look(id)
  undo drop(result)
}""",
    # Nothing takes it back, and it can be refused.
    "send": """
tool send(id: str) -> str {
  call python "world:send" (id, idempotency_key: key)
  effect mail(id) irreversible corrective "Say that it was wrong."
  commutes
  idempotent by key
  fails with Refused
  retry 2 times every 10ms..10ms
  timeout 1s settle 1s
  verify look(id)
}""",
    # Nothing takes it back, and it is done in the end.
    "post": """
tool post(id: str) -> str {
  call python "world:post" (id, idempotency_key: key)
  effect mail(id) irreversible corrective "Say that it was wrong."
  commutes
  idempotent by key
  retry forever every 10ms..10ms
  timeout 1s settle 1s
  verify look(id)
}""",
    # Has an effect that could be undone, and no undo.
    "leak": """
tool leak(id: str) -> str {
  call python "world:leak" (id, idempotency_key: key)
  effect thing(id) compensatable
  commutes
  idempotent by key
  retry forever every 10ms..10ms
  timeout 1s settle 1s
  verify look(id)
}""",
    # A saga takes it back, call by call.
    "kept": """
tool kept(id: str) -> str {
  call python "world:kept" (id, idempotency_key: key)
  effect thing(id) compensatable
  commutes
  idempotent by key
  fails with Refused
  retry 2 times every 10ms..10ms
  timeout 1s settle 1s
  verify look(id)
  undo back(id)
}""",
    "ask": """
tool ask(id: str) -> str {
  call python "world:ask"
  effect none
  fails with Refused
  retry 2 times every 10ms..10ms
}""",
    "see": """
tool see(id: str) -> str {
  call python "world:see"
  effect none
  retry forever every 10ms..10ms
}""",
}
DROP = """
tool drop(id: str) -> json {
  call python "world:drop" (id, idempotency_key: key)
  effect thing restoring
  idempotent by key
  done with NotFound
  retry 5 times every 10ms..10ms
  timeout 1s settle 1s
}
"""
WEIGHTS = ("make", "make", "sure", "given", "send", "send", "post", "post", "leak", "ask", "see")
BACK = (
    '  let whole = "{id} whole"\n  step t1 = drop(whole)\n',
    '  step t2 = look(id)\n  if t2 == none { step t3 = drop("{id} none") } else '
    '{ step t4 = drop("{id} some") }\n',
    '  each t5 = n in [1, 2] { step t6 = drop("{id} {n}") }\n',
    '  parallel { step t7 = drop("{id} left") step t8 = drop("{id} right") }\n',
    '  step t9 = drop(id) when id == ""\n',
    "  step t10 = inner(id)\n",
)
"""Statements of the saga that takes `kept` back; each drops another part of it."""
INNER = '\nsaga inner(of: str) {\n  step t11 = drop("{of} deep")\n}\n'
LAPSES = ("", " within 1h else rollback", " within 1h else continue")
TOLERATED = 1
ITEMS = ("", " at most 2 at once", " at most 2 at once undo 2 at once")


class Spot(NamedTuple):
    """Where a statement is written: how far in, and the loop variables around it."""

    depth: int = 0
    items: tuple[str, ...] = ()
    parallel: bool = False

    @property
    def indent(self) -> str:
        return "  " * (self.depth + 1)

    def inside(self, item: str = "", parallel: bool = False) -> Spot:
        return Spot(self.depth + 1, (*self.items, item) if item else self.items, parallel)


@dataclass
class Writer:
    """A program while it is drawn: what it has so far, and how much more it may have."""

    draw: st.DrawFn
    kinds: frozenset[str]
    left: int
    conditions: list[str] = field(default_factory=list[str])
    lists: list[str] = field(default_factory=list[str])
    used: set[str] = field(default_factory=set[str])
    sagas: str = ""
    names: int = 0
    items: int = 2

    def name(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def condition(self) -> str:
        self.conditions.append(f"c{len(self.conditions)}")
        return self.conditions[-1]

    def list_input(self) -> str:
        self.lists.append(f"l{len(self.lists)}")
        return self.lists[-1]

    def block(self, spot: Spot) -> str:
        made = ""
        for _ in range(self.draw(st.integers(1, 3))):
            if self.left <= 0 and made:
                break
            made += self.statement(spot)
        return made

    def statement(self, spot: Spot) -> str:
        makers: list[Callable[[Spot], str]] = [self.step, self.step, self.step]
        if spot.depth < 3:
            makers += [maker for kind, maker in self.compounds().items() if kind in self.kinds]
        return self.draw(st.sampled_from(makers))(spot)

    def compounds(self) -> dict[str, Callable[[Spot], str]]:
        return {
            "if": self.choice,
            "parallel": self.parallel,
            "gate": self.gate,
            "scope": self.scope,
            "each": self.each,
            "first": self.first,
            "repeat": self.repeat,
            "wait": self.wait,
            "saga": self.saga,
        }

    def step(self, spot: Spot, after: str = "") -> str:
        by_saga = ("kept",) * 6 if "undo" in self.kinds else ()
        tool = self.draw(st.sampled_from((*WEIGHTS, *by_saga)))
        self.used.add(tool)
        self.left -= 1
        name = self.name("s")
        about = " ".join((name, *(f"{{{item}}}" for item in spot.items)))
        clauses = f" after {after}" if after else ""
        block = ""
        if tool == "make" and by_saga and self.draw(st.booleans()):
            self.used.add("kept")
            block = " { undo back(args.id) }"
        if self.draw(st.integers(0, 5)) == 0:
            clauses += f" when {self.condition()}"
        if self.draw(st.integers(0, 5)) == 0 and tool != "leak":
            clauses += " else continue"
        return f'{spot.indent}step {name} = {tool}("{about}"){clauses}{block}\n'

    def body(self, spot: Spot, head: str, end: str = "", item: str = "") -> str:
        """A statement with a block: `end` closes the block, before its brace."""
        inner = self.block(spot.inside(item, head == "parallel"))
        return f"{spot.indent}{head} {{\n{inner}{end}{spot.indent}}}"

    def choice(self, spot: Spot) -> str:
        made = self.body(spot, f"if {self.condition()}")
        if self.draw(st.booleans()):
            made += self.body(spot, "else").replace(f"{spot.indent}else", " else", 1)
        return made + "\n"

    def parallel(self, spot: Spot) -> str:
        return self.body(spot, "parallel") + "\n"

    def gate(self, spot: Spot) -> str:
        lapse, name = self.draw(st.sampled_from(LAPSES)), self.name("g")
        made = f'{spot.indent}gate {name} needs "ops" shows "now"{lapse}\n'
        # In a `parallel` a gate that nothing waits for is G406.
        return made + self.step(spot, name) if spot.parallel else made

    def wait(self, spot: Spot) -> str:
        lapse = self.draw(st.sampled_from(LAPSES))
        return f"{spot.indent}wait {self.name('w')}: str{lapse}\n"

    def scope(self, spot: Spot) -> str:
        made = self.body(spot, f"scope {self.name('x')}")
        match self.draw(st.sampled_from(["none", "empty", "full"])):
            case "full":
                made += self.body(spot, "else").replace(f"{spot.indent}else", " else", 1)
            case "empty":
                made += " else {}"
            case _:
                pass
        return made + "\n"

    def each(self, spot: Spot) -> str:
        item = self.name("i")
        head = f"each {self.name('e')} = {item} in {self.list_input()}"
        head += self.draw(st.sampled_from(ITEMS))
        if "tolerate" in self.kinds and self.draw(st.integers(0, 3)):
            head += f" tolerate {TOLERATED}"
            self.items = TOLERATED + 2
        return self.body(spot, head, f"{spot.indent}  return 1\n", item) + "\n"

    def first(self, spot: Spot) -> str:
        item = self.name("i")
        head = f"first {self.name('f')} = {item} in {self.list_input()}"
        return self.body(spot, head, f"{spot.indent}  return 1\n", item) + "\n"

    def repeat(self, spot: Spot) -> str:
        item = self.name("i")
        head = f"repeat {self.name('r')} = {item} from 1 at most 2 times"
        following = f"if {self.condition()} then {item} + 1 else none"
        end = f"{spot.indent}  return 1\n{spot.indent}  next {following}\n"
        return self.body(spot, head, end, item) + "\n"

    def saga(self, spot: Spot) -> str:
        """A call of a saga of its own, which takes the conditions and lists that it needs."""
        name, called = self.name("n"), self.name("saga")
        conditions, lists = len(self.conditions), len(self.lists)
        body = self.block(Spot(spot.depth + 1, ("of",)))
        taken = [f"{each}: bool" for each in self.conditions[conditions:]]
        taken += [f"{each}: list[int]" for each in self.lists[lists:]]
        given = [*self.conditions[conditions:], *self.lists[lists:]]
        about = " ".join((name, *(f"{{{item}}}" for item in spot.items)))
        self.sagas += f"\nsaga {called}({', '.join(['of: str', *taken])}) {{\n{body}}}\n"
        policy = self.draw(st.sampled_from(["", "", " else continue"]))
        quoted = f'"{about}"'
        call = f"{called}({', '.join([quoted, *given])})"
        return f"{spot.indent}step {name} = {call}{policy}\n"


@dataclass(frozen=True)
class Program:
    """A program with the inputs that it takes: conditions, and lists of up to so many items.

    Three where one may fail: another one that does not, and the one too many.
    """

    text: str
    conditions: tuple[str, ...]
    lists: tuple[str, ...]
    items: int = 2


@st.composite
def programs(draw: st.DrawFn, kinds: frozenset[str], steps: int = 6) -> Program:
    """A program of the statements named, with up to so many steps."""
    writer = Writer(draw, kinds, draw(st.integers(1, steps)))
    body = ""
    for _ in range(draw(st.integers(1, 4))):
        if writer.left > 0:
            body += writer.statement(Spot())
    parameters = [f"{name}: bool" for name in writer.conditions]
    parameters += [f"{name}: list[int]" for name in writer.lists]
    tools = "".join(text for name, text in TOOLS.items() if name in writer.used)
    if "kept" in writer.used:
        parts = draw(st.lists(st.sampled_from(BACK), min_size=1, max_size=3, unique=True))
        tools += f"\nsaga back(id: str) {{\n{''.join(parts)}  step t12 = drop(id)\n}}\n"
        tools += INNER if any("inner" in part for part in parts) else ""
    saga = f"\nsaga main({', '.join(parameters)}) {{\n{body}}}\n"
    text = f"{EDITION}{LOOK}{DROP}{tools}\n{writer.sagas}{saga}"
    return Program(text, tuple(writer.conditions), tuple(writer.lists), writer.items)
