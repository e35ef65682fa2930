"""Small plans and scripted services for the kernel's tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import structs

from sagalang.runtime.events import Fault
from sagalang.runtime.formula import Compare, Field, Formula, Literal, Name, Node, Type
from sagalang.runtime.kernel.commands import Answer, Call
from sagalang.runtime.plan import (
    Argument,
    Binding,
    Each,
    Effect,
    Expecting,
    First,
    Idempotence,
    If,
    Let,
    Next,
    Node as Statement,
    Parallel,
    Parameter,
    Plan,
    Repeat,
    Retry,
    Return,
    SagaCall,
    Scope,
    Sleep,
    Step,
    Tool,
    Undo,
    UndoSaga,
    Verdict,
    Verify,
    Wait,
    statements,
)
from sagalang.runtime.simulator import Reply

STR, JSON = Type("str"), Type("json")
MAYBE = Type("optional", of=JSON)


def text(value: Any) -> Formula:
    """A constant."""
    return Formula(Literal(value), STR, repr(value))


def ref(path: str) -> Formula:
    """A name, or a field of one: `pay.id`."""
    first, *fields = path.split(".")
    tree: Node = Name(first)
    for field in fields:
        tree = Field(tree, field)
    return Formula(tree, JSON, path)


def equal(left: Formula, right: Formula) -> Formula:
    """`left == right`."""
    tree = Compare("==", left.tree, right.tree)
    return Formula(tree, Type("bool"), f"{left.source} == {right.source}")


def read(name: str = "look") -> Tool:
    """A read that gives what the service holds of `id`, tried three times."""
    return Tool(
        name=name,
        parameters=(Parameter(name="id", type=STR),),
        result=MAYBE,
        call=Binding(target=f"world:{name}", args=()),
        retry=Retry(attempts=3, low=100, high=1_000),
        timeout=1_000,
        settle=1_000,
    )


def undo_tool(name: str, **parts: Any) -> Tool:
    """The undo of a tool: restoring, idempotent by key, three attempts."""
    given: dict[str, Any] = {
        "idempotent": Idempotence(by="key"),
        "retry": Retry(attempts=3, low=100, high=1_000),
        "effects": (Effect(kind="thing", effect_class="restoring"),),
        "timeout": 5_000,
        "settle": 5_000,
    }
    return Tool(
        name=name,
        parameters=(Parameter(name="id", type=STR),),
        result=JSON,
        call=Binding(target=f"world:{name}", args=()),
        **{**given, **parts},
    )


def tool(
    name: str, *, cls: str = "reversible", verify: bool | Verify | None = False, **parts: Any
) -> Tool:
    """A tool `name(id)` with one effect and, unless irreversible, the undo `un_NAME(id)`."""
    look = Verify(
        tool="look",
        args=(Argument(name="id", value=ref("id")),),
        consistent_after=parts.pop("consistent", 0),
    )
    given: dict[str, Any] = {
        "effects": (
            Effect(
                kind="thing",
                ids=(ref("id"),),
                effect_class=cls,  # type: ignore[arg-type]
                impact=parts.pop("impact", 1),
                corrective=parts.pop("corrective", None),
            ),
        ),
        "undos": ()
        if cls == "irreversible"
        else (Undo(tool=f"un_{name}", args=(Argument(name="id", value=ref("id")),)),),
        "verify": look if verify is True else verify or None,
        "retry": Retry(attempts=3, low=100, high=1_000),
        "timeout": 5_000,
        "settle": 5_000,
        "fails": ("Refused",),
    }
    return Tool(
        name=name,
        parameters=(Parameter(name="id", type=STR),),
        result=JSON,
        call=Binding(target=f"world:{name}", args=()),
        **{**given, **parts},
    )


def step(of: Tool, *, name: str = "", waits: Sequence[str] = (), **parts: Any) -> Step:
    """A step that calls a tool with its own name as `id`."""
    name = name or of.name
    given: dict[str, Any] = {
        "args": (Argument(name="id", value=text(name)),),
        "timeout": of.timeout,
        "settle": of.settle,
        "retry": of.retry,
        "verify": of.verify,
        "undos": of.undos,
        "type": of.result,
    }
    return Step(path=name, name=name, tool=of.name, waits=tuple(waits), **{**given, **parts})


def plan(body: Sequence[Statement], tools: Sequence[Tool], **parts: Any) -> Plan:
    """A saga without inputs; the undos and the read `look` are added."""
    known = {t.name: t for t in tools}
    known.setdefault("look", read())
    undos = [undo for t in known.values() for undo in t.undos]
    after = parts.get("on_rollback", ())
    for node in (*statements(tuple(body)), *statements(tuple(after))):
        undos += node.undos if isinstance(node, Step | SagaCall) else ()
    sagas = {saga.name for saga in parts.get("undo_sagas", ())}
    for undo in undos:
        if undo.tool not in sagas:
            known.setdefault(undo.tool, undo_tool(undo.tool))
    return Plan(
        format=1,
        edition=2026,
        saga="test",
        parameters=(),
        result=JSON,
        body=tuple(body),
        tools=tuple(known[name] for name in sorted(known)),
        **parts,
    )


def under(prefix: str, *body: Statement) -> tuple[Statement, ...]:
    """Statements as they stand in a body whose paths begin with `prefix`: all paths within."""
    return tuple(_under(prefix, node) for node in body)


def _under(prefix: str, node: Statement) -> Statement:
    waits = tuple(prefix + path for path in node.waits)
    moved = structs.replace(node, path=prefix + node.path, waits=waits)
    match moved:
        case If(then=then, otherwise=other):
            return structs.replace(
                moved, then=under(prefix, *then), otherwise=under(prefix, *other)
            )
        case Scope(body=body, otherwise=other):
            made = None if other is None else under(prefix, *other)
            return structs.replace(moved, body=under(prefix, *body), otherwise=made)
        case SagaCall(body=body, on_rollback=after):
            return structs.replace(
                moved, body=under(prefix, *body), on_rollback=under(prefix, *after)
            )
        case Parallel() | Each() | First() | Repeat():
            return structs.replace(moved, body=under(prefix, *moved.body))
        case Step(expecting=Expecting(since=since)):
            assert moved.expecting is not None
            return structs.replace(
                moved, expecting=structs.replace(moved.expecting, since=prefix + since)
            )
        case _:
            return moved


def scope(
    name: str, *body: Statement, otherwise: Sequence[Statement] | None = None, **parts: Any
) -> Scope:
    """`scope NAME { } else { }`: its fields are the names of both blocks."""
    known = [
        node.name
        for node in (*body, *(otherwise or ()))
        if isinstance(node, Step | Let | Each | First | Repeat | Scope | Wait | SagaCall)
    ]
    fields = tuple(Parameter(name=each, type=MAYBE) for each in dict.fromkeys(known))
    return Scope(
        path=name,
        name=name,
        type=Type("record", name=f"{name}.record"),
        fields=fields,
        body=under(f"{name}.", *body),
        otherwise=None if otherwise is None else under(f"{name}.else.", *otherwise),
        **parts,
    )


def each(name: str, items: Formula, *body: Statement, **parts: Any) -> Each:
    """`each NAME = x in ITEMS { }`; `at_once`, `undo_at_once`, `tolerate` and `by` as parts."""
    return Each(
        path=name,
        name=name,
        variable="x",
        items=items,
        item=JSON,
        type=JSON,
        body=under(f"{name}[*].", *body),
        **parts,
    )


def first(name: str, items: Formula, *body: Statement, **parts: Any) -> First:
    """`first NAME = x in ITEMS { }`."""
    return First(
        path=name,
        name=name,
        variable="x",
        items=items,
        item=JSON,
        type=JSON,
        body=under(f"{name}[*].", *body),
        **parts,
    )


def repeat(name: str, start: Formula, *body: Statement, limit: int = 10, **parts: Any) -> Repeat:
    """`repeat NAME = x from START at most LIMIT times { }`."""
    return Repeat(
        path=name,
        name=name,
        variable="x",
        start=start,
        limit=limit,
        item=JSON,
        type=JSON,
        body=under(f"{name}[*].", *body),
        **parts,
    )


def returns(value: Formula) -> Return:
    """`return VALUE`."""
    return Return(path="return#1", value=value)


def following(value: Formula) -> Next:
    """`next VALUE`."""
    return Next(path="next#1", value=value)


def called(
    name: str, *body: Statement, on_rollback: Sequence[Statement] = (), **parts: Any
) -> SagaCall:
    """`step NAME = child(...)`: another saga, its statements inside."""
    given: dict[str, Any] = {"args": (), "parameters": (), "result": MAYBE, "type": MAYBE}
    return SagaCall(
        path=name,
        name=name,
        saga="child",
        body=under(f"{name}.", *body),
        on_rollback=under(f"{name}.", *on_rollback),
        **{**given, **parts},
    )


def undo_saga(name: str, *body: Statement) -> UndoSaga:
    """`saga NAME(id: str) { }` as what an undo names: its steps have no undos."""
    given = tuple(_without_undos(node) for node in under(f"undo {name}.", *body))
    return UndoSaga(name=name, parameters=(Parameter(name="id", type=STR),), body=given)


def _without_undos(node: Statement) -> Statement:
    kept: Statement = node
    if isinstance(node, Step | SagaCall):
        kept = structs.replace(node, undos=())
    match kept:
        case If(then=then, otherwise=other):
            return structs.replace(
                kept,
                then=tuple(map(_without_undos, then)),
                otherwise=tuple(map(_without_undos, other)),
            )
        case Parallel(body=body) | Each(body=body) | Repeat(body=body) | SagaCall(body=body):
            return structs.replace(kept, body=tuple(map(_without_undos, body)))
        case _:
            return kept


def wait(name: str, **parts: Any) -> Wait:
    """`wait NAME: str`."""
    return Wait(path=name, name=name, type=parts.pop("type", STR), **parts)


def sleep(length: int) -> Sleep:
    """`sleep LENGTH` in milliseconds."""
    return Sleep(path="sleep#1", length=length)


def item(name: str, of: Tool, **parts: Any) -> Step:
    """A step in a loop that calls a tool with the item as its `id`."""
    return step(of, name=name, args=(Argument(name="id", value=ref("x")),), **parts)


def parallel(*body: Statement) -> Parallel:
    """A `parallel` of statements."""
    return Parallel(path="parallel#1", body=tuple(body))


def returned(value: Any = "ok", takes: int = 1) -> Reply:
    """An answer."""
    return Reply(Answer("returned", value), takes)


def raised(*classes: str, takes: int = 1) -> Reply:
    """An exception, by the names of its class and bases."""
    return Reply(Answer("raised", fault=Fault(classes[0], "as scripted"), classes=classes), takes)


Rule = Callable[[Call], Reply]


class World:
    """A scripted service: what is there, what was called, and a script per tool.

    `net` of an id is applied actions minus applied undos, the judge of what happened.
    """

    def __init__(self, *, honours_keys: bool = True) -> None:
        self.honours_keys = honours_keys
        self.net: dict[str, int] = defaultdict(int)
        self.calls: list[tuple[str, str]] = []
        self.keys: dict[str, Any] = {}
        self.scripts: dict[str, list[Reply | Rule]] = {}

    def script(self, name: str, *replies: Reply | Rule) -> None:
        """What the next calls of a tool get; after them it behaves well."""
        self.scripts[name] = list(replies)

    def __call__(self, call: Call) -> Reply:
        self.calls.append((call.tool, str(call.args.get("id", ""))))
        queue = self.scripts.get(call.tool)
        if queue:
            reply = queue.pop(0)
            return reply(call) if callable(reply) else reply
        return self.well(call)

    def well(self, call: Call, takes: int = 1) -> Reply:
        """Does what is asked and answers."""
        return returned(self.apply(call), takes)

    def apply(self, call: Call) -> Any:
        """Does what is asked; a known key gives the first result and changes nothing."""
        thing = str(call.args["id"])
        if call.tool == "look":
            return {"id": thing} if self.net[thing] > 0 else None
        if call.purpose == "do" and not call.key:
            return {"id": thing}
        if self.honours_keys and call.key in self.keys:
            return self.keys[call.key]
        self.net[thing] += -1 if call.purpose == "undo" else 1
        self.keys[call.key] = {"id": thing}
        return self.keys[call.key]

    def lose(self, call: Call) -> Reply:
        """Does what is asked; the answer is lost."""
        self.apply(call)
        return raised("ConnectionError")

    def undone(self) -> list[str]:
        """The ids in the order in which they were undone."""
        return [thing for name, thing in self.calls if name.startswith("un_")]


__all__ = [
    "Verdict",
    "World",
    "called",
    "each",
    "equal",
    "first",
    "following",
    "item",
    "parallel",
    "plan",
    "raised",
    "read",
    "ref",
    "repeat",
    "returned",
    "returns",
    "scope",
    "sleep",
    "step",
    "text",
    "tool",
    "under",
    "undo_saga",
    "undo_tool",
    "wait",
]
