"""Programs of the whole language, written at random: every one of them is well formed."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

HEAD = """edition 2026
record Item { sku: str, qty: int = 1 }
tool find(id: str) -> str? { call python "shop:find" effect none }
tool count(id: str) -> int { call python "shop:count" effect none }
tool take(sku: str, qty: int) -> Item {
  call python "shop:take" (sku, qty, idempotency_key: key)
  effect stock(sku) reversible impact 3
  idempotent by key
  retry 3 times
  commutes
  undo give(sku)
}
tool give(sku: str) -> json {
  call python "shop:give"
  effect stock restoring
  idempotent naturally
  retry 5 times
}
agent helper(goal: str) -> json { call python "shop:helper" may use find, take at most 9 calls }
"""
INPUTS = {"id": "str", "n": "int", "ids": "list[str]", "items": "list[Item]"}
SAGA_INPUTS = ", ".join(f"{name}: {kind}" for name, kind in INPUTS.items())

Values = Mapping[str, str]
"""Values in scope with their types; what a scope has made is there as `scope.step`."""


class Writer:
    """Writes programs; `choice` decides everything."""

    def __init__(self, choice: random.Random, budget: int = 24) -> None:
        self.choice = choice
        self.budget = budget
        self.count = 0
        self.callable: dict[str, str] = {}

    def program(self) -> str:
        """A program of one to three sagas, the later of which call the earlier."""
        sagas: list[str] = []
        for number in range(self.choice.randint(1, 3)):
            self.budget = max(self.budget, 8)
            name = f"saga_{number}"
            sagas.append(self._saga(name))
        return HEAD + "\n".join(sagas)

    def _saga(self, name: str) -> str:
        head = ""
        if self._chance(0.3):
            head += 'guard readiness >= 0.2 needs "ops"\n'
        if self._chance(0.3):
            head += "deadline 30d\n"
        body, there = self._block(INPUTS, 3)
        after = ""
        if self._chance(0.3):
            step = self._name("sorry")
            after = f"on rollback {{ step {step} = find({self._text(INPUTS)}) else continue }}\n"
        result, gives = self._returned({**INPUTS, **there}, last=self._chance(0.7))
        self.callable[name] = result or "none"
        arrow = f" -> {result}" if result else ""
        return f"saga {name}({SAGA_INPUTS}){arrow} {{\n{head}{body}{after}{gives}}}\n"

    def _returned(self, there: Values, last: bool) -> tuple[str, str]:
        found = [(name, kind) for name, kind in there.items() if kind != "none"]
        if not last or not found:
            return "", ""
        name, kind = self.choice.choice(found)
        return kind, f"return {name}\n"

    def _block(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        """Statements one after another, and the values that they make."""
        made: dict[str, str] = {}
        text = ""
        for _ in range(self.choice.randint(1, 3)):
            one, names = self._statement({**there, **made}, depth, beside=False)
            text += one + "\n"
            made |= names
        return text, made

    def _statement(self, there: Values, depth: int, beside: bool) -> tuple[str, dict[str, str]]:
        self.budget -= 1
        writers: list[Callable[[Values, int], tuple[str, dict[str, str]]]] = [self._step] * 3
        if depth > 0 and self.budget > 0:
            writers += [self._if, self._parallel, self._each, self._first, self._repeat]
            writers += [self._scope] * 2
        if not beside:
            writers += [self._let, self._requires, self._sleep, self._checkpoint, self._gate]
        writers += [self._wait]
        return self.choice.choice(writers)(there, depth)

    def _step(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        name = self._name("step")
        calls = {
            f"find({self._text(there)})": "str?",
            f"count({self._text(there)})": "int",
            f"take({self._text(there)}, {self._int(there)})": "Item",
            f"helper({self._text(there)})": "json",
        }
        for saga, kind in self.callable.items():
            if self._chance(0.4):
                calls[f"{saga}(id, {self._int(there)}, ids, items)"] = kind
        call = self.choice.choice(list(calls))
        kind = calls[call]
        tail = ""
        if self._chance(0.2):
            tail += f" when {self._int(there)} > 1"
            kind = _maybe(kind)
        if self._chance(0.2):
            tail += " else continue"
            kind = _maybe(kind)
        return f"step {name} = {call}{tail}", {name: kind}

    def _let(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        name = self._name("let")
        return f"let {name} = {self._int(there)} + 1", {name: "int"}

    def _requires(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        return f'requires {self._int(there)} < 9 else "too many"', {}

    def _sleep(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        return "sleep 5m", {}

    def _checkpoint(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        return f"checkpoint {self._name('point')}", {}

    def _gate(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        return f'gate {self._name("gate")} needs "ops" shows {self._int(there)}', {}

    def _wait(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        name, kind = self._name("wait"), self.choice.choice(["str", "int", "Item", "list[str]"])
        lapse = self.choice.choice(["", " within 2d", " within 2d else continue"])
        return f"wait {name}: {kind}{lapse}", {
            name: _maybe(kind) if lapse.endswith("continue") else kind
        }

    def _if(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        then, made = self._block(there, depth - 1)
        text = f"if {self._int(there)} > 1 {{\n{then}}}"
        names = {name: _maybe(kind) for name, kind in made.items() if "." not in name}
        if self._chance(0.5):
            both = self._name("both")
            branch = f'step {both} = count("{{n}}")\n'
            text = f"if {self._int(there)} > 1 {{\n{then}{branch}}} else {{\n{branch}}}"
            names[both] = "int"
        return text, names

    def _parallel(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        made: dict[str, str] = {}
        members: list[str] = []
        for _ in range(self.choice.randint(1, 3)):
            one, names = self._statement({**there, **made}, depth - 1, beside=True)
            earlier = [word.split(".")[0] for word in made if word.startswith(("step", "scope"))]
            if earlier and one.startswith("step") and self._chance(0.3):
                one += f" after {self.choice.choice(earlier)}"
            members.append(one)
            made |= names
        # What is read may also be written later.
        self.choice.shuffle(members)
        return "parallel {\n" + "\n".join(members) + "\n}", made

    def _each(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        name, variable, over, inner = self._loop(there, depth)
        tail = f" by {variable}" if over.endswith("ids") and self._chance(0.5) else ""
        tail += " at most 3 at once" if self._chance(0.4) else ""
        tail += " undo 2 at once" if self._chance(0.3) else ""
        tolerant = self._chance(0.3)
        tail += " tolerate 2" if tolerant else ""
        body, made = self._block(inner, depth - 1)
        kind, gives = self._returned({**inner, **made}, last=self._chance(0.8))
        item = _maybe(kind or "none") if tolerant else kind or "none"
        text = f"each {name} = {variable} in {over}{tail} {{\n{body}{gives}}}"
        return text, {name: f"list[{item}]" if item != "none" else "none"}

    def _first(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        name, variable, over, inner = self._loop(there, depth)
        body, made = self._block(inner, depth - 1)
        kind, gives = self._returned({**inner, **made}, last=self._chance(0.8))
        return f"first {name} = {variable} in {over} {{\n{body}{gives}}}", {name: kind or "none"}

    def _repeat(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        name, variable = self._name("repeat"), self._name("round")
        inner = {**there, variable: "int"}
        body, made = self._block(inner, depth - 1)
        kind, gives = self._returned({**inner, **made}, last=self._chance(0.6))
        text = (
            f"repeat {name} = {variable} from {self._int(there)} at most 4 times {{\n{body}{gives}"
            f"next if {variable} > 2 then none else {variable} + 1\n}}"
        )
        return text, {name: f"list[{kind}]" if kind else "none"}

    def _scope(self, there: Values, depth: int) -> tuple[str, dict[str, str]]:
        name = self._name("scope")
        body, made = self._block(there, depth - 1)
        own = {word: kind for word, kind in made.items() if "." not in word}
        if not self._chance(0.5):
            return f"scope {name} {{\n{body}}}", {f"{name}.{w}": kind for w, kind in own.items()}
        other, more = self._block(there, depth - 1)
        both = self._name("both")
        branch = f"step {both} = count({self._text(there)})\n"
        fields = {**own, **{word: kind for word, kind in more.items() if "." not in word}}
        names = {f"{name}.{word}": _maybe(kind) for word, kind in fields.items()}
        return f"scope {name} {{\n{body}{branch}}} else {{\n{other}{branch}}}", {
            **names,
            f"{name}.{both}": "int",
        }

    def _loop(self, there: Values, depth: int) -> tuple[str, str, str, Values]:
        name, variable = self._name("loop"), self._name("item")
        lists = [word for word, kind in there.items() if kind in ("list[str]", "list[Item]")]
        over = self.choice.choice(lists)
        return name, variable, over, {**there, variable: there[over][5:-1]}

    def _text(self, there: Values) -> str:
        found = [w for w, kind in there.items() if kind not in ("none",)]
        texts = [w for w, kind in there.items() if kind == "str"]
        return self.choice.choice([*texts, f'"{{{self.choice.choice(found)}}}"', '"x"'])

    def _int(self, there: Values) -> str:
        found = [word for word, kind in there.items() if kind == "int"]
        return self.choice.choice([*found, "3"])

    def _name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}_{self.count}"

    def _chance(self, likely: float) -> bool:
        return self.choice.random() < likely


def _maybe(kind: str) -> str:
    return kind if kind.endswith("?") or kind in ("none", "json") else f"{kind}?"
