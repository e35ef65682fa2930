"""The magics in a real kernel: positions of mistakes, interrupts, cells that are run again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sagalang.loading import CompileFailed, load

from .kernels import Kernel, Shown
from .programs import TOOLS, TRIP

pytestmark = pytest.mark.slow

BODY = "edition 2026\nsaga s() {\n  step a = nope()\n}"


def named(kernel: Kernel, cell: str) -> tuple[Shown, str]:
    """Runs a cell; gives what it shows and the name that it has in messages."""
    count = kernel.number + 1
    return kernel.run(cell), f"Cell In[{count}]"


@pytest.mark.parametrize(
    ("cell", "line", "column"),
    [
        (f"%%saga\n{BODY}", 4, 12),
        (f"\n\n%%saga\n{BODY}", 6, 12),
        (f"%%saga --quiet \\\n  --no-dag\n{BODY}", 5, 12),
        (f"%%saga\n{BODY}".replace("\n", "\r\n"), 4, 12),
        ("%%saga\nedition 2026\nsaga s() {\n\tstep a = nope()\n}", 4, 11),
        (f"# what I try\n\n%%saga\n{BODY}", 6, 12),
        ("%%saga\nedition 2026\nsaga s() { step a = nope() }", 3, 21),
        ("  %%saga\n  edition 2026\n  saga s() { step a = nope() }", 3, 23),
    ],
)
def test_a_mistake_stands_where_its_reader_counts_it(
    kernel: Kernel, cell: str, line: int, column: int
) -> None:
    shown, name = named(kernel, cell)
    assert shown.error == "CellFailed"
    assert f"--> {name}:{line}:{column}\n" in shown.traceback
    marked, carets = re.findall(rf"\n *{line} \| (.*)\n +\| (.*)", shown.traceback)[0]
    assert marked.expandtabs(4)[carets.index("^") :].startswith("nope")
    assert "File " not in shown.traceback


def test_cell_and_file_say_the_same(kernel: Kernel) -> None:
    kernel.folder.joinpath("same.saga").write_text(BODY, "utf-8")
    with pytest.raises(CompileFailed) as failed:
        load(kernel.folder / "same.saga", {})
    path = str(kernel.folder / "same.saga")
    shown, name = named(kernel, "%%saga\n" + BODY)
    cell = shown.traceback.rpartition("\n\n")[0].replace(f"{name}:4:", f"{path}:3:")
    assert cell == re.sub(r"(?m)^3( [|])", r"4\1", str(failed.value))


def test_all_mistakes_are_listed_in_their_order(kernel: Kernel) -> None:
    cell = "%%saga\nedition 2026\nsaga s() { step a = first() }\nsaga t() { step b = second() }"
    shown, name = named(kernel, cell)
    assert shown.traceback.index("`first`") < shown.traceback.index("`second`")
    assert shown.traceback.endswith(f"{name}: 2 errors. Nothing was changed.")


def test_an_imported_file_has_its_own_lines(kernel: Kernel) -> None:
    kernel.folder.joinpath("own.saga").write_text("edition 2026\n\ntool t( {\n", "utf-8")
    cell = '\n%%saga\nedition 2026\nimport { t } from "own.saga"\nsaga s() { step a = t() }'
    shown = kernel.run(cell)
    assert "--> own.saga:3:" in shown.traceback


def test_a_wrong_option_is_at_the_line_of_the_magic(kernel: Kernel) -> None:
    shown, name = named(kernel, f"\n\n%%saga --chek\n{BODY}")
    assert shown.error == "WrongOptions"
    assert shown.traceback.startswith(f"{name}, line 3: unrecognized arguments: --chek.")
    assert "--check" in shown.traceback


def test_a_text_of_a_program_has_no_cell(kernel: Kernel) -> None:
    shown = kernel.run(f"x = 1\nget_ipython().run_cell_magic('saga', '', {BODY!r})")
    assert "--> the saga text:3:12" in shown.traceback


def test_a_mistake_changes_no_name(kernel: Kernel) -> None:
    before = kernel.run("id(trip)").text
    assert not kernel.run(TRIP.replace("book(room)\n  gate", "boook(room)\n  gate")).ok
    assert kernel.run("id(trip)").text == before


def test_a_saga_may_not_replace_a_function_that_it_calls(kernel: Kernel) -> None:
    cell = TRIP.replace('call python "pay"', 'call python "trip"')
    shown = kernel.run(cell)
    assert "`trip` would replace the function that the tool `pay` calls" in shown.traceback
    assert kernel.run("pay.__class__.__name__").text == "'function'"


def test_checking_binds_nothing_and_quiet_shows_nothing(kernel: Kernel) -> None:
    other = TRIP.replace("saga trip(", "saga other(")
    shown = kernel.run(other.replace("%%saga", "%%saga --check", 1))
    assert shown.html
    assert kernel.run("other").error == "NameError"
    assert kernel.run(other.replace("%%saga", "%%saga --quiet", 1)) == Shown()
    assert kernel.run("other, Booking(id='x')").ok


def test_a_cell_is_written_and_nobodys_file_overwritten(kernel: Kernel) -> None:
    made, own = kernel.folder / "made.saga", kernel.folder / "mine.saga"
    cell = TRIP.replace("%%saga", "%%saga --quiet --write made.saga", 1)
    assert kernel.run(cell).ok
    assert kernel.run(cell).ok
    assert set(load(made, {})) == {"trip"}
    own.write_text("mine", "utf-8")
    shown = kernel.run(cell.replace("made.saga", "mine.saga"))
    assert "it is not overwritten" in shown.traceback
    assert own.read_text("utf-8") == "mine"


def test_a_run_is_waited_for_awaited_and_shown(kernel: Kernel) -> None:
    assert "succeeded" in kernel.run('trip.start(run_id="w-1", room="w").wait()').text
    assert "succeeded" in kernel.run('await trip.start(run_id="w-2", room="w")').text
    shown = kernel.run("""%saga_run trip room="w w" amount=10 + 20 --id w-3""")
    assert shown.error == "WrongOptions"
    shown = kernel.run("""%saga_run trip room="w w" amount=30 --id w-3""")
    assert "run w-3 of trip" in shown.text
    assert len(shown.html) == 1


def test_a_failure_points_to_the_declaration_of_its_step(kernel: Kernel) -> None:
    cell = "\n" + TRIP.replace("impact 8", "impact 9")
    shown, name = named(kernel, cell)
    line = cell.split("\n").index("  step paid = pay(amount)") + 1
    kernel.run('bad = trip.start(room="p", amount=500).wait(); bad.approve("ok", by="ann")')
    shown = kernel.run("bad.wait()")
    assert f"paid ({name}, line {line}) · Refused: card declined" in shown.text


def test_a_mistake_of_the_user_is_one_sentence(kernel: Kernel) -> None:
    shown, name = named(kernel, "\nx = 1\ntrip.start(rom=1)")
    assert shown.traceback.startswith(f"{name}, line 3: `trip` was not started:")
    assert "did you mean `room`" in shown.traceback
    assert "File " not in shown.traceback
    kernel.run('poor = trip.start(room="poor", amount=500).wait(); poor.approve("ok", by="ann")')
    shown = kernel.run("poor.result()")
    assert "rolled back because of Refused: card declined" in shown.traceback
    assert "Traceback" not in shown.traceback


WATCH = """
import pathlib, sys, threading, time, traceback

