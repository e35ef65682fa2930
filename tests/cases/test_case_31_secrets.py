"""Case 31: a secret reaches the service, on the first call and after a restart, and nothing else.

Tracebacks, objects and answers in one process: tests/engine/test_secrets.py; every way of writing
one: tests/runtime/test_secrets.py. In a cell's line: tests/notebooks.
"""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from ..crash.bench import Bench

pytestmark = pytest.mark.slow

CANARY = "CANARY-9f2-ß\"'\\"

SAGA = """edition 2026
tool login(user: str, token: secret[str]) -> json {
  call python "doors:login" (user, token) effect session(user) reversible
  idempotent naturally
  retry 3 times every 10ms..20ms
  timeout 5s settle 10ms
  verify seen(user, token)
  undo logout(user, token)
}
tool logout(user: str, token: secret[str]) -> json {
  call python "doors:logout" (user, token) effect session restoring idempotent naturally
  retry 3 times every 10ms..20ms timeout 5s settle 10ms
}
tool seen(user: str, token: secret[str]) -> json { call python "doors:seen" effect none }
saga s(token: secret[str]) -> json {
  step a = login("ada", token)
  requires false else "never mind"
  return a
}
"""

TOOLS = '''
"""Doors that say loudly what they were given."""

import json, os
from sagalang.runtime import Refused, Transient, call

SECRET = "CANARY-9f2-ß\\"'\\\\"


def note(what, token):
    with open("given.txt", "a") as file:
        file.write(f"{what} {token == SECRET}\\n")


def login(user, token):
    note("login", token)
    call().log(f"with {token}")
    if not os.path.exists("busy"):
        open("busy", "w").close()
        raise Transient(f"https://ada:{token}@example.org is busy")
    return {"echo": token, "repr": repr(token)}


def logout(user, token):
    note("logout", token)
    raise Refused(f"{token} is refused")


def seen(user, token):
    note("seen", token)
    return {"seen": token}
'''


def test_it_is_written_nowhere(bench: Bench) -> None:
    bench.write("s.saga", SAGA)
    bench.write("doors.py", TOOLS)
    begin = ["run", "s.saga", "--id", "r", "--set", "token=env:CANARY", "--json"]
    assert bench.saga(*begin, failpoint="outcome.before:a:2", CANARY=CANARY).killed
    resumed = bench.saga("resume", "r", "s.saga", "--json", CANARY=CANARY)
    assert resumed.code == 5, resumed
    for line in (["show", "r"], ["log", "r", "--json"], ["effects", "r"], ["incidents"]):
        assert bench.saga(*line).code == 0
    assert bench.saga("sql", "select * from events").code == 0
    assert bench.saga("compile", "s.saga", "-o", "made.py").code == 0
    assert bench.saga("graph", "s.saga", "--format", "svg").code == 0

    given = (bench.folder / "given.txt").read_text(encoding="utf-8")
    assert {line.split()[0] for line in given.splitlines()} == {"login", "logout", "seen"}
    assert "False" not in given
    escaped = [json.dumps(CANARY)[1:-1], json.dumps(CANARY, ensure_ascii=False)[1:-1]]
    forms = [CANARY, *escaped, quote(CANARY), base64.b64encode(CANARY.encode()).decode()]
    for path in bench.folder.rglob("*"):
        if path.is_file() and path.name not in ("doors.py",) and path.suffix != ".pyc":
            data = path.read_bytes()
            for form in forms:
                assert form.encode() not in data, path
    assert "env:CANARY" in json.dumps(bench.events())


def test_one_that_cannot_be_had_pauses_the_run(bench: Bench) -> None:
    bench.write("s.saga", SAGA)
    bench.write("doors.py", TOOLS)
    begin = ["run", "s.saga", "--id", "r", "--set", "token=env:CANARY"]
    assert bench.saga(*begin, failpoint="call.before:a", CANARY=CANARY).killed
    paused = bench.saga("resume", "r", "s.saga")
    assert paused.code == 7 and "env:CANARY" in paused.err
    assert not (bench.folder / "given.txt").exists()
    assert bench.saga("resume", "r", "s.saga", CANARY=CANARY).code == 5
