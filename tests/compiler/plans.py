"""Plans built by hand, as lowering makes them, for the tests of what is made from plans."""

from __future__ import annotations

from typing import Any

from sagalang.runtime.formula import (
    Binary,
    Compare,
    Field,
    Formula,
    Literal,
    Logic,
    Name,
    Node,
    Place,
    Text,
    Type,
)
from sagalang.runtime.plan import (
    Argument,
    Binding,
    Checkpoint,
    Condition,
    Corrective,
    Effect,
    Enum,
    Gate,
    Idempotence,
    If,
    Let,
    Node as Statement,
    Parallel,
    Parameter,
    Plan,
    Promise,
    Record,
    Remember,
    Requires,
    Retry,
    Return,
    Step,
    Tool,
    Undo,
    Verdict,
    Verify,
)

STR = Type("str")
BOOL = Type("bool")
DECIMAL = Type("decimal")
JSON = Type("json")
ORDER = Type("record", name="Order")
ITEM = Type("record", name="Item")
CHARGE = Type("record", name="Charge")
TRACKING = Type("record", name="Tracking")
SPEED = Type("enum", name="Speed")


class Writer:
    """Hands out places as if everything stood in a source of lines of 100 characters."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.line = 0

    def at(self, column: int, length: int) -> Place:
        start = (self.line - 1) * 100 + column - 1
        return Place(self.file, start, start + length, self.line, column)

    def next(self) -> Place:
        self.line += 1
        return self.at(1, 20)

    def f(self, source: str, type: Type, tree: Node | None = None, column: int = 20) -> Formula:
        """An expression; without a tree its text is a dotted path."""
        return Formula(tree or path(source), type, source, self.at(column, len(source)))

    def arg(self, name: str, value: Formula) -> Argument:
        return Argument(name=name, value=value, at=value.at)


def path(source: str) -> Node:
    name, *fields = source.split(".")
    tree: Node = Name(name)
    for field in fields:
        tree = Field(tree, field)
    return tree


def money(digits: str) -> Literal:
    return Literal({"$decimal": digits})


def step(w: Writer, name: str, tool: Tool, args: tuple[Argument, ...], **given: Any) -> Step:
    held: dict[str, Any] = {
        "type": tool.result,
        "timeout": tool.timeout,
        "settle": tool.settle,
        "retry": tool.retry,
        "verify": tool.verify,
        "undos": tool.undos,
        "path": name,
    }
    return Step(name=name, tool=tool.name, args=args, at=w.at(3, 30), **(held | given))


def shop() -> dict[str, Tool]:
    """The tools of a shop: a read, a reversible, a compensatable and two irreversible ones."""
    w = Writer("shop.saga")
    tools: list[Tool] = []

    def parameters(**types: Type) -> tuple[Parameter, ...]:
        return tuple(Parameter(name=n, type=t, at=w.at(10, 8)) for n, t in types.items())

    def read(name: str, result: Type, target: str, **types: Type) -> None:
        w.next()
        tools.append(
            Tool(
                name=name,
                at=w.at(1, 60),
                parameters=parameters(**types),
                result=result,
                call=Binding(
                    target=target, args=tuple(w.arg("", w.f(n, t)) for n, t in types.items())
                ),
                retry=Retry(attempts=5, low=200, high=10_000),
            )
        )

    read("charge_of", Type("optional", of=CHARGE), "shop.payments:find", order_id=STR)
    read("stock_of", Type("int"), "shop.stock:count", sku=STR)
    w.next()
    tools.append(
        Tool(
            name="charge",
            doc="Charges the customer's card.",
            at=w.at(1, 700),
            parameters=parameters(order_id=STR, amount=DECIMAL),
            result=CHARGE,
            call=Binding(
                target="shop.payments:charge",
                args=(
                    w.arg("", w.f("order_id", STR)),
                    w.arg("", w.f("amount", DECIMAL, column=30)),
                    w.arg("idempotency_key", w.f("key", STR, column=60)),
                ),
                at=w.at(3, 60),
            ),
            effects=(
                Effect(
                    kind="payment",
                    ids=(w.f("order_id", STR, column=18),),
                    effect_class="compensatable",
                    impact=8,
                    at=w.at(3, 50),
                ),
            ),
            idempotent=Idempotence(by="key", lifetime=86_400_000),
            fails=("CardDeclined", "LimitExceeded"),
            transient=("RateLimited",),
            retry=Retry(attempts=5, low=200, high=30_000),
            timeout=10_000,
            settle=30_000,
            requires=(
                Condition(
                    test=w.f("amount > 0.00", BOOL, Compare(">", Name("amount"), money("0.00"))),
                    otherwise=w.f('"nothing to charge"', STR, Literal("nothing to charge"), 50),
                    at=w.at(3, 50),
                ),
            ),
            verify=Verify(
                tool="charge_of",
                args=(w.arg("order_id", w.f("order_id", STR)),),
                consistent_after=5_000,
                verdicts=(
                    Verdict(
                        kind="applied",
                        when=w.f(
                            'it.state == "captured"',
                            BOOL,
                            Compare("==", path("it.state"), Literal("captured")),
                        ),
                        gives=w.f("it", CHARGE, column=60),
                    ),
                    Verdict(
                        kind="absent",
                        when=w.f(
                            'it.state == "refunded" or it.state == "voided"',
                            BOOL,
                            Logic(
                                "or",
                                Compare("==", path("it.state"), Literal("refunded")),
                                Compare("==", path("it.state"), Literal("voided")),
                            ),
                        ),
                    ),
                ),
                at=w.at(3, 40),
            ),
            undos=(
                Undo(
                    tool="refund",
                    args=(w.arg("charge_id", w.f("result.id", STR)),),
                    within=90 * 86_400_000,
                    at=w.at(3, 40),
                ),
            ),
            service="payments",
        )
    )
    w.next()
    tools.append(
        Tool(
            name="refund",
            at=w.at(1, 60),
            parameters=parameters(charge_id=STR),
            result=JSON,
            call=Binding(target="shop.payments:refund", args=(w.arg("", w.f("charge_id", STR)),)),
            effects=(Effect(kind="payment", effect_class="restoring"),),
            idempotent=Idempotence(by="key"),
            done=("AlreadyRefunded",),
            retry=Retry(attempts=10, high=300_000),
        )
    )
    w.next()
    tools.append(
        Tool(
            name="reserve",
            doc="Sets goods aside.\n\nNobody else can buy them until they are released.",
            at=w.at(1, 60),
            parameters=parameters(order_id=STR, sku=STR),
            result=Type("record", name="Item"),
            call=Binding(target="shop.stock:reserve", args=(w.arg("", w.f("order_id", STR)),)),
            effects=(Effect(kind="stock", effect_class="reversible", impact=2),),
            idempotent=Idempotence(by="naturally"),
            remember=(
                Remember(
                    name="before",
                    tool="stock_of",
                    args=(w.arg("sku", w.f("sku", STR)),),
                    type=Type("optional", of=Type("int")),
                    at=w.at(3, 30),
                ),
            ),
            undos=(Undo(tool="release", args=(w.arg("sku", w.f("sku", STR)),)),),
        )
    )
    w.next()
    tools.append(
        Tool(
            name="release",
            parameters=parameters(sku=STR),
            result=JSON,
            call=Binding(target="shop.stock:release", args=(w.arg("", w.f("sku", STR)),)),
            effects=(Effect(kind="stock", effect_class="restoring"),),
            idempotent=Idempotence(by="naturally"),
        )
    )
    for name, result, impact in (("send", TRACKING, 6), ("mail", JSON, 1)):
        w.next()
        tools.append(
            Tool(
                name=name,
                parameters=parameters(to=STR, text=STR),
                result=result,
                call=Binding(target=f"shop.{name}:run", args=(w.arg("", w.f("to", STR)),)),
                effects=(
                    Effect(
                        kind=name,
                        effect_class="irreversible",
                        impact=impact,
                        corrective=Corrective(
                            text=w.f('"say sorry"', STR, Literal("say sorry")), at=w.at(3, 30)
                        ),
                    ),
                ),
                idempotent=Idempotence(by="key"),
                retry=Retry(attempts=None),
            )
        )
    return {tool.name: tool for tool in tools}


def records(w: Writer) -> tuple[Record, ...]:
    """The records of the shop."""
    none = Literal(None)

    def parameter(
        name: str, type: Type, default: Formula | None = None, doc: str = ""
    ) -> Parameter:
        return Parameter(name=name, type=type, default=default, doc=doc, at=w.at(5, 12))

    def record(name: str, *fields: Parameter, doc: str = "") -> Record:
        w.next()
        return Record(name=name, fields=fields, doc=doc, at=w.at(1, 60))

    return (
        record(
            "Charge", parameter("id", STR), parameter("amount", DECIMAL), parameter("state", STR)
        ),
        record(
            "Item",
            parameter("sku", STR),
            parameter("qty", Type("int"), w.f("1", Type("int"), Literal(1))),
        ),
        record(
            "Order",
            parameter("id", STR, doc="The number on the invoice."),
            parameter("items", Type("list", of=ITEM)),
            parameter("total", DECIMAL),
            parameter("speed", SPEED, w.f("Speed.normal", SPEED, Literal("normal"))),
            parameter("email", STR),
            parameter("note", Type("optional", of=STR), w.f("none", Type("none"), none)),
            doc="An order as the shop sends it.",
        ),
        record("Tracking", parameter("code", STR), parameter("carrier", STR)),
    )


def fulfil() -> Plan:
    """Fulfils an order: a gate, work side by side, a branch, a pivot, a step that may fail."""
    tools = shop()
    w = Writer("fulfil.saga")
    declared = records(w)
    body: list[Statement] = []

    w.next()
    promises = (
        Promise(
            kind="readiness",
            bound=w.f("0.8", DECIMAL, money("0.8")),
            until=("ship",),
            source="readiness >= 0.8 until ship",
            at=w.at(3, 40),
        ),
    )
    w.next()
    body.append(
        Requires(
            path="requires#1",
            test=w.f("order.total > 0.00", BOOL, Compare(">", path("order.total"), money("0.00"))),
            otherwise=w.f(
                '"order {order.id} is free"',
                STR,
                Text((Literal("order "), path("order.id"), Literal(" is free"))),
                50,
            ),
            at=w.at(3, 60),
        )
    )
    w.next()
    body.append(
        Gate(
            path="release",
            name="release",
            needs=2,
            group="ops",
            shows=(
                w.arg("order.total", w.f("order.total", DECIMAL, column=40)),
                w.arg("order.items", w.f("order.items", Type("list", of=ITEM), column=55)),
            ),
            when=w.f(
                "order.total > 10_000.00",
                BOOL,
                Compare(">", path("order.total"), money("10000.00")),
                70,
            ),
            within=86_400_000,
            at=w.at(3, 90),
        )
    )
    w.next()
    pay = step(
        w,
        "pay",
        tools["charge"],
        (
            w.arg("order_id", w.f("order.id", STR, column=23)),
            w.arg("amount", w.f("order.total", DECIMAL, column=33)),
        ),
        agent="billing",
    )
    w.next()
    stock = step(
        w,
        "stock",
        tools["reserve"],
        (
            w.arg("order_id", w.f("order.id", STR, column=23)),
            w.arg(
                "sku",
                w.f(
                    'order.items[0].sku + "x"', STR, Binary("+", path("order.id"), Literal("x")), 33
                ),
            ),
        ),
    )
    w.next()
    look = step(
        w,
        "look",
        tools["charge_of"],
        (w.arg("order_id", w.f("order.id", STR, column=23)),),
        waits=("pay",),
        after=("pay",),
        timeout=5_000,
        replaces=("timeout",),
        type=Type("optional", of=CHARGE),
    )
    body.append(Parallel(path="parallel#1", body=(pay, stock, look), at=w.at(3, 10)))
    w.next()
    body.append(Checkpoint(path="paid", name="paid", at=w.at(3, 15)))
    w.next()
    body.append(
        Let(
            path="urgent",
            name="urgent",
            value=w.f(
                "order.speed == Speed.express",
                BOOL,
                Compare("==", path("order.speed"), Literal("express")),
            ),
            at=w.at(3, 30),
        )
    )

    def ship(carrier: str) -> Step:
        w.next()
        return step(
            w,
            "ship",
            tools["send"],
            (
                w.arg("to", w.f("order.email", STR, column=23)),
                w.arg("text", w.f(f'"{carrier}"', STR, Literal(carrier), 40)),
            ),
            accepted=w.f('"the customer waits"', STR, Literal("the customer waits"), 60)
            if carrier == "express"
            else None,
        )

    branch = If(
        path="if#1",
        condition=w.f("urgent", BOOL, column=6),
        then=(ship("express"),),
        otherwise=(ship("post"),),
        at=w.at(3, 10),
    )
    body.append(branch)
    w.next()
    body.append(
        step(
            w,
            "mail",
            tools["mail"],
            (
                w.arg("to", w.f("order.email", STR, column=23)),
                w.arg(
                    "text",
                    w.f(
                        '"On its way: {ship.code}"',
                        STR,
                        Text((Literal("On its way: "), path("ship.code"))),
                        40,
                    ),
                ),
            ),
            on_failure="continue",
            type=Type("optional", of=JSON),
        )
    )
    w.next()
    body.append(Return(path="return#1", value=w.f("ship", TRACKING, column=10), at=w.at(3, 11)))
    return Plan(
        format=1,
        edition=2026,
        saga="fulfil",
        doc="Fulfil one order, or leave no trace of it.",
        parameters=(Parameter(name="order", type=ORDER, at=w.at(13, 12)),),
        result=Type("optional", of=TRACKING),
        body=tuple(body),
        tools=tuple(tools[name] for name in sorted(tools)),
        records=declared,
        enums=(Enum(name="Speed", members=("normal", "express"), doc="How fast.", at=w.at(1, 10)),),
        deadline=2 * 86_400_000,
        promises=promises,
        at=w.at(1, 500),
    )
