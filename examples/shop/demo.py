"""Shows on a real service what Sagalang is for, in six short scenes; `make demo` runs it.

Every command that it shows is run as it stands, in a process of its own. Every line with a tick is
checked against the service's own rows or the command's own output: if one is not true, the demo
says which and ends with exit code 1.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text
from world import Shop, open_shop

HERE = Path(__file__).resolve().parent
FOLDER = HERE / ".demo"
COPIED = ("fulfil.saga", "risky.saga", "tools.py", "saga.toml")

# Killed here, the process has charged the card and has not written down that it did.
KILLED = "call.after:pay"

REFUSED = 1
ROLLED_BACK = 3


class Untrue(Exception):
    """The demo was about to say something that is not so."""


@dataclass
class Stage:
    """Where the demo is played: a terminal, an open shop, and a folder of its own."""

    console: Console
    shop: Shop

    def scene(self, number: int, title: str) -> None:
        """Opens a scene."""
        self.console.print()
        self.console.print(Rule(f"[bold]{number} · {title}", align="left", style="cyan"))

    def say(self, *sentences: str) -> None:
        """Says what is about to be seen, or what was."""
        self.console.print()
        self.console.print("\n".join(sentences), highlight=False)

    def claim(self, sentence: str, holds: bool) -> None:
        """Says what is true. Raises `Untrue` when it is not."""
        if not holds:
            raise Untrue(sentence)
        self.console.print(f"  [green]✓[/] {sentence}", highlight=False)

    def saga(self, *arguments: str, expect: int = 0, **environment: str) -> str:
        """Runs `saga` as a user would, shows it with what it prints, and returns that.

        Raises `Untrue` when it does not end with the exit code expected.
        """
        told = " ".join(f"{name}={value}" for name, value in environment.items())
        self.console.print()
        line = f"$ {told + ' ' if told else ''}saga {shlex.join(arguments)}"
        self.console.print(Text(line, style="bold yellow"), soft_wrap=True)
        done = self.quietly(*arguments, **environment)
        shown = Text.from_ansi(done.stdout.rstrip())
        if shown:
            self.console.print(Padding(shown, (0, 0, 0, 2)))
        if done.returncode != expect:
            raise Untrue(f"`{line}` ends with {expect}; it ended with {done.returncode}")
        return done.stdout

    def quietly(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs `saga` without showing it."""
        command = [str(Path(sys.executable).with_name("saga")), *arguments]
        colours = {"FORCE_COLOR": "1"} if self.console.is_terminal else {"NO_COLOR": "1"}
        return subprocess.run(
            command,
            cwd=FOLDER,
            env={
                **os.environ,
                **colours,
                "COLUMNS": str(self.console.width - 4),
                "SHOP_URL": self.shop.url,
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def rows(self, order: str) -> None:
        """Shows what the service's own database has about an order."""
        table = Table("row", "operation", "what", "now", "counts", title_justify="left", box=None)
        for row in self.shop.rows():
            if order in f"{row['payload']} {row['resource']}":
                counts = {"do": "[green]+1[/]", "undo": "[red]-1[/]"}[str(row["direction"])]
                state: Any = row["state"]
                what = f"{row['kind']} {row['entity']}"
                now = str(state["state"])
                table.add_row(str(row["n"]), str(row["operation"]), what, now, counts)
        self.console.print()
        self.console.print("  The service's own rows:", style="dim")
        self.console.print(Padding(table, (0, 0, 1, 2)))

    def stands(self, order: str) -> dict[str, int]:
        """How many changes of each kind stand for an order, by the service's rows."""
        where = {"payment": order, "stock": f"{order}/mug", "parcel": order, "mail": mail_of(order)}
        return {kind: self.shop.net(kind, resource) for kind, resource in where.items()}


def mail_of(order: str) -> str:
    """Each customer of the demo has an address of its own, so that mails can be counted."""
    return f"{order}@example.org"


def order_file(order: str, total: str = "25.00") -> str:
    """Writes an order where the next command finds it, and returns its `--input`."""
    path = FOLDER / f"{order}.json"
    asked = {"id": order, "sku": "mug", "total": total, "email": mail_of(order)}
    path.write_text(json.dumps({"order": {**asked, "address": "Street 1"}}), encoding="utf-8")
    return f"@{path.name}"


def prologue(stage: Stage) -> None:
    """What the shop is, and the saga as it is written."""
    stage.console.print()
    stage.console.print("[bold]Sagalang: workflows that know how to undo themselves[/]")
    stage.say(
        "A shop has just opened in a process of its own: payments, stock, shipping and mail,",
        f"behind HTTP at {stage.shop.url}, with its own database.",
        "This is how it fulfils an order (the end of fulfil.saga; above it stand the tools):",
    )
    source = (FOLDER / "fulfil.saga").read_text(encoding="utf-8")
    saga = source[source.index('"""Fulfil one order') :].rstrip()
    stage.console.print(Padding(Text(saga, style="cyan"), (1, 0, 0, 2)))


def scene_1(stage: Stage) -> None:
    """A run that succeeds."""
    stage.scene(1, "It works")
    stage.say("First the compiler proves what can be taken back, and until when:")
    stage.saga("check", "fulfil.saga")
    stage.say("Then an order goes through:")
    stage.saga("run", "fulfil.saga", "--id", "order-1", "--input", order_file("order-1"))
    stage.rows("order-1")
    stage.claim(
        "One charge, one reservation, one parcel, one mail.",
        stage.stands("order-1") == {"payment": 1, "stock": 1, "parcel": 1, "mail": 1},
    )


def scene_2(stage: Stage) -> None:
    """A refusal and its rollback."""
    stage.scene(2, "A step is refused: everything before it is taken back")
    stage.say("We tell the shop that its carrier is down, and order again.")
    stage.shop.switch("shipping/label", refuse="CarrierDown")
    stage.saga(
        *("run", "fulfil.saga", "--id", "order-2", "--input", order_file("order-2")),
        expect=ROLLED_BACK,
    )
    stage.rows("order-2")
    rows = [row["operation"] for row in stage.shop.rows() if "order-2" in str(row["resource"])]
    stage.claim(
        "The card was charged and the goods were put aside, so that there was something to undo.",
        {"payments/charge", "stock/reserve"} <= set(rows),
    )
    stage.claim(
        "Each +1 has its -1: the money is back, the goods are on the shelf, no mail went out.",
        stage.stands("order-2") == {"payment": 0, "stock": 0, "parcel": 0, "mail": 0},
    )


def scene_3(stage: Stage) -> None:
    """A kill between the effect and its record."""
    stage.scene(3, "The process is killed in the worst moment")
    stage.say(
        "The worst moment is after the card was charged and before that is written down.",
        "SAGA_FAILPOINT makes the process kill itself right there, with SIGKILL, like `kill -9`:",
    )
    stage.saga(
        *("run", "fulfil.saga", "--id", "order-3", "--input", order_file("order-3")),
        expect=-signal.SIGKILL,
        SAGA_FAILPOINT=KILLED,
    )
    stage.claim("The process is dead.", True)
    stage.claim("The service has charged the card.", stage.shop.net("payment", "order-3") == 1)
    log = json.loads(stage.quietly("show", "order-3", "--json").stdout)
    pay = {step["path"]: step["status"] for step in log["steps"]}["pay"]
    stage.claim(
        f"The log only knows that the charge was meant to happen (`pay` is {pay}).",
        pay in ("in_flight", "unknown"),
    )
    stage.say("Another process takes the run up. It asks the service before it does anything:")
    stage.saga("resume", "order-3")
    stage.rows("order-3")
    charges = [row for row in stage.shop.rows("payment", "order-3") if row["direction"] == "do"]
    stage.claim("Exactly one charge.", len(charges) == 1)
    stage.claim(
        "And the order was fulfilled.",
        stage.stands("order-3") == {"payment": 1, "stock": 1, "parcel": 1, "mail": 1},
    )


def scene_4(stage: Stage) -> None:
    """A mistake that is found before anything runs."""
    stage.scene(4, "A mistake that never runs")
    stage.say("risky.saga does the same work, but it writes the mail before the parcel is sure:")
    stage.saga("check", "risky.saga", expect=REFUSED)
    stage.say("The fix, as the message says: move the step that can fail in front of the mail.")
    before, after = fix(FOLDER / "risky.saga")
    for sign, lines, style in (("-", before, "red"), ("+", after, "green")):
        for line in lines:
            stage.console.print(Text(f"  {sign} {line.strip()}", style=style))
    stage.saga("check", "risky.saga")
    stage.claim("It checks clean.", True)


def fix(path: Path) -> tuple[list[str], list[str]]:
    """Moves the mail behind the parcel, where it may fail; returns the lines before and after."""
    lines = path.read_text(encoding="utf-8").splitlines()
    mail = next(i for i, line in enumerate(lines) if "step mail" in line)
    before = lines[mail : mail + 2]
    after = [lines[mail + 1], f"{lines[mail]} else continue"]
    lines[mail : mail + 2] = after
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return before, after


def scene_5(stage: Stage) -> None:
    """What the compiler makes."""
    stage.scene(5, "What the compiler makes of it")
    stage.say("A Python module that people can read; it needs only the runtime:")
    stage.saga("compile", "fulfil.saga", "-o", "fulfil_saga.py")
    module = (FOLDER / "fulfil_saga.py").read_text(encoding="utf-8")
    stage.claim(f"fulfil_saga.py has {len(module.splitlines())} lines.", "pay" in module)
    stage.say("And a picture of the order of the steps (also as SVG, for documents):")
    stage.saga("graph", "fulfil.saga", "--format", "mermaid")
    svg = stage.quietly("graph", "fulfil.saga", "--format", "svg").stdout
    (FOLDER / "fulfil.svg").write_text(svg, encoding="utf-8")
    stage.claim("The picture is in fulfil.svg.", svg.lstrip().startswith("<svg"))


def scene_6(stage: Stage) -> None:
    """Readiness and SQL."""
    stage.scene(6, "How far back could we go, and what happened?")
    stage.say(
        "Readiness is the share of what was done, weighed by its impact, that can still be undone:",
    )
    stage.saga("score", "order-1")
    stage.say("Everything that happened is in a log, and the log is a database:")
    stage.saga("sql", "select run_id, saga, status from runs order by run_id")
    answer = stage.quietly("sql", "--json", "select status from runs order by run_id").stdout
    stage.claim(
        "Three runs: one rolled back, two succeeded, one of them after a kill.",
        [answer.count(status) for status in ("succeeded", "rolled_back")] == [2, 1],
    )


def epilogue(stage: Stage) -> None:
    """Where to look next."""
    stage.console.print()
    stage.console.print(Rule("[bold]Where to look next", align="left", style="cyan"))
    folder = os.path.relpath(FOLDER)
    stage.say(
        f"{folder}/  has everything that was made here; the next demo clears it.",
        "examples/shop/README.md  plays with this shop by hand, with every way to break it.",
        "examples/shop/fulfil.saga  is the whole file; `saga plan` tells what each failure does.",
        "README.md  has a first saga of one's own.",
    )


def play() -> None:
    """Opens the shop and plays all scenes. Raises `Untrue`."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=100)
    if FOLDER.exists():
        shutil.rmtree(FOLDER)
    FOLDER.mkdir()
    for name in COPIED:
        shutil.copy(HERE / name, FOLDER / name)
    with open_shop(FOLDER) as shop:
        stage = Stage(console, shop)
        prologue(stage)
        for scene in (scene_1, scene_2, scene_3, scene_4, scene_5, scene_6):
            scene(stage)
        epilogue(stage)


def main() -> int:
    """Plays the demo; returns 0 when all that it said was true."""
    try:
        play()
    except Untrue as claim:
        print(f"\nThe demo stops: this should be true and is not: {claim}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nStopped. What was made is in {FOLDER}.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
