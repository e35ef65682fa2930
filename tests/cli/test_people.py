"""What people decide from the command line, each decision by its name and on record."""

from __future__ import annotations

import pytest

from .clikit import SAGA, Project, Said


def dear(project: Project) -> Said:
    """A run that waits at its gate."""
    return project.run("d", "--set", "total=500.00")


def test_a_gate_waits_and_is_approved(project: Project) -> None:
    said = dear(project)
    assert said.code == 6
    assert "waiting at `release` for 1 of ops" in said.err
    assert "saga approve d release --by WHO" in said.err
    assert 'total: "500.00"' in project.saga("show", "d").out
    approved = project.saga("approve", "d", "release", "--by", "ada", "--note", "fine")
    assert (approved.code, approved.out) == (0, "d: release approved\n")
    assert project.saga("resume", "d").code == 0
    assert project.done() == ["pay:d", "ship:d"]


def test_an_approval_of_two_says_that_one_is_missing(project: Project) -> None:
    project.write("order.saga", SAGA.replace('needs "ops"', 'needs 2 of "ops"'))
    project.write("saga.toml", 'log = "l.duckdb"\n[groups]\nops = ["ada", "grace"]\n')
    assert "waiting at `release` for 2 of ops" in dear(project).err
    first = project.saga("approve", "d", "release", "--by", "ada")
    assert (first.code, first.out) == (0, "d: release approved\n")
    assert first.err == "that makes 1 of 2 (ops): ada. The gate waits for others.\n"
    assert "approved so far by 1 of 2 (ops): ada" in project.saga("show", "d").out
    second = project.saga("approve", "d", "release", "--by", "grace")
    assert second.err == "`saga resume d` goes on with it if no process does.\n"
    assert project.saga("resume", "d", "order.saga").code == 0


def test_a_rejection_rolls_back(project: Project) -> None:
    dear(project)
    assert project.saga("reject", "d", "release", "--by", "ada").code == 0
    assert project.saga("resume", "d").code == 3
    assert project.done() == ["pay:d", "refund:d"]


def test_who_is_not_in_the_group_is_refused(project: Project) -> None:
    dear(project)
    said = project.saga("approve", "d", "release", "--by", "eve")
    assert said.code == 1
    assert "eve" in said.err
    assert project.saga("show", "d", "--json").json["status"] == "waiting"


def test_the_log_tells_who_decided_what_and_why_it_was_refused(project: Project) -> None:
    dear(project)
    project.saga("approve", "d", "release", "--by", "eve")
    project.saga("approve", "d", "release", "--by", "ada", "--note", "seen the order")
    shown = project.saga("log", "d").out
    assert 'refused for eve (eve does not belong to "ops")' in shown
    assert "approved by ada (seen the order)" in shown


def test_an_unknown_gate_is_named(project: Project) -> None:
    dear(project)
    said = project.saga("approve", "d", "releas", "--by", "ada")
    assert said.code == 1
    assert "releas" in said.err


def test_cancelling_undoes(project: Project) -> None:
    dear(project)
    assert project.saga("cancel", "d", "--reason", "the customer called").code == 0
    said = project.saga("resume", "d")
    assert (said.code, said.out) == (3, "d: cancelled\n")


def test_freezing_stops_and_an_answer_goes_on(project: Project) -> None:
    dear(project)
    frozen = project.saga("freeze", "d", "--by", "ada")
    assert (frozen.code, frozen.out) == (0, "d: frozen\n")
    way = "when people have looked: `saga resolve d - back --by WHO` (or forward)\n"
    assert frozen.err == way
    assert project.saga("resume", "d").code == 5
    assert project.done() == ["pay:d"]
    assert project.saga("resolve", "d", "-", "back", "--by", "ada").code == 0
    assert project.saga("resume", "d").code == 3


def test_an_incident_is_answered_with_a_value(project: Project) -> None:
    assert project.run("lost").code == 5
    wrong = project.saga("resolve", "lost", "money", "done", "--by", "ada", "--value", "{")
    assert wrong.code == 2
    assert "--value" in wrong.err
    said = project.saga("resolve", "lost", "money", "done", "--by", "ada", "--value", '"money-1"')
    assert said.code == 0
    resumed = project.saga("resume", "lost", "--json")
    assert resumed.code == 0
    assert resumed.json["steps"][0]["result"] == "money-1"


WAITING = (
    SAGA[: SAGA.index('"""Takes')]
    + """
record Word { text: str, count: int }
saga order(id: str) -> str {
  step money = pay(id, 1.00)
  wait word: Word within 24h else rollback
  return word.text
}
"""
)


def test_a_signal_is_what_a_run_waits_for(project: Project) -> None:
    project.write("order.saga", WAITING)
    said = project.run("w")
    assert said.code == 6
    assert "waiting for the signal `word` (Word) until" in said.err
    assert "send it with `saga signal w word JSON`" in said.err
    assert "send it with: saga signal w word JSON" in project.saga("show", "w").out
    wrong = project.saga("signal", "w", "word", '{"text": "yes"}')
    assert (wrong.code, wrong.out) == (1, "")
    assert "the signal for `word` does not fit" in wrong.err
    assert project.saga("signal", "w", "word", "{text").code == 2
    assert (
        "nothing waits at `wort`. Waiting now: `word`. Did you mean `word`?"
        in project.saga("signal", "w", "wort", "1").err
    )
    given = project.saga("signal", "w", "word", '{"text": "yes", "count": 2}', "--by", "ada")
    assert (given.code, given.out) == (0, "w: word has its signal\n")
    assert "saga resume w" in given.err
    second = project.saga("signal", "w", "word", '{"text": "no", "count": 2}')
    assert second.code == 1
    assert project.saga("resume", "w", "--json").json["result"] == "yes"
    [event] = [e for e in project.saga("log", "w", "--json").json if e["kind"] == "signalled"]
    assert event["actor"] == "ada"
    over = project.saga("signal", "w", "word", '{"text": "no", "count": 2}')
    assert (over.code, "over" in over.err) == (1, True)


