"""Large values: taken out of an event, written once in parts, and put back when it is read."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeGuard

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
    if _is_list(tree):
        return [put_back(item, fetch) for item in tree]
    if not _is_map(tree):
        return tree
    if len(tree) == 1:
        if isinstance(reference := tree.get(TAG), str):
            return put_back(msgspec.json.decode(fetch(reference)), fetch)
        if _is_map(wrapped := tree.get(_WRAP)):
            return {_WRAP: _each(wrapped, lambda value: put_back(value, fetch))}
    return _each(tree, lambda value: put_back(value, fetch))


def parts(blob: Blob) -> int:
    """Gives in how many parts a value is written."""
    return -(-len(blob.data) // PART)


def is_stored(db: sqlite3.Connection, blob: Blob) -> bool:
    """True when all parts of a value are in the log."""
    row = db.execute("SELECT count(*) FROM blobs WHERE hash = ?", (blob.hash,)).fetchone()
    return bool(row[0])


def store_part(db: sqlite3.Connection, blob: Blob, part: int) -> int:
    """Stores one part of a value, and with the last one the value; gives the part's bytes."""
    data = blob.data[part * PART : (part + 1) * PART]
    db.execute("INSERT OR IGNORE INTO parts VALUES (?,?,?)", (blob.hash, part, data))
    if part + 1 == parts(blob):
        row = (blob.hash, len(blob.data), parts(blob))
        db.execute("INSERT OR IGNORE INTO blobs VALUES (?,?,?)", row)
    return len(data)


def _each(node: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    return {key: change(value) for key, value in node.items()}


def _shrink(value: Any, what: str, salt: bytes, found: dict[str, Blob]) -> Any:
    if not isinstance(value, str) and not _is_list(value) and not _is_map(value):
        return value
    data = msgspec.json.encode(value)
    if len(data) > LIMIT:
        raise TooLarge(what, len(data), LIMIT)
    if b'"$blob"' not in data and len(data) <= LARGE:
        return value
    small = _inside(value, what, salt, found)
    data = msgspec.json.encode(small)
    if len(data) <= LARGE:
        return small
    blob = Blob(digest(data, salt), data)
    found[blob.hash] = blob
    return {TAG: blob.hash}


def _inside(value: Any, what: str, salt: bytes, found: dict[str, Blob]) -> Any:
    if _is_list(value):
        return [_shrink(item, what, salt, found) for item in value]
    if not _is_map(value):
        return value
    if TAG in value:
        raise Unencodable(f"{what} holds a map with the key {TAG!r} that is not wrapped")
    if len(value) == 1 and _is_map(wrapped := value.get(_WRAP)):
        # The inner map stays in place: its keys are the user's, `$blob` among them is no reference.
        return {_WRAP: _each(wrapped, lambda item: _shrink(item, what, salt, found))}
    return {key: _shrink(item, f"{what}.{key}", salt, found) for key, item in value.items()}


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_map(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
