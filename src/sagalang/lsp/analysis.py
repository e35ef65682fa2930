"""What is known of a document: its program, and the last one in which it had no syntax errors."""

from __future__ import annotations

from dataclasses import dataclass

from ..compiler.names.catalogue import Declared
from ..dsl.diagnostics import Diagnostic
from .index import Occurrence, Symbol
from .positions import Text
from .program import Program


@dataclass(frozen=True, slots=True, eq=False)
class Good:
    """A program with the text that it was made of, in which nothing was half-written."""

    text: Text
    program: Program


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """A document's text, the program that it is now, and the last good one, if there was any."""

    text: Text
    program: Program
    good: Good | None

    @property
    def whole(self) -> bool:
        """Whether the text itself is well formed."""
        return self.program.modules[self.text.name].ok

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that the compiler has to say."""
        compilation = self.program.compilation
        return compilation.diagnostics if compilation is not None else ()

    def named(self, word: str) -> Declared | None:
        """Gives a declaration by its name, of the last good text where it cannot be read now."""
        name = self.text.name
        found = self.program.catalogue.find(name, word)
        if found is None and self.good is not None:
            found = self.good.program.catalogue.find(name, word)
        return found

    def known(self) -> dict[str, Declared]:
        """Gives every declaration that the document knows by its name."""
        name = self.text.name
        found: dict[str, Declared] = {}
        if self.good is not None:
            found.update(self.good.program.catalogue.names.get(name, {}))
        found.update(self.program.catalogue.names.get(name, {}))
        return found

    def at(self, offset: int) -> tuple[Program, Symbol, Occurrence] | None:
        """Gives what stands at an offset.

        Where its declaration is half-written, the last good text tells; the place of the occurrence
        is then as it was there.
        """
        for program, place in self.places(offset):
            found = program.index.at(self.text.name, place)
            symbol = program.index.symbols.get(found.symbol) if found is not None else None
            if found is None or symbol is None:
                continue
            if program is self.program or self._same(found, offset - place):
                return program, symbol, found
        return None

    def places(self, offset: int) -> list[tuple[Program, int]]:
        """Gives the programs to ask, and where the offset is in the text of each."""
        found = [(self.program, offset)]
        if self.good is not None and self.good.program is not self.program:
            found.append((self.good.program, moved(self.text, self.good.text, offset)))
        return found

    def _same(self, found: Occurrence, by: int) -> bool:
        assert self.good is not None
        start, end = found.span.start + by, found.span.end + by
        return self.text.source.text[start:end] == self.good.text.source.cut(found.span)


def analysed(text: Text, program: Program, before: Analysis | None) -> Analysis:
    """Makes the analysis of a text; `before` is that of the text until now."""
    if program.modules[text.name].ok:
        return Analysis(text, program, Good(text, program))
    return Analysis(text, program, before.good if before is not None else None)


def moved(text: Text, other: Text, offset: int) -> int:
    """Gives where an offset is in an earlier text: what is alike in front and behind stays."""
    now, then = text.source.text, other.source.text
    shorter = min(len(now), len(then))
    front = next((i for i in range(shorter) if now[i] != then[i]), shorter)
    if offset <= front:
        return offset
    back = next((i for i in range(shorter - front) if now[-1 - i] != then[-1 - i]), shorter - front)
    return offset + len(then) - len(now) if offset >= len(now) - back else front
