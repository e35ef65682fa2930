"""What declarations take and give: types of parameters, fields and results, defaults, arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic, replacement
from ...dsl.nodes import (
    Agent,
    Argument,
    Call,
    Expr,
    Name,
    Parameter as ParameterNode,
    Record,
    RecordField,
    Saga,
    Tool,
)
from ...dsl.span import Span
from ...runtime import formula as f, plan
from ...runtime.formula import Formula, Type
from ..codes import declare
from ..names.catalogue import Catalogue, Declared, near, spelled
from ..names.cycles import G401
from ..names.resolve import Resolved
from ..places import Places
from .environment import Environment
from .inference import T303, Inference
from .mismatch import Role
from .operations import Typed
from .secrecy import stored
from .swapped import swapped, wrong
from .types import NONE, UNKNOWN, holds_secret, settled, shown

T302 = declare("T302", "error", "argument missing")


class Input(Struct, frozen=True):
    """A parameter or a field: its name, type, and the expression of its default."""

    node: ParameterNode | RecordField
    type: Type

    @property
    def name(self) -> Name:
        """Its name as declared."""
        return self.node.name


class Interfaces:
    """The interfaces of all declarations, each worked out once and when first asked for."""

    def __init__(self, resolved: Resolved, places: Places) -> None:
        self.catalogue: Catalogue = resolved.catalogue
        self.places = places
        self._inferences = {
            name: Inference(self, name, module.source.text)
            for name, module in resolved.loaded.modules.items()
        }
        self._inputs: dict[str, tuple[Input, ...]] = {}
        self._defaults: dict[int, Formula | None] = {}
        self.scopes: dict[str, Mapping[str, Type]] = {}
        """The fields of the records that scopes are outside, by the names of their types."""
        self._open: list[RecordField | ParameterNode] = []

    def inference(self, module: str) -> Inference:
        """Gives the inference of a module."""
        return self._inferences[module]

    def inferences(self) -> Sequence[Inference]:
        """Gives those of all modules."""
        return tuple(self._inferences.values())

    def inputs(self, declared: Declared) -> tuple[Input, ...]:
        """Gives the parameters of a tool or saga, or the fields of a record."""
        found = self._inputs.get(declared.plan_name)
        if found is None:
            found = tuple(
                Input(node, self.catalogue.type(declared.module, node.type))
                for node in _nodes(declared)
            )
            self._inputs[declared.plan_name] = found
        return found

    def fields(self, declared: Declared) -> Mapping[str, Type]:
        """Gives the fields of a record, or the parameters of a tool, with their types."""
        return {each.name.text: each.type for each in self.inputs(declared)}

    def result(self, declared: Declared) -> Type:
        """Gives what a tool or saga gives."""
        node = declared.node
        if isinstance(node, Tool | Agent | Saga):
            return (
                NONE if node.result is None else self.catalogue.type(declared.module, node.result)
            )
        return UNKNOWN

    def default(self, declared: Declared, one: Input) -> Formula | None:
        """Gives the default of a parameter or field, typed in the file that declares it."""
        node = one.node
        if node.default is None:
            return None
        inference = self.inference(declared.module)
        if node in self._open:
            ring = [*self._open[self._open.index(node) :]]
            inference.report(
                G401(
                    f"The default of {spelled(node.name)} needs itself: it could never be made.",
                    node.name.span,
                    also=[(each.name.span, "needed by it") for each in ring[1:]],
                    helps=["Take the default out, or make the field optional."],
                )
            )
            return None
        if id(node) not in self._defaults:
            self._open.append(node)
            role = Role(f"The default of {spelled(node.name)}", node.type.span)
            made = inference.typed(node.default, Environment(), one.type, role)
            self._open.pop()
            self._defaults[id(node)] = self.formula(made)
        return self._defaults[id(node)]

    def formula(self, made: Typed) -> Formula:
        """Makes what a plan carries of a typed expression."""
        at = self.places.place(made.node.span)
        return Formula(made.tree, settled(made.type), made.text, at)

    def parameters(self, declared: Declared) -> tuple[plan.Parameter, ...]:
        """Gives parameters or fields as a plan has them."""
        return tuple(
            plan.Parameter(
                name=one.name.text,
                type=settled(one.type),
                default=self.default(declared, one),
                doc=_doc(one.node),
                at=self.places.place(one.node.span),
            )
            for one in self.inputs(declared)
        )

    def call(
        self, inference: Inference, declared: Declared, call: Call, env: Environment
    ) -> tuple[plan.Argument, ...]:
        """Types the arguments of a call of a tool, in the order of its parameters."""
        given = self._matched(inference, declared, call.arguments, env, call.callee.span)
        made: list[plan.Argument] = []
        for one in self.inputs(declared):
            value = given.get(one.name.text)
            formula = self.default(declared, one) if value is None else self.formula(value)
            if formula is not None:
                made.append(plan.Argument(name=one.name.text, value=formula, at=formula.at))
        return tuple(made)

    def record(
        self,
        inference: Inference,
        declared: Declared,
        node: Expr,
        env: Environment,
        arguments: Sequence[Argument],
    ) -> tuple[tuple[str, f.Node], ...]:
        """Types the fields given to a record and fills in its defaults, in the order declared."""
        at = node.callee.span if isinstance(node, Call) else node.span
        given = self._matched(inference, declared, arguments, env, at)
        made: list[tuple[str, f.Node]] = []
        for one in self.inputs(declared):
            value = given.get(one.name.text)
            if value is not None:
                if holds_secret(value.type):
                    inference.report(stored("a record", value.node.span, value.type))
                made.append((one.name.text, value.tree))
                continue
            formula = self.default(declared, one)
            if formula is not None:
                made.append((one.name.text, formula.tree))
        return tuple(made)

    def _matched(
        self,
        inference: Inference,
        declared: Declared,
        arguments: Sequence[Argument],
        env: Environment,
        at: Span,
    ) -> dict[str, Typed]:
        in_order = self.inputs(declared)
        inputs = {one.name.text: one for one in in_order}
        what = "field" if isinstance(declared.node, Record) else "parameter"
        word = f"`{declared.node.name.text}`"
        nodes: dict[int, Argument] = {}
        given: dict[str, Typed] = {}
        told = len(inference.diagnostics)
        for place, argument in enumerate(arguments):
            one = self._meant(inference, declared, argument, place, inputs, what)
            if one is None:
                inference.typed(argument.value, env)
                continue
            earlier = nodes.setdefault(id(one.node), argument)
            if earlier is not argument:
                inference.report(
                    T303(
                        f"The {what} {spelled(one.name)} of {word} is given twice.",
                        argument.span,
                        "the second time",
                        also=[(earlier.span, "first here")],
                    )
                )
                continue
            role = Role(f"The {what} {spelled(one.name)} of {word}", one.node.span)
            given[one.name.text] = inference.typed(argument.value, env, one.type, role)
        self._swapped(inference, word, arguments, env, in_order, told)
        missing = [n for n in in_order if n.name.text not in given and n.node.default is None]
        if missing:
            inference.report(_missing(word, missing, arguments, at))
        return given

    def _swapped(
        self,
        inference: Inference,
        word: str,
        arguments: Sequence[Argument],
        env: Environment,
        in_order: Sequence[Input],
        told: int,
    ) -> None:
        """Tells two arguments in each other's place as one mistake; `told` is what was before."""
        places = wrong(inference.diagnostics[told:], arguments)
        if places is None:
            return
        first, second = (arguments[i].value for i in places)
        wanted, also_wanted = (in_order[i] for i in places)
        before = len(inference.diagnostics)
        one = inference.typed(first, env, also_wanted.type)
        other = inference.typed(second, env, wanted.type)
        fits = len(inference.diagnostics) == before
        del inference.diagnostics[before:]
        if fits:
            gone = {first.span, second.span}
            inference.diagnostics[told:] = [
                each for each in inference.diagnostics[told:] if each.primary.span not in gone
            ]
            inference.report(
                swapped(
                    word,
                    (first, wanted.type, wanted.node.span),
                    (second, also_wanted.type, also_wanted.node.span),
                    (one.text, other.text),
                )
            )

    def _meant(
        self,
        inference: Inference,
        declared: Declared,
        argument: Argument,
        place: int,
        inputs: Mapping[str, Input],
        what: str,
    ) -> Input | None:
        word = f"`{declared.node.name.text}`"
        also = [(declared.node.name.span, "declared here")]
        if argument.name is None:
            in_order = self.inputs(declared)
            if place < len(in_order):
                return in_order[place]
            count = (
                f"{len(inputs)} {what}{'' if len(inputs) == 1 else 's'}"
                if inputs
                else f"no {what}s"
            )
            message = f"{word} has {count}: this is one argument too many."
            inference.report(T303(message, argument.span, also=also))
            return None
        found = inputs.get(argument.name.text)
        if found is None:
            guess = near(argument.name.text, inputs)
            listed = ", ".join(f"`{name}`" for name in inputs) or "none"
            inference.report(
                T303(
                    f"{word} has no {what} {spelled(argument.name)}.",
                    argument.name.span,
                    "not known",
                    also=also,
                    helps=[f"Did you mean `{guess}`?" if guess else f"It has {listed}."],
                    fix=replacement("ask", argument.name.span, guess) if guess else None,
                )
            )
        return found


def _missing(
    word: str, missing: Sequence[Input], arguments: Sequence[Argument], at: Span
) -> Diagnostic:
    """Makes T302 for what a call does not give; `at` is the name of what it calls."""
    listed = ", ".join(f"{spelled(each.name)} ({shown(each.type)})" for each in missing)
    added = ", ".join(f"{each.name.text}: ..." for each in missing)
    fix = None
    if arguments:
        end = arguments[-1].span.end
        fix = replacement("show", Span(at.source, end, end), f", {added}")
    return T302(
        f"{word} needs {listed}: not given here.",
        at,
        "not complete",
        also=[(each.name.span, "declared here") for each in missing],
        helps=[f"Add `{added}`."] if fix is None else (),
        fix=fix,
    )


def _nodes(declared: Declared) -> Sequence[ParameterNode | RecordField]:
    match declared.node:
        case Record(fields=fields):
            return fields
        case Tool(parameters=parameters) | Saga(parameters=parameters):
            return parameters
        case Agent(parameters=parameters):
            return parameters
        case _:
            return ()


def _doc(node: ParameterNode | RecordField) -> str:
    return node.doc.text if isinstance(node, RecordField) and node.doc is not None else ""
