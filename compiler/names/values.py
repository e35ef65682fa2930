"""Values of a saga where they are read: which there are, and when each exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...dsl.diagnostics import Diagnostic, replacement
from ...dsl.nodes import Checkpoint, Name, Record
from ...dsl.parser import Parsed
from ..codes import declare
from .catalogue import Catalogue, spelled, unreadable
from .declared import N201, N207, again
from .outline import Outline, Relation, Site
from .references import Use, free
from .toolnames import enum_member, unknown

G405 = declare("G405", "error", "used before it can exist")

_NONES = frozenset(("null", "nil", "undefined", "NULL", "Null", "nothing"))
WORDS = frozenset(("key", "result", "it", "args"))
WHEN: Mapping[Relation, str] = {
    "later": "it comes later",
    "other branch": "it is in the other branch, so that never both run",
    "same": "it is this statement's own value",
    "inside": "it is inside this statement",
    "around": "it is what this stands in, and has a value when all of it is over",
}


def read(
    catalogue: Catalogue,
    module: Parsed,
    outline: Outline,
    site: Site,
    use: Use,
    inputs: Mapping[str, Name],
    known: Mapping[str, Name],
) -> Iterator[Diagnostic]:
    """Yields what is wrong with the names that an expression reads; `known` are all around it."""
    for name, field in free(use.expr):
        word = name.text
        if word in use.words:
            # A loop variable that hides something is told where it stands.
            if word in known and use.clause != "by":
                message = f"{spelled(name)} could be the call's own or the saga's value."
                yield again(name, known[word], message)
        elif word in known:
            variable = outline.variable(site, word)
            if word not in inputs and variable is None and outline.sites_of(site, word):
                yield from value(outline, site, name)
        elif word in unreadable(module) or enum_member(catalogue, module, name, field):
            continue
        else:
            yield _not_a_value(catalogue, module, outline, site, name, known)


def value(outline: Outline, site: Site, name: Name) -> Iterator[Diagnostic]:
    """Yields what is wrong with reading the value of a statement, which is there."""
    sites = outline.sites_of(site, name.text)
    first = sites[0]
    assert first.name is not None
    if isinstance(first.statement, Checkpoint):
        yield N207(
            f"{spelled(name)} is a checkpoint: it has no value.",
            name.span,
            also=[(first.name.span, "here")],
        )
    elif not outline.usable(site, name.text):
        relation = outline.relation(site, first)
        yield G405(
            f"{spelled(name)} does not exist here yet: {WHEN[relation]}.",
            name.span,
            "used here",
            also=[(first.name.span, "made here")],
            helps=["Read it after the whole block."]
            if relation == "around"
            else ["Move the statement that makes it before this one."],
        )


def _not_a_value(
    catalogue: Catalogue,
    module: Parsed,
    outline: Outline,
    site: Site,
    name: Name,
    known: Mapping[str, Name],
) -> Diagnostic:
    inside = [s for s in outline.sites if s.name is not None and s.name.text == name.text]
    if inside:
        return _inside(outline, site, name, inside[0])
    found = catalogue.find(module.source.name, name.text)
    if found is not None:
        return N207(
            f"{spelled(name)} is {found.kind}, not a value.",
            name.span,
            also=[(found.node.name.span, "declared here")],
            helps=[
                f"Write `{name.text}.MEMBER`."
                if found.noun == "enum"
                else "Use the name of a step that calls it."
                if found.noun in ("tool", "saga", "agent")
                else f"Write `{name.text}(field: value)`."
            ],
        )
    if name.text in WORDS:
        meant = "`it` in `until`, verdicts; `key result args` in a step's block"
        return N207(f"{spelled(name)} means nothing here.", name.span, helps=[f"Known: {meant}."])
    other = _meant(catalogue, name, known)
    if other is not None:
        return other
    return unknown(name, f"There is no value {spelled(name)} in this saga.", known,
                   "Values are the saga's inputs and its named statements.")  # fmt: skip


def _meant(catalogue: Catalogue, name: Name, known: Mapping[str, Name]) -> Diagnostic | None:
    """Tells `null`, and `order_total` where `order` is known and a record has a field `total`."""
    if name.text in _NONES:
        return N201(
            f"`{name.text}` is written `none`.",
            name.span,
            "write `none`",
            fix=replacement("safe", name.span, "none"),
        )
    fields = {
        field.name.text
        for declared in catalogue.order
        if isinstance(declared.node, Record)
        for field in declared.node.fields
    }
    for word in known:
        field = name.text.removeprefix(f"{word}_")
        if field != name.text and field in fields:
            right = f"{word}.{field}"
            return N201(
                f"There is no value {spelled(name)} in this saga.",
                name.span,
                "not known",
                helps=[f"Did you mean `{right}`?"],
                fix=replacement("ask", name.span, right),
            )
    return None


def _inside(outline: Outline, site: Site, name: Name, found: Site) -> Diagnostic:
    """Tells a name that only the inside of another block knows, and how to reach its value."""
    around = {body.number for body in outline.around(outline.body(site))}
    whole = next((s for s in outline.owners(found) if s.body in around and s.name), None)
    body = outline.body(found)
    reach = ""
    if whole is not None and whole.name is not None and body.owner is whole:
        reach = f"{whole.name.text}.{name.text}" if body.kind in ("scope", "else") else ""
    if reach:
        helps = [f"Outside, it is `{reach}`."]
    elif whole is not None and whole.name is not None:
        helps = [f"Let `{whole.name.text}` give it, and read `{whole.name.text}`."]
    else:
        helps = ["Make it where both can read it."]
    return N201(
        f"There is no value {spelled(name)} here: nothing outside the block that makes it "
        "knows it by this name.",
        name.span,
        "not known here",
        also=[(found.name.span, "made here")] if found.name else (),
        helps=helps,
        fix=replacement("ask", name.span, reach) if reach else None,
    )
