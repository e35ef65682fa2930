"""Secrets: found by reference when a call needs them, and masked in everything that is written."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any
from urllib.parse import quote, quote_plus

from .scalars import kind_of

SHORTEST = 4
"""Shorter secrets are not masked: they stand by chance in ordinary values, which would be lost."""


class Unresolved(Exception):
    """A secret cannot be found where its reference says."""

    def __init__(self, reference: str, reason: str) -> None:
        super().__init__(f"the secret {reference} cannot be read: {reason}")
        self.reference = reference


def resolve(reference: str) -> str:
    """Gives the text that a reference (`env:NAME`) leads to. Raises `Unresolved`."""
    name = reference.removeprefix("env:")
    value = os.environ.get(name)
    if not value:
        state = "not set" if value is None else "empty"
        raise Unresolved(reference, f"the environment variable {name} is {state}")
    return value


class Mask:
    """Replaces the secrets of a run in texts and stored values, each by `[its reference]`.

    Masked are a secret as it is, and as JSON, Python, URLs and base64 write it, wherever it stands
    in a longer text. Mask before anything is cut, hashed or written: of half a secret nothing is
    found. `short` holds the references of those too short to be masked, for a warning.
    """

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self.short = tuple(ref for ref, value in secrets.items() if len(value) < SHORTEST)
        masked = {value: ref for ref, value in secrets.items() if len(value) >= SHORTEST}
        self._labels = {form: f"[{ref}]" for value, ref in masked.items() for form in _forms(value)}
        longest_first = sorted(self._labels, key=lambda form: (-len(form), form))
        # Looking ahead finds every place: secrets may overlap.
        self._pattern = re.compile(f"(?=({'|'.join(map(re.escape, longest_first))}))")

    def text(self, text: str) -> str:
        """Gives a text without the secrets."""
        if not self._labels or self._pattern.search(text) is None:
            return text
        parts: list[str] = []
        end = 0
        for found in self._pattern.finditer(text):
            start, form = found.start(), found.group(1)
            if start >= end:
                parts += (text[end:start], self._labels[form])
            end = max(end, start + len(form))
        return "".join((*parts, text[end:]))

    def wire(self, wire: Any) -> Any:
        """Gives a stored value without the secrets.

        A number, time or bytes with a secret in it becomes a text: half of it would be damaged.
        """
        return self._wire(wire) if self._labels else wire

    def _wire(self, wire: Any) -> Any:
        kind = kind_of(wire)
        if kind is str:
            return self.text(wire)
        if kind is list:
            return [self._wire(item) for item in wire]
        if kind is dict:
            return self._mapping(wire)
        if kind is int or kind is float:
            return self._labels.get(json.dumps(wire), wire)
        return wire

    def _mapping(self, wire: dict[str, Any]) -> Any:
        for tag in wire:
            if tag[:1] != "$":
                continue
            if tag == "$record":
                return {**wire, "fields": self._keys(wire["fields"])}
            if tag == "$map":
                return {tag: self._keys(wire[tag])}
            if tag in ("$tuple", "$set", "$frozenset"):
                return {tag: self._wire(wire[tag])}
            if tag != "$secret" and type(wire[tag]) is str:
                masked = self.text(wire[tag])
                return wire if masked == wire[tag] else masked
            return wire
        return self._keys(wire)

    def _keys(self, wire: dict[str, Any]) -> dict[str, Any]:
        return {self.text(key): self._wire(item) for key, item in wire.items()}

    def cut(self, text: str, limit: int) -> str:
        """Masks a text, and then cuts it to at most `limit` characters and says so."""
        masked = self.text(text)
        if len(masked) <= limit:
            return masked
        note = f"... ({len(masked):,} characters)"
        return masked[: max(0, limit - len(note))] + note


def _forms(value: str) -> Iterator[str]:
    """Gives the ways in which a secret may stand within a text."""
    yield value
    escaped = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    escaped |= {form.replace("/", "\\/") for form in escaped}
    escaped |= {re.sub(r"(?<=\\u)[0-9a-f]{4}", lambda m: m[0].upper(), form) for form in escaped}
    # JSON within JSON: an answer that is quoted in an error's message.
    yield from escaped
    yield from (json.dumps(form, ensure_ascii=False)[1:-1] for form in escaped)
    yield repr(value)[1:-1]
    yield ascii(value)[1:-1]
    yield from (value.replace("\\", "\\\\").replace(q, "\\" + q) for q in "'\"")
    yield from _urls(value)
    yield from _base64(value.encode("utf-8", "surrogatepass"))


def _urls(value: str) -> Iterator[str]:
    for write, safe in product((quote, quote_plus), ("", "/", "/:?#[]@!$&'()*+,;=~")):
        form = write(value, safe=safe, errors="replace")
        yield form
        yield re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), form)


def _base64(value: bytes) -> Iterator[str]:
    """Gives what is the same in base64 wherever the bytes begin: the three alignments."""
    for before in range(3):
        whole = base64.b64encode(bytes(before) + value)
        # Characters that also hold bits of a neighbour are left out.
        first = (0, 2, 3)[before]
        last = (before + len(value)) * 8 // 6
        form = whole[first:last].decode("ascii")
        if len(form) >= SHORTEST:
            yield form
            yield form.replace("+", "-").replace("/", "_")
