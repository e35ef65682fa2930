# Made by sagalang 0.1.0 from fulfilment.saga. What is changed here is lost when it is compiled again.
#
# fulfil: definition e17de954ae3ccafb3c512b7822a0bad135c33200951605c974214bf9be6148ab
#
# Run it:  python fulfilment_saga.py --input '{"order": ...}'
# Use it:  from fulfilment_saga import fulfil
"""Fulfil one order, or leave no trace of it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from sagalang.runtime.module import (
    DAY,
    MINUTE,
    SECOND,
    Binding,
    Checkpoint,
    Compare,
    Condition,
    Corrective,
    D,
    Each,
    Effect,
    Gate,
    Idempotence,
    Literal,
    Logic,
    Name,
    Parallel,
    Parameter,
    Promise,
    Record,
    Retry,
    Return,
    Scope,
    Source,
    T,
    Text,
    Tool,
    Type,
    Undo,
    Verdict,
    Verify,
    arg,
    get,
    main,
    saga,
    step,
)


@dataclass(frozen=True, kw_only=True)
class Charge:
    id: str
    amount: Decimal
    state: str


@dataclass(frozen=True, kw_only=True)
class Hold:
    id: str
    sku: str


@dataclass(frozen=True, kw_only=True)
class Item:
    sku: str
    qty: int = 1


@dataclass(frozen=True, kw_only=True)
class Order:
    """An order as the shop sends it."""

    id: str
    items: list[Item]
    total: Decimal
    email: str
    address: str


@dataclass(frozen=True, kw_only=True)
class Parcel:
    code: str
    carrier: str


# Where the lines of the sources begin.

fulfilment_saga = Source(
    "fulfilment.saga",
    (
        "4:51 5:66 6:76 7:96 8:113 9:126 11:143 12:182 13:216 14:271 16:314 17:363 21:407 22:462 "
        "23:532 25:583 27:627 28:660 29:692 32:725 33:773 34:803 35:828 37:872 40:905 41:948 "
        "45:995 46:1051 48:1145 49:1195 51:1249 53:1307 54:1357 55:1408 56:1457 57:1520 59:1565 "
        "62:1603 63:1640 64:1705 65:1732 67:1780 70:1813 71:1870 75:1917 76:1982 77:2063 78:2157 "
        "80:2219 81:2248 84:2289 85:2326 86:2391 87:2417 88:2437 91:2470 92:2510 93:2569 94:2656 "
        "96:2697 100:2780 101:2819 102:2855 104:2898 105:2974 108:3037 109:3050 110:3108 111:3177 "
        "112:3230 115:3258 117:3277 118:3296 120:3360 122:3417 125:3516 127:3613"
    ),
)
f, at = fulfilment_saga.formula, fulfilment_saga.place

# The types, as the plans have them.

Charge_type = Record(
    name="Charge",
    fields=(
        Parameter(name="id", type=T("str"), at=at("13:17+7")),
        Parameter(name="amount", type=T("decimal"), at=at("13:26+15")),
        Parameter(name="state", type=T("str"), at=at("13:43+10")),
    ),
    at=at("13:8+6"),
)

Hold_type = Record(
    name="Hold",
    fields=(
        Parameter(name="id", type=T("str"), at=at("12:15+7")),
        Parameter(name="sku", type=T("str"), at=at("12:24+8")),
    ),
    at=at("12:8+4"),
)

Item_type = Record(
    name="Item",
    fields=(
        Parameter(name="sku", type=T("str"), at=at("11:15+8")),
        Parameter(
            name="qty",
            type=T("int"),
            default=f("1", "11:36", "int", Literal(1)),
            at=at("11:25+12"),
        ),
    ),
    at=at("11:8+4"),
)

Order_type = Record(
    name="Order",
    doc="An order as the shop sends it.",
    fields=(
        Parameter(name="id", type=T("str"), at=at("5:3+7")),
        Parameter(name="items", type=T("list[Item]"), at=at("6:3+17")),
        Parameter(name="total", type=T("decimal"), at=at("7:3+14")),
        Parameter(name="email", type=T("str"), at=at("8:3+10")),
        Parameter(name="address", type=T("str"), at=at("9:3+12")),
    ),
    at=at("4:8+5"),
)

Parcel_type = Record(
    name="Parcel",
    fields=(
        Parameter(name="code", type=T("str"), at=at("14:17+9")),
        Parameter(name="carrier", type=T("str"), at=at("14:28+12")),
    ),
    at=at("14:8+6"),
)

# The tools: what each changes, how to verify it, how to undo it.

charge = Tool(
    name="charge",
    parameters=(
        Parameter(name="order_id", type=T("str"), at=at("45:13+13")),
        Parameter(name="amount", type=T("decimal"), at=at("45:28+15")),
    ),
    result=T("Charge"),
    call=Binding(
        target="payments:charge",
        args=(
            arg("", f("order_id", "46:34", "str")),
            arg("", f("amount", "46:44", "decimal")),
            arg("idempotency_key", f("key", "46:69", "str"), at("46:52+20")),
        ),
        at=at("46:3+70"),
    ),
    effects=(
        Effect(
            kind="payment",
            ids=(f("order_id", "48:18", "str"),),
            effect_class="compensatable",
            impact=8,
            at=at("48:3+47"),
        ),
    ),
    idempotent=Idempotence(by="key", lifetime=DAY, at=at("49:3+25")),
    fails=("CardDeclined",),
    retry=Retry(attempts=5, low=200, at=at("51:3+30")),
    timeout=10 * SECOND,
    settle=30 * SECOND,
    requires=(
        Condition(
            test=f("amount > 0.00", "53:12", "bool", Compare(">", Name("amount"), D("0.00"))),
            otherwise=f('"nothing to charge"', "53:31", "str", Literal("nothing to charge")),
            at=at("53:3+47"),
        ),
    ),
    verify=Verify(
        tool="charge_of",
        args=(arg("order_id", f("order_id", "54:20", "str")),),
        consistent_after=5 * SECOND,
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
        at=at("54:3+205"),
    ),
    undos=(
        Undo(
            tool="refund",
            args=(arg("order_id", f("order_id", "59:15", "str")),),
            within=90 * DAY,
            at=at("59:3+32"),
        ),
    ),
    service="payments",
    at=at("45:6+6"),
)

charge_of = Tool(
    name="charge_of",
    parameters=(Parameter(name="order_id", type=T("str"), at=at("40:16+13")),),
    result=T("Charge?"),
    call=Binding(
        target="payments:find",
        args=(arg("order_id", f("order_id", "40:16", "str")),),
        at=at("41:3+27"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("40:6+9"),
)

hold = Tool(
    name="hold",
    parameters=(
        Parameter(name="order_id", type=T("str"), at=at("21:11+13")),
        Parameter(name="sku", type=T("str"), at=at("21:26+8")),
        Parameter(name="qty", type=T("int"), at=at("21:36+8")),
    ),
    result=T("Hold"),
    call=Binding(
        target="stock:hold",
        args=(
            arg("", f("order_id", "22:29", "str")),
            arg("", f("sku", "22:39", "str")),
            arg("", f("qty", "22:44", "int")),
            arg("idempotency_key", f("key", "22:66", "str"), at("22:49+20")),
        ),
        at=at("22:3+67"),
    ),
    effects=(
        Effect(
            kind="stock",
            ids=(f("sku", "23:16", "str"),),
            effect_class="reversible",
            impact=2,
            at=at("23:3+37"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("25:3+17")),
    fails=("OutOfStock",),
    retry=Retry(attempts=5, low=200, high=10 * SECOND, at=at("27:3+30")),
    verify=Verify(
        tool="hold_of",
        args=(arg("order_id", f("order_id", "28:18", "str")), arg("sku", f("sku", "28:28", "str"))),
        at=at("28:3+29"),
    ),
    undos=(
        Undo(
            tool="release",
            args=(
                arg("order_id", f("order_id", "29:16", "str")),
                arg("sku", f("sku", "29:26", "str")),
            ),
            at=at("29:3+27"),
        ),
    ),
    commutes=True,
    at=at("21:6+4"),
)

hold_of = Tool(
    name="hold_of",
    parameters=(
        Parameter(name="order_id", type=T("str"), at=at("16:14+13")),
        Parameter(name="sku", type=T("str"), at=at("16:29+8")),
    ),
    result=T("Hold?"),
    call=Binding(
        target="stock:find",
        args=(arg("order_id", f("order_id", "16:14", "str")), arg("sku", f("sku", "16:29", "str"))),
        at=at("17:3+24"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("16:6+7"),
)

mail = Tool(
    name="mail",
    parameters=(
        Parameter(name="to", type=T("str"), at=at("91:11+7")),
        Parameter(name="text", type=T("str"), at=at("91:20+9")),
    ),
    result=T("json"),
    call=Binding(
        target="mail:send",
        args=(
            arg("", f("to", "92:28", "str")),
            arg("", f("text", "92:32", "str")),
            arg("idempotency_key", f("key", "92:55", "str"), at("92:38+20")),
        ),
        at=at("92:3+56"),
    ),
    effects=(
        Effect(
            kind="mail",
            ids=(f("to", "93:15", "str"),),
            effect_class="irreversible",
            corrective=Corrective(
                text=f(
                    '"write again: the earlier message was wrong"',
                    "93:43",
                    "str",
                    Literal("write again: the earlier message was wrong"),
                ),
                at=at("93:32+55"),
            ),
            at=at("93:3+84"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("94:3+17")),
    fails=("Bounced",),
    retry=Retry(attempts=20, high=10 * MINUTE, at=at("96:3+28")),
    at=at("91:6+4"),
)

parcel_of = Tool(
    name="parcel_of",
    parameters=(
        Parameter(name="order_id", type=T("str"), at=at("70:16+13")),
        Parameter(name="carrier", type=T("str"), at=at("70:31+12")),
    ),
    result=T("Parcel?"),
    call=Binding(
        target="carriers:find",
        args=(
            arg("order_id", f("order_id", "70:16", "str")),
            arg("carrier", f("carrier", "70:31", "str")),
        ),
        at=at("71:3+27"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("70:6+9"),
)

recall = Tool(
    name="recall",
    parameters=(Parameter(name="order_id", type=T("str"), at=at("84:13+13")),),
    result=T("json"),
    call=Binding(
        target="carriers:recall",
        args=(
            arg("", f("order_id", "85:34", "str")),
            arg("idempotency_key", f("key", "85:61", "str"), at("85:44+20")),
        ),
        at=at("85:3+62"),
    ),
    effects=(Effect(kind="parcel", effect_class="restoring", at=at("86:3+23")),),
    idempotent=Idempotence(by="key", at=at("87:3+17")),
    retry=Retry(attempts=10, high=5 * MINUTE, at=at("88:3+27")),
    at=at("84:6+6"),
)

refund = Tool(
    name="refund",
    parameters=(Parameter(name="order_id", type=T("str"), at=at("62:13+13")),),
    result=T("json"),
    call=Binding(
        target="payments:refund",
        args=(
            arg("", f("order_id", "63:34", "str")),
            arg("idempotency_key", f("key", "63:61", "str"), at("63:44+20")),
        ),
        at=at("63:3+62"),
    ),
    effects=(Effect(kind="payment", effect_class="restoring", at=at("64:3+24")),),
    idempotent=Idempotence(by="key", at=at("65:3+17")),
    done=("AlreadyRefunded",),
    retry=Retry(attempts=10, high=5 * MINUTE, at=at("67:3+27")),
    at=at("62:6+6"),
)

release = Tool(
    name="release",
    parameters=(
        Parameter(name="order_id", type=T("str"), at=at("32:14+13")),
        Parameter(name="sku", type=T("str"), at=at("32:29+8")),
    ),
    result=T("json"),
    call=Binding(
        target="stock:release",
        args=(arg("order_id", f("order_id", "32:14", "str")), arg("sku", f("sku", "32:29", "str"))),
        at=at("33:3+27"),
    ),
    effects=(Effect(kind="stock", effect_class="restoring", at=at("34:3+22")),),
    idempotent=Idempotence(by="naturally", at=at("35:3+20")),
    done=("NotFound",),
    retry=Retry(attempts=10, high=5 * MINUTE, at=at("37:3+27")),
    at=at("32:6+7"),
)

send = Tool(
    name="send",
    parameters=(
        Parameter(name="order_id", type=T("str"), at=at("75:11+13")),
        Parameter(name="carrier", type=T("str"), at=at("75:26+12")),
        Parameter(name="address", type=T("str"), at=at("75:40+12")),
    ),
    result=T("Parcel"),
    call=Binding(
        target="carriers:send",
        args=(
            arg("", f("order_id", "76:32", "str")),
            arg("", f("carrier", "76:42", "str")),
            arg("", f("address", "76:51", "str")),
            arg("idempotency_key", f("key", "76:77", "str"), at("76:60+20")),
        ),
        at=at("76:3+78"),
    ),
    effects=(
        Effect(
            kind="parcel",
            ids=(f("order_id", "77:17", "str"),),
            effect_class="irreversible",
            impact=6,
            corrective=Corrective(
                tool="recall",
                args=(arg("order_id", f("order_id", "77:67", "str")),),
                needs="warehouse",
                at=at("77:49+45"),
            ),
            at=at("77:3+91"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("78:3+17")),
    fails=("CarrierDown", "AddressRejected"),
    retry=Retry(attempts=4, high=MINUTE, at=at("80:3+26")),
    verify=Verify(
        tool="parcel_of",
        args=(
            arg("order_id", f("order_id", "81:20", "str")),
            arg("carrier", f("carrier", "81:30", "str")),
        ),
        at=at("81:3+35"),
    ),
    at=at("75:6+4"),
)

# The sagas.

fulfil = saga(
    name="fulfil",
    doc="Fulfil one order, or leave no trace of it.",
    format=1,
    edition=2026,
    parameters=(Parameter(name="order", type=T("Order"), at=at("100:13+12")),),
    result=T("Parcel?"),
    promises=(
        Promise(
            kind="reversible",
            until=("shipping",),
            source="promise reversible until shipping",
            at=at("101:3+33"),
        ),
        Promise(
            kind="readiness",
            bound=f("0.8", "102:24", "decimal", D("0.8")),
            until=("shipping",),
            source="promise readiness >= 0.8 until shipping",
            at=at("102:3+39"),
        ),
    ),
    body=(
        Gate(
            path="large",
            name="large",
            needs=2,
            group="ops",
            shows=(
                arg("order.total", f("order.total", "104:37", "decimal")),
                arg("order.items", f("order.items", "104:50", "list[Item]")),
                arg("order.address", f("order.address", "104:63", "str")),
            ),
            when=f(
                "order.total > 10_000.00",
                "105:10",
                "bool",
                Compare(">", get("order.total"), D("10000.00")),
            ),
            within=DAY,
            at=at("104:8+5"),
        ),
        Parallel(
            path="parallel#1",
            body=(
                step(
                    charge,
                    path="pay",
                    name="pay",
                    args=(
                        arg("order_id", f("order.id", "109:23", "str")),
                        arg("amount", f("order.total", "109:33", "decimal")),
                    ),
                    type=T("Charge"),
                    agent="billing",
                    at=at("109:10+3"),
                ),
                Each(
                    path="picks",
                    name="picks",
                    variable="item",
                    items=f("order.items", "110:26", "list[Item]"),
                    by=f("item.sku", "110:41", "str"),
                    at_once=8,
                    item=T("Item"),
                    type=T("list[Hold]"),
                    body=(
                        step(
                            hold,
                            path="picks[*].pick",
                            name="pick",
                            args=(
                                arg("order_id", f("order.id", "111:24", "str")),
                                arg("sku", f("item.sku", "111:34", "str")),
                                arg("qty", f("item.qty", "111:44", "int")),
                            ),
                            type=T("Hold"),
                            at=at("111:12+4"),
                        ),
                        Return(
                            path="picks[*].return#1",
                            value=f("pick", "112:14", "Hold"),
                            at=at("112:7+6"),
                        ),
                    ),
                    at=at("110:10+5"),
                ),
            ),
            at=at("108:3+8"),
        ),
        Checkpoint(path="paid", name="paid", at=at("115:14+4")),
        Scope(
            path="shipping",
            name="shipping",
            type=Type(kind="record", name="scope fulfil.shipping"),
            fields=(Parameter(name="ship", type=T("Parcel"), at=at("118:10+4")),),
            body=(
                step(
                    send,
                    path="shipping.ship",
                    name="ship",
                    args=(
                        arg("order_id", f("order.id", "118:22", "str")),
                        arg("carrier", f('"ups"', "118:32", "str", Literal("ups"))),
                        arg("address", f("order.address", "118:39", "str")),
                    ),
                    type=T("Parcel"),
                    at=at("118:10+4"),
                ),
            ),
            otherwise=(
                step(
                    send,
                    path="shipping.else.ship",
                    name="ship",
                    args=(
                        arg("order_id", f("order.id", "120:22", "str")),
                        arg("carrier", f('"dhl"', "120:32", "str", Literal("dhl"))),
                        arg("address", f("order.address", "120:39", "str")),
                    ),
                    type=T("Parcel"),
                    at=at("120:10+4"),
                ),
            ),
            at=at("117:9+8"),
        ),
        step(
            mail,
            path="told",
            name="told",
            args=(
                arg("to", f("order.email", "122:20", "str")),
                arg(
                    "text",
                    f(
                        '"On its way: {shipping.ship.code}"',
                        "122:33",
                        "str",
                        Text((Literal("On its way: "), get("shipping.ship.code"))),
                    ),
                ),
            ),
            type=T("json"),
            on_failure="continue",
            at=at("122:8+4"),
        ),
        Return(path="return#1", value=f("shipping.ship", "127:10", "Parcel?"), at=at("127:3+6")),
    ),
    on_rollback=(
        step(
            mail,
            path="sorry",
            name="sorry",
            args=(
                arg("to", f("order.email", "125:23", "str")),
                arg(
                    "text",
                    f(
                        '"We could not ship your order {order.id}."',
                        "125:36",
                        "str",
                        Text(
                            (
                                Literal("We could not ship your order "),
                                get("order.id"),
                                Literal("."),
                            ),
                        ),
                    ),
                ),
            ),
            type=T("json"),
            on_failure="continue",
            at=at("125:10+5"),
        ),
    ),
    tools=(charge, charge_of, hold, hold_of, mail, parcel_of, recall, refund, release, send),
    records=(Charge_type, Hold_type, Item_type, Order_type, Parcel_type),
    at=at("100:6+6"),
    classes={"Charge": Charge, "Hold": Hold, "Item": Item, "Order": Order, "Parcel": Parcel},
    file=__file__,
)

if __name__ == "__main__":
    raise SystemExit(main(fulfil))
