"""What can be wrong in a `saga.toml`: each fault with its line, its key, and the way out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, cast

Key = tuple[str, ...]

KINDS: dict[type[object], str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}
LOG = 'the path of the log, like `log = "shop.duckdb"`'
SAGAS = 'a list of files, like `sagas = ["fulfil.saga"]`'
GROUPS = 'a table of groups, like `[groups]` and below it `ops = ["ada", "grace"]`'
GROUP = 'a list of names, like `{name} = ["ada", "grace"]`'
LIMITS = "a table, like `[limits]` and below it `async = 64`"
SERVICES = "a table, like `services = {{ payments = 4 }}`"
LIMIT = "how many calls may go on at once, like `{name} = 8`"
TOP = ("log", "sagas", "groups", "limits")
LIMITED = ("async", "sync", "services")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_HEADER = re.compile(r"\s*\[\[?([^\]]+)\]")
_SAID = {
    "Cannot overwrite a value": "a key stands twice",
    "Invalid value": "here should stand a value: a text in quotes, a number, a list in brackets",
    "Unterminated string": "a text has no quotation mark at its end",
}


def unreadable(said: str) -> str:
    """Gives what comes behind the path of a file that is not TOML: the place, and what is wrong."""
    found = _PLACE.search(said)
    where = f":{found[1]}:{found[2]}" if found and found[1] else ""
    bare = said[: found.start()] if found else said
    end = ", before the file ends" if found and not found[1] else ""
    told = _SAID.get(bare, bare[:1].lower() + bare[1:])
    return f"{where}: {told}{end}. The file is written in TOML: correct it there."


def faults(data: Mapping[str, Any], text: str) -> Iterator[tuple[int, str]]:
    """Gives the line of each fault, and what is wrong and what is right."""
    for key, fault in _faults(data):
        yield _line(text, key), fault


def _faults(data: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    yield from _unknown(data, (), TOP)
    if not isinstance(data.get("log", ""), str):
        yield _wrong(("log",), data["log"], LOG)
    if not _texts(data.get("sagas", [])):
        yield _wrong(("sagas",), data["sagas"], SAGAS)
    groups = data.get("groups", {})
    if not isinstance(groups, dict):
        yield _wrong(("groups",), groups, GROUPS)
    else:
        for name, members in cast(dict[str, Any], groups).items():
            if not _texts(members):
                yield _wrong(("groups", name), members, GROUP.format(name=name))
    limits = data.get("limits", {})
    if not isinstance(limits, dict):
        yield _wrong(("limits",), limits, LIMITS)
    else:
        yield from _limits(cast(dict[str, Any], limits))


def _limits(limits: dict[str, Any]) -> Iterator[tuple[Key, str]]:
    yield from _unknown(limits, ("limits",), LIMITED)
    services = limits.get("services", {})
    if not isinstance(services, dict):
        yield _wrong(("limits", "services"), services, SERVICES.format())
        services = {}
    numbers: dict[Key, Any] = {
        ("limits", name): limits[name] for name in ("async", "sync") if name in limits
    }
    numbers |= {
        ("limits", "services", name): limit
        for name, limit in cast(dict[str, Any], services).items()
    }
    for key, limit in numbers.items():
        if type(limit) is not int:
            yield _wrong(key, limit, LIMIT.format(name=key[-1]))
        elif limit < 1:
            said = f"`{_named(key)}` is {limit}: at least 1 call must be allowed."
            yield key, said


def _unknown(data: Mapping[str, Any], at: Key, known: tuple[str, ...]) -> Iterator[tuple[Key, str]]:
    for name in data:
        if name not in known:
            near = get_close_matches(name, known, 1)
            there = ", ".join(f"`{_named((*at, one))}`" for one in known)
            hint = f"Did you mean `{near[0]}`?" if near else f"There are {there}."
            yield (*at, name), f"there is no setting `{_named((*at, name))}`. {hint}"


def _wrong(key: Key, value: object, takes: str) -> tuple[Key, str]:
    kind = KINDS.get(type(value), "a date or a time")
    inner = " of other things" if kind == "a list" else ""
    return key, f"`{_named(key)}` is {kind}{inner}. It takes {takes}."


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, str) for one in cast("list[object]", value)
    )


def _named(key: Key) -> str:
    return ".".join(key)


def _line(text: str, key: Key) -> int:
    """Gives the line in which a key stands, or the one that opens what it is in."""
    table: Key = ()
    best = (0, 1)
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        if header:
            table = _parts(header[1])
            said: Key = table
        else:
            name, equals, _ = line.partition("=")
            said = (*table, *_parts(name)) if equals else ()
        shared = len(said)
        if said and said == key[:shared] and shared > best[0]:
            best = (shared, number)
    return best[1]


def _parts(name: str) -> Key:
    return tuple(part.strip().strip("\"'") for part in name.strip().split("."))
