"""Laws of parser and formatter, tried on random programs derived from the grammar itself."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, cast

import lark
from hypothesis import given, strategies as st

from sagalang.dsl import nodes as n
from sagalang.dsl.diagnostics import has_errors
from sagalang.dsl.driver import Unfit, drive
from sagalang.dsl.formatter import format_module
from sagalang.dsl.growth import Growing
from sagalang.dsl.layout import WIDTH
from sagalang.dsl.lexer import Token
from sagalang.dsl.names import is_name, reserved_words
from sagalang.dsl.parser import parse
from sagalang.dsl.source import Source
from sagalang.dsl.span import Span
from sagalang.dsl.syntax import build

SEEDS = st.integers(0, 2**32)
SAMPLES = {
    "NAME": ["a", "order", "step", "key", "undo", "class", "_x1", "until", "with"],
    "INT": ["0", "12", "1_000"],
    "DECIMAL": ["0.5", "10_000.00"],
    "DURATION": ["200ms", "10s", "5m", "24h", "3d"],
    "TEXT": ['""', '"text"', r'"\"\\\n\t\u{1F600}"', '"a {b.c} {{ }} {1 + f(x)}"', '"é \u3000"'],
    "DOC": ['"""One."""', '"""\n  Two\n    lines\n\n  """', '""" "quoted" """', '"""a\n\n- b"""'],
}
DEEP = 7
DAMAGE = [*"{}()[]\"'#;=:.\\\n\0é", '"""', "if", "1e5", 'f"', "//"]


@cache
def parser() -> lark.Lark:
    return build()


@cache
def rules() -> dict[str, list[tuple[Any, ...]]]:
    found: dict[str, list[tuple[Any, ...]]] = {}
    for rule in cast(Any, parser()).rules:
        found.setdefault(str(rule.origin.name), []).append(tuple(rule.expansion))
    return found


@cache
def shortest() -> dict[str, int]:
    """The least depth of any derivation from each rule."""
    depths = dict.fromkeys(rules(), 10_000)
    while True:
        before = dict(depths)
        for name, expansions in rules().items():
            depths[name] = min(
                1 + max((depths[str(s.name)] for s in parts if not s.is_term), default=0)
                for parts in expansions
            )
        if depths == before:
            return depths


@cache
def spellings() -> dict[str, list[str]]:
    words = {t.name: [t.pattern.value] for t in cast(Any, parser()).terminals}
    reserved = {name: [name[1:].lower()] for name in words if name.startswith("_")}
    return words | reserved | SAMPLES


def derive(rng: random.Random, rule: str, depth: int = 0) -> Iterator[str]:
    choices = rules()[rule]
    if depth > DEEP:
        least = min(cost(parts) for parts in choices)
        choices = [parts for parts in choices if cost(parts) == least]
    for symbol in rng.choice(choices):
        name = str(symbol.name)
        if symbol.is_term:
            yield rng.choice(spellings()[name])
        else:
            yield from derive(rng, name, depth + (not name.startswith("_")))


def cost(parts: tuple[Any, ...]) -> int:
    return max((shortest()[str(s.name)] for s in parts if not s.is_term), default=0)


def program(rng: random.Random, *, comments: bool = False) -> str:
    """A text of one to three declarations, each word on its own, comments anywhere between."""
    out: list[str] = []
    for _ in range(rng.randint(1, 3)):
        words = derive(rng, "declaration")
        edition = False
        for i, word in enumerate(words):
            edition = edition or (i == 0 and word == "edition")
            out.append(word)
            out.append(rng.choice([" ", " ", " ", "\n", "\n\n"]))
            if comments and rng.random() < 0.1:
                out.append(f"# {len(out)} {rng.choice(['', 'a } b', chr(0x1F600)])}\n")
        out.append("\n")
    return "".join(out)


def read(text: str) -> Any:
    parsed = parse(Source("t", text))
    misplaced = [d for d in parsed.diagnostics if "`edition` stands once" not in d.message]
    assert misplaced == [], text
    return parsed


def meaning(value: object) -> object:
    if isinstance(value, n.Span):
        return None
    if isinstance(value, n.Node):
        fields = value.__struct_fields__
        return type(value).__name__, *(meaning(getattr(value, name)) for name in fields)
    if isinstance(value, tuple):
        return tuple(meaning(item) for item in cast("tuple[object, ...]", value))
    return value


