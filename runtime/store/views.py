"""The views of the event store: what people ask of their runs."""

from __future__ import annotations

from .columns import View, columns
from .statistics import STATISTICS


def _derived(name: str, about: str, told: str) -> View:
    """Gives a view of rows that are worked out when events are moved."""
    shown = columns(told)
    names = ", ".join(f'"{column.name}"' for column in shown)
    return View(name, about, shown, f"SELECT {names} FROM derived.{name}")


_EVENTS = View(
    "events",
    "Every event of every run, in the order of the log.",
    columns("""
        seq: Place in the log, without gaps.
        run_id: The run.
        n: Place in the run, without gaps: the run's logical clock.
        saga: The run's saga.
        definition: Hash of what the run was begun with.
        wall_time: When, UTC. Clocks never decide order.
        elapsed_ms: The run's own time, summed over its owners.
        kind: What happened.
        path: The step, gate or statement.
        direction: do, verify, undo, corrective or read.
        generation: How often the step was begun anew.
        attempt: Which call of this generation.
        status: What came of it.
        tool: The tool that was called, or the step's.
        target: The Python function behind it.
        args: The arguments, by parameter.
        args_digest: Hash of the arguments.
        key: The idempotency key.
        undo: The declared undos, with all that could be computed of them.
        response: What the function returned, when it is not the result.
        result: The result.
        error_type: Class of what was raised.
        error: Its message.
        traceback: Its traceback, cut and without secrets.
        cause: The event that this follows from.
        actor: Who.
        agent: The agent that the step acts for.
        service: The service behind the tool.
        data: What else this kind of event says.
        readiness: How well the run could be rolled back after it, 0 to 1.
        epoch: How often the run changed its owner.
        v: Format of the event.
        trace_id: The trace of the run.
        span_id: The span of the attempt.
        hash: Hash of the run's chain up to here.
    """),
    "SELECT * REPLACE (lower(hex(hash)) AS hash) FROM stored.events",
)

_RUNS = _derived(
    "runs",
    "Every run.",
    """
        run_id: The run.
        saga: Its saga.
        definition: Hash of what it was begun with.
        source: The file that it was begun from.
        status: Its status.
        started: When it began, UTC.
        updated: When its last event was, UTC.
        finished: When it ended, UTC.
        duration_ms: Its own time, summed over its owners.
        events: How many events it has.
        readiness: Readiness after the last event that says it.
        initiator: Who began it.
        inputs: Its inputs.
        result: Its result.
        error: Why it failed.
        standing: Steps whose effects stand although it was rolled back.
    """,
)

_ATTEMPTS = _derived(
    "attempts",
    "Every call with an effect, from its intent to its answer; reads that were logged as steps.",
    """
        run_id: The run.
        saga: Its saga.
        path: The step.
        direction: do, undo or corrective.
        generation: How often the step was begun anew.
        attempt: Which call of this generation.
        tool: The tool that was called.
        service: The service behind it.
        agent: The agent that the step acts for.
        key: The idempotency key.
        started: When the intent was written, UTC; none for reads.
        answered: When the answer was written, UTC.
        duration_ms: Between the two, in the run's own time.
        status: in_flight, lost, or what came of it.
        verified: What the last verify of the step said after it.
        late: True when an answer came after the attempt was settled.
        error_type: Class of what was raised.
        error: Its message.
        trace_id: The trace of the run.
        span_id: The span of the attempt.
    """,
)

_STEPS = _derived(
    "steps",
    "Every step that a run reached, with its status as the last event about it says.",
    """
        run_id: The run.
        saga: Its saga.
        path: The step.
        tool: Its tool.
        service: The service behind the tool.
        agent: The agent that it acts for.
        class: read, reversible, compensatable, irreversible, accepted, restoring, saga or agent.
        impact: The greatest impact of its effects, 1 to 10.
        status: Such as in_flight, succeeded, unknown or compensated.
        generation: How often it was begun anew.
        attempts: Calls of it, all generations.
        undo_attempts: Calls of its undo.
        started: When its first intent was written, UTC.
        ended: When the last event about it was written, UTC.
        duration_ms: Between the two, in the run's own time.
        result: Its result.
        error_type: Class of its last error.
        error: Its last error's message.
    """,
)

