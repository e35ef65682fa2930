# Made by sagalang 0.1.0 from rentals.saga. What is changed here is lost when it is compiled again.
#
# cover: definition f95010afc9cbd62ef38a08d301656f2cccc609a7d7182dbad65b64179acba6a4
# rent: definition 7284201d33f6a529b073f7de7c5f8f6dacf6d84713562cf21f634df43d9be96f
#
# Run it:  python rentals_saga.py --input '{"customer": ..., "rental": ...}'
# Use it:  from rentals_saga import cover, rent
"""The sagas of rentals.saga."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from sagalang.runtime.module import (
    DAY,
    MINUTE,
    SECOND,
    Binding,
    Compare,
    D,
    Each,
    Effect,
    Idempotence,
    If,
    Literal,
    Name,
    Parameter,
    Promise,
    Record,
    Retry,
    Return,
    SagaCall,
    Source,
    T,
    Text,
    Tool,
    Undo,
    UndoSaga,
    Verify,
    arg,
    get,
    main,
    saga,
    step,
)


@dataclass(frozen=True, kw_only=True)
class Dispatch:
    id: str
    lines: list[Line]
    deposit: Decimal
    on_the_road: bool


@dataclass(frozen=True, kw_only=True)
class Line:
    sku: str
    count: int


@dataclass(frozen=True, kw_only=True)
class Rental:
    id: str
    customer: str
    lines: list[Line]
    deposit: Decimal


# Where the lines of the sources begin.

rentals_saga = Source(
    "rentals.saga",
    (
        "7:299 8:336 9:414 11:499 14:677 15:755 16:833 17:879 18:923 19:971 21:1022 22:1055 "
        "23:1084 26:1122 27:1159 28:1194 29:1217 30:1240 33:1273 34:1332 35:1410 36:1435 37:1455 "
        "40:1488 41:1542 42:1611 43:1638 45:1686 48:1719 49:1768 50:1839 51:1886 53:1932 54:1948 "
        "57:1977 58:2016 59:2044 60:2070 61:2093 65:2163 66:2193 67:2228 68:2249 69:2308 70:2379 "
        "72:2442 77:2616 78:2646 79:2680 82:2717 83:2765 84:2806 88:2879 89:2914 90:2935 91:3017 "
        "92:3081 93:3145"
    ),
)
f, at = rentals_saga.formula, rentals_saga.place

# The types, as the plans have them.

Dispatch_type = Record(
    name="Dispatch",
    fields=(
        Parameter(name="id", type=T("str"), at=at("9:19+7")),
        Parameter(name="lines", type=T("list[Line]"), at=at("9:28+17")),
        Parameter(name="deposit", type=T("decimal"), at=at("9:47+16")),
        Parameter(name="on_the_road", type=T("bool"), at=at("9:65+17")),
    ),
    at=at("9:8+8"),
)

Line_type = Record(
    name="Line",
    fields=(
        Parameter(name="sku", type=T("str"), at=at("7:15+8")),
        Parameter(name="count", type=T("int"), at=at("7:25+10")),
    ),
    at=at("7:8+4"),
)

Rental_type = Record(
    name="Rental",
    fields=(
        Parameter(name="id", type=T("str"), at=at("8:17+7")),
        Parameter(name="customer", type=T("str"), at=at("8:26+13")),
        Parameter(name="lines", type=T("list[Line]"), at=at("8:41+17")),
        Parameter(name="deposit", type=T("decimal"), at=at("8:60+16")),
    ),
    at=at("8:8+6"),
)

# The tools: what each changes, how to verify it, how to undo it.

end_policy = Tool(
    name="end_policy",
    parameters=(Parameter(name="rental", type=T("str"), at=at("57:17+11")),),
    result=T("json"),
    call=Binding(
        target="insurer:end",
        args=(arg("rental", f("rental", "57:17", "str")),),
        at=at("58:3+25"),
    ),
    effects=(Effect(kind="policy", effect_class="restoring", at=at("59:3+23")),),
    idempotent=Idempotence(by="naturally", at=at("60:3+20")),
    retry=Retry(attempts=20, at=at("61:3+14")),
    at=at("57:6+10"),
)

insure = Tool(
    name="insure",
    parameters=(
        Parameter(name="customer", type=T("str"), at=at("48:13+13")),
        Parameter(name="rental", type=T("str"), at=at("48:28+11")),
    ),
    result=T("str"),
    call=Binding(
        target="insurer:cover",
        args=(
            arg("", f("customer", "49:32", "str")),
            arg("", f("rental", "49:42", "str")),
            arg("idempotency_key", f("key", "49:67", "str"), at("49:50+20")),
        ),
        at=at("49:3+68"),
    ),
    effects=(
        Effect(
            kind="policy",
            ids=(f("rental", "50:17", "str"),),
            effect_class="compensatable",
            impact=3,
            at=at("50:3+44"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("51:3+17")),
    fails=("NotInsurable",),
    retry=Retry(attempts=5, at=at("53:3+13")),
    undos=(
        Undo(
            tool="end_policy",
            args=(arg("rental", f("rental", "54:19", "str")),),
            at=at("54:3+23"),
        ),
    ),
    at=at("48:6+6"),
)

dispatch_of = Tool(
    name="dispatch_of",
    parameters=(Parameter(name="rental", type=T("str"), at=at("11:18+11")),),
    result=T("Dispatch?"),
    call=Binding(
        target="warehouse:find",
        args=(arg("rental", f("rental", "11:18", "str")),),
        at=at("11:46+28"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("11:6+11"),
)

pay_back = Tool(
    name="pay_back",
    parameters=(
        Parameter(name="rental", type=T("str"), at=at("40:15+11")),
        Parameter(name="amount", type=T("decimal"), at=at("40:28+15")),
    ),
    result=T("json"),
    call=Binding(
        target="bank:pay_back",
        args=(
            arg("", f("rental", "41:32", "str")),
            arg("", f("amount", "41:40", "decimal")),
            arg("idempotency_key", f("key", "41:65", "str"), at("41:48+20")),
        ),
        at=at("41:3+66"),
    ),
    effects=(Effect(kind="deposit", effect_class="restoring", at=at("42:3+24")),),
    idempotent=Idempotence(by="key", at=at("43:3+17")),
    done=("AlreadyPaidBack",),
    retry=Retry(attempts=20, high=5 * MINUTE, at=at("45:3+27")),
    at=at("40:6+8"),
)

put_back = Tool(
    name="put_back",
    parameters=(
        Parameter(name="rental", type=T("str"), at=at("33:15+11")),
        Parameter(name="sku", type=T("str"), at=at("33:28+8")),
        Parameter(name="count", type=T("int"), at=at("33:38+10")),
    ),
    result=T("json"),
    call=Binding(
        target="warehouse:put_back",
        args=(
            arg("", f("rental", "34:37", "str")),
            arg("", f("sku", "34:45", "str")),
            arg("", f("count", "34:50", "int")),
            arg("idempotency_key", f("key", "34:74", "str"), at("34:57+20")),
        ),
        at=at("34:3+75"),
    ),
    effects=(Effect(kind="shelf", effect_class="restoring", at=at("35:3+22")),),
    idempotent=Idempotence(by="key", at=at("36:3+17")),
    retry=Retry(attempts=20, high=5 * MINUTE, at=at("37:3+27")),
    at=at("33:6+8"),
)

send_out = Tool(
    name="send_out",
    doc="Sends a rental out: takes it from the shelves, loads a van, and books the deposit.",
    parameters=(
        Parameter(name="rental", type=T("str"), at=at("14:15+11")),
        Parameter(name="lines", type=T("list[Line]"), at=at("14:28+17")),
        Parameter(name="deposit", type=T("decimal"), at=at("14:47+16")),
    ),
    result=T("Dispatch"),
    call=Binding(
        target="warehouse:send",
        args=(
            arg("", f("rental", "15:33", "str")),
            arg("", f("lines", "15:41", "list[Line]")),
            arg("", f("deposit", "15:48", "decimal")),
            arg("idempotency_key", f("key", "15:74", "str"), at("15:57+20")),
        ),
        at=at("15:3+75"),
    ),
    effects=(
        Effect(
            kind="shelf",
            ids=(f("rental", "16:16", "str"),),
            effect_class="compensatable",
            impact=4,
            at=at("16:3+43"),
        ),
        Effect(
            kind="van",
            ids=(f("rental", "17:14", "str"),),
            effect_class="compensatable",
            impact=2,
            at=at("17:3+41"),
        ),
        Effect(
            kind="deposit",
            ids=(f("rental", "18:18", "str"),),
            effect_class="compensatable",
            impact=6,
            at=at("18:3+45"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("19:3+17")),
    fails=("OutOfStock", "NoVan"),
    retry=Retry(attempts=5, low=500, high=20 * SECOND, at=at("21:3+30")),
    verify=Verify(
        tool="dispatch_of",
        args=(arg("rental", f("rental", "22:22", "str")),),
        at=at("22:3+26"),
    ),
    undos=(
        Undo(
            tool="take_back",
            args=(arg("rental", f("rental", "23:18", "str")),),
            within=2 * DAY,
            at=at("23:3+32"),
        ),
    ),
    at=at("14:6+8"),
)

stop_van = Tool(
    name="stop_van",
    parameters=(Parameter(name="rental", type=T("str"), at=at("26:15+11")),),
    result=T("json"),
    call=Binding(
        target="warehouse:stop_van",
        args=(arg("rental", f("rental", "26:15", "str")),),
        at=at("27:3+32"),
    ),
    effects=(Effect(kind="van", effect_class="restoring", at=at("28:3+20")),),
    idempotent=Idempotence(by="naturally", at=at("29:3+20")),
    retry=Retry(attempts=20, high=5 * MINUTE, at=at("30:3+27")),
    at=at("26:6+8"),
)

# The sagas.

cover = saga(
    name="cover",
    format=1,
    edition=2026,
    parameters=(
        Parameter(name="customer", type=T("str"), at=at("82:12+13")),
        Parameter(name="rental", type=T("str"), at=at("82:27+11")),
    ),
    result=T("str"),
    body=(
        step(
            insure,
            path="policy",
            name="policy",
            args=(
                arg("customer", f("customer", "83:24", "str")),
                arg("rental", f("rental", "83:34", "str")),
            ),
            type=T("str"),
            at=at("83:8+6"),
        ),
        Return(path="return#1", value=f("policy", "84:10", "str"), at=at("84:3+6")),
    ),
    tools=(end_policy, insure),
    at=at("82:6+5"),
    file=__file__,
)

rent = saga(
    name="rent",
    doc="Rents for a day, or leaves nothing on the road.",
    format=1,
    edition=2026,
    parameters=(Parameter(name="rental", type=T("Rental"), at=at("88:11+14")),),
    result=T("str"),
    promises=(Promise(kind="reversible", source="promise reversible", at=at("89:3+18")),),
    undo_sagas=(
        UndoSaga(
            name="end_cover",
            doc=(
                "The insurer ends a policy with one call; what it covered is first taken from the "
                "road."
            ),
            parameters=(Parameter(name="rental", type=T("str"), at=at("77:16+11")),),
            body=(
                step(
                    stop_van,
                    path="undo end_cover.stopped",
                    name="stopped",
                    args=(arg("rental", f("rental", "78:27", "str")),),
                    type=T("json"),
                    at=at("78:8+7"),
                ),
                step(
                    end_policy,
                    path="undo end_cover.ended",
                    name="ended",
                    args=(arg("rental", f("rental", "79:27", "str")),),
                    type=T("json"),
                    at=at("79:8+5"),
                ),
            ),
            at=at("77:6+9"),
        ),
        UndoSaga(
            name="take_back",
            doc="Takes a rental back, as far as it had come.",
            parameters=(Parameter(name="rental", type=T("str"), at=at("65:16+11")),),
            body=(
                step(
                    dispatch_of,
                    path="undo take_back.there",
                    name="there",
                    args=(arg("rental", f("rental", "66:28", "str")),),
                    type=T("Dispatch?"),
                    at=at("66:8+5"),
                ),
                If(
                    path="undo take_back.if#1",
                    condition=f(
                        "there != none", "67:6", "bool", Compare("!=", Name("there"), Literal(None))
                    ),
                    then=(
                        step(
                            stop_van,
                            path="undo take_back.stopped",
                            name="stopped",
                            args=(arg("rental", f("rental", "68:29", "str")),),
                            type=T("json"),
                            when=f("there.on_the_road", "68:42", "bool"),
                            at=at("68:10+7"),
                        ),
                        Each(
                            path="undo take_back.shelves",
                            name="shelves",
                            variable="line",
                            items=f("there.lines", "69:28", "list[Line]"),
                            by=f("line.sku", "69:43", "str"),
                            at_once=4,
                            item=T("Line"),
                            type=T("list[none]"),
                            body=(
                                step(
                                    put_back,
                                    path="undo take_back.shelves[*].back",
                                    name="back",
                                    args=(
                                        arg("rental", f("rental", "70:28", "str")),
                                        arg("sku", f("line.sku", "70:36", "str")),
                                        arg("count", f("line.count", "70:46", "int")),
                                    ),
                                    type=T("json"),
                                    at=at("70:12+4"),
                                ),
                            ),
                            at=at("69:10+7"),
                        ),
                        step(
                            pay_back,
                            path="undo take_back.paid",
                            name="paid",
                            args=(
                                arg("rental", f("rental", "72:26", "str")),
                                arg("amount", f("there.deposit", "72:34", "decimal")),
                            ),
                            type=T("json"),
                            when=f(
                                "there.deposit > 0.00",
                                "72:54",
                                "bool",
                                Compare(">", get("there.deposit"), D("0.00")),
                            ),
                            at=at("72:10+4"),
                        ),
                    ),
                    at=at("67:3+2"),
                ),
            ),
            at=at("65:6+9"),
        ),
    ),
    body=(
        SagaCall(
            path="policy",
            saga="cover",
            name="policy",
            args=(
                arg("customer", f("rental.customer", "90:23", "str")),
                arg("rental", f("rental.id", "90:40", "str")),
            ),
            parameters=(
                Parameter(name="customer", type=T("str"), at=at("82:12+13")),
                Parameter(name="rental", type=T("str"), at=at("82:27+11")),
            ),
            result=T("str"),
            type=T("str"),
            undos=(
                Undo(
                    tool="end_cover",
                    args=(arg("rental", f("args.rental", "90:68", "str")),),
                    at=at("90:53+27"),
                ),
            ),
            body=(
                step(
                    insure,
                    path="policy.policy",
                    name="policy",
                    args=(
                        arg("customer", f("customer", "83:24", "str")),
                        arg("rental", f("rental", "83:34", "str")),
                    ),
                    type=T("str"),
                    at=at("83:8+6"),
                ),
                Return(path="policy.return#1", value=f("policy", "84:10", "str"), at=at("84:3+6")),
            ),
            at=at("90:8+6"),
        ),
        step(
            send_out,
            path="sent",
            name="sent",
            args=(
                arg("rental", f("rental.id", "91:24", "str")),
                arg("lines", f("rental.lines", "91:35", "list[Line]")),
                arg("deposit", f("rental.deposit", "91:49", "decimal")),
            ),
            type=T("Dispatch"),
            at=at("91:8+4"),
        ),
        step(
            insure,
            path="cover_all",
            name="cover_all",
            args=(
                arg("customer", f("rental.customer", "92:27", "str")),
                arg(
                    "rental",
                    f(
                        '"{rental.id}/goods"',
                        "92:44",
                        "str",
                        Text((get("rental.id"), Literal("/goods"))),
                    ),
                ),
            ),
            type=T("str"),
            at=at("92:8+9"),
        ),
        Return(
            path="return#1",
            value=f(
                '"{policy} {sent.id} {cover_all}"',
                "93:10",
                "str",
                Text(
                    (Name("policy"), Literal(" "), get("sent.id"), Literal(" "), Name("cover_all"))
                ),
            ),
            at=at("93:3+6"),
        ),
    ),
    tools=(dispatch_of, end_policy, insure, pay_back, put_back, send_out, stop_van),
    records=(Dispatch_type, Line_type, Rental_type),
    at=at("88:6+4"),
    classes={"Dispatch": Dispatch, "Line": Line, "Rental": Rental},
    file=__file__,
)

if __name__ == "__main__":
    raise SystemExit(main(cover, rent))