def watch(name):
    # Before the cell waits, an interrupt would be Python's own.
    cell = threading.get_ident()

    def look():
        waits = False
        while not waits:
            time.sleep(0.01)
            stack = traceback.extract_stack(sys._current_frames()[cell])
            waits = stack[-1].name == "select" or "_wait_once" in [frame.name for frame in stack]
        pathlib.Path(name).touch()

    threading.Thread(target=look).start()
"""
"""Makes a file once the cell waits: for a run, or for its loop to go on with it."""


@pytest.mark.parametrize("wait", ["r.wait()", "await r", "r.result()"])
def test_an_interrupt_is_one_sentence_and_the_run_goes_on(kernel: Kernel, wait: str) -> None:
    kernel.run("held.clear()")
    name = wait.replace(" ", "-")
    begin = f'r = trip.start(run_id="i-{name}", room="i")'
    begun = kernel.begin(f'{WATCH}\n{begin}\nwatch("{name}")\n{wait}')
    kernel.wait_for(name)
    try:
        kernel.interrupt()
        shown = kernel.finish(begun)
        running = kernel.run("print(r.status)").text
    finally:
        # Whatever came of it, the tests that follow shall not wait for this one's tool.
        kernel.run("held.set()")
    assert not shown.ok
    assert "goes on in this process" in shown.traceback
    assert len(shown.traceback.split("\n")) == 1
    assert running == "running\n"
    assert kernel.run("print(r.wait().status)").text == "succeeded\n"
    left = "import asyncio; [t for t in asyncio.all_tasks() if 'sagalang' in repr(t)]"
    assert kernel.run(left).text == "[]"


def test_an_equal_run_is_not_begun_by_chance(kernel: Kernel) -> None:
    first = kernel.run('e = trip.start(room="e", amount=70).wait(); print(e.id)').text.strip()
    again = kernel.run('trip.start(room="e", amount=70)')
    assert again.error == "Unfinished"
    assert f"the run {first} has the same definition and inputs" in again.traceback
    assert kernel.run('trip.start(run_id="e-2", room="e", amount=70).wait()').ok
    assert re.fullmatch(
        r"ok: approved by ann, written as event \d+", kernel.run('e.approve("ok", by="ann")').text
    )
    assert kernel.run("e.wait()").ok
    over = 'trip.start(room="e", amount=71).wait().reject("ok", by="ann")'
    assert kernel.run(over).ok
    assert kernel.run('trip.start(room="e", amount=72)').ok


def test_an_id_finds_the_run_there_is(kernel: Kernel) -> None:
    cell = 'trip.start(run_id="once", room="once").wait(); print(done.count(("book", "once")))'
    assert [kernel.run(cell).text for _ in range(3)] == ["1\n"] * 3


def test_a_changed_cell_leaves_a_living_run_as_it_was_begun(kernel: Kernel) -> None:
    kernel.run(TRIP)
    kernel.run('live = trip.start(run_id="live", room="live", amount=80).wait()')
    assert "live" not in kernel.run("\n" + TRIP).text
    shown = kernel.run(TRIP.replace("impact 2", "impact 3"))
    assert re.search(r"\blive of `trip` go(es)? on as begun", shown.text)
    assert kernel.run('live.approve("ok", by="ann"); print(live.wait().status)').text == (
        "succeeded\n"
    )
    assert kernel.run("print(live.effects[0]['impact'])").text == "2\n"
    kernel.run(TRIP)


def test_questions_in_sql(kernel: Kernel) -> None:
    kernel.run('q = trip.start(run_id="q", room="q").wait()')
    count = "SELECT count(*) AS n FROM events WHERE run_id = $run AND kind = 'intent'"
    for run in ("q", '"q"'):
        assert kernel.run(f"%%sagasql {run}\n{count}").text == "n\n2\n1 row"
    assert kernel.run(f"%%sagasql -o found q\n{count}") == Shown()
    assert kernel.run("found.rows").text == "[(2,)]"
    wrong, name = named(kernel, "\n%%sagasql\nSELECT nonsense")
    assert wrong.traceback.startswith(f"{name}, line 2: ")
    assert "nonsense" in wrong.traceback
    refused = kernel.run("%%sagasql\nCREATE TABLE t (n INT)")
    assert "the log can only be asked" in refused.traceback


def test_loading_again_changes_nothing(kernel: Kernel) -> None:
    count = (
        "from sagalang.runtime import Saga\n"
        "from sagalang.notebooks.cell import without_remarks\n"
        "ip = get_ipython()\n"
        "print(len(Saga.guards), len(ip.events.callbacks['pre_run_cell']), "
        "ip.input_transformers_cleanup.count(without_remarks))"
    )
    before = kernel.run(count).text
    assert kernel.run("%load_ext sagalang\n%reload_ext sagalang\n%reload_ext sagalang").ok
    assert kernel.run(count).text == before
    assert kernel.run("%unload_ext sagalang").ok
    assert kernel.run(count).text.startswith("0 ")
    assert kernel.run("%load_ext sagalang").ok


def test_asyncio_is_left_alone(kernel: Kernel) -> None:
    kernel.run("import asyncio; print(asyncio.run.__module__, asyncio.get_event_loop.__module__)")
    shown = kernel.run(
        "print(asyncio.run.__module__, asyncio.BaseEventLoop.run_forever.__module__)"
    )
    assert shown.text == "asyncio.runners asyncio.base_events\n"


def test_the_doctor_says_who_goes_on_with_what(kernel: Kernel) -> None:
    kernel.run('sick = trip.start(run_id="sick", room="s", amount=90).wait()')
    shown = kernel.run("%saga_doctor")
    assert re.search(
        r"run sick +waiting, process \d+ .*\(this kernel\) goes on with it", shown.text
    )


CANARY = "CANARY-9f2-ß\"'\\"


def test_nothing_of_a_line_is_expanded_and_no_secret_shown(kernel: Kernel) -> None:
    """IPython would put a variable's value in the place of `$NAME` or `{NAME}`."""
    kernel.run(f"API_KEY = {CANARY!r}")
    for line in ("--$API_KEY", "--{API_KEY}", "--write $API_KEY", "--write {API_KEY}"):
        cell = TRIP.replace("%%saga", f"%%saga {line}", 1)
        shown = kernel.run(cell)
        assert not shown.ok
        assert "CANARY" not in shown.everything
    for cell in (
        "%saga_run $API_KEY",
        "%saga_run trip {API_KEY}",
        "%%sagasql $API_KEY -x\nSELECT 1",
    ):
        assert "CANARY" not in kernel.run(cell).everything


