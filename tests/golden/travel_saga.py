# Made by sagalang 0.1.0 from travel.saga. What is changed here is lost when it is compiled again.
#
# leg: definition d5ba2d3086669b94f9aec1239683c335497f371c516adbd01bda9c9dceb3d320
# trip: definition dd21677f2ed10c34dbd6dad692719fc0aff85f20dd1468d5e6fa4aa34ccd4815
#
# Run it:  python travel_saga.py --input '{"traveller": ..., "wanted": ...}'
# Use it:  from travel_saga import leg, trip
"""The sagas of travel.saga."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from sagalang.runtime.module import (
    DAY,
    MINUTE,
    SECOND,
    Apply,
    Binary,
    Binding,
    Compare,
    Comprehension,
    Corrective,
    D,
    Each,
    Effect,
    Enum,
    First,
    Guard,
    Idempotence,
    If,
    Let,
    Literal,
    Name,
    Parallel,
    Parameter,
    Promise,
    Record,
    Requires,
    Retry,
    Return,
    SagaCall,
    Scope,
    Sleep,
    Source,
    T,
    Text,
    Tool,
    Type,
    Undo,
    Verify,
    Wait,
    arg,
    get,
    main,
    saga,
    step,
)


class Carrier(StrEnum):
    rail = "rail"
    air = "air"


@dataclass(frozen=True, kw_only=True)
class Booking:
    id: str
    price: Decimal


@dataclass(frozen=True, kw_only=True)
class Leg:
    origin: str
    goal: str
    on: dt.date


@dataclass(frozen=True, kw_only=True)
class Offer:
    id: str
    price: Decimal


@dataclass(frozen=True, kw_only=True)
class Answer:
    agreed: bool
    note: str = ""


# Where the lines of the sources begin.

travel_saga = Source(
    "travel.saga",
    (
        "5:114 6:162 7:203 8:246 9:293 11:321 12:378 16:425 17:483 21:528 22:579 23:648 25:703 "
        "27:758 28:791 29:829 32:864 33:914 34:944 35:968 36:991 39:1024 40:1074 41:1141 42:1181 "
        "44:1221 45:1237 48:1274 49:1326 50:1353 51:1377 52:1400 55:1420 56:1469 57:1535 58:1574 "
        "60:1613 61:1629 64:1665 65:1716 66:1742 67:1765 68:1788 71:1808 72:1859 76:1901 77:1956 "
        "78:2030 79:2126 80:2146 84:2258 85:2309 86:2355 87:2370 88:2417 89:2464 92:2502 93:2548 "
        "94:2594 95:2641 98:2672 102:2785 103:2862 104:2900 106:2933 107:2993 108:3006 109:3058 "
        "110:3098 112:3121 113:3155 114:3203 116:3228 117:3252 118:3274 122:3346 123:3436 124:3476 "
        "125:3508 126:3577 127:3589 128:3628"
    ),
)
f, at = travel_saga.formula, travel_saga.place

# The types, as the plans have them.

Carrier_type = Enum(name="Carrier", members=("rail", "air"), at=at("9:6+7"))

Booking_type = Record(
    name="Booking",
    fields=(
        Parameter(name="id", type=T("str"), at=at("7:18+7")),
        Parameter(name="price", type=T("decimal"), at=at("7:27+14")),
    ),
    at=at("7:8+7"),
)

Leg_type = Record(
    name="Leg",
    fields=(
        Parameter(name="origin", type=T("str"), at=at("5:14+11")),
        Parameter(name="goal", type=T("str"), at=at("5:27+9")),
        Parameter(name="on", type=T("date"), at=at("5:38+8")),
    ),
    at=at("5:8+3"),
)

Offer_type = Record(
    name="Offer",
    fields=(
        Parameter(name="id", type=T("str"), at=at("6:16+7")),
        Parameter(name="price", type=T("decimal"), at=at("6:25+14")),
    ),
    at=at("6:8+5"),
)

Answer_type = Record(
    name="Answer",
    fields=(
        Parameter(name="agreed", type=T("bool"), at=at("8:17+12")),
        Parameter(
            name="note",
            type=T("str"),
            default=f('""', "8:43", "str", Literal("")),
            at=at("8:31+14"),
        ),
    ),
    at=at("8:8+6"),
)

# The tools: what each changes, how to verify it, how to undo it.

book = Tool(
    name="book",
    parameters=(
        Parameter(name="traveller", type=T("str"), at=at("21:11+14")),
        Parameter(name="offer", type=T("str"), at=at("21:27+10")),
    ),
    result=T("Booking"),
    call=Binding(
        target="travel:book",
        args=(
            arg("", f("traveller", "22:30", "str")),
            arg("", f("offer", "22:41", "str")),
            arg("idempotency_key", f("key", "22:65", "str"), at("22:48+20")),
        ),
        at=at("22:3+66"),
    ),
    effects=(
        Effect(
            kind="seat",
            ids=(f("offer", "23:15", "str"),),
            effect_class="compensatable",
            impact=4,
            at=at("23:3+41"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("25:3+17")),
    fails=("SoldOut", "PriceChanged"),
    retry=Retry(attempts=5, low=500, high=20 * SECOND, at=at("27:3+30")),
    verify=Verify(
        tool="booking_of",
        args=(
            arg("traveller", f("traveller", "28:21", "str")),
            arg("offer", f("offer", "28:32", "str")),
        ),
        at=at("28:3+35"),
    ),
    undos=(
        Undo(
            tool="cancel",
            args=(
                arg("traveller", f("traveller", "29:15", "str")),
                arg("offer", f("offer", "29:26", "str")),
            ),
            at=at("29:3+29"),
        ),
    ),
    commutes=True,
    at=at("21:6+4"),
)

booking_of = Tool(
    name="booking_of",
    parameters=(
        Parameter(name="traveller", type=T("str"), at=at("16:17+14")),
        Parameter(name="offer", type=T("str"), at=at("16:33+10")),
    ),
    result=T("Booking?"),
    call=Binding(
        target="travel:find",
        args=(
            arg("traveller", f("traveller", "16:17", "str")),
            arg("offer", f("offer", "16:33", "str")),
        ),
        at=at("17:3+25"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("16:6+10"),
)

cancel = Tool(
    name="cancel",
    parameters=(
        Parameter(name="traveller", type=T("str"), at=at("32:13+14")),
        Parameter(name="offer", type=T("str"), at=at("32:29+10")),
    ),
    result=T("json"),
    call=Binding(
        target="travel:cancel",
        args=(
            arg("traveller", f("traveller", "32:13", "str")),
            arg("offer", f("offer", "32:29", "str")),
        ),
        at=at("33:3+27"),
    ),
    effects=(Effect(kind="seat", effect_class="restoring", at=at("34:3+21")),),
    idempotent=Idempotence(by="naturally", at=at("35:3+20")),
    retry=Retry(attempts=20, high=5 * MINUTE, at=at("36:3+27")),
    at=at("32:6+6"),
)

offers = Tool(
    name="offers",
    parameters=(
        Parameter(name="leg", type=T("Leg"), at=at("11:13+8")),
        Parameter(name="carrier", type=T("enum Carrier"), at=at("11:23+16")),
    ),
    result=T("list[Offer]"),
    call=Binding(
        target="travel:offers",
        args=(
            arg("leg", f("leg", "11:13", "Leg")),
            arg("carrier", f("carrier", "11:23", "enum Carrier")),
        ),
        at=at("12:3+27"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("11:6+6"),
)

ask = Tool(
    name="ask",
    parameters=(
        Parameter(name="traveller", type=T("str"), at=at("71:10+14")),
        Parameter(name="price", type=T("decimal"), at=at("71:26+14")),
    ),
    result=T("json"),
    call=Binding(
        target="mail:ask",
        args=(
            arg("traveller", f("traveller", "71:10", "str")),
            arg("price", f("price", "71:26", "decimal")),
        ),
        at=at("72:3+22"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("71:6+3"),
)

car = Tool(
    name="car",
    parameters=(
        Parameter(name="traveller", type=T("str"), at=at("55:10+14")),
        Parameter(name="city", type=T("str"), at=at("55:26+9")),
    ),
    result=T("Booking"),
    call=Binding(
        target="cars:book",
        args=(
            arg("", f("traveller", "56:28", "str")),
            arg("", f("city", "56:39", "str")),
            arg("idempotency_key", f("key", "56:62", "str"), at("56:45+20")),
        ),
        at=at("56:3+63"),
    ),
    effects=(
        Effect(
            kind="car",
            ids=(f("city", "57:14", "str"),),
            effect_class="reversible",
            at=at("57:3+36"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("58:3+17")),
    fails=("NoCar",),
    retry=Retry(attempts=3, at=at("60:3+13")),
    undos=(
        Undo(
            tool="free_car",
            args=(
                arg("traveller", f("traveller", "61:17", "str")),
                arg("city", f("city", "61:28", "str")),
            ),
            at=at("61:3+30"),
        ),
    ),
    at=at("55:6+3"),
)

charge = Tool(
    name="charge",
    parameters=(
        Parameter(name="traveller", type=T("str"), at=at("76:13+14")),
        Parameter(name="amount", type=T("decimal"), at=at("76:29+15")),
    ),
    result=T("json"),
    call=Binding(
        target="payments:charge",
        args=(
            arg("", f("traveller", "77:34", "str")),
            arg("", f("amount", "77:45", "decimal")),
            arg("idempotency_key", f("key", "77:70", "str"), at("77:53+20")),
        ),
        at=at("77:3+71"),
    ),
    effects=(
        Effect(
            kind="payment",
            ids=(f("traveller", "78:18", "str"),),
            effect_class="irreversible",
            impact=8,
            corrective=Corrective(
                text=f(
                    '"pay {amount} back to {traveller}"',
                    "78:62",
                    "str",
                    Text(
                        (Literal("pay "), Name("amount"), Literal(" back to "), Name("traveller"))
                    ),
                ),
                at=at("78:51+45"),
            ),
            at=at("78:3+93"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("79:3+17")),
    retry=Retry(attempts=None, high=5 * MINUTE, at=at("80:3+26")),
    at=at("76:6+6"),
)

free_car = Tool(
    name="free_car",
    parameters=(
        Parameter(name="traveller", type=T("str"), at=at("64:15+14")),
        Parameter(name="city", type=T("str"), at=at("64:31+9")),
    ),
    result=T("json"),
    call=Binding(
        target="cars:free",
        args=(
            arg("traveller", f("traveller", "64:15", "str")),
            arg("city", f("city", "64:31", "str")),
        ),
        at=at("65:3+23"),
    ),
    effects=(Effect(kind="car", effect_class="restoring", at=at("66:3+20")),),
    idempotent=Idempotence(by="naturally", at=at("67:3+20")),
    retry=Retry(attempts=20, at=at("68:3+14")),
    at=at("64:6+8"),
)

free_room = Tool(
    name="free_room",
    parameters=(
        Parameter(name="traveller", type=T("str"), at=at("48:16+14")),
        Parameter(name="city", type=T("str"), at=at("48:32+9")),
    ),
    result=T("json"),
    call=Binding(
        target="hotel:free",
        args=(
            arg("traveller", f("traveller", "48:16", "str")),
            arg("city", f("city", "48:32", "str")),
        ),
        at=at("49:3+24"),
    ),
    effects=(Effect(kind="room", effect_class="restoring", at=at("50:3+21")),),
    idempotent=Idempotence(by="naturally", at=at("51:3+20")),
    retry=Retry(attempts=20, at=at("52:3+14")),
    at=at("48:6+9"),
)

room = Tool(
    name="room",
    parameters=(
        Parameter(name="traveller", type=T("str"), at=at("39:11+14")),
        Parameter(name="city", type=T("str"), at=at("39:27+9")),
    ),
    result=T("Booking"),
    call=Binding(
        target="hotel:book",
        args=(
            arg("", f("traveller", "40:29", "str")),
            arg("", f("city", "40:40", "str")),
            arg("idempotency_key", f("key", "40:63", "str"), at("40:46+20")),
        ),
        at=at("40:3+64"),
    ),
    effects=(
        Effect(
            kind="room",
            ids=(f("city", "41:15", "str"),),
            effect_class="reversible",
            impact=3,
            at=at("41:3+37"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("42:3+17")),
    fails=("NoRoom",),
    retry=Retry(attempts=5, at=at("44:3+13")),
    undos=(
        Undo(
            tool="free_room",
            args=(
                arg("traveller", f("traveller", "45:18", "str")),
                arg("city", f("city", "45:29", "str")),
            ),
            at=at("45:3+31"),
        ),
    ),
    at=at("39:6+4"),
)

# The sagas.

seat_got = (
    step(
        book,
        path="seat.got[*].seat_on",
        name="seat_on",
        args=(
            arg("traveller", f("traveller", "88:27", "str")),
            arg("offer", f("offer.id", "88:38", "str")),
        ),
        type=T("Booking"),
        at=at("88:12+7"),
    ),
    Return(path="seat.got[*].return#1", value=f("seat_on", "89:14", "Booking"), at=at("89:7+6")),
)


seat_else_got = (
    step(
        book,
        path="seat.else.got[*].seat_in",
        name="seat_in",
        args=(
            arg("traveller", f("traveller", "94:27", "str")),
            arg("offer", f("offer.id", "94:38", "str")),
        ),
        type=T("Booking"),
        at=at("94:12+7"),
    ),
    Return(
        path="seat.else.got[*].return#1",
        value=f("seat_in", "95:14", "Booking"),
        at=at("95:7+6"),
    ),
)


leg = saga(
    name="leg",
    doc="Books one leg: by rail where there is a seat, by air where there is none.",
    format=1,
    edition=2026,
    parameters=(
        Parameter(name="traveller", type=T("str"), at=at("84:10+14")),
        Parameter(name="wanted", type=T("Leg"), at=at("84:26+11")),
    ),
    result=T("Booking"),
    body=(
        step(
            offers,
            path="by_rail",
            name="by_rail",
            args=(
                arg("leg", f("wanted", "85:25", "Leg")),
                arg("carrier", f("Carrier.rail", "85:33", "enum Carrier", Literal("rail"))),
            ),
            type=T("list[Offer]"),
            at=at("85:8+7"),
        ),
        Scope(
            path="seat",
            name="seat",
            type=Type(kind="record", name="scope leg.seat"),
            fields=(
                Parameter(name="got", type=T("Booking"), at=at("87:11+3")),
                Parameter(name="by_air", type=T("list[Offer]?"), at=at("92:10+6")),
            ),
            body=(
                First(
                    path="seat.got",
                    name="got",
                    variable="offer",
                    items=f("by_rail", "87:26", "list[Offer]"),
                    by=f("offer.id", "87:37", "str"),
                    item=T("Offer"),
                    type=T("Booking"),
                    body=seat_got,
                    at=at("87:11+3"),
                ),
            ),
            otherwise=(
                step(
                    offers,
                    path="seat.else.by_air",
                    name="by_air",
                    args=(
                        arg("leg", f("wanted", "92:26", "Leg")),
                        arg("carrier", f("Carrier.air", "92:34", "enum Carrier", Literal("air"))),
                    ),
                    type=T("list[Offer]"),
                    at=at("92:10+6"),
                ),
                First(
                    path="seat.else.got",
                    name="got",
                    variable="offer",
                    items=f("by_air", "93:26", "list[Offer]"),
                    by=f("offer.id", "93:36", "str"),
                    item=T("Offer"),
                    type=T("Booking"),
                    body=seat_else_got,
                    at=at("93:11+3"),
                ),
            ),
            at=at("86:9+4"),
        ),
        Return(path="return#1", value=f("seat.got", "98:10", "Booking"), at=at("98:3+6")),
    ),
    tools=(book, booking_of, cancel, offers),
    records=(Booking_type, Leg_type, Offer_type),
    enums=(Carrier_type,),
    at=at("84:6+3"),
    classes={"Carrier": Carrier, "Booking": Booking, "Leg": Leg, "Offer": Offer},
    file=__file__,
)

seats_one_seat_got = (
    step(
        book,
        path="seats[*].one.seat.got[*].seat_on",
        name="seat_on",
        args=(
            arg("traveller", f("traveller", "88:27", "str")),
            arg("offer", f("offer.id", "88:38", "str")),
        ),
        type=T("Booking"),
        at=at("88:12+7"),
    ),
    Return(
        path="seats[*].one.seat.got[*].return#1",
        value=f("seat_on", "89:14", "Booking"),
        at=at("89:7+6"),
    ),
)


seats_one_seat = (
    First(
        path="seats[*].one.seat.got",
        name="got",
        variable="offer",
        items=f("by_rail", "87:26", "list[Offer]"),
        by=f("offer.id", "87:37", "str"),
        item=T("Offer"),
        type=T("Booking"),
        body=seats_one_seat_got,
        at=at("87:11+3"),
    ),
)


seats_one_seat_else_got = (
    step(
        book,
        path="seats[*].one.seat.else.got[*].seat_in",
        name="seat_in",
        args=(
            arg("traveller", f("traveller", "94:27", "str")),
            arg("offer", f("offer.id", "94:38", "str")),
        ),
        type=T("Booking"),
        at=at("94:12+7"),
    ),
    Return(
        path="seats[*].one.seat.else.got[*].return#1",
        value=f("seat_in", "95:14", "Booking"),
        at=at("95:7+6"),
    ),
)


seats_one_seat_else = (
    step(
        offers,
        path="seats[*].one.seat.else.by_air",
        name="by_air",
        args=(
            arg("leg", f("wanted", "92:26", "Leg")),
            arg("carrier", f("Carrier.air", "92:34", "enum Carrier", Literal("air"))),
        ),
        type=T("list[Offer]"),
        at=at("92:10+6"),
    ),
    First(
        path="seats[*].one.seat.else.got",
        name="got",
        variable="offer",
        items=f("by_air", "93:26", "list[Offer]"),
        by=f("offer.id", "93:36", "str"),
        item=T("Offer"),
        type=T("Booking"),
        body=seats_one_seat_else_got,
        at=at("93:11+3"),
    ),
)


seats_one = (
    step(
        offers,
        path="seats[*].one.by_rail",
        name="by_rail",
        args=(
            arg("leg", f("wanted", "85:25", "Leg")),
            arg("carrier", f("Carrier.rail", "85:33", "enum Carrier", Literal("rail"))),
        ),
        type=T("list[Offer]"),
        at=at("85:8+7"),
    ),
    Scope(
        path="seats[*].one.seat",
        name="seat",
        type=Type(kind="record", name="scope leg.seat"),
        fields=(
            Parameter(name="got", type=T("Booking"), at=at("87:11+3")),
            Parameter(name="by_air", type=T("list[Offer]?"), at=at("92:10+6")),
        ),
        body=seats_one_seat,
        otherwise=seats_one_seat_else,
        at=at("86:9+4"),
    ),
    Return(path="seats[*].one.return#1", value=f("seat.got", "98:10", "Booking"), at=at("98:3+6")),
)


trip = saga(
    name="trip",
    doc="Books a whole trip, and charges for it when the traveller has agreed within two days.",
    format=1,
    edition=2026,
    parameters=(
        Parameter(name="traveller", type=T("str"), at=at("102:11+14")),
        Parameter(name="legs", type=T("list[Leg]"), at=at("102:27+15")),
        Parameter(
            name="car_in",
            type=T("str?"),
            default=f("none", "102:59", "str?", Literal(None)),
            at=at("102:44+19"),
        ),
    ),
    result=T("decimal"),
    promises=(
        Promise(
            kind="reversible",
            until=("paid",),
            source="promise reversible until paid",
            at=at("104:3+29"),
        ),
    ),
    guards=(Guard(least=f("0.5", "103:22", "decimal", D("0.5")), group="desk", at=at("103:3+5")),),
    body=(
        Requires(
            path="requires#1",
            test=f(
                "len(legs) > 0",
                "106:12",
                "bool",
                Compare(">", Apply("len", (Name("legs"),)), Literal(0)),
            ),
            otherwise=f(
                '"a trip has at least one leg"',
                "106:31",
                "str",
                Literal("a trip has at least one leg"),
            ),
            at=at("106:3+8"),
        ),
        Parallel(
            path="parallel#1",
            body=(
                Each(
                    path="seats",
                    name="seats",
                    variable="wanted",
                    items=f("legs", "108:28", "list[Leg]"),
                    at_once=4,
                    item=T("Leg"),
                    type=T("list[Booking]"),
                    body=(
                        SagaCall(
                            path="seats[*].one",
                            saga="leg",
                            name="one",
                            args=(
                                arg("traveller", f("traveller", "109:22", "str")),
                                arg("wanted", f("wanted", "109:33", "Leg")),
                            ),
                            parameters=(
                                Parameter(name="traveller", type=T("str"), at=at("84:10+14")),
                                Parameter(name="wanted", type=T("Leg"), at=at("84:26+11")),
                            ),
                            result=T("Booking"),
                            type=T("Booking"),
                            body=seats_one,
                            at=at("109:12+3"),
                        ),
                        Return(
                            path="seats[*].return#1",
                            value=f("one", "110:14", "Booking"),
                            at=at("110:7+6"),
                        ),
                    ),
                    at=at("108:10+5"),
                ),
                Each(
                    path="rooms",
                    name="rooms",
                    variable="wanted",
                    items=f("legs", "112:28", "list[Leg]"),
                    item=T("Leg"),
                    type=T("list[Booking]"),
                    body=(
                        step(
                            room,
                            path="rooms[*].night",
                            name="night",
                            args=(
                                arg("traveller", f("traveller", "113:25", "str")),
                                arg("city", f("wanted.goal", "113:36", "str")),
                            ),
                            type=T("Booking"),
                            at=at("113:12+5"),
                        ),
                        Return(
                            path="rooms[*].return#1",
                            value=f("night", "114:14", "Booking"),
                            at=at("114:7+6"),
                        ),
                    ),
                    at=at("112:10+5"),
                ),
                If(
                    path="if#1",
                    condition=f(
                        "car_in != none",
                        "116:8",
                        "bool",
                        Compare("!=", Name("car_in"), Literal(None)),
                    ),
                    then=(
                        Scope(
                            path="driving",
                            name="driving",
                            type=Type(kind="record", name="scope trip.driving"),
                            fields=(
                                Parameter(name="rented", type=T("Booking?"), at=at("118:14+6")),
                            ),
                            body=(
                                step(
                                    car,
                                    path="driving.rented",
                                    name="rented",
                                    args=(
                                        arg("traveller", f("traveller", "118:27", "str")),
                                        arg("city", f("car_in", "118:38", "str")),
                                    ),
                                    type=T("Booking"),
                                    at=at("118:14+6"),
                                ),
                            ),
                            otherwise=(),
                            at=at("117:13+7"),
                        ),
                    ),
                    at=at("116:5+2"),
                ),
            ),
            at=at("107:3+8"),
        ),
        Let(
            path="price",
            name="price",
            value=f(
                "sum([seat.price for seat in seats]) + sum([night.price for night in rooms])",
                "122:15",
                "decimal",
                Binary(
                    "+",
                    Apply("sum", (Comprehension(get("seat.price"), "seat", Name("seats"), None),)),
                    Apply(
                        "sum", (Comprehension(get("night.price"), "night", Name("rooms"), None),)
                    ),
                ),
            ),
            at=at("122:7+5"),
        ),
        step(
            ask,
            path="question",
            name="question",
            args=(
                arg("traveller", f("traveller", "123:23", "str")),
                arg("price", f("price", "123:34", "decimal")),
            ),
            type=T("json"),
            at=at("123:8+8"),
        ),
        Wait(path="answer", name="answer", type=T("Answer"), within=2 * DAY, at=at("124:8+6")),
        Requires(
            path="requires#2",
            test=f("answer.agreed", "125:12", "bool"),
            otherwise=f(
                '"the traveller said no: {answer.note}"',
                "125:31",
                "str",
                Text((Literal("the traveller said no: "), get("answer.note"))),
            ),
            at=at("125:3+8"),
        ),
        Sleep(path="sleep#1", length=600_000, at=at("126:3+5")),
        step(
            charge,
            path="paid",
            name="paid",
            args=(
                arg("traveller", f("traveller", "127:22", "str")),
                arg("amount", f("price", "127:33", "decimal")),
            ),
            type=T("json"),
            at=at("127:8+4"),
        ),
        Return(path="return#1", value=f("price", "128:10", "decimal"), at=at("128:3+6")),
    ),
    tools=(ask, book, booking_of, cancel, car, charge, free_car, free_room, offers, room),
    records=(Answer_type, Booking_type, Leg_type, Offer_type),
    enums=(Carrier_type,),
    at=at("102:6+4"),
    classes={"Carrier": Carrier, "Answer": Answer, "Booking": Booking, "Leg": Leg, "Offer": Offer},
    file=__file__,
)

if __name__ == "__main__":
    raise SystemExit(main(leg, trip))
