# Made by sagalang 0.1.0 from orders.saga. What is changed here is lost when it is compiled again.
#
# fulfil: definition bd6cef08e7fb2593721c582483cfa0ff329b669d5247415d95617c09235b8412
#
# Run it:  python orders_saga.py --input '{"order": ...}'
# Use it:  from orders_saga import fulfil
"""Fulfil one order, or leave no trace of it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from sagalang.runtime.module import (
    DAY,
    MINUTE,
    SECOND,
    Apply,
    Binding,
    Checkpoint,
    Choice,
    Compare,
    Comprehension,
    Condition,
    Corrective,
    D,
    Effect,
    Enum,
    Gate,
    Idempotence,
    Let,
    Literal,
    Logic,
    Name,
    Parallel,
    Parameter,
    Promise,
    Record,
    Requires,
    Retry,
    Return,
    Source,
    T,
    Text,
    Tool,
    Undo,
    Verdict,
    Verify,
    arg,
    get,
    main,
    saga,
    step,
)


class Speed(StrEnum):
    """How fast."""

    normal = "normal"
    express = "express"


@dataclass(frozen=True, kw_only=True)
class Charge:
    id: str
    amount: Decimal
    state: str


@dataclass(frozen=True, kw_only=True)
class Item:
    sku: str
    qty: int = 1


@dataclass(frozen=True, kw_only=True)
class Order:
    """An order as the shop sends it."""

    id: str
    """The number on the invoice."""
    items: list[Item]
    total: Decimal
    speed: Speed = Speed.normal
    email: str
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Reservation:
    id: str
    sku: str


@dataclass(frozen=True, kw_only=True)
class Tracking:
    code: str
    carrier: str


# Where the lines of the sources begin.

orders_saga = Source(
    "orders.saga",
    (
        "4:51 5:66 7:111 8:131 9:148 10:178 11:191 13:213 14:252 15:293 16:348 18:408 20:440 "
        "26:619 27:681 28:750 29:795 31:839 32:873 34:900 35:938 36:968 37:993 39:1037 41:1069 "
        "43:1221 44:1277 46:1368 47:1418 50:1501 52:1559 53:1609 54:1694 55:1748 56:1797 57:1860 "
        "59:1905 60:1941 62:1967 63:2005 64:2068 65:2095 67:2143 69:2175 70:2220 71:2254 72:2281 "
        "74:2325 76:2357 77:2444 78:2497 79:2566 80:2660 82:2705 83:2734 85:2764 86:2801 87:2863 "
        "88:2889 89:2909 91:2941 92:2986 93:3051 94:3135 96:3176 100:3259 102:3314 103:3348 "
        "104:3388 105:3461 106:3525 107:3538 108:3596 109:3636 111:3701 112:3720 113:3792 115:3854 "
        "116:3924 117:3964 118:4058"
    ),
)
f, at = orders_saga.formula, orders_saga.place

# The types, as the plans have them.

Speed_type = Enum(name="Speed", doc="How fast.", members=("normal", "express"), at=at("18:6+5"))

Charge_type = Record(
    name="Charge",
    fields=(
        Parameter(name="id", type=T("str"), at=at("15:17+7")),
        Parameter(name="amount", type=T("decimal"), at=at("15:26+15")),
        Parameter(name="state", type=T("str"), at=at("15:43+10")),
    ),
    at=at("15:8+6"),
)

Item_type = Record(
    name="Item",
    fields=(
        Parameter(name="sku", type=T("str"), at=at("13:15+8")),
        Parameter(
            name="qty",
            type=T("int"),
            default=f("1", "13:36", "int", Literal(1)),
            at=at("13:25+12"),
        ),
    ),
    at=at("13:8+4"),
)

Order_type = Record(
    name="Order",
    doc="An order as the shop sends it.",
    fields=(
        Parameter(name="id", doc="The number on the invoice.", type=T("str"), at=at("5:3+42")),
        Parameter(name="items", type=T("list[Item]"), at=at("7:3+17")),
        Parameter(name="total", type=T("decimal"), at=at("8:3+14")),
        Parameter(
            name="speed",
            type=T("enum Speed"),
            default=f("Speed.normal", "9:18", "enum Speed", Literal("normal")),
            at=at("9:3+27"),
        ),
        Parameter(name="email", type=T("str"), at=at("10:3+10")),
        Parameter(
            name="note",
            type=T("str?"),
            default=f("none", "11:16", "str?", Literal(None)),
            at=at("11:3+17"),
        ),
    ),
    at=at("4:8+5"),
)

Reservation_type = Record(
    name="Reservation",
    fields=(
        Parameter(name="id", type=T("str"), at=at("14:22+7")),
        Parameter(name="sku", type=T("str"), at=at("14:31+8")),
    ),
    at=at("14:8+11"),
)

Tracking_type = Record(
    name="Tracking",
    fields=(
        Parameter(name="code", type=T("str"), at=at("16:19+9")),
        Parameter(name="carrier", type=T("str"), at=at("16:30+12")),
    ),
    at=at("16:8+8"),
)

# The tools: what each changes, how to verify it, how to undo it.

charge = Tool(
    name="charge",
    doc="Charges the customer's card.",
    parameters=(
        Parameter(name="order_id", type=T("str"), at=at("43:13+13")),
        Parameter(name="amount", type=T("decimal"), at=at("43:28+15")),
    ),
    result=T("Charge"),
    call=Binding(
        target="world:charge",
        args=(
            arg("", f("order_id", "44:31", "str")),
            arg("", f("amount", "44:41", "decimal")),
            arg("idempotency_key", f("key", "44:66", "str"), at("44:49+20")),
        ),
        at=at("44:3+67"),
    ),
    effects=(
        Effect(
            kind="payment",
            ids=(f("order_id", "46:18", "str"),),
            effect_class="compensatable",
            impact=8,
            at=at("46:3+47"),
        ),
    ),
    idempotent=Idempotence(by="key", lifetime=DAY, at=at("47:3+25")),
    fails=("CardDeclined",),
    transient=("RateLimited",),
    retry=Retry(attempts=5, low=200, at=at("50:3+30")),
    timeout=10 * SECOND,
    settle=30 * SECOND,
    requires=(
        Condition(
            test=f("amount > 0.00", "52:12", "bool", Compare(">", Name("amount"), D("0.00"))),
            otherwise=f('"nothing to charge"', "52:31", "str", Literal("nothing to charge")),
            at=at("52:3+47"),
        ),
    ),
    ensures=(
        Condition(
            test=f(
                "result.amount == amount",
                "53:11",
                "bool",
                Compare("==", get("result.amount"), Name("amount")),
            ),
            otherwise=f(
                '"charged {result.amount} instead of {amount}"',
                "53:40",
                "str",
                Text(
                    (
                        Literal("charged "),
                        get("result.amount"),
                        Literal(" instead of "),
                        Name("amount"),
                    ),
                ),
            ),
            at=at("53:3+82"),
        ),
    ),
    verify=Verify(
        tool="charge_of",
        args=(arg("order_id", f("order_id", "54:20", "str")),),
        consistent_after=200,
        verdicts=(
            Verdict(
                kind="applied",
                when=f(
                    'it.state == "captured"',
                    "55:18",
                    "bool",
                    Compare("==", get("it.state"), Literal("captured")),
                ),
                gives=f("it", "55:47", "Charge"),
                at=at("55:5+44"),
            ),
            Verdict(
                kind="absent",
                when=f(
                    'it.state == "refunded" or it.state == "voided"',
                    "56:17",
                    "bool",
                    Logic(
                        "or",
                        Compare("==", get("it.state"), Literal("refunded")),
                        Compare("==", get("it.state"), Literal("voided")),
                    ),
                ),
                at=at("56:5+58"),
            ),
            Verdict(
                kind="conflict",
                when=f(
                    'it.state == "disputed"',
                    "57:19",
                    "bool",
                    Compare("==", get("it.state"), Literal("disputed")),
                ),
                at=at("57:5+36"),
            ),
        ),
        at=at("54:3+208"),
    ),
    undos=(
        Undo(
            tool="refund",
            args=(arg("charge_id", f("result.id", "59:15", "str")),),
            within=90 * DAY,
            at=at("59:3+33"),
        ),
        Undo(
            tool="void_by_key",
            args=(arg("forward_key", f("key", "60:20", "str")),),
            at=at("60:3+21"),
        ),
    ),
    service="payments",
    at=at("43:6+6"),
)

charge_of = Tool(
    name="charge_of",
    parameters=(Parameter(name="order_id", type=T("str"), at=at("41:16+13")),),
    result=T("Charge?"),
    call=Binding(
        target="world:charge_of",
        args=(arg("order_id", f("order_id", "41:16", "str")),),
        at=at("41:44+29"),
    ),
    retry=Retry(attempts=5, low=200, high=5 * SECOND, at=at("41:86+29")),
    at=at("41:6+9"),
)

label_of = Tool(
    name="label_of",
    parameters=(Parameter(name="order_id", type=T("str"), at=at("76:15+13")),),
    result=T("Tracking?"),
    call=Binding(
        target="world:label_of",
        args=(arg("order_id", f("order_id", "76:15", "str")),),
        at=at("76:45+28"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("76:6+8"),
)

recall = Tool(
    name="recall",
    parameters=(Parameter(name="order_id", type=T("str"), at=at("85:13+13")),),
    result=T("json"),
    call=Binding(
        target="world:recall",
        args=(
            arg("", f("order_id", "86:31", "str")),
            arg("idempotency_key", f("key", "86:58", "str"), at("86:41+20")),
        ),
        at=at("86:3+59"),
    ),
    effects=(Effect(kind="parcel", effect_class="restoring", at=at("87:3+23")),),
    idempotent=Idempotence(by="key", at=at("88:3+17")),
    retry=Retry(attempts=10, high=5 * MINUTE, at=at("89:3+27")),
    at=at("85:6+6"),
)

refund = Tool(
    name="refund",
    parameters=(Parameter(name="charge_id", type=T("str"), at=at("62:13+14")),),
    result=T("json"),
    call=Binding(
        target="world:refund",
        args=(
            arg("", f("charge_id", "63:31", "str")),
            arg("idempotency_key", f("key", "63:59", "str"), at("63:42+20")),
        ),
        at=at("63:3+60"),
    ),
    effects=(Effect(kind="payment", effect_class="restoring", at=at("64:3+24")),),
    idempotent=Idempotence(by="key", at=at("65:3+17")),
    done=("AlreadyRefunded",),
    retry=Retry(attempts=10, high=5 * MINUTE, at=at("67:3+27")),
    at=at("62:6+6"),
)

release = Tool(
    name="release",
    parameters=(Parameter(name="order_id", type=T("str"), at=at("34:14+13")),),
    result=T("json"),
    call=Binding(
        target="world:release",
        args=(arg("order_id", f("order_id", "34:14", "str")),),
        at=at("35:3+27"),
    ),
    effects=(Effect(kind="stock", effect_class="restoring", at=at("36:3+22")),),
    idempotent=Idempotence(by="naturally", at=at("37:3+20")),
    done=("NotFound",),
    retry=Retry(attempts=10, high=5 * MINUTE, at=at("39:3+27")),
    at=at("34:6+7"),
)

reservation_of = Tool(
    name="reservation_of",
    parameters=(Parameter(name="order_id", type=T("str"), at=at("20:21+13")),),
    result=T("Reservation?"),
    call=Binding(
        target="world:reservation_of",
        args=(arg("order_id", f("order_id", "20:21", "str")),),
        at=at("20:54+34"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("20:6+14"),
)

reserve = Tool(
    name="reserve",
    doc="Sets goods aside.\n\nNobody else can buy them until they are released.",
    parameters=(
        Parameter(name="order_id", type=T("str"), at=at("26:14+13")),
        Parameter(name="skus", type=T("list[str]"), at=at("26:29+15")),
    ),
    result=T("Reservation"),
    call=Binding(
        target="world:reserve",
        args=(
            arg("", f("order_id", "27:32", "str")),
            arg("", f("skus", "27:42", "list[str]")),
            arg("idempotency_key", f("key", "27:65", "str"), at("27:48+20")),
        ),
        at=at("27:3+66"),
    ),
    effects=(
        Effect(
            kind="stock",
            ids=(f("order_id", "28:16", "str"),),
            effect_class="reversible",
            impact=2,
            at=at("28:3+42"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("29:3+17")),
    fails=("OutOfStock",),
    verify=Verify(
        tool="reservation_of",
        args=(arg("order_id", f("order_id", "31:25", "str")),),
        at=at("31:3+31"),
    ),
    undos=(
        Undo(
            tool="release",
            args=(arg("order_id", f("order_id", "32:16", "str")),),
            at=at("32:3+22"),
        ),
    ),
    at=at("26:6+7"),
)

send_mail = Tool(
    name="send_mail",
    parameters=(
        Parameter(name="to", type=T("str"), at=at("91:16+7")),
        Parameter(name="text", type=T("str"), at=at("91:25+9")),
    ),
    result=T("json"),
    call=Binding(
        target="world:send_mail",
        args=(
            arg("", f("to", "92:34", "str")),
            arg("", f("text", "92:38", "str")),
            arg("idempotency_key", f("key", "92:61", "str"), at("92:44+20")),
        ),
        at=at("92:3+62"),
    ),
    effects=(
        Effect(
            kind="mail",
            ids=(f("to", "93:15", "str"),),
            effect_class="irreversible",
            corrective=Corrective(
                text=f(
                    '"write again: the mail to {to} was wrong"',
                    "93:43",
                    "str",
                    Text((Literal("write again: the mail to "), Name("to"), Literal(" was wrong"))),
                ),
                at=at("93:32+52"),
            ),
            at=at("93:3+81"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("94:3+17")),
    fails=("Bounced",),
    retry=Retry(attempts=20, high=10 * MINUTE, at=at("96:3+28")),
    at=at("91:6+9"),
)

ship = Tool(
    name="ship",
    parameters=(
        Parameter(name="order_id", type=T("str"), at=at("77:11+13")),
        Parameter(name="carrier", type=T("str"), at=at("77:26+12")),
    ),
    result=T("Tracking"),
    call=Binding(
        target="world:ship",
        args=(
            arg("", f("order_id", "78:29", "str")),
            arg("", f("carrier", "78:39", "str")),
            arg("idempotency_key", f("key", "78:65", "str"), at("78:48+20")),
        ),
        at=at("78:3+66"),
    ),
    effects=(
        Effect(
            kind="parcel",
            ids=(f("order_id", "79:17", "str"),),
            effect_class="irreversible",
            impact=6,
            corrective=Corrective(
                tool="recall",
                args=(arg("order_id", f("order_id", "79:67", "str")),),
                needs="warehouse",
                at=at("79:49+45"),
            ),
            at=at("79:3+91"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("80:3+17")),
    fails=("CarrierDown",),
    retry=Retry(attempts=4, high=MINUTE, at=at("82:3+26")),
    verify=Verify(
        tool="label_of",
        args=(arg("order_id", f("order_id", "83:19", "str")),),
        at=at("83:3+25"),
    ),
    at=at("77:6+4"),
)

void_by_key = Tool(
    name="void_by_key",
    parameters=(Parameter(name="forward_key", type=T("str"), at=at("69:18+16")),),
    result=T("json"),
    call=Binding(
        target="world:void_by_key",
        args=(arg("forward_key", f("forward_key", "69:18", "str")),),
        at=at("70:3+31"),
    ),
    effects=(Effect(kind="payment", effect_class="restoring", at=at("71:3+24")),),
    idempotent=Idempotence(by="naturally", at=at("72:3+20")),
    done=("NotFound",),
    retry=Retry(attempts=10, high=5 * MINUTE, at=at("74:3+27")),
    at=at("69:6+11"),
)

# The sagas.

fulfil = saga(
    name="fulfil",
    doc="Fulfil one order, or leave no trace of it.",
    format=1,
    edition=2026,
    parameters=(Parameter(name="order", type=T("Order"), at=at("100:13+12")),),
    result=T("Tracking?"),
    deadline=2 * DAY,
    promises=(
        Promise(
            kind="reversible",
            until=("parcel",),
            source="promise reversible until parcel",
            at=at("102:3+31"),
        ),
        Promise(
            kind="readiness",
            bound=f("0.8", "103:24", "decimal", D("0.8")),
            until=("parcel",),
            source="promise readiness >= 0.8 until parcel",
            at=at("103:3+37"),
        ),
    ),
    body=(
        Requires(
            path="requires#1",
            test=f(
                "len(order.items) > 0",
                "104:12",
                "bool",
                Compare(">", Apply("len", (get("order.items"),)), Literal(0)),
            ),
            otherwise=f(
                '"order {order.id} asks for nothing"',
                "104:38",
                "str",
                Text((Literal("order "), get("order.id"), Literal(" asks for nothing"))),
            ),
            at=at("104:3+8"),
        ),
        Let(
            path="skus",
            name="skus",
            value=f(
                "[item.sku for item in order.items if item.qty > 0]",
                "105:14",
                "list[str]",
                Comprehension(
                    get("item.sku"),
                    "item",
                    get("order.items"),
                    Compare(">", get("item.qty"), Literal(0)),
                ),
            ),
            at=at("105:7+4"),
        ),
        Parallel(
            path="parallel#1",
            body=(
                step(
                    charge,
                    path="pay",
                    name="pay",
                    args=(
                        arg("order_id", f("order.id", "107:23", "str")),
                        arg("amount", f("order.total", "107:33", "decimal")),
                    ),
                    type=T("Charge"),
                    agent="billing",
                    at=at("107:10+3"),
                ),
                step(
                    reserve,
                    path="hold",
                    name="hold",
                    args=(
                        arg("order_id", f("order.id", "108:25", "str")),
                        arg("skus", f("skus", "108:35", "list[str]")),
                    ),
                    type=T("Reservation"),
                    at=at("108:10+4"),
                ),
                step(
                    charge_of,
                    path="paid",
                    name="paid",
                    waits=("pay",),
                    after=("pay",),
                    args=(arg("order_id", f("order.id", "109:27", "str")),),
                    type=T("Charge?"),
                    timeout=5 * SECOND,
                    settle=5 * SECOND,
                    replaces=("timeout",),
                    at=at("109:10+4"),
                ),
            ),
            at=at("106:3+8"),
        ),
        Checkpoint(path="ready", name="ready", at=at("111:14+5")),
        Gate(
            path="approval",
            name="approval",
            needs=2,
            group="ops",
            shows=(
                arg("order.total", f("order.total", "112:40", "decimal")),
                arg("order.items", f("order.items", "112:53", "list[Item]")),
                arg("pay.id", f("pay.id", "112:66", "str")),
            ),
            when=f(
                "order.total > 10_000.00",
                "113:10",
                "bool",
                Compare(">", get("order.total"), D("10000.00")),
            ),
            within=DAY,
            at=at("112:8+8"),
        ),
        Let(
            path="carrier",
            name="carrier",
            value=f(
                'if order.speed == Speed.express then "dhl" else "ups"',
                "115:17",
                "str",
                Choice(
                    Compare("==", get("order.speed"), Literal("express")),
                    Literal("dhl"),
                    Literal("ups"),
                ),
            ),
            at=at("115:7+7"),
        ),
        step(
            ship,
            path="parcel",
            name="parcel",
            args=(
                arg("order_id", f("order.id", "116:22", "str")),
                arg("carrier", f("carrier", "116:32", "str")),
            ),
            type=T("Tracking"),
            at=at("116:8+6"),
        ),
        step(
            send_mail,
            path="mail",
            name="mail",
            args=(
                arg("to", f("order.email", "117:25", "str")),
                arg(
                    "text",
                    f(
                        '"On its way: {parcel.code}\\n{order.note}"',
                        "117:38",
                        "str",
                        Text(
                            (
                                Literal("On its way: "),
                                get("parcel.code"),
                                Literal("\n"),
                                get("order.note"),
                            ),
                        ),
                    ),
                ),
            ),
            type=T("json"),
            on_failure="continue",
            at=at("117:8+4"),
        ),
        Return(path="return#1", value=f("parcel", "118:10", "Tracking?"), at=at("118:3+6")),
    ),
    tools=(
        charge,
        charge_of,
        label_of,
        recall,
        refund,
        release,
        reservation_of,
        reserve,
        send_mail,
        ship,
        void_by_key,
    ),
    records=(Charge_type, Item_type, Order_type, Reservation_type, Tracking_type),
    enums=(Speed_type,),
    at=at("100:6+6"),
    classes={
        "Speed": Speed,
        "Charge": Charge,
        "Item": Item,
        "Order": Order,
        "Reservation": Reservation,
        "Tracking": Tracking,
    },
    file=__file__,
)

if __name__ == "__main__":
    raise SystemExit(main(fulfil))