def test_a_secret_input_stays_out_of_every_output(kernel: Kernel) -> None:
    kernel.run(
        f"import os; os.environ['SHOP_KEY'] = {CANARY!r}\n"
        "def enter(door, key):\n"
        "    assert key == os.environ['SHOP_KEY']\n"
        "    raise Refused(f'no entry with {key} and {key!r}')\n"
    )
    cell = """%%saga
edition 2026
tool enter(door: str, key_of_door: secret[str]) -> json {
  call python "enter" (door, key: key_of_door)
  effect door(door) irreversible impact 3 corrective "close it"
  idempotent naturally
}
saga visit(door: str, token: secret[str]) -> json {
  step inside = enter(door, token)
  return inside
}"""
    outputs = [kernel.run(cell)]
    assert outputs[0].ok, outputs[0].traceback
    begin = 'v = visit.start(run_id="v", door="front", token="env:SHOP_KEY").wait(); v'
    outputs.append(kernel.run(begin))
    assert "no entry with" in outputs[1].text
    cells = ("v.result()", "v.effects", "v.timeline()", "v.events()", "v.to_json()", "v.incident",
             "visit", "%%sagasql v\nSELECT * FROM events WHERE run_id = $run")  # fmt: skip
    outputs += [kernel.run(cell) for cell in cells]
    for shown in outputs:
        assert "CANARY" not in shown.everything
    for file in kernel.folder.iterdir():
        if file.is_file() and file.name.startswith("saga."):
            assert b"CANARY" not in file.read_bytes()


