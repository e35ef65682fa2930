"""Diagnostics for the sites and editors that read SARIF 2.1.0, an OASIS standard.

A rule is the page of its code; the primary label is the location, the others are related ones.
Columns are code points, ends exclusive, as in SARIF itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote

from .diagnostics import Diagnostic, Edit, Fix, Label, Severity
from .source import Source

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "note",
    Severity.HINT: "note",
}
FIXES = {"safe": "Keeps the meaning.", "ask": "May change the meaning: look at it first."}
"""What is said of a fix that can be made; one that is only shown is not among them."""

Json = dict[str, Any]


class Rule(NamedTuple):
    """A code as its page tells it: its title, its usual severity, the page in Markdown."""

    code: str
    title: str
    severity: Severity
    page: str


def to_sarif(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, Source],
    *,
    rules: Sequence[Rule],
    version: str,
    unreadable: Sequence[str] = (),
) -> Json:
    """Return the log of one look at some files.

    `rules` are those of the tool, `unreadable` says of files why they could not be looked at.
    """
    numbers = {rule.code: number for number, rule in enumerate(rules)}
    invocation: Json = {"executionSuccessful": not unreadable}
    if unreadable:
        invocation["toolExecutionNotifications"] = [
            {"level": "error", "message": {"text": reason}} for reason in unreadable
        ]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "sagalang",
                        "semanticVersion": version,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [invocation],
                "results": [_result(one, sources, numbers) for one in diagnostics],
            }
        ],
    }


def _rule(rule: Rule) -> Json:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
    }


def _result(
    diagnostic: Diagnostic, sources: Mapping[str, Source], numbers: Mapping[str, int]
) -> Json:
    primary = diagnostic.primary
    related = [label for label in diagnostic.labels if label is not primary]
    # What stands below the first line is shown, where there is room for it.
    text = "\n".join((diagnostic.message, *diagnostic.helps))
    made: Json = {
        "ruleId": diagnostic.code,
        "level": LEVELS[diagnostic.severity],
        "message": {"text": text},
        "locations": [_location(primary, sources)],
    }
    if diagnostic.code in numbers:
        made["ruleIndex"] = numbers[diagnostic.code]
    if related:
        made["relatedLocations"] = [
            {"id": number, **_location(label, sources)} for number, label in enumerate(related)
        ]
    if diagnostic.fix is not None and diagnostic.fix.applicability in FIXES:
        made["fixes"] = [_fix(diagnostic.fix, sources)]
    return made


def _location(label: Label, sources: Mapping[str, Source]) -> Json:
    made: Json = {"physicalLocation": {"artifactLocation": _artifact(label.source)}}
    if label.source in sources:
        made["physicalLocation"]["region"] = _region(label, sources[label.source])
    if label.message:
        made["message"] = {"text": label.message}
    return made


def _fix(fix: Fix, sources: Mapping[str, Source]) -> Json:
    changes: dict[str, list[Json]] = {}
    for edit in fix.edits:
        changes.setdefault(edit.source, []).append(
            {
                "deletedRegion": _region(edit, sources[edit.source]),
                "insertedContent": {"text": edit.text},
            }
        )
    return {
        "description": {"text": FIXES[fix.applicability]},
        "artifactChanges": [
            {"artifactLocation": _artifact(name), "replacements": replacements}
            for name, replacements in changes.items()
        ],
    }


def _region(part: Label | Edit, source: Source) -> Json:
    start, end = source.position(part.start), source.position(part.end)
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }


def _artifact(name: str) -> Json:
    path = PurePath(name)
    return {"uri": f"{'file://' if path.is_absolute() else ''}{quote(path.as_posix())}"}
