"""How an event is written: JSON bytes, chained by hashes per run, with its format's number."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from ..events import VERSION, Event
from .blobs import LARGE, LIMIT, Blob, put_back, take_out
from .errors import LogDamaged, LogTooNew, Unencodable

Mask = Callable[[Any], Any]
"""Gives a JSON tree (dict, list, str ...) with every known secret in its texts masked."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An event, encoded and checked: what one row of the log will hold."""

    run_id: str
    n: int
    epoch: int
    kind: str
    path: str
    wall_time: int
    body: bytes
    blobs: tuple[Blob, ...] = ()


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Event)
_FIRST = b'{"v":%d,' % VERSION
_TAG = b'"$blob"'


class _Version(msgspec.Struct):
    v: int


def encode(event: Event, salt: bytes, mask: Mask | None = None) -> Entry:
    """Encodes a stamped event; raises TooLarge and Unencodable.

    The run's id is not in the body: the chain of hashes begins with it.
    """
    if event.v != VERSION:
        raise Unencodable(f"an event of format {event.v} cannot be written, only {VERSION}")
    bare = msgspec.structs.replace(event, run_id="")
    blobs: list[Blob] = []
    try:
        if mask is None:
            body = _encoder.encode(bare)
        else:
            body = _encoder.encode(mask(msgspec.to_builtins(bare)))
        # Not `in`: for bytes that first tries, and fails, to make a number of what is looked for.
        if len(body) > LARGE or body.find(_TAG) >= 0:
            tree, blobs = take_out(msgspec.json.decode(body), salt)
            body = _encoder.encode(tree)
    except (TypeError, UnicodeEncodeError, RecursionError) as error:
        raise Unencodable(f"{event.kind} of {event.path or 'the run'}: {error}") from None
    return Entry(
        event.run_id,
        event.n,
        event.epoch,
        event.kind,
        event.path,
        event.wall_time,
        # A default is left out of the JSON, and this one's default will change one day.
        _FIRST + body[1:],
        tuple(blobs),
    )


def decode(body: bytes, path: Path, fetch: Callable[[str], bytes]) -> Event:
    """Decodes an event of this or an older format, with its large values put back.

    Raises LogTooNew, and LogDamaged for what is no event.
    """
    try:
        if not body.startswith(_FIRST):
            found = msgspec.json.decode(body, type=_Version).v
            if found > VERSION:
                raise LogTooNew(path, found, VERSION, "an event")
        if body.find(_TAG) >= 0:
            fetch = _bounded(fetch, path)
            return msgspec.convert(put_back(msgspec.json.decode(body), fetch), Event)
        return _decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise LogDamaged(path, f"an entry is no event ({error})") from None


def _bounded(fetch: Callable[[str], bytes], path: Path) -> Callable[[str], bytes]:
    """Bounds what one event may grow to: references within references can be made to explode."""
    left = 4 * LIMIT

    def bounded(name: str) -> bytes:
        nonlocal left
        data = fetch(name)
        left -= len(data)
        if left < 0:
            raise LogDamaged(path, f"the large values of an event have over {4 * LIMIT:,} bytes")
        return data

    return bounded


def genesis(run_id: str) -> bytes:
    """Gives what the chain of a run begins with: a hash of its id."""
    return hashlib.blake2b(run_id.encode(), digest_size=32, person=b"sagalang run").digest()


def link(previous: bytes, body: bytes) -> bytes:
    """Gives the hash of an entry: over the hash before it and the stored bytes."""
    return hashlib.blake2b(previous + body, digest_size=32).digest()
