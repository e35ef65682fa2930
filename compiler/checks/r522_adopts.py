"""R522: a verify asks for this effect, and not for one like it."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ...runtime.formula import Field, Name, Node, children, names
from ...runtime.plan import Step, Tool, Verify
from ..codes import declare
from ..proving.view import View
from ..proving.words import named

CODE = declare("R522", "warning", "verify that may find another effect")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds verifies that take neither the key nor all that identifies what the action changes.

    Cost: O(steps).
    """
    told: set[str] = set()
    for _, step, tool in view.steps:
        verify = step.verify
        if verify is None or tool.is_read:
            continue
        if "verify" not in step.replaces:
            if tool.name in told:
                continue
            told.add(tool.name)
        missing = _missing(step, tool, verify)
        if missing:
            yield CODE(
                f"The answer of `{step.path}` is lost and `{verify.tool}` finds another one like "
                f"it: it is not asked by {named(missing)}, so the run takes that for its own.",
                view.span(verify.at),
                "takes neither `key` nor all that identifies the effect",
                also=[
                    (view.span(formula.at), "what identifies it")
                    for effect in tool.effects
                    for formula in effect.ids
                ],
                helps=[f"Pass {named(missing)} to `{verify.tool}`, or `key`."],
            )


def _missing(step: Step, tool: Tool, verify: Verify) -> list[str]:
    trees = [argument.value.tree for argument in verify.args]
    read = frozenset[str]().union(*map(names, trees))
    if "key" in read:
        return []
    wanted = frozenset[str]().union(
        *(names(formula.tree) for effect in tool.effects for formula in effect.ids)
    )
    if "verify" not in step.replaces:
        return sorted(wanted - read)
    # In a step's own verify the saga's names stand for the arguments that they were given as.
    asked = [part for tree in trees for part in _parts(tree)]
    given = {argument.name: argument.value.tree for argument in step.args}
    return sorted(name for name in wanted if not _asked(name, given.get(name), asked))


def _asked(name: str, given: Node | None, asked: list[Node]) -> bool:
    if Field(Name("args"), name) in asked:
        return True
    return given is not None and (not names(given) or given in asked)


def _parts(tree: Node) -> Iterator[Node]:
    yield tree
    for child in children(tree):
        yield from _parts(child)
