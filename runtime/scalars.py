"""How single values without a form of their own in JSON are written down, and read back exactly."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

kind_of: Callable[[object], type[Any]] = type
"""The exact class of a value: what is stored depends on it, and never on what a subclass claims."""

DIGITS = 10_000
"""Most digits that a stored number may have."""

_MOST = 10**DIGITS
_ZONE = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*")
_INTEGER = re.compile(r"-?[1-9][0-9]*")


class Unstorable(Exception):
    """A value cannot be written down; `path` leads to the part of it that is at fault."""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.reason = reason
        self.path = path


class Damaged(Exception):
    """What was stored is not what this program ever writes."""


def digits(value: int) -> str:
    """Writes an integer in decimal, whatever limit the process sets on such conversions."""
    return format(Decimal(value), "f")


def fits(value: int) -> bool:
    """Says whether an integer has at most `DIGITS` digits."""
    return bool(-_MOST < value < _MOST)


def encode_integer(value: int) -> Any:
    """Gives a JSON number within 64 bits, and a tagged text beyond: readers differ there."""
    if -(2**63) <= value < 2**63:
        return value
    if not fits(value):
        raise Unstorable(f"an integer of more than {DIGITS:,} digits cannot be stored")
    return {"$int": digits(value)}


def encode_float(value: float) -> Any:
    """Gives a JSON number, and a tag for what JSON cannot say."""
    if math.isfinite(value):
        return value
    return {"$float": "nan" if value != value else "inf" if value > 0 else "-inf"}


def _encode_decimal(value: Decimal) -> Any:
    if value.is_snan():
        raise Unstorable("a signalling NaN cannot be stored")
    if len(value.as_tuple().digits) > DIGITS:
        raise Unstorable(f"a decimal of more than {DIGITS:,} digits cannot be stored")
    return {"$decimal": str(value)}


def _encode_datetime(value: datetime) -> Any:
    zone: Any = value.tzinfo
    wire: dict[str, Any] = {}
    if kind_of(zone) is ZoneInfo:
        # One that was read from a file has no key.
        if zone.key is None or not _ZONE.fullmatch(zone.key):
            raise Unstorable("a time zone without a name cannot be stored")
        wire = {"$datetime": value.replace(tzinfo=None).isoformat(), "zone": zone.key}
    elif zone is None or kind_of(zone) is timezone:
        wire = {"$datetime": value.isoformat()}
    else:
        raise Unstorable(
            f"a time zone of the class {kind_of(zone).__name__} cannot be stored;"
            " use zoneinfo.ZoneInfo or datetime.timezone"
        )
    return {**wire, "fold": 1} if value.fold else wire


ENCODERS: dict[type, Callable[[Any], Any]] = {
    int: encode_integer,
    float: encode_float,
    Decimal: _encode_decimal,
    bytes: lambda value: {"$bytes": base64.b64encode(value).decode("ascii")},
    date: lambda value: {"$date": value.isoformat()},
    datetime: _encode_datetime,
    timedelta: lambda value: {"$duration": encode_integer(value // timedelta(microseconds=1))},
    UUID: lambda value: {"$uuid": str(value)},
}
"""By exact class: a subclass would come back as something else."""


def _decode_integer(payload: Any) -> int:
    if kind_of(payload) is not str or len(payload) > DIGITS + 2 or not _INTEGER.fullmatch(payload):
        raise Damaged("an integer is not well formed")
    return int(Decimal(payload))


def _decode_float(payload: Any) -> float:
    if payload not in ("nan", "inf", "-inf"):
        raise Damaged("a number is not well formed")
    return float(payload)


def _decode_decimal(payload: Any) -> Decimal:
    try:
        value = Decimal(_text(payload))
    except InvalidOperation:
        value = None
    if value is None or value.is_snan() or str(value) != payload:
        raise Damaged("a decimal is not well formed")
    return value


def _decode_bytes(payload: Any) -> bytes:
    try:
        return base64.b64decode(_text(payload), validate=True)
    except (binascii.Error, ValueError) as fault:
        raise Damaged("bytes are not well formed") from fault


def _decode_date(payload: Any) -> date:
    try:
        return date.fromisoformat(_text(payload))
    except ValueError as fault:
        raise Damaged("a date is not well formed") from fault


def _decode_datetime(payload: Any, rest: Mapping[str, Any]) -> datetime:
    fold, zone = rest.get("fold", 0), rest.get("zone")
    if kind_of(fold) is not int or fold not in (0, 1) or rest.keys() - {"fold", "zone"}:
        raise Damaged("a time is not well formed")
    try:
        value = datetime.fromisoformat(_text(payload)).replace(fold=fold)
    except ValueError as fault:
        raise Damaged("a time is not well formed") from fault
    if zone is None:
        return value
    # The name is checked first: `zoneinfo` makes a path, and the name of a package, of it.
    if value.tzinfo is not None or not _ZONE.fullmatch(_text(zone)):
        raise Damaged("a time zone is not well formed")
    try:
        return value.replace(tzinfo=ZoneInfo(zone))
    except (OSError, KeyError, ValueError) as fault:
        raise Damaged(f"the time zone {zone} is not known on this machine") from fault


def _decode_duration(payload: Any) -> timedelta:
    big = kind_of(payload) is dict and payload.keys() == {"$int"}
    micros = _decode_integer(payload["$int"]) if big else payload
    if kind_of(micros) is not int:
        raise Damaged("a duration is not well formed")
    try:
        return timedelta(microseconds=micros)
    except OverflowError as fault:
        raise Damaged("a duration is too long") from fault


def _decode_uuid(payload: Any) -> UUID:
    try:
        return UUID(_text(payload))
    except ValueError as fault:
        raise Damaged("a UUID is not well formed") from fault


def _text(payload: Any) -> str:
    if isinstance(payload, str):
        return payload
    raise Damaged("a tag does not hold a text")


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "$int": _decode_integer,
    "$float": _decode_float,
    "$decimal": _decode_decimal,
    "$bytes": _decode_bytes,
    "$date": _decode_date,
    "$duration": _decode_duration,
    "$uuid": _decode_uuid,
}


def decode_scalar(tag: str, payload: Any, rest: Mapping[str, Any] = {}) -> Any:
    """Reads a tagged single value; `rest` is what else stands beside the tag.

    Raises `Damaged` for a tag that does not exist: no name in data ever leads to an import.
    """
    if tag == "$datetime":
        return _decode_datetime(payload, rest)
    decoder = _DECODERS.get(tag)
    if decoder is None:
        raise Damaged(f"unknown type {tag[:40]!r}")
    if rest:
        raise Damaged(f"{tag} does not stand alone")
    return decoder(payload)
