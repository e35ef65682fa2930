"""What the processes of a crash test do, one after another, and how the shop must look at last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .bench import Bench, Done
from .journey import EAGER, JOURNEY, SLOW, order, tools

SAGAS = {"journey": JOURNEY, "eager": EAGER, "slow": SLOW}
TAKE_UP = ("resume", "r", "PATH")


@dataclass(frozen=True)
class Story:
    """A run from its beginning to its end, each action in a process of its own.

    `faults` are set at the service before the first action. `stands` is what must stand there at
    last, by kind; `done` how often each kind may have been done at most (once, if not said).
    """

    saga: str
    order: str
    actions: tuple[tuple[str, ...], ...]
    status: str
    stands: Mapping[str, int]
    faults: Mapping[str, Mapping[str, object]] = field(default_factory=dict[str, dict[str, object]])
    done: Mapping[str, int] = field(default_factory=dict[str, int])

    def prepare(self, bench: Bench) -> None:
        """Writes the saga and sets the faults."""
        bench.write(f"{self.saga}.saga", tools() + SAGAS[self.saga])
        for operation, faults in self.faults.items():
            bench.shop.switch(operation, **faults)

    def lines(self) -> list[list[str]]:
        """Every action as arguments of `saga`, from the beginning of the run on."""
        path = f"{self.saga}.saga"
        begin = ["run", path, "--id", "r", "--input", self.order, "--json"]
        more = [*self.actions, TAKE_UP] if self.actions else []
        return [begin, *([path if part == "PATH" else part for part in line] for line in more)]


NOTHING = {"payment": 0, "stock": 0, "parcel": 0, "mail": 0}
ALL = {"payment": 1, "stock": 1, "parcel": 1, "mail": 1}
DEAR = order("2000", express=True)

STORIES: dict[str, Story] = {
    "all goes well": Story(
        "journey", order(express=True, letter="x" * 70_000), (), "succeeded", ALL
    ),
    "an answer is lost": Story(
        "journey",
        order(express=True),
        (),
        "succeeded",
        ALL,
        {"payments/charge": {"lose_answer": True}, "shipping/label": {"lose_answer": True}},
    ),
    "the service is busy": Story(
        "journey",
        order(express=True),
        (),
        "succeeded",
        ALL,
        {"payments/charge": {"rate_limit": 0.05}},
    ),
    "the last step is refused": Story(
        "journey",
        order(express=True),
        (),
        "rolled_back",
        NOTHING,
        {"shipping/label": {"refuse": "CarrierDown", "times": "always"}},
    ),
    "an answer of an undo is lost": Story(
        "journey",
        order(express=True),
        (),
        "rolled_back",
        NOTHING,
        {
            "shipping/label": {"refuse": "CarrierDown", "times": "always"},
            "payments/refund": {"lose_answer": True},
        },
    ),
    "a gate is approved": Story(
        "journey", DEAR, (("approve", "r", "release", "--by", "ada"),), "succeeded", ALL
    ),
    "the run is cancelled": Story("journey", DEAR, (("cancel", "r"),), "cancelled", NOTHING),
    "the run is frozen": Story(
        "journey",
        DEAR,
        (("freeze", "r", "--by", "ada"), ("resolve", "r", "-", "back", "--by", "ada")),
        "rolled_back",
        NOTHING,
    ),
    "an undo is refused": Story(
        "journey",
        order(express=True),
        (("resolve", "r", "pay", "retry", "--by", "ada"),),
        "rolled_back",
        NOTHING,
        {
            "shipping/label": {"refuse": "CarrierDown", "times": "always"},
            "payments/refund": {"refuse": "Disputed"},
        },
    ),
    "an accepted mail is taken back in words": Story(
        "eager",
        order(),
        (),
        "partly_rolled_back",
        {**NOTHING, "mail": 2},
        {"shipping/label": {"refuse": "CarrierDown", "times": "always"}},
        {"mail": 2},
    ),
    "an answer comes late": Story(
        "slow",
        order(),
        (),
        "succeeded",
        {**NOTHING, "payment": 1, "stock": 1},
        {"stock/reserve": {"delay_answer": 1.2}, "payments/charge": {"delay_answer": 1.6}},
    ),
}


def play(bench: Bench, story: Story, failpoint: str) -> list[Done]:
    """Lets a story happen; the process that dies is followed by another that does the same.

    Gives what each process said. The failure point is armed until somebody has died of it.
    """
    told: list[Done] = []
    for line in story.lines():
        told.append(bench.saga(*line, failpoint=failpoint))
        if told[-1].killed:
            failpoint = ""
            told.append(bench.saga(*line))
    return told


def judge(bench: Bench, story: Story) -> None:
    """Holds the service's rows and the run's log against each other, and against the story."""
    shown = bench.show()
    events = bench.events()
    assert shown["status"] == story.status, (shown["error"], shown["incident"], bench.kinds())
    assert {kind: bench.shop.net(kind) for kind in story.stands} == story.stands
    for kind in story.stands:
        assert bench.done(kind) <= story.done.get(kind, 1), bench.shop.rows(kind)

    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    intents = [event for event in events if event["kind"] == "intent"]
    back = min((e["n"] for e in intents if e["direction"] != "do"), default=10**9)
    assert all(e["n"] < back for e in intents if e["direction"] == "do")
    keys = {event["key"] for event in intents}
    keyed = [call for call in bench.shop.calls() if call["key"] is not None]
    assert {call["key"] for call in keyed} <= keys
    by_key: dict[object, set[str]] = {}
    for call in keyed:
        by_key.setdefault(call["key"], set()).add(str(call["payload"]))
    assert all(len(payloads) == 1 for payloads in by_key.values())

    calls = len(bench.shop.calls())
    again = bench.saga("resume", "r", f"{story.saga}.saga", "--json")
    assert again.json["status"] == story.status
    assert len(bench.shop.calls()) == calls
    assert len(bench.events()) == len(events)
