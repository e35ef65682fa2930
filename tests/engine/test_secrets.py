"""Secrets reach the tools and nothing else: not the log, not a message, not an object's text."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from sagalang.runtime import Log, Refused, Transient, call
from sagalang.runtime.engine.errors import InputsRefused
from sagalang.runtime.journal import files

from .enginekit import at_end, saga, until

CANARY = "CANARY-9f2-ß\"'\\"

TEXT = """
tool login(user: str, token: secret[str]) -> json {
  call python "login"
  effect session(user) reversible
  idempotent by key
  retry 3 times every 1ms..2ms
  verify seen(token)
  undo logout(user, token)
}
tool logout(user: str, token: secret[str]) -> json {
  call python "logout"
  effect session restoring
  idempotent naturally
  retry 3 times every 1ms..2ms
  timeout 5s settle 10ms
}
tool seen(token: secret[str]) -> json { call python "seen" effect none }
saga s(token: secret[str], bad: bool = false) -> json {
  step a = login("ada", token)
  requires not bad
  return a
}
"""


def forms(secret: str) -> list[bytes]:
    """The ways in which a secret is looked for."""
    escaped = [json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]]
    texts = [secret, *escaped, quote(secret), base64.b64encode(secret.encode()).decode()]
    return [text.encode() for text in texts]


def assert_nowhere(log: Log, *texts: str) -> None:
    """No file of the log, and no text given, holds the secret in any form."""
    where = files(log.path)
    for path in (where.journal, where.wal, where.lock, *where.owners.iterdir()):
        data = path.read_bytes() if path.exists() else b""
        for form in forms(CANARY):
            assert form not in data, path
    for text in texts:
        for form in forms(CANARY):
            assert form.decode() not in text


def silent(user: str, token: str) -> None:
    """A tool that gives nothing."""


def unseen(token: str) -> None:
    """A verify that finds nothing."""


@pytest.fixture(autouse=True)
def canary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY", CANARY)


def test_a_secret_is_given_to_tools_and_written_nowhere(log: Log) -> None:
    given: list[str] = []

    def login(user: str, token: str) -> object:
        given.append(token)
        call().log(f"with {token}")
        if len(given) == 1:
            raise Transient(f"https://ada:{token}@example.org is busy")
        return {"echo": token, token: [token]}

    def logout(user: str, token: str) -> None:
        given.append(token)
        if len(given) == 3:
            raise ValueError(f"not {token}")

    def seen(token: str) -> object:
        return {"seen": token}

    functions = {"login": login, "logout": logout, "seen": seen}
    run = saga(TEXT, functions).start(log, token="env:CANARY", bad=True)
    until(lambda: run.wait(60).status in ("rolled_back", "escalated"))
    assert set(given) == {CANARY}
    shown = json.dumps([run.to_json(), run.events(), run.timeline()], ensure_ascii=False)
    assert "env:CANARY" in shown
    assert_nowhere(log, shown, repr(run), str(run.state), str(run.incident))


def test_an_unresolvable_secret_pauses_instead_of_calling(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []

    def login(user: str, token: str) -> object:
        given.append(token)
        return None

    functions = {"login": login, "logout": login, "seen": unseen}
    monkeypatch.delenv("CANARY")
    started = saga(TEXT, functions)
    run = started.start(log, run_id="r", token="env:CANARY")
    assert at_end(run) == "paused"
    assert "env:CANARY" in run.reason and "not set" in run.reason
    assert given == []
    assert [event["kind"] for event in run.events()] == ["run_started"]
    monkeypatch.setenv("CANARY", CANARY)
    log.resume("r", started)
    assert run.wait(60).status == "succeeded"
    assert given == [CANARY]


def test_a_secret_is_resolved_again_by_whoever_takes_the_run_up(log: Log) -> None:
    given: list[str] = []

    def login(user: str, token: str) -> object:
        given.append(token)
        raise Refused("no") if len(given) > 1 else ConnectionError("cut")

    def seen(token: str) -> object:
        raise TimeoutError

    functions = {"login": login, "logout": login, "seen": seen}
    text = TEXT.replace(
        "idempotent by key\n  retry 3 times every 1ms..2ms", "timeout 5s settle 10ms", 1
    )
    started = saga(text.replace('"seen" effect none', '"seen" effect none retry never'), functions)
    run = started.start(log, run_id="r", token="env:CANARY")
    assert at_end(run) == "escalated"
    log.close()
    log.resume("r", started)
    run.resolve("a", "retry", by="ada")
    until(lambda: run.status == "rolled_back")
    assert given == [CANARY, CANARY]
    assert_nowhere(log)


@pytest.mark.parametrize("value", [CANARY, "env:", "env:no-name", 7])
def test_a_secret_given_itself_is_refused_without_repeating_it(log: Log, value: object) -> None:
    with pytest.raises(InputsRefused) as caught:
        saga(TEXT, {}).start(log, token=value)
    assert CANARY not in str(caught.value)
    assert "env:NAME" in str(caught.value)


def test_a_secret_that_an_input_repeats_is_masked_from_the_start(log: Log, tmp_path: Path) -> None:
    text = TEXT.replace("bad: bool = false", "note: str, bad: bool = false")
    functions = {"login": silent, "logout": silent, "seen": unseen}
    run = saga(text, functions).start(log, token="env:CANARY", note=f"use {CANARY}")
    until(lambda: run.status in ("succeeded", "escalated"))
    assert_nowhere(log, json.dumps(run.events(), ensure_ascii=False))


def test_one_that_is_too_short_to_be_masked_is_warned_about(
    log: Log, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PIN", "ok1")
    bound = saga(TEXT, {"login": silent, "logout": silent, "seen": unseen})
    bound.start(log, run_id="s-1", token="env:CANARY").wait()
    assert "too short" not in caplog.text
    bound.start(log, run_id="s-2", token="env:PIN").wait()
    assert "s-2" in caplog.text and "env:PIN is too short to be masked" in caplog.text
    assert "ok1" not in caplog.text
