# Made by sagalang 0.1.0 from assistant.saga. What is changed here is lost when it is compiled again.
#
# restock: definition 9a3541c4db63fed2b723a3e4b17c21e5d2ae8880efa8af436e42ca79192bf8cc
#
# Run it:  python assistant_saga.py --input '{"goals": ...}'
# Use it:  from assistant_saga import restock
"""Lets the assistant buy what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from sagalang.runtime.module import (
    MINUTE,
    SECOND,
    AcceptEvidence,
    Agent,
    AgentCall,
    AgentTool,
    Binding,
    Compare,
    Condition,
    Corrective,
    D,
    Each,
    Effect,
    Evidence,
    Idempotence,
    Literal,
    Name,
    Parameter,
    Record,
    Retry,
    Return,
    Source,
    T,
    Text,
    Tool,
    Undo,
    Verdict,
    arg,
    get,
    main,
    saga,
)


@dataclass(frozen=True, kw_only=True)
class Order:
    id: str
    sku: str


@dataclass(frozen=True, kw_only=True)
class Product:
    sku: str
    price: Decimal


# Where the lines of the sources begin.

assistant_saga = Source(
    "assistant.saga",
    (
        "5:107 6:151 8:187 9:230 13:275 14:311 18:358 19:399 23:444 24:477 25:534 26:574 27:594 "
        "29:630 32:653 33:686 34:715 35:740 36:763 40:881 41:913 42:940 45:1080 46:1118 47:1149 "
        "49:1185 50:1226 52:1270 55:1313 56:1377 57:1411 59:1490 63:1592 64:1645 65:1685 66:1763 "
        "68:1782"
    ),
)
f, at = assistant_saga.formula, assistant_saga.place

# The types, as the plans have them.

Order_type = Record(
    name="Order",
    fields=(
        Parameter(name="id", type=T("str"), at=at("6:16+7")),
        Parameter(name="sku", type=T("str"), at=at("6:25+8")),
    ),
    at=at("6:8+5"),
)

Product_type = Record(
    name="Product",
    fields=(
        Parameter(name="sku", type=T("str"), at=at("5:18+8")),
        Parameter(name="price", type=T("decimal"), at=at("5:28+14")),
    ),
    at=at("5:8+7"),
)

# The tools: what each changes, how to verify it, how to undo it.

order = Tool(
    name="order",
    doc=(
        "The shop has no way to ask for an order: what it wrote and what its list says are "
        "evidence."
    ),
    parameters=(Parameter(name="sku", type=T("str"), at=at("40:12+8")),),
    result=T("Order"),
    call=Binding(
        target="shop:order",
        args=(arg("sku", f("sku", "40:12", "str")),),
        at=at("41:3+24"),
    ),
    effects=(
        Effect(
            kind="order",
            ids=(f("sku", "42:16", "str"),),
            effect_class="irreversible",
            impact=5,
            corrective=Corrective(
                text=f(
                    '"cancel the order of {sku} by telephone"',
                    "42:54",
                    "str",
                    Text((Literal("cancel the order of "), Name("sku"), Literal(" by telephone"))),
                ),
                at=at("42:43+51"),
            ),
            at=at("42:3+91"),
        ),
    ),
    fails=("NotForSale",),
    escalate_unknown=True,
    evidence=(
        Evidence(
            tool="order_of",
            args=(arg("sku", f("sku", "45:21", "str")),),
            weight="0.7",
            verdicts=(
                Verdict(
                    kind="applied",
                    when=f(
                        "it.sku == sku", "46:18", "bool", Compare("==", get("it.sku"), Name("sku"))
                    ),
                    at=at("46:5+26"),
                ),
                Verdict(
                    kind="conflict",
                    when=f(
                        "it.sku != sku", "47:19", "bool", Compare("!=", get("it.sku"), Name("sku"))
                    ),
                    at=at("47:5+27"),
                ),
            ),
            at=at("45:3+102"),
        ),
        Evidence(
            tool="seen_in_mails",
            args=(arg("sku", f("sku", "49:26", "str")),),
            weight="2",
            verdicts=(
                Verdict(
                    kind="applied",
                    when=f(
                        "it.sku == sku", "50:18", "bool", Compare("==", get("it.sku"), Name("sku"))
                    ),
                    gives=f("it", "50:38", "Order"),
                    at=at("50:5+35"),
                ),
            ),
            at=at("49:3+82"),
        ),
    ),
    accept_evidence=AcceptEvidence(least="0.9", below=6, at=at("52:3+37")),
    at=at("40:6+5"),
)

order_of = Tool(
    name="order_of",
    parameters=(Parameter(name="sku", type=T("str"), at=at("13:15+8")),),
    result=T("Order?"),
    call=Binding(
        target="shop:order_of",
        args=(arg("sku", f("sku", "13:15", "str")),),
        at=at("14:3+27"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("13:6+8"),
)

release = Tool(
    name="release",
    parameters=(Parameter(name="sku", type=T("str"), at=at("32:14+8")),),
    result=T("json"),
    call=Binding(
        target="shop:release",
        args=(arg("sku", f("sku", "32:14", "str")),),
        at=at("33:3+26"),
    ),
    effects=(Effect(kind="stock", effect_class="restoring", at=at("34:3+22")),),
    idempotent=Idempotence(by="naturally", at=at("35:3+20")),
    retry=Retry(attempts=10, at=at("36:3+14")),
    at=at("32:6+7"),
)

reserve = Tool(
    name="reserve",
    parameters=(Parameter(name="sku", type=T("str"), at=at("23:14+8")),),
    result=T("json"),
    call=Binding(
        target="shop:reserve",
        args=(
            arg("", f("sku", "24:31", "str")),
            arg("idempotency_key", f("key", "24:53", "str"), at("24:36+20")),
        ),
        at=at("24:3+54"),
    ),
    effects=(
        Effect(
            kind="stock",
            ids=(f("sku", "25:16", "str"),),
            effect_class="reversible",
            impact=2,
            at=at("25:3+37"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("26:3+17")),
    retry=Retry(attempts=3, at=at("27:3+13")),
    between_runs="wait",
    undos=(Undo(tool="release", args=(arg("sku", f("sku", "29:16", "str")),), at=at("29:3+17")),),
    at=at("23:6+7"),
)

search = Tool(
    name="search",
    parameters=(Parameter(name="words", type=T("str"), at=at("8:13+10")),),
    result=T("list[Product]"),
    call=Binding(
        target="shop:search",
        args=(arg("words", f("words", "8:13", "str")),),
        at=at("9:3+25"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("8:6+6"),
)

seen_in_mails = Tool(
    name="seen_in_mails",
    parameters=(Parameter(name="sku", type=T("str"), at=at("18:20+8")),),
    result=T("Order?"),
    call=Binding(
        target="mail:search",
        args=(arg("sku", f("sku", "18:20", "str")),),
        at=at("19:3+25"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("18:6+13"),
)

# The sagas.

restock = saga(
    name="restock",
    doc="Lets the assistant buy what is missing.",
    format=1,
    edition=2026,
    parameters=(Parameter(name="goals", type=T("list[str]"), at=at("63:14+16")),),
    result=T("list[list[str]?]"),
    agents=(
        Agent(
            name="buyer",
            parameters=(
                Parameter(name="goal", type=T("str"), at=at("55:13+9")),
                Parameter(
                    name="budget",
                    type=T("decimal"),
                    default=f("100.00", "55:42", "decimal", D("100.00")),
                    at=at("55:24+24"),
                ),
            ),
            result=T("list[str]"),
            call=Binding(
                target="shop.agents:buyer",
                args=(
                    arg("goal", f("goal", "55:13", "str")),
                    arg("budget", f("budget", "55:24", "decimal")),
                ),
                at=at("56:3+31"),
            ),
            uses=(
                AgentTool(tool="search", at=at("57:11+6")),
                AgentTool(tool="reserve", at=at("57:19+7")),
                AgentTool(tool="order", needs="buyers", at=at("57:28+20")),
            ),
            at_most=20,
            timeout=10 * MINUTE,
            settle=10 * MINUTE,
            requires=(
                Condition(
                    test=f(
                        "budget > 0.00", "59:12", "bool", Compare(">", Name("budget"), D("0.00"))
                    ),
                    otherwise=f(
                        '"nothing may be spent"', "59:31", "str", Literal("nothing may be spent")
                    ),
                    at=at("59:3+50"),
                ),
            ),
            at=at("55:7+5"),
        ),
    ),
    body=(
        Each(
            path="bought",
            name="bought",
            variable="goal",
            items=f("goals", "64:25", "list[str]"),
            by=f("goal", "64:34", "str"),
            item=T("str"),
            type=T("list[list[str]?]"),
            body=(
                AgentCall(
                    path="bought[*].buy",
                    name="buy",
                    agent="buyer",
                    args=(
                        arg("goal", f("goal", "65:22", "str")),
                        arg("budget", f("100.00", "55:42", "decimal", D("100.00"))),
                    ),
                    type=T("list[str]?"),
                    acts_as="buyer",
                    on_failure="continue",
                    timeout=20 * MINUTE,
                    settle=MINUTE,
                    retry=Retry(),
                    replaces=("timeout",),
                    at=at("65:10+3"),
                ),
                Return(
                    path="bought[*].return#1",
                    value=f("buy", "66:12", "list[str]?"),
                    at=at("66:5+6"),
                ),
            ),
            at=at("64:8+6"),
        ),
        Return(path="return#1", value=f("bought", "68:10", "list[list[str]?]"), at=at("68:3+6")),
    ),
    tools=(order, order_of, release, reserve, search, seen_in_mails),
    records=(Order_type, Product_type),
    at=at("63:6+7"),
    classes={"Order": Order, "Product": Product},
    file=__file__,
)

if __name__ == "__main__":
    raise SystemExit(main(restock))