def test_a_signal_may_be_a_number_below_zero(project: Project) -> None:
    project.write(
        "order.saga", WAITING.replace("word: Word", "n: int").replace("word.text", '"{n}"')
    )
    project.run("w")
    wrong = project.saga("signal", "w", "n", "-5", "--bye", "ada")
    assert (wrong.code, wrong.out) == (2, "")
    assert project.saga("signal", "w", "n", "-5", "--by", "ada").code == 0
    assert project.saga("resume", "w", "--json").json["result"] == "-5"


GUARDED = (
    SAGA[: SAGA.index('"""Takes')].replace(
        'corrective "Fetch the parcel of {id}."', 'corrective recall(id) needs "ops"'
    )
    + """
tool recall(id: str) -> json {
  call python "MODULE:recall"
  effect parcel restoring
  idempotent naturally
}
saga order(id: str) -> str {
  guard readiness >= 0.9 needs "ops"
  step money = pay(id, 1.00)
  step parcel = ship(id) accept irreversible because "it is sent at once"
  step more = pay("poor", 1.00)
  return more
}
"""
)


def test_gates_that_open_by_themselves_are_shown_and_decided_like_others(project: Project) -> None:
    project.write("order.saga", GUARDED)
    tools = project.folder / f"{project.module}.py"
    tools.write_text(tools.read_text() + '\ndef recall(id):\n    write(f"recall:{id}")\n')
    said = project.run("g")
    assert said.code == 6
    assert "waiting at `parcel.guard` for 1 of ops" in said.err
    shown = project.saga("show", "g").out
    assert 'call: "ship"' in shown and 'arguments: {"id": "g"}' in shown
    assert 'readiness: "0.8"' in shown and 'least: "0.9"' in shown
    assert project.saga("approve", "g", "parcel.guard", "--by", "ada").code == 0
    said = project.saga("resume", "g")
    assert "waiting at `more.guard`" in said.err
    assert project.saga("approve", "g", "more.guard", "--by", "ada").code == 0
    said = project.saga("resume", "g")
    assert said.code == 6
    assert "waiting at `parcel.corrective` for 1 of ops" in said.err
    assert project.done() == ["pay:g", "ship:g", "refund:g"]
    assert project.saga("reject", "g", "parcel.corrective", "--by", "eve").code == 1
    approved = project.saga("approve", "g", "parcel.corrective", "--by", "ada")
    assert approved.out == "g: parcel.corrective approved\n"
    assert project.saga("resume", "g").code == 4
    assert project.done()[-1] == "recall:g"


TWICE = (
    SAGA[: SAGA.index('"""Takes')].replace("impact 4", "impact 7")
    + """
saga order(id: str) -> str {
  step first = pay(id, 1.00)
  step second = pay("{id}-2", 2.00)
  return second
}
"""
)


def test_a_run_goes_back_to_a_state_that_it_kept_by_itself(project: Project) -> None:
    project.write("order.saga", TWICE)
    assert project.run("r").code == 0
    assert "  checkpoints before:second\n" in project.saga("show", "r").out
    [event] = [e for e in project.saga("log", "r", "--json").json if e["kind"] == "checkpointed"]
    assert project.saga("show", "r", "--json").json["checkpoints"] == [
        {"name": "before:second", "n": event["n"]}
    ]
    unknown = project.saga("rollback", "r", "--to", "second")
    assert (unknown.code, "passed so far: before:second" in unknown.err) == (1, True)
    assert project.saga("rollback", "r", "--to", "before:second").code == 0
    assert project.saga("resume", "r").code == 5
    assert project.done() == ["pay:r", "pay:r-2", "refund:r-2"]


def test_what_was_sent_cannot_be_taken_back(project: Project) -> None:
    project.run("o-1")
    said = project.saga("rollback", "o-1")
    assert said.code == 1
    assert "`parcel` is irreversible" in said.err


@pytest.mark.parametrize("command", ["cancel", "freeze"])
def test_a_run_that_is_over_is_left_alone(project: Project, command: str) -> None:
    project.run("far")
    said = project.saga(command, "far")
    assert said.code == 1
    assert "far" in said.err


AGENT = (
    SAGA[: SAGA.index('"""Takes')]
    + """
agent buyer(id: str) -> str {
  call python "MODULE:buyer"
  may use pay, ship needs "ops" at most 3 calls
}
saga order(id: str) -> str {
  step buy = buyer(id) else escalate
  return buy
}
"""
)

BUYER = """
def buyer(id, tools):
    write("thinks")
    tools.call("pay", id=id, total=1)
    return tools.call("ship", id=id)
"""


def test_an_agent_that_waits_for_people_goes_on_in_another_process(project: Project) -> None:
    project.write("order.saga", AGENT)
    tools = project.folder / f"{project.module}.py"
    tools.write_text(tools.read_text() + BUYER)
    said = project.run("a")
    assert said.code == 6
    assert "saga approve a 'buy[2].gate' --by WHO" in said.err
    assert project.saga("approve", "a", "buy[2].gate", "--by", "ada").code == 0
    resumed = project.saga("resume", "a", "--json")
    assert (resumed.code, resumed.json["result"]) == (0, "parcel-a")
    assert [step["path"] for step in resumed.json["steps"]] == ["buy", "buy[1]", "buy[2]"]
    assert project.done() == ["thinks", "pay:a", "ship:a", "thinks"]
