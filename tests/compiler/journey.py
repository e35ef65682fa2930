"""A plan with every statement of the language, built by hand as lowering makes it."""

from __future__ import annotations

import msgspec

from sagalang.runtime.formula import Formula, Literal, Type
from sagalang.runtime.plan import (
    Agent,
    AgentCall,
    AgentTool,
    Binding,
    Each,
    First,
    Gate,
    Guard,
    Let,
    Next,
    Node,
    Parallel,
    Parameter,
    Plan,
    Repeat,
    Requires,
    Return,
    SagaCall,
    Scope,
    Sleep,
    Step,
    Wait,
)

from .plans import BOOL, DECIMAL, ITEM, JSON, ORDER, STR, TRACKING, Writer, fulfil, shop, step

ITEMS = Type("list", of=ITEM)


def whole() -> Plan:
    """Everything that may stand in a saga, in the words of a shop."""
    tools = shop()
    w = Writer("whole.saga")

    def called(name: str, tool: str, path: str = "", *, waits: tuple[str, ...] = ()) -> Step:
        w.next()
        sources = {"str": ("order.email", STR), "decimal": ("order.total", DECIMAL)}
        args = tuple(
            w.arg(one.name, w.f(*sources[one.type.kind], column=20 * number))
            for number, one in enumerate(tools[tool].parameters, 1)
        )
        return step(w, name, tools[tool], args, path=path or name, waits=waits)

    def gives(path: str, source: str, kind: Type = JSON) -> Return:
        w.next()
        return Return(path=path, value=w.f(source, kind), at=w.at(3, 11))

    def count(number: int) -> Formula:
        return w.f(str(number), Type("int"), Literal(number))

    picks = Each(
        path="picks",
        name="picks",
        variable="item",
        items=w.f("order.items", ITEMS),
        by=w.f("item.sku", STR, column=50),
        at_once=8,
        undo_at_once=4,
        tolerate=2,
        item=ITEM,
        type=Type("list", of=Type("optional", of=JSON)),
        doc="Every line of the order.",
        body=(
            Requires(path="picks[*].requires#1", test=w.f("item.qty > 0", BOOL, Literal(True))),
            called("pick", "reserve", "picks[*].pick"),
            gives("picks[*].return#1", "pick"),
        ),
        at=w.at(3, 90),
    )
    w.next()
    carrier = First(
        path="carrier",
        name="carrier",
        variable="name",
        items=w.f('["ups", "dhl"]', Type("list", of=STR), Literal(["ups", "dhl"])),
        item=STR,
        type=TRACKING,
        body=(
            called("booked", "send", "carrier[*].booked"),
            gives("carrier[*].return#1", "booked"),
        ),
        at=w.at(3, 60),
    )
    w.next()
    pages = Repeat(
        path="pages",
        name="pages",
        variable="cursor",
        start=w.f('""', STR, Literal("")),
        limit=20,
        item=STR,
        type=Type("list", of=JSON),
        body=(
            called("page", "charge_of", "pages[*].page"),
            gives("pages[*].return#1", "page.rows"),
            Next(path="pages[*].next#1", value=w.f("page.cursor", STR), at=w.at(3, 20)),
        ),
        at=w.at(3, 60),
    )
    w.next()
    shipping = Scope(
        path="shipping",
        name="shipping",
        type=Type("record", name="shipping"),
        fields=(Parameter(name="ship", type=TRACKING),),
        body=(called("ship", "send", "shipping.ship"),),
        otherwise=(
            Sleep(path="shipping.else.sleep#1", length=3_600_000, at=w.at(3, 9)),
            called("ship", "mail", "shipping.else.ship"),
        ),
        at=w.at(3, 10),
    )
    w.next()
    extra = Scope(
        path="extra",
        name="extra",
        type=Type("record", name="extra"),
        fields=(),
        body=(called("gift", "reserve", "extra.gift"),),
        otherwise=(),
        at=w.at(3, 10),
    )
    w.next()
    child = SagaCall(
        path="child",
        name="child",
        saga="invoice",
        args=(w.arg("order", w.f("order", ORDER)),),
        parameters=(Parameter(name="order", type=ORDER),),
        result=JSON,
        type=Type("optional", of=JSON),
        agent="billing",
        on_failure="continue",
        undos=tools["charge"].undos,
        body=(
            called("pay", "charge", "child.pay"),
            Gate(path="child.sign", name="sign", needs=1, group="leads", shows=(), at=w.at(3, 20)),
            gives("child.return#1", "pay"),
        ),
        on_rollback=(called("told", "mail", "child.told"),),
        deadline=7_200_000,
        guards=(Guard(least=w.f("0.9", DECIMAL, Literal({"$decimal": "0.9"})), group="ops"),),
        at=w.at(3, 80),
    )
    w.next()
    buyer = AgentCall(
        path="buyer",
        name="buyer",
        agent="shopper",
        args=(w.arg("goal", w.f("order.note", STR)),),
        type=JSON,
        when=w.f("order.note != none", BOOL, Literal(True)),
        acts_as="assistant",
        timeout=600_000,
        settle=60_000,
        retry=tools["charge"].retry,
        at=w.at(3, 40),
    )
    w.next()
    paid = Wait(
        path="paid", name="paid", type=JSON, within=86_400_000, otherwise="continue", at=w.at(3, 9)
    )
    agent = Agent(
        name="shopper",
        doc="Looks for what is cheapest.",
        parameters=(Parameter(name="goal", type=STR),),
        result=JSON,
        call=Binding(target="shop.agents:shopper", args=(w.arg("", w.f("goal", STR)),)),
        uses=(
            AgentTool(tool="charge_of"),
            AgentTool(tool="charge"),
            AgentTool(tool="reserve"),
            AgentTool(tool="send", needs="leads"),
        ),
        at_most=20,
        at=w.at(1, 60),
    )
    w.next()
    known = Let(path="known", name="known", value=w.f("len(order.items)", Type("int"), Literal(2)))
    side = Parallel(
        path="parallel#1",
        body=(
            picks,
            msgspec.structs.replace(pages, waits=("known",)),
            called("look", "charge_of", waits=("picks",)),
        ),
        at=w.at(3, 20),
    )
    body: tuple[Node, ...] = (known, side, carrier, shipping, extra, child, buyer, paid)
    return msgspec.structs.replace(
        fulfil(),
        saga="whole",
        doc="",
        body=(*body, gives("return#1", "carrier", TRACKING)),
        agents=(agent,),
        guards=(Guard(least=count(1), group="ops"),),
        on_rollback=(called("sorry", "mail"),),
        result=TRACKING,
        promises=(),
    )
