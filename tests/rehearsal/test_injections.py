"""Everything that a scenario can let go wrong, on the real kernel (LANGUAGE.md §5)."""

from __future__ import annotations

import pytest

from .programs import played, told, wrong

SET = 'scenario "it" for reprice { given id = "a" given price = 9.00 '


def test_nothing_goes_wrong() -> None:
    assert told("expect succeeded expect done session, pay, parcel") == [
        "session: answers",
        "pay: `charge` is called",
        "pay: answers",
        "release: is skipped",
        "parcel: `label` is called",
        "parcel: answers",
        ": the run is succeeded",
    ]


def test_a_refusal_is_final() -> None:
    lines = told('fail pay with "CardDeclined" expect rolled back expect not called parcel')
    assert lines.count("pay: `charge` is called") == 1
    assert not any("attempt 2" in line for line in lines)


def test_a_transient_error_is_tried_again_so_often() -> None:
    lines = told('fail pay with "RateLimited" 2 times expect succeeded')
    assert "pay: `charge` is called, attempt 3" in lines


def test_a_transient_error_without_end_uses_up_the_attempts() -> None:
    lines = told('fail pay with "RateLimited" expect rolled back')
    assert "pay: `charge` is called, attempt 3" in lines
    assert "pay: `charge` is called, attempt 4" not in lines


def test_an_error_that_nobody_names_leaves_it_unknown_and_nothing_has_landed() -> None:
    lines = told('fail pay with "Boom" 1 times expect succeeded')
    assert "pay: what happened is not known (Boom: as the scenario says)" in lines
    assert "pay: verify: it is not there" in lines


def test_what_is_so_already_is_there() -> None:
    lines = told('fail pay with "AlreadyCharged" expect succeeded')
    assert "pay: verify: it is there" in lines
    assert lines.count("pay: `charge` is called") == 1


@pytest.mark.parametrize(
    "line",
    [
        'fail session with "Boom" 2 times',
        "timeout session",
        "lose session",
        "crash session before call",
        "crash session after call",
    ],
)
def test_a_read_is_tried_again(line: str) -> None:
    assert told(f"{line} expect succeeded expect done session")


def test_two_crashes() -> None:
    lines = told("crash pay before call crash parcel after call expect succeeded")
    assert sum("the process died" in line for line in lines) == 2


def test_a_crash_before_the_call_leaves_nothing_there() -> None:
    lines = told("crash pay before call expect succeeded")
    lost = lines.index("pay: the process died during this call; another one takes over")
    assert lines[lost + 1 : lost + 3] == [
        "pay: verify: it is not there",
        "pay: `charge` is called, attempt 2",
    ]


def test_after_a_crash_behind_the_call_nothing_is_done_twice() -> None:
    lines = told("crash pay after call expect succeeded")
    assert "pay: verify: it is there" in lines
    assert not any("attempt 2" in line for line in lines)


@pytest.mark.parametrize(("moment", "calls"), [("before", 2), ("after", 1)])
def test_a_crash_in_the_undo(moment: str, calls: int) -> None:
    program = f"crash pay {moment} undo cancel at release expect cancelled expect undone pay"
    lines = told("given amount = 200.00 " + program)
    assert sum("undo: `refund` is called" in line for line in lines) == calls


def test_a_call_that_is_never_answered_and_never_lands_is_made_again() -> None:
    lines = told("timeout pay expect succeeded")
    assert "pay: verify: it is not there" in lines
    assert "pay: `charge` is called, attempt 2" in lines


def test_a_call_that_lands_late_is_found() -> None:
    lines = told("timeout pay landing after 9s expect succeeded")
    assert "pay: verify: it is there" in lines
    assert not any("attempt 2" in line for line in lines)


def test_a_lost_answer_is_asked_for() -> None:
    lines = told("lose pay expect succeeded")
    assert lines[2:4] == [
        "pay: what happened is not known (ConnectionError: the answer was lost)",
        "pay: verify: it is there",
    ]