_EFFECTS = _derived(
    "effects",
    "What the steps changed outside, and what became of it.",
    """
        run_id: The run.
        saga: Its saga.
        path: The step.
        resource: What was changed.
        class: reversible, compensatable, irreversible, accepted or restoring.
        impact: Business impact, 1 to 10.
        tool: The tool that changed it.
        actor: Who did.
        agent: The agent that the step acts for.
        since: When the first intent was written, UTC.
        status: in_flight, unknown, standing, undone, undo_failed or absent.
        undo: The tool that undoes it.
        key: The idempotency key of the call.
    """,
)

_INCIDENTS = View(
    "incidents",
    "What people were asked to settle, and what they said.",
    columns("""
        run_id: The run.
        saga: Its saga.
        incident: Its id.
        cause: Why it was opened.
        path: The step or gate.
        summary: What happened, in words.
        opened: When, UTC.
        readiness: Readiness when it was opened.
        answer: What was said, if anything was.
        answered_by: Who said it.
        answered: When, UTC.
        reason: Why.
    """),
    """
    SELECT o.run_id, o.saga, 'incident-' || o.n AS incident,
      CASE o.kind WHEN 'frozen' THEN 'frozen' ELSE o.status END AS cause, o.path,
      coalesce(o.data->>'summary', o.data->>'reason') AS summary, o.wall_time AS opened,
      o.readiness, a.status AS answer, a.actor AS answered_by, a.wall_time AS answered,
      a.data->>'reason' AS reason
    FROM events o
    LEFT JOIN events a ON a.kind = 'resolved' AND a.run_id = o.run_id
      AND a.data->>'incident' = 'incident-' || o.n
    WHERE o.kind IN ('escalated', 'frozen')
    """,
)

_APPROVALS = View(
    "approvals",
    "Every decision about a gate, refused ones too.",
    columns("""
        run_id: The run.
        saga: Its saga.
        gate: The gate.
        status: approved, rejected, refused or lapsed.
        actor: Who.
        decided: When, UTC.
        opened: When the gate was opened, UTC.
        waited_ms: Between the two.
        group: Whose decision it is.
        needs: How many must approve.
        identity: How it is known who it was.
        note: What was said.
        reason: Why it was refused.
        shows: What was shown.
        digest: Hash of what was shown.
    """),
    """
    SELECT d.run_id, d.saga, d.path AS gate, d.status, d.actor, d.wall_time AS decided,
      o.wall_time AS opened, epoch_ms(d.wall_time) - epoch_ms(o.wall_time) AS waited_ms,
      o.data->>'group' AS "group", CAST(o.data->>'needs' AS INTEGER) AS needs,
      d.data->>'identity' AS identity,
      d.data->>'note' AS note, d.data->>'reason' AS reason, o.data->'shows' AS shows,
      o.data->>'digest' AS digest
    FROM events d
    LEFT JOIN events o ON o.run_id = d.run_id AND o.n = d.cause AND o.kind = 'gate_opened'
    WHERE d.kind = 'decided'
    """,
)

_CHECKPOINTS = View(
    "checkpoints",
    "Every state that a run can be rolled back to.",
    columns("""
        run_id: The run.
        saga: Its saga.
        name: Its name, as `rollback --to` takes it.
        n: The event that it is the state after.
        taken: When, UTC.
        step: The step before which it was taken without being written; none for a written one.
        impact: The impact for which it was, where that was why.
        low: The readiness that the call was about to leave, where that was why.
        cause: The effect that had landed last.
        parent: The checkpoint before it.
        readiness: How well the run could be rolled back then, 0 to 1.
        checksum: Hash of the run's chain up to there.
    """),
    """
    SELECT run_id, saga, status AS name, n, wall_time AS taken, data->>'step' AS step,
      CAST(data->>'impact' AS INTEGER) AS impact, data->>'readiness' AS low,
      cause, CAST(data->>'parent' AS BIGINT) AS parent, readiness, hash AS checksum
    FROM events WHERE kind = 'checkpointed'
    """,
)

VIEWS: tuple[View, ...] = (
    _EVENTS,
    _RUNS,
    _STEPS,
    _ATTEMPTS,
    _EFFECTS,
    _INCIDENTS,
    _APPROVALS,
    _CHECKPOINTS,
    *STATISTICS,
)
"""All views, each after those that it asks."""
