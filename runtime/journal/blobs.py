"""Large values: taken out of an event, written once in parts, and put back when it is read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from .errors import TooLarge, Unencodable

LARGE = 64 * 1024
"""Values whose JSON is longer than this many bytes are stored apart."""

LIMIT = 256 * 1024 * 1024
"""The most bytes that one value may have as JSON."""

PART = 1024 * 1024
TAG = "$blob"
_WRAP = "$map"
"""Tag of a map with keys that begin with `$`: what it holds is never read as a tag."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A large value as JSON, under its salted hash."""

    hash: str
    data: bytes


def digest(data: bytes, salt: bytes) -> str:
    """Gives the name of a value: without the log's salt nobody can tell what it is the hash of."""
    return hashlib.blake2b(data, key=salt, digest_size=32).hexdigest()


def take_out(tree: dict[str, Any], salt: bytes) -> tuple[dict[str, Any], list[Blob]]:
    """Replaces the large values of an event by references, innermost first.

    Innermost first, so that a document inside a record and the same document as an argument are
    one blob. Raises TooLarge, and Unencodable for what already looks like a reference.
    """
    found: dict[str, Blob] = {}
    shrunk = {name: _shrink(value, name, salt, found) for name, value in tree.items()}
    return shrunk, list(found.values())


def put_back(tree: Any, fetch: Callable[[str], bytes]) -> Any:
    """Gives a tree with the values in place of their references; `fetch` gives a blob's JSON."""
    if isinstance(tree, list):
        return [put_back(item, fetch) for item in cast(list[Any], tree)]
    if not isinstance(tree, dict):
        return tree
    node = cast(dict[str, Any], tree)
    if len(node) == 1:
        if isinstance(reference := node.get(TAG), str):
            return put_back(msgspec.json.decode(fetch(reference)), fetch)
        if isinstance(wrapped := node.get(_WRAP), dict):
            return {_WRAP: _each(cast(dict[str, Any], wrapped), lambda v: put_back(v, fetch))}
    return _each(node, lambda value: put_back(value, fetch))


def _each(node: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    return {key: change(value) for key, value in node.items()}


def _shrink(value: Any, what: str, salt: bytes, found: dict[str, Blob]) -> Any:
    if not isinstance(value, dict | list | str):
        return value
    data = msgspec.json.encode(value)
    if len(data) > LIMIT:
        raise TooLarge(what, len(data), LIMIT)
    if b'"$blob"' not in data and len(data) <= LARGE:
        return value
    small = _inside(cast(Any, value), what, salt, found)
    data = msgspec.json.encode(small)
    if len(data) <= LARGE:
        return small
    blob = Blob(digest(data, salt), data)
    found[blob.hash] = blob
    return {TAG: blob.hash}


def _inside(value: Any, what: str, salt: bytes, found: dict[str, Blob]) -> Any:
    if isinstance(value, list):
        items = cast(list[Any], value)
        return [_shrink(item, what, salt, found) for item in items]
    if not isinstance(value, dict):
        return value
    node = cast(dict[str, Any], value)
    if TAG in node:
        raise Unencodable(f"{what} holds a map with the key {TAG!r} that is not wrapped")
    if len(node) == 1 and isinstance(wrapped := node.get(_WRAP), dict):
        # The inner map stays in place: its keys are the user's, `$blob` among them is no reference.
        inner = cast(dict[str, Any], wrapped)
        return {_WRAP: _each(inner, lambda v: _shrink(v, what, salt, found))}
    return {key: _shrink(item, f"{what}.{key}", salt, found) for key, item in node.items()}
