# Made by sagalang 0.1.0 from provision.saga. What is changed here is lost when it is compiled again.
#
# provision: definition a80fb6746af27fbc0253ee2f0556ced44013e9da5df0d6c7b1f199301c5efba9
#
# Run it:  python provision_saga.py --input '{"customer": ..., "plan": ..., "token": ...}'
# Use it:  from provision_saga import provision
"""The sagas of provision.saga."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from sagalang.runtime.module import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    Binding,
    Compare,
    Corrective,
    D,
    Effect,
    Enum,
    Expecting,
    Idempotence,
    Literal,
    Name,
    Parallel,
    Parameter,
    Promise,
    Reading,
    Record,
    Remember,
    Retry,
    Return,
    Source,
    T,
    Text,
    Tool,
    Undo,
    Until,
    Verdict,
    Verify,
    arg,
    get,
    main,
    saga,
    step,
)


class Size(StrEnum):
    small = "small"
    large = "large"


@dataclass(frozen=True, kw_only=True)
class Account:
    id: str
    stage: str


@dataclass(frozen=True, kw_only=True)
class Customer:
    id: str
    email: str
    crm: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    id: str
    price: Decimal


@dataclass(frozen=True, kw_only=True)
class Server:
    id: str
    ip: str
    state: str


@dataclass(frozen=True, kw_only=True)
class Subscription:
    id: str
    status: str


# Where the lines of the sources begin.

provision_saga = Source(
    "provision.saga",
    (
        "2:13 3:63 5:168 6:208 7:247 8:292 9:319 10:437 11:511 12:574 14:654 16:709 17:760 18:808 "
        "19:846 21:889 23:925 24:985 25:1042 26:1068 28:1112 30:1144 31:1250 32:1309 33:1380 "
        "34:1435 36:1489 37:1519 38:1639 39:1714 41:1747 42:1896 43:2058 44:2149 45:2195 46:2227 "
        "47:2264 48:2287 49:2316 50:2348 51:2493 53:2530 54:2571 55:2632 56:2719 57:2739 59:2771 "
        "61:2889 62:2922 63:2961 64:2974 65:3011 67:3077 68:3188 69:3233 70:3336 71:3385"
    ),
)
f, at = provision_saga.formula, provision_saga.place

# The types, as the plans have them.

Size_type = Enum(name="Size", members=("small", "large"), at=at("8:6+4"))

Account_type = Record(
    name="Account",
    fields=(
        Parameter(name="id", type=T("str"), at=at("6:18+7")),
        Parameter(name="stage", type=T("str"), at=at("6:27+10")),
    ),
    at=at("6:8+7"),
)

Customer_type = Record(
    name="Customer",
    fields=(
        Parameter(name="id", type=T("str"), at=at("2:19+7")),
        Parameter(name="email", type=T("str"), at=at("2:28+10")),
        Parameter(name="crm", type=T("str"), at=at("2:40+8")),
    ),
    at=at("2:8+8"),
)

Plan_type = Record(
    name="Plan",
    fields=(
        Parameter(name="id", type=T("str"), at=at("5:15+7")),
        Parameter(name="price", type=T("decimal"), at=at("5:24+14")),
    ),
    at=at("5:8+4"),
)

Server_type = Record(
    name="Server",
    fields=(
        Parameter(name="id", type=T("str"), at=at("3:17+7")),
        Parameter(name="ip", type=T("str"), at=at("3:26+7")),
        Parameter(name="state", type=T("str"), at=at("3:35+10")),
    ),
    at=at("3:8+6"),
)

Subscription_type = Record(
    name="Subscription",
    fields=(
        Parameter(name="id", type=T("str"), at=at("7:23+7")),
        Parameter(name="status", type=T("str"), at=at("7:32+11")),
    ),
    at=at("7:8+12"),
)

# The tools: what each changes, how to verify it, how to undo it.

account = Tool(
    name="account",
    parameters=(Parameter(name="id", type=T("str"), at=at("43:14+7")),),
    result=T("Account"),
    call=Binding(
        target="world:account",
        args=(arg("id", f("id", "43:14", "str")),),
        at=at("43:36+27"),
    ),
    reads=(Reading(kind="crm", ids=(f("id", "43:86", "str"),), at=at("43:76+13")),),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("43:6+7"),
)

create_server = Tool(
    name="create_server",
    parameters=(
        Parameter(name="name", type=T("str"), at=at("10:20+9")),
        Parameter(name="size", type=T("enum Size"), at=at("10:31+10")),
        Parameter(name="token", type=T("secret[str]"), at=at("10:43+18")),
    ),
    result=T("Server"),
    call=Binding(
        target="world:create_server",
        args=(
            arg("", f("name", "11:38", "str")),
            arg("", f("size", "11:44", "enum Size")),
            arg("token", f("token", "11:57", "secret[str]"), at("11:50+12")),
        ),
        at=at("11:3+60"),
    ),
    effects=(
        Effect(
            kind="server",
            ids=(f("name", "12:17", "str"),),
            effect_class="reversible",
            impact=3,
            at=at("12:3+39"),
        ),
    ),
    fails=("QuotaExceeded", "NameTaken"),
    retry=Retry(attempts=3, low=2 * SECOND, at=at("14:3+27")),
    settle=10 * MINUTE,
    verify=Verify(
        tool="server_named",
        args=(arg("name", f("name", "16:23", "str")),),
        consistent_after=20 * SECOND,
        verdicts=(
            Verdict(
                kind="applied",
                when=f(
                    'it.state == "running"',
                    "17:18",
                    "bool",
                    Compare("==", get("it.state"), Literal("running")),
                ),
                gives=f("it", "17:46", "Server"),
                at=at("17:5+43"),
            ),
            Verdict(
                kind="absent",
                when=f(
                    'it.state == "deleted"',
                    "18:17",
                    "bool",
                    Compare("==", get("it.state"), Literal("deleted")),
                ),
                at=at("18:5+33"),
            ),
            Verdict(
                kind="conflict",
                when=f(
                    'it.state == "locked"',
                    "19:19",
                    "bool",
                    Compare("==", get("it.state"), Literal("locked")),
                ),
                at=at("19:5+34"),
            ),
        ),
        at=at("16:3+177"),
    ),
    undos=(
        Undo(
            tool="delete_server",
            args=(
                arg("name", f("name", "21:22", "str")),
                arg("token", f("token", "21:28", "secret[str]")),
            ),
            at=at("21:3+31"),
        ),
    ),
    at=at("10:6+13"),
)

delete_server = Tool(
    name="delete_server",
    parameters=(
        Parameter(name="name", type=T("str"), at=at("23:20+9")),
        Parameter(name="token", type=T("secret[str]"), at=at("23:31+18")),
    ),
    result=T("json"),
    call=Binding(
        target="world:delete_server",
        args=(
            arg("", f("name", "24:38", "str")),
            arg("token", f("token", "24:51", "secret[str]"), at("24:44+12")),
        ),
        at=at("24:3+54"),
    ),
    effects=(Effect(kind="server", effect_class="restoring", at=at("25:3+23")),),
    idempotent=Idempotence(by="naturally", at=at("26:3+20")),
    done=("NotFound",),
    retry=Retry(attempts=20, low=5 * SECOND, high=5 * MINUTE, at=at("28:3+27")),
    at=at("23:6+13"),
)

server_named = Tool(
    name="server_named",
    parameters=(Parameter(name="name", type=T("str"), at=at("9:19+9")),),
    result=T("Server?"),
    call=Binding(
        target="world:server_named",
        args=(arg("name", f("name", "9:19", "str")),),
        at=at("9:43+32"),
    ),
    retry=Retry(attempts=10, at=at("9:88+28")),
    at=at("9:6+12"),
)

set_stage = Tool(
    name="set_stage",
    parameters=(
        Parameter(name="id", type=T("str"), at=at("44:16+7")),
        Parameter(name="stage", type=T("str"), at=at("44:25+10")),
    ),
    result=T("json"),
    call=Binding(
        target="world:set_stage",
        args=(arg("id", f("id", "44:16", "str")), arg("stage", f("stage", "44:25", "str"))),
        at=at("45:3+29"),
    ),
    effects=(
        Effect(
            kind="crm",
            ids=(f("id", "46:14", "str"),),
            effect_class="reversible",
            impact=2,
            at=at("46:3+34"),
        ),
    ),
    idempotent=Idempotence(by="naturally", at=at("47:3+20")),
    retry=Retry(attempts=8, high=MINUTE, at=at("48:3+26")),
    remember=(
        Remember(
            name="before",
            tool="account",
            args=(arg("id", f("id", "49:29", "str")),),
            type=T("Account"),
            at=at("49:3+29"),
        ),
    ),
    verify=Verify(
        tool="account",
        args=(arg("id", f("id", "50:18", "str")),),
        verdicts=(
            Verdict(
                kind="applied",
                when=f(
                    "it.stage == stage",
                    "50:37",
                    "bool",
                    Compare("==", get("it.stage"), Name("stage")),
                ),
                gives=f("none", "50:61", "json", Literal(None)),
                at=at("50:24+41"),
            ),
            Verdict(
                kind="absent",
                when=f(
                    "it.stage == before.stage",
                    "50:79",
                    "bool",
                    Compare("==", get("it.stage"), get("before.stage")),
                ),
                at=at("50:67+36"),
            ),
            Verdict(
                kind="conflict",
                when=f(
                    "it.stage != before.stage",
                    "50:119",
                    "bool",
                    Compare("!=", get("it.stage"), get("before.stage")),
                ),
                at=at("50:105+38"),
            ),
        ),
        at=at("50:3+142"),
    ),
    undos=(
        Undo(
            tool="set_stage",
            args=(
                arg("id", f("id", "51:18", "str")),
                arg("stage", f("before.stage", "51:22", "str")),
            ),
            at=at("51:3+32"),
        ),
    ),
    at=at("44:6+9"),
)

subscribe = Tool(
    name="subscribe",
    parameters=(
        Parameter(name="customer", type=T("str"), at=at("31:16+13")),
        Parameter(name="plan", type=T("str"), at=at("31:31+9")),
    ),
    result=T("Subscription"),
    call=Binding(
        target="world:subscribe",
        args=(
            arg("", f("customer", "32:34", "str")),
            arg("", f("plan", "32:44", "str")),
            arg("idempotency_key", f("key", "32:67", "str"), at("32:50+20")),
        ),
        at=at("32:3+68"),
    ),
    effects=(
        Effect(
            kind="subscription",
            ids=(f("customer", "33:23", "str"),),
            effect_class="compensatable",
            impact=8,
            at=at("33:3+52"),
        ),
    ),
    idempotent=Idempotence(by="key", lifetime=DAY, at=at("34:3+25")),
    fails=("CardDeclined",),
    retry=Retry(attempts=5, at=at("36:3+27")),
    verify=Verify(
        tool="subscription_by_key",
        args=(arg("k", f("key", "37:30", "str")),),
        verdicts=(
            Verdict(
                kind="applied",
                when=f(
                    'it.status == "active"',
                    "37:50",
                    "bool",
                    Compare("==", get("it.status"), Literal("active")),
                ),
                gives=f("it", "37:78", "Subscription"),
                at=at("37:37+43"),
            ),
            Verdict(
                kind="absent",
                when=f(
                    'it.status == "cancelled"',
                    "37:94",
                    "bool",
                    Compare("==", get("it.status"), Literal("cancelled")),
                ),
                at=at("37:82+36"),
            ),
        ),
        at=at("37:3+117"),
    ),
    undos=(
        Undo(
            tool="unsubscribe",
            args=(arg("id", f("result.id", "38:20", "str")),),
            within=14 * DAY,
            retry=Retry(attempts=30, low=10 * SECOND, high=10 * MINUTE, at=at("38:44+29")),
            at=at("38:3+72"),
        ),
        Undo(
            tool="unsubscribe_by_key",
            args=(arg("k", f("key", "39:27", "str")),),
            at=at("39:3+28"),
        ),
    ),
    at=at("31:6+9"),
)

subscription_by_key = Tool(
    name="subscription_by_key",
    parameters=(Parameter(name="k", type=T("str"), at=at("30:26+6")),),
    result=T("Subscription?"),
    call=Binding(
        target="world:subscription_by_key",
        args=(arg("k", f("k", "30:26", "str")),),
        at=at("30:53+39"),
    ),
    retry=Retry(attempts=5, low=200, high=10 * SECOND),
    at=at("30:6+19"),
)

unsubscribe = Tool(
    name="unsubscribe",
    parameters=(Parameter(name="id", type=T("str"), at=at("41:18+7")),),
    result=T("json"),
    call=Binding(
        target="world:unsubscribe",
        args=(arg("id", f("id", "41:18", "str")),),
        at=at("41:37+31"),
    ),
    effects=(Effect(kind="subscription", effect_class="restoring", at=at("41:69+29")),),
    idempotent=Idempotence(by="naturally", at=at("41:99+20")),
    retry=Retry(attempts=10, high=5 * MINUTE, at=at("41:120+27")),
    at=at("41:6+11"),
)

unsubscribe_by_key = Tool(
    name="unsubscribe_by_key",
    parameters=(Parameter(name="k", type=T("str"), at=at("42:25+6")),),
    result=T("json"),
    call=Binding(
        target="world:unsubscribe_by_key",
        args=(arg("k", f("k", "42:25", "str")),),
        at=at("42:43+38"),
    ),
    effects=(Effect(kind="subscription", effect_class="restoring", at=at("42:82+29")),),
    idempotent=Idempotence(by="naturally", at=at("42:112+20")),
    retry=Retry(attempts=10, high=5 * MINUTE, at=at("42:133+27")),
    at=at("42:6+18"),
)

welcome = Tool(
    name="welcome",
    parameters=(
        Parameter(name="to", type=T("str"), at=at("53:14+7")),
        Parameter(name="ip", type=T("str"), at=at("53:23+7")),
    ),
    result=T("json"),
    call=Binding(
        target="world:welcome",
        args=(
            arg("", f("to", "54:32", "str")),
            arg("", f("ip", "54:36", "str")),
            arg("idempotency_key", f("key", "54:57", "str"), at("54:40+20")),
        ),
        at=at("54:3+58"),
    ),
    effects=(
        Effect(
            kind="mail",
            ids=(f("to", "55:15", "str"),),
            effect_class="irreversible",
            impact=3,
            corrective=Corrective(
                text=f(
                    '"tell {to} that the server is gone"',
                    "55:52",
                    "str",
                    Text((Literal("tell "), Name("to"), Literal(" that the server is gone"))),
                ),
                at=at("55:41+46"),
            ),
            at=at("55:3+84"),
        ),
    ),
    idempotent=Idempotence(by="key", at=at("56:3+17")),
    retry=Retry(attempts=None, low=10 * SECOND, high=HOUR, at=at("57:3+27")),
    at=at("53:6+7"),
)

# The sagas.

provision = saga(
    name="provision",
    format=1,
    edition=2026,
    parameters=(
        Parameter(name="customer", type=T("Customer"), at=at("59:16+18")),
        Parameter(name="plan", type=T("Plan"), at=at("59:36+10")),
        Parameter(name="token", type=T("secret[str]"), at=at("59:48+18")),
        Parameter(
            name="size",
            type=T("enum Size"),
            default=f("Size.small", "59:81", "enum Size", Literal("small")),
            at=at("59:68+23"),
        ),
    ),
    result=T("Server"),
    deadline=HOUR,
    promises=(
        Promise(
            kind="reversible",
            until=("hello",),
            source="promise reversible until hello",
            at=at("61:3+30"),
        ),
        Promise(
            kind="readiness",
            bound=f("0.9", "62:24", "decimal", D("0.9")),
            until=("hello",),
            source="promise readiness >= 0.9 until hello",
            at=at("62:3+36"),
        ),
    ),
    body=(
        Parallel(
            path="parallel#1",
            body=(
                step(
                    account,
                    path="acc",
                    name="acc",
                    args=(arg("id", f("customer.crm", "64:24", "str")),),
                    type=T("Account"),
                    at=at("64:10+3"),
                ),
                step(
                    create_server,
                    path="vm",
                    name="vm",
                    args=(
                        arg(
                            "name",
                            f(
                                '"vm-{customer.id}"',
                                "65:30",
                                "str",
                                Text((Literal("vm-"), get("customer.id"))),
                            ),
                        ),
                        arg("size", f("size", "65:50", "enum Size")),
                        arg("token", f("token", "65:56", "secret[str]")),
                    ),
                    type=T("Server"),
                    at=at("65:10+2"),
                ),
            ),
            at=at("63:3+8"),
        ),
        step(
            server_named,
            path="ready",
            name="ready",
            args=(
                arg(
                    "name",
                    f(
                        '"vm-{customer.id}"',
                        "67:29",
                        "str",
                        Text((Literal("vm-"), get("customer.id"))),
                    ),
                ),
            ),
            type=T("Server"),
            until=Until(
                test=f(
                    'it.state == "running"',
                    "67:55",
                    "bool",
                    Compare("==", get("it.state"), Literal("running")),
                ),
                every=10 * SECOND,
                within=10 * MINUTE,
                at=at("67:49+48"),
            ),
            at=at("67:8+5"),
        ),
        step(
            subscribe,
            path="sub",
            name="sub",
            args=(
                arg("customer", f("customer.id", "68:24", "str")),
                arg("plan", f("plan.id", "68:37", "str")),
            ),
            type=T("Subscription"),
            at=at("68:8+3"),
        ),
        step(
            set_stage,
            path="crm",
            name="crm",
            args=(
                arg("id", f("customer.crm", "69:24", "str")),
                arg("stage", f('"live"', "69:38", "str", Literal("live"))),
            ),
            type=T("json"),
            expecting=Expecting(
                tool="account",
                args=(arg("id", f("customer.crm", "69:64", "str")),),
                field=("stage",),
                since="acc",
                at=at("69:46+57"),
            ),
            at=at("69:8+3"),
        ),
        step(
            welcome,
            path="hello",
            name="hello",
            args=(
                arg("to", f("customer.email", "70:24", "str")),
                arg("ip", f("ready.ip", "70:40", "str")),
            ),
            type=T("json"),
            at=at("70:8+5"),
        ),
        Return(path="return#1", value=f("ready", "71:10", "Server"), at=at("71:3+6")),
    ),
    tools=(
        account,
        create_server,
        delete_server,
        server_named,
        set_stage,
        subscribe,
        subscription_by_key,
        unsubscribe,
        unsubscribe_by_key,
        welcome,
    ),
    records=(Account_type, Customer_type, Plan_type, Server_type, Subscription_type),
    enums=(Size_type,),
    at=at("59:6+9"),
    classes={
        "Size": Size,
        "Account": Account,
        "Customer": Customer,
        "Plan": Plan,
        "Server": Server,
        "Subscription": Subscription,
    },
    file=__file__,
)

if __name__ == "__main__":
    raise SystemExit(main(provision))
