"""What would happen, before it does: the recovery plan of each point of failure."""

from __future__ import annotations

from sagalang.runtime.foresight import foresee
from sagalang.runtime.plan import Argument, Gate, Node as Statement

from .kit import parallel, plan, step, text, tool


def test_each_point_of_failure_has_its_plan() -> None:
    a, b, p, c = tool("a"), tool("b"), tool("p", cls="irreversible"), tool("c")
    gate = Gate(
        path="g", name="g", needs=1, group="ops", shows=(Argument(name="x", value=text("y")),)
    )
    body: list[Statement] = [parallel(step(a), step(b)), gate, step(p), step(c)]
    found = foresee(plan(body, [a, b, p, c]))
    by_path = {failure.at: failure for failure in found.failures}
    assert [row["path"] for row in found.order] == ["a", "b", "g", "p", "c"]
    assert [u.path for u in by_path["a"].undo] == ["b"]
    assert [u.path for u in by_path["g"].undo] == ["b", "a"]
    assert by_path["g"].tier == 3 and by_path["g"].ends == "rolled_back"
    assert [(u.tool, u.arguments) for u in by_path["p"].undo] == [("un_b", "id"), ("un_a", "id")]
    assert by_path["c"].tier == 4 and by_path["c"].ends == "escalated"
    assert by_path["c"].stays == ("a", "b", "p")
    assert "`p`" in by_path["c"].asks


def test_one_point_can_be_asked_for() -> None:
    a, b = tool("a"), tool("b")
    found = foresee(plan([step(a), step(b)], [a, b]), only="b")
    assert [failure.at for failure in found.failures] == ["b"]