def test_what_is_expected_unchanged_drifts() -> None:
    lines = told(f"{SET} drift set expect escalated expect not called check }}")
    assert lines[-1] == "set: people are asked: what `set` expects unchanged has changed"


def test_without_a_drift_what_is_expected_stays_as_it_is() -> None:
    assert told(f"{SET} expect succeeded expect done set }}")


def test_somebody_else_changes_what_a_step_has_left_behind() -> None:
    lines = told(
        "given amount = 200.00 drift pay reject release expect escalated expect not called parcel"
    )
    assert "pay: verify before the undo: somebody else has changed it" in lines
    assert not any("refund" in line for line in lines)


def test_a_refused_undo_is_for_people() -> None:
    lines = told("given amount = 200.00 reject release refuse undo pay expect escalated")
    assert "pay: undo: is refused (Refused: the undo is refused, as the scenario says)" in lines


def test_a_quorum_approves() -> None:
    lines = told(
        'given amount = 200.00 approve release by "ann" approve release by "bob" '
        "expect succeeded expect done release"
    )
    opened = lines.index("release: waits for people")
    assert lines[opened + 1 : opened + 3] == [
        "release: approved by ann",
        "release: approved by bob",
    ]


def test_one_of_two_is_not_enough() -> None:
    assert told('given amount = 200.00 approve release by "ann" expect waiting')


def test_what_nobody_answers_lapses() -> None:
    lines = told("given amount = 200.00 expect rolled back expect undone pay")
    assert "release: lapses: nobody decided in time" in lines


def test_a_rejection_rolls_back() -> None:
    lines = told("given amount = 200.00 reject release expect rolled back")
    assert "release: rejected by somebody" in lines


def test_a_cancel_lets_the_call_settle_and_takes_it_back() -> None:
    lines = told("cancel at pay expect cancelled expect undone pay expect not called parcel")
    assert lines.index(": somebody cancels the run") < lines.index("pay: answers")


def test_a_log_that_cannot_be_written_pauses_the_run_there() -> None:
    lines = told("log down at parcel expect paused expect not called parcel expect done pay")
    assert lines[-1] == ": the log cannot be written: the run is paused"


STANDS = """
scenario "it" for two {
  given id = "a"
  fail pay with "CardDeclined"
  INJECTED
}
saga two(id: str) {
  step parcel = label(id) accept irreversible because "it can be fetched"
  step pay = charge(id, 1.00)
}
"""


def test_a_gated_corrective_waits_for_its_gate() -> None:
    approved = 'approve parcel.corrective by "ann" expect partly rolled back'
    lines = told(STANDS.replace("INJECTED", f"{approved} expect corrective parcel"))
    assert lines[-4:-1] == [
        "parcel.corrective: approved by ann",
        "parcel: corrective: `recall` is called",
        "parcel: corrective: answers",
    ]
    assert told(STANDS.replace("INJECTED", "expect waiting"))
    left = "reject parcel.corrective expect partly rolled back"
    assert told(STANDS.replace("INJECTED", left))


def test_what_never_came_to_pass_is_named() -> None:
    rehearsal = played('fail pay with "CardDeclined" lose parcel approve release by "ann"')
    assert [line.source for line in rehearsal.unused] == [
        "lose parcel",
        'approve release by "ann"',
    ]
    assert rehearsal.passed


def test_playing_it_twice_gives_the_same() -> None:
    text = 'crash pay after call fail parcel with "CarrierDown" expect succeeded'
    assert played(text) == played(text)


def test_a_run_without_end_is_told_as_such() -> None:
    text = """
scenario "it" for ever {
  given id = "a"
  fail it with "Busy"
  expect succeeded
}
saga ever(id: str) { step it = knock(id) }
tool knock(id: str) -> json {
  call python "door:knock"
  effect door(id) irreversible corrective "Say sorry."
  idempotent naturally
  transient with Busy
  retry forever every 1s..1s
}
"""
    ((expected, happened),) = wrong(text)
    assert expected == "the run to come to a stand"
    assert "it goes on without end" in happened