def test_a_new_kernel_takes_a_run_up_and_begins_no_other(tmp_path: Path) -> None:
    with Kernel(tmp_path) as kernel:
        for cell in ("%load_ext sagalang", TOOLS, TRIP, "held.clear()"):
            assert kernel.run(cell).ok
        kernel.run('r = trip.start(room="k"); print(r.id)')
        begun = kernel.run(
            "import time\nwhile len(r.events()) < 2: time.sleep(0.01)\nprint(r.id)"
        ).text.strip()
        kernel.restart()
        for cell in ("%load_ext sagalang", TOOLS, TRIP):
            assert kernel.run(cell).ok
        assert "nobody goes on with it" in kernel.run("%saga_doctor").text
        again = kernel.run('trip.start(room="k")')
        assert again.error == "Unfinished"
        assert begun in again.traceback
        resumed = kernel.run(
            f'import sagalang\nr = sagalang.open().resume("{begun}", trip).wait()\n'
            "print(r.status, len([e for e in r.events() if e['kind'] == 'attempt_lost']))"
        )
        assert resumed.text == "succeeded 1\n", resumed.traceback


def test_two_notebooks_have_one_log_and_of_one_id_one_run(tmp_path: Path) -> None:
    """Both begin `one` at the same time: one of them owns the run, the other has the same."""
    (tmp_path / "saga.toml").write_text('[groups]\nops = ["ann"]\n', "utf-8")
    with Kernel(tmp_path) as left, Kernel(tmp_path) as right:
        both = (left, right)
        for kernel in both:
            for cell in ("%load_ext sagalang", TOOLS, TRIP):
                assert kernel.run(cell).ok
        start = 'r = trip.start(run_id="one", room="one", amount=70); print(r.wait().status)'
        begun = [(kernel, kernel.begin(start)) for kernel in both]
        shown = [kernel.finish(message) for kernel, message in begun]
        assert [one.text for one in shown] == ["waiting\n"] * 2, [one.traceback for one in shown]
        booked = [kernel.run('print(done.count(("book", "one")))').text for kernel in both]
        assert sorted(booked) == ["0\n", "1\n"]
        other = left.run('trip.start(run_id="one", room="two")')
        assert not other.ok
        assert "one" in other.traceback and "File " not in other.traceback
        owner, guest = both if booked[0] == "1\n" else (right, left)
        assert guest.run('r.approve("ok", by="ann")').ok
        assert guest.run("print(r.wait().status)").text == "succeeded\n"
        assert owner.run("print(r.wait().status)").text == "succeeded\n"
        begun = [
            (kernel, kernel.begin("print(r.sql('SELECT status FROM runs').rows)"))
            for kernel in both
        ]
        assert [kernel.finish(message).text for kernel, message in begun] == [
            "[('succeeded',)]\n"
        ] * 2