def spellings_of_comments(parsed: Any) -> list[str]:
    return sorted(comment.text.rstrip() for comment in parsed.comments)


@given(SEEDS)
def test_what_the_grammar_derives_is_parsed(seed: int) -> None:
    read(program(random.Random(seed)))


@given(SEEDS)
def test_the_canonical_layout_keeps_meaning_and_comments_and_stays_as_it_is(seed: int) -> None:
    parsed = read(program(random.Random(seed), comments=True))
    if has_errors(parsed.diagnostics):
        return
    laid_out = format_module(parsed)
    again = read(laid_out)
    assert meaning(again.module.declarations) == meaning(parsed.module.declarations)
    assert spellings_of_comments(again) == spellings_of_comments(parsed)
    assert format_module(again) == laid_out


@given(SEEDS)
def test_the_canonical_layout_has_no_trailing_blanks_tabs_or_double_empty_lines(seed: int) -> None:
    parsed = read(program(random.Random(seed), comments=True))
    if has_errors(parsed.diagnostics):
        return
    lines = format_module(parsed).split("\n")
    assert lines[-1] == ""
    assert all(line == line.rstrip(" ") for line in lines)
    assert all(a or b for a, b in pairwise(lines))


class Leaves(Growing):
    """Keeps tokens as what lark calls them."""

    def leaf(self, token: Token) -> Any:
        return token.type, str(token)


def shape(value: object) -> object:
    """A tree of lark's in the form that `ours` gives."""
    if isinstance(value, lark.Tree):
        tree = cast(Any, value)
        return str(tree.data), [shape(child) for child in tree.children]
    return (value.type, str(value)) if isinstance(value, lark.Token) else value


def larks(text: str) -> object:
    """What lark's own parser makes of a text, or where it stops."""
    try:
        return shape(cast(Any, parser()).parse(text, "declaration"))
    except lark.UnexpectedToken as error:
        found: Any = cast(Any, error)
        token, accepts = found.token, found.accepts
        # What the driver takes for a name where no word of the language fits.
        taken = token.type != "NAME" and "NAME" in accepts
        if taken and is_name(token) and token not in reserved_words():
            return "a name"
        return len(text) if token.type == "$END" else token.start_pos
    except lark.UnexpectedCharacters as error:
        return error.pos_in_stream


def ours(text: str) -> object:
    def make(rule: str, span: Span, children: list[Any]) -> object:
        return rule, children

    try:
        return drive(text, "declaration", Leaves(Source("t", text), 0), make)
    except Unfit as unfit:
        return unfit.at


@given(SEEDS, st.data())
def test_the_table_and_the_lexer_read_what_lark_reads_and_stop_where_it_stops(
    seed: int, data: st.DataObject
) -> None:
    text = " ".join(derive(random.Random(seed), "declaration"))
    whole = larks(text)
    assert whole == "a name" or ours(text) == whole
    at = data.draw(st.integers(0, len(text)))
    damage = data.draw(st.sampled_from([*DAMAGE, *"=<>-/!", " "]))
    damaged = text[:at] + damage + text[at + data.draw(st.integers(0, 3)) :]
    stopped = larks(damaged)
    assert stopped == "a name" or ours(damaged) == stopped


@given(SEEDS, st.data())
def test_damage_is_reported_and_never_raises(seed: int, data: st.DataObject) -> None:
    text = program(random.Random(seed), comments=True)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        new = data.draw(st.sampled_from(DAMAGE))
        text = text[:at] + new + text[at + data.draw(st.integers(0, 5)) :]
    source = Source("t", text)
    parsed = parse(source)
    for found in parsed.diagnostics:
        assert found.code[0] in "SN"
        assert all(0 <= x.start <= x.end <= len(source.text) for x in found.labels)
    if parsed.ok:
        assert parse(Source("t", format_module(parsed))).ok


@given(SEEDS)
def test_short_words_are_never_set_wider_than_the_page(seed: int) -> None:
    rng = random.Random(seed)
    names = [f"name_{i}" for i in range(rng.randint(1, 40))]
    fields = " ".join(f"{name}: str" for name in names)
    text = f"record R {{ {fields} }} saga s() {{ step a = f({', '.join(names)}) when a + b == c }}"
    assert all(len(line) <= WIDTH for line in format_module(read(text)).split("\n"))
