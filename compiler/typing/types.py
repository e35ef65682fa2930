"""Types compared, joined and coerced: the algebra that `inference` stands on.

Three types exist only while typing: `UNKNOWN` (after a mistake: it fits everywhere, so that one
mistake is told once), `NEVER` (the item of `[]`) and `DECISION` (what a gate gives). `settled`
turns them into what a plan may hold.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...runtime.formula import (
    Apply,
    Choice,
    Compare,
    Comprehension,
    Literal,
    Name,
    Node,
    Type,
    TypeKind,
)

STR, INT = Type("str"), Type("int")
DECIMAL, BOOL = Type("decimal"), Type("bool")
DURATION = Type("duration")
JSON, NONE = Type("json"), Type("none")
UNKNOWN = Type("json", name="?")
NEVER = Type("none", name="never")
DECISION = Type("json", name="decision")

BUILT_IN: tuple[TypeKind, ...] = (
    "str", "int", "float", "decimal", "bool", "bytes", "date", "datetime", "duration", "json",
)  # fmt: skip
KEYS = frozenset(("str", "int", "bool", "enum", "date", "datetime", "duration"))
"""Types whose equal values are shown alike, so that they can tell items apart."""
NUMBERS = frozenset(("int", "float", "decimal"))
ORDERED = NUMBERS | {"str", "date", "datetime", "duration"}


def list_of(item: Type) -> Type:
    """Gives `list[item]`."""
    return Type("list", of=item)


def map_of(item: Type) -> Type:
    """Gives `map[item]`."""
    return Type("map", of=item)


def optional(inner: Type) -> Type:
    """Gives `inner?`; what may be none already stays as it is."""
    if inner == NEVER:
        return NONE
    if inner.kind in ("optional", "none") or inner in (JSON, UNKNOWN):
        return inner
    return Type("optional", of=inner)


def present(given: Type) -> Type:
    """Gives a type without its `?`."""
    return inside(given) if given.kind == "optional" else given


def inside(given: Type) -> Type:
    """Gives the item of a list, map, optional or secret."""
    return UNKNOWN if given.of is None else given.of


def scope_of(name: str, fields: Mapping[str, Type]) -> Type:
    """Gives the type of what a scope is outside; it says itself whether it holds a secret."""
    held = next((given for given in fields.values() if holds_secret(given)), None)
    return Type("record", of=held, name=name)


def settled(given: Type) -> Type:
    """Gives the type as a plan may hold it."""
    if given in (UNKNOWN, NEVER, DECISION):
        return JSON
    if given.kind == "record":
        return Type("record", name=given.name)
    return given if given.of is None else Type(given.kind, settled(given.of), given.name)


def shown(given: Type) -> str:
    """Gives a type as messages write it."""
    if given.kind == "record" and given.name.startswith("scope "):
        return f"the scope `{given.name.partition('.')[2]}`"
    return "a gate's decision" if given == DECISION else f"`{settled(given)}`"


def holds_secret(given: Type) -> bool:
    """True for a secret and for what is declared to hold one."""
    return given.kind == "secret" or (given.of is not None and holds_secret(given.of))


def fits(given: Type, wanted: Type) -> bool:
    """True when every value of `given` is a value of `wanted` as it stands.

    Values never change, so lists and maps may hold narrower items than wanted.
    """
    if given in (wanted, NEVER) or UNKNOWN in (given, wanted):
        return True
    if given == JSON:
        # `json` is unchecked: what it holds is checked where it is stored or passed on.
        return not holds_secret(wanted)
    if wanted.kind == "json":
        return not holds_secret(given)
    if wanted.kind == "optional":
        return given.kind == "none" or fits(present(given), inside(wanted))
    if given.kind == wanted.kind and given.kind in ("list", "map"):
        return fits(inside(given), inside(wanted))
    return False


def coerced(tree: Node, given: Type, wanted: Type) -> Node | None:
    """Gives the tree whose value is one of `wanted`, or None when there is none.

    An int becomes a decimal or a float where one is wanted, also in lists and optionals; nothing
    else is converted by itself.
    """
    if fits(given, wanted):
        return tree
    if given.kind == "int" and wanted.kind == "decimal":
        if isinstance(tree, Literal):
            return Literal({"$decimal": str(tree.value)})
        return Apply("decimal", (tree,))
    if given.kind == "int" and wanted.kind == "float":
        return Apply("float", (tree,))
    if wanted.kind == "optional":
        if given.kind != "optional":
            return coerced(tree, given, inside(wanted))
        some = coerced(tree, inside(given), inside(wanted))
        if some is None:
            return None
        return Choice(Compare("==", tree, Literal(None)), Literal(None), some)
    if given.kind == wanted.kind == "list":
        # No name of a program begins with a dollar sign.
        item = coerced(Name("$item"), inside(given), inside(wanted))
        return None if item is None else Comprehension(item, "$item", tree, None)
    return None


def joined(one: Type, other: Type) -> Type | None:
    """Gives the narrowest type that values of both have, or None when they have none in common.

    It does not ask what fits: where something is not known before the run it stays not known, and
    is not taken for the other side's type.
    """
    if one == other or other in (UNKNOWN, NEVER):
        return one
    if one in (UNKNOWN, NEVER):
        return other
    if NONE in (one, other):
        return optional(other if one == NONE else one)
    if JSON in (one, other):
        return None if holds_secret(one) or holds_secret(other) else JSON
    if "optional" in (one.kind, other.kind):
        both = joined(present(one), present(other))
        return None if both is None else optional(both)
    if {one.kind, other.kind} in ({"int", "decimal"}, {"int", "float"}):
        return other if one.kind == "int" else one
    if one.kind == other.kind and one.kind in ("list", "map"):
        both = joined(inside(one), inside(other))
        return None if both is None else Type(one.kind, of=both)
    return None


def comparable(one: Type, other: Type) -> bool:
    """True when `==` between values of the two can ever say something."""
    if holds_secret(one) or holds_secret(other):
        return False
    if UNKNOWN in (one, other) or "json" in (one.kind, other.kind):
        return True
    return joined(one, other) is not None
