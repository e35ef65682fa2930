# Made by sagalang 0.1.0 from purchasing.saga. What is changed here is lost when it is compiled again.
#
# purchase: definition 8ec102f6ac4b1a763d1293d573fdf5ddc60291b40d68823aad6b3ff6516e004d
#
# Run it:  python purchasing_saga.py --input '{"goal": ...}'
# Use it:  from purchasing_saga import purchase
"""Buys what is asked for, and takes all of it back when it has become too much."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from sagalang.runtime.module import (
    MINUTE,
    SECOND,
    Agent,
    AgentCall,
    AgentTool,
    Apply,
    Binding,
    Compare,
    D,
    Effect,
    Idempotence,
    Literal,
    Name,
    Parameter,
    Record,
    Requires,
    Retry,
    Return,
    Source,
    T,
    Tool,
    Undo,
    Verify,
    arg,
    main,
    saga,
)


@dataclass(frozen=True, kw_only=True)
class Offer:
    sku: str
    price: Decimal


@dataclass(frozen=True, kw_only=True)
class Order:
    id: str
    sku: str
    price: Decimal


# Where the lines of the sources begin.

purchasing_saga = Source(
    "purchasing.saga",
    (
        "5:112 6:154 8:206 10:294 12:373 13:406 14:463 16:505 18:549 19:565 22:588 23:621 24:650 "
        "25:675 26:698 29:718 30:766 31:828 33:882 35:926 36:942 37:965 40:993 41:1031 42:1059 "
        "43:1084 44:1107 47:1127 48:1182 49:1216 51:1309 55:1412 56:1492 57:1525 58:1583"
    ),
)
f, at = purchasing_saga.formula, purchasing_saga.place

# The types, as the plans have them.

Offer_type = Record(
    name="Offer",
    fields=(
        Parameter(name="sku", type=T("str"), at=at("5:16+8")),
        Parameter(name="price", type=T("decimal"), at=at("5:26+14")),
    ),
    at=at("5:8+5"),
)

Order_type = Record(
    name="Order",
    fields=(
        Parameter(name="id", type=T("str"), at=at("6:16+7")),
        Parameter(name="sku", type=T("str"), at=at("6:25+8")),
        Parameter(name="price", type=T("decimal"), at=at("6:35+14")),
    ),
    at=at("6:8+5"),
)

# The tools: what each changes, how to verify it, how to undo it.

cancel_order = Tool(
    name="cancel_order",
    parameters=(Parameter(name="sku", type=T("str"), at=at("40:19+8")),),
    result=T("json"),
    call=Binding(
        target="shop:cancel",
        args=(arg("sku", f("sku", "40:19", "str")),),
        at=at("41:3+25"),
    ),
    effects=(Effect(kind="order", effect_class="restoring", at=at("42:3+22")),),
    idempotent=Idempotence(by="naturally", at=at("43:3+20")),
    retry=Retry(attempts=10, at=at("44:3+14")),
    at=at("40:6+12"),
)

offers_of = Tool(
    name="offers_of",
    parameters=(Parameter(name="words", type=T("str"), at=at("8:16+10")),),
    result=T("list[Offer]"),
    call=Binding(
        target="shop:offers_of",
        args=(arg("words", f("words", "8:16", "str")),),
        at=at("8:45+28"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("8:6+9"),
)

order = Tool(
    name="order",
    parameters=(
        Parameter(name="sku", type=T("str"), at=at("29:12+8")),
        Parameter(name="price", type=T("decimal"), at=at("29:22+14")),
    ),
    result=T("Order"),
    call=Binding(
        target="shop:order",
        args=(
            arg("", f("sku", "30:29", "str")),
            arg("", f("price", "30:34", "decimal")),
            arg("idempotency_key", f("key", "30:58", "str"), at("30:41+20")),
        ),
        at=at("30:3+59"),
    ),
    effects=(
        Effect(
            kind="order",
            ids=(f("sku", "31:16", "str"),),
            effect_class="compensatable",
            impact=3,
            at=at("31:3+40"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("33:3+17")),
    fails=("NotForSale",),
    retry=Retry(attempts=3, at=at("35:3+13")),
    verify=Verify(tool="order_of", args=(arg("sku", f("sku", "36:19", "str")),), at=at("36:3+20")),
    undos=(
        Undo(tool="cancel_order", args=(arg("sku", f("sku", "37:21", "str")),), at=at("37:3+22")),
    ),
    commutes=True,
    at=at("29:6+5"),
)

order_of = Tool(
    name="order_of",
    parameters=(Parameter(name="sku", type=T("str"), at=at("10:15+8")),),
    result=T("Order?"),
    call=Binding(
        target="shop:order_of",
        args=(arg("sku", f("sku", "10:15", "str")),),
        at=at("10:37+27"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("10:6+8"),
)

release = Tool(
    name="release",
    parameters=(Parameter(name="sku", type=T("str"), at=at("22:14+8")),),
    result=T("json"),
    call=Binding(
        target="shop:release",
        args=(arg("sku", f("sku", "22:14", "str")),),
        at=at("23:3+26"),
    ),
    effects=(Effect(kind="stock", effect_class="restoring", at=at("24:3+22")),),
    idempotent=Idempotence(by="naturally", at=at("25:3+20")),
    retry=Retry(attempts=10, at=at("26:3+14")),
    at=at("22:6+7"),
)

reserve = Tool(
    name="reserve",
    parameters=(Parameter(name="sku", type=T("str"), at=at("12:14+8")),),
    result=T("json"),
    call=Binding(
        target="shop:reserve",
        args=(
            arg("", f("sku", "13:31", "str")),
            arg("idempotency_key", f("key", "13:53", "str"), at("13:36+20")),
        ),
        at=at("13:3+54"),
    ),
    effects=(
        Effect(
            kind="stock",
            ids=(f("sku", "14:16", "str"),),
            effect_class="reversible",
            at=at("14:3+28"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("16:3+17")),
    fails=("OutOfStock",),
    retry=Retry(attempts=3, at=at("18:3+13")),
    undos=(Undo(tool="release", args=(arg("sku", f("sku", "19:16", "str")),), at=at("19:3+17")),),
    commutes=True,
    at=at("12:6+7"),
)

# The sagas.

purchase = saga(
    name="purchase",
    doc="Buys what is asked for, and takes all of it back when it has become too much.",
    format=1,
    edition=2026,
    parameters=(
        Parameter(name="goal", type=T("str"), at=at("55:15+9")),
        Parameter(
            name="budget",
            type=T("decimal"),
            default=f("50.00", "55:44", "decimal", D("50.00")),
            at=at("55:26+23"),
        ),
        Parameter(
            name="most",
            type=T("int"),
            default=f("2", "55:63", "int", Literal(2)),
            at=at("55:51+13"),
        ),
    ),
    result=T("list[str]"),
    agents=(
        Agent(
            name="buyer",
            parameters=(
                Parameter(name="goal", type=T("str"), at=at("47:13+9")),
                Parameter(name="budget", type=T("decimal"), at=at("47:24+15")),
            ),
            result=T("list[str]"),
            call=Binding(
                target="shop.agents:buyer",
                args=(
                    arg("goal", f("goal", "47:13", "str")),
                    arg("budget", f("budget", "47:24", "decimal")),
                ),
                at=at("48:3+31"),
            ),
            uses=(
                AgentTool(tool="offers_of", at=at("49:11+9")),
                AgentTool(tool="reserve", at=at("49:22+7")),
                AgentTool(tool="order", needs="leads", at=at("49:31+19")),
            ),
            at_most=5,
            transient=("ModelBusy",),
            retry=Retry(attempts=3, at=at("51:3+13")),
            at=at("47:7+5"),
        ),
    ),
    body=(
        AgentCall(
            path="buy",
            name="buy",
            agent="buyer",
            args=(
                arg("goal", f("goal", "56:20", "str")),
                arg("budget", f("budget", "56:26", "decimal")),
            ),
            type=T("list[str]"),
            timeout=MINUTE,
            settle=MINUTE,
            retry=Retry(attempts=3, at=at("51:3+13")),
            at=at("56:8+3"),
        ),
        Requires(
            path="requires#1",
            test=f(
                "len(buy) <= most",
                "57:12",
                "bool",
                Compare("<=", Apply("len", (Name("buy"),)), Name("most")),
            ),
            otherwise=f(
                '"it has bought too much"', "57:34", "str", Literal("it has bought too much")
            ),
            at=at("57:3+8"),
        ),
        Return(path="return#1", value=f("buy", "58:10", "list[str]"), at=at("58:3+6")),
    ),
    tools=(cancel_order, offers_of, order, order_of, release, reserve),
    records=(Offer_type, Order_type),
    at=at("55:6+8"),
    classes={"Offer": Offer, "Order": Order},
    file=__file__,
)

if __name__ == "__main__":
    raise SystemExit(main(purchase))
