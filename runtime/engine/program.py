"""A generated module as a program: `python fulfil.py --input '{...}'` runs a saga to its end."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ..journal import BadRunId, LogError, Reader
from ..plain import read_input, read_json, read_text
from ..scalars import kind_of
from ..settings import BadSettings
from ..shapes import Mismatch
from . import waiting
from .document import document
from .errors import InputsRefused, RunError, WaitInterrupted
from .log import Log
from .progress import wait_told

if TYPE_CHECKING:
    from .run import Run
    from .saga import Saga

CODES = {
    "succeeded": 0,
    "rolled_back": 3,
    "partly_rolled_back": 4,
    "escalated": 5,
    "waiting": 6,
    "paused": 7,
}
"""Exit codes by status; *cancelled* depends on what still stands."""


def exit_code(shown: dict[str, Any]) -> int:
    """Gives the exit code of a run in the shape of `saga show`."""
    status = shown["status"]
    if status == "cancelled":
        standing = any(effect["status"] != "undone" for effect in shown["effects"])
        return 4 if standing else 3
    return CODES.get(status, 1)


def main(*sagas: Saga, argv: Sequence[str] | None = None) -> int:
    """Runs one of the sagas with the arguments of the command line and gives the exit code."""
    parser = _parser(sagas)
    options = parser.parse_args(argv)
    if options.resume and (options.input or options.set or options.id):
        parser.error("--resume takes a run as it was begun: without --input, --set and --id")
    if options.as_begun and not options.resume:
        parser.error("--as-begun goes with --resume")
    with document(options.json) as out:
        return _run(sagas, options, out)


def _run(sagas: Sequence[Saga], options: argparse.Namespace, out: TextIO | None) -> int:
    """Runs what the command line says; `out` is where the run goes as a document, if it does."""
    try:
        log = Log(options.log)
        run = _begun(sagas, log, options)
    except (Usage, RunError, LogError, BadRunId, BadSettings) as error:
        return _say(str(error), getattr(error, "exit_code", 1))
    try:
        wait_told(run, partial(print, file=sys.stderr))
        run.wait()
    except WaitInterrupted:
        log.close()
        resume = waiting.take_up(run.log.path, run.id)
        return _say(f"interrupted: the calls have settled. `{resume}` goes on.", 130)
    shown = run.to_json()
    if out is not None:
        print(json.dumps(shown, indent=2, ensure_ascii=False), file=out)
    else:
        tell(run, shown)
    return exit_code(shown)


def _begun(sagas: Sequence[Saga], log: Log, options: argparse.Namespace) -> Run:
    """Starts a run of the saga that is meant, or takes one up."""
    if not options.resume:
        saga = next((saga for saga in sagas if saga.name == options.saga), sagas[0])
        inputs = read_inputs(saga, options.input or "", options.set)
        return saga.start(log, run_id=options.id, **inputs)
    row = Reader(log.path).run(options.resume)
    for saga in sagas:
        if saga.name == row.saga:
            return log.resume(row.run_id, saga, as_begun=options.as_begun)
    known = ", ".join(saga.name for saga in sagas)
    raise RunError(f"run {row.run_id} is one of `{row.saga}`; this module has: {known}.")


class Usage(Exception):
    """The command line is wrong; the text says how it is right."""

    exit_code = 2


def _parser(sagas: Sequence[Saga]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=sagas[0].doc or None)
    if len(sagas) > 1:
        names = [saga.name for saga in sagas]
        parser.add_argument("--saga", choices=names, default=names[0], help="which saga to run")
    else:
        parser.set_defaults(saga=sagas[0].name)
    parser.add_argument("--input", metavar="JSON", help="the inputs: JSON, @FILE, or - for stdin")
    parser.add_argument("--set", metavar="K=V", action="append", default=[], help="one input")
    parser.add_argument("--id", metavar="ID", help="the run's id; an id that exists goes on")
    parser.add_argument(
        "--resume", metavar="RUN", help="take up a run that no process goes on with"
    )
    parser.add_argument("--as-begun", action="store_true", help="follow the logged plan")
    parser.add_argument("--log", metavar="FILE", help="the log (default: saga.toml, saga.duckdb)")
    parser.add_argument("--json", action="store_true", help="print the run as JSON")
    return parser


def read_inputs(saga: Saga, document: str, pairs: Sequence[str]) -> dict[str, Any]:
    """Reads a saga's inputs as the command line gives them, by the types of its parameters.

    `document` is JSON, `@FILE` or `-`, empty for none; `pairs` are texts `name=value`, which come
    before what the document says. Raises `Usage` for what cannot be read, `InputsRefused` for what
    has another type.
    """
    schema = saga.definition.index.schema
    types = {parameter.name: parameter.type for parameter in saga.plan.parameters}
    given: dict[str, Any] = {}
    try:
        if document:
            data = read_json(_text(document))
            if kind_of(data) is not dict:
                raise Usage('--input must be a JSON object: {"name": value, ...}')
            for name, value in data.items():
                known = name in types
                given[name] = read_input(value, types[name], schema, name) if known else value
        set_: set[str] = set()
        for pair in pairs:
            name, equals, text = pair.partition("=")
            if not equals or not name:
                raise Usage(f"--set {pair}: write it as name=value")
            if name in set_:
                raise Usage(f"--set {pair}: `{name}` is set twice. Give it one value.")
            set_.add(name)
            given[name] = read_text(text, types[name], schema, name) if name in types else text
    except Mismatch as fault:
        raise InputsRefused(f"`{saga.name}` was not started: the input {fault}") from None
    except OSError as fault:
        raise Usage(f"--input: {document[1:]}: {fault.strerror}. Check the path.") from None
    except UnicodeDecodeError:
        where = document[1:] if document.startswith("@") else "stdin"
        raise Usage(f"--input: {where}: it is no UTF-8 text. Save it as UTF-8.") from None
    except ValueError as fault:
        raise Usage(f"--input: {fault}") from None
    return given


def _text(given: str) -> str:
    if given == "-":
        return sys.stdin.read()
    return Path(given[1:]).read_text("utf-8-sig") if given.startswith("@") else given


def tell(run: Run, shown: dict[str, Any]) -> None:
    """Tells how a run stands: the result to stdout; what became of it, and what next, to stderr."""
    print(f"{run.id}: {shown['status'].replace('_', ' ')}")
    if shown["result"] is not None:
        print(json.dumps(shown["result"], indent=2, ensure_ascii=False))
    for line in _aftermath(run, shown):
        print(line, file=sys.stderr)


def _aftermath(run: Run, shown: dict[str, Any]) -> Iterator[str]:
    log, status = run.log.path, shown["status"]
    if shown["error"]:
        yield f"{shown['error']['type']}: {shown['error']['message']}"
    if status in ("rolled_back", "partly_rolled_back", "cancelled"):
        for fate, said in (("undone", "undone"), ("standing", "still stands"), ("unknown", "?")):
            found = [e["resource"] for e in shown["effects"] if e["status"] == fate]
            if found:
                yield f"{said}: {', '.join(found)}"
    for row in shown["waiting_for"]:
        yield waiting.wanted(row)
        if so_far := waiting.missing(row):
            yield f"approved so far by {so_far}"
        if way := waiting.way_on(log, run.id, row):
            verb, more = ("decide", " (or reject)") if row["kind"] == "gate" else ("send it", "")
            yield f"{verb} with `{way}`{more}, then"
            yield f"`{waiting.take_up(run.log.path, run.id)}`"
    incident = shown["incident"]
    if incident:
        said, others = waiting.answer(log, run.id, incident)
        yield f"escalated: {incident['summary']}"
        yield f"recommended: {incident['recommended']} ({'; '.join(incident['reasons'])})"
        yield f"answer with `{said}` {others}".rstrip() + ", then"
        yield f"`{waiting.take_up(run.log.path, run.id)}`"
    if status == "paused":
        yield f"paused: {shown.get('reason', '')}"
        begun = run.id in {row["run_id"] for row in run.log.runs()}
        again = (
            f"`{waiting.take_up(run.log.path, run.id)}`"
            if begun
            else "say the same again: nothing has begun"
        )
        yield f"when that is mended: {again}"
    if status in ("running", "compensating"):
        yield f"no process goes on with it: `{waiting.take_up(run.log.path, run.id)}` takes it up"


def _say(text: str, code: int) -> int:
    print(text, file=sys.stderr)
    return code
