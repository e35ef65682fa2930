"""The views of the event store: what people ask of their runs, over the stored events."""

from __future__ import annotations

from .columns import View, columns
from .statistics import STATISTICS

_STATIC = r"""CASE WHEN contains(e.path, '[')
        THEN regexp_replace(e.path, '\[("([^"\\]|\\.)*"|[^"\]][^\]]*)\]', '[*]', 'g')
        ELSE e.path END"""
"""The path of the plan that an event's path stands for: a star in place of an item's key."""

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
    f"""
    SELECT e.seq, e.run_id, e.n, r.saga, r.definition, e.wall_time, e.elapsed_ms, e.kind, e.path,
      e.direction, e.generation, e.attempt, e.status, coalesce(e.tool, s.tool) AS tool, e.target,
      e.args, e.args_digest, e.key, e.undo, e.response, e.result, e.error_type, e.error,
      e.traceback, e.cause, e.actor, nullif(s.agent, '') AS agent,
      nullif(s.service, '') AS service, e.data, e.readiness, e.epoch, e.v, e.trace_id, e.span_id,
      e.hash
    FROM stored.events e
    JOIN stored.runs r USING (run_id)
    LEFT JOIN stored.steps s ON s.definition = r.definition AND s.path = {_STATIC}
    """,
)

_RUNS = View(
    "runs",
    "Every run.",
    columns("""
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
    """),
    """
    SELECT r.run_id, any_value(r.saga) AS saga, any_value(r.definition) AS definition,
      any_value(r.source) AS source, any_value(r.status) AS status,
      epoch_ms(any_value(r.created)) AS started, max(e.wall_time) AS updated,
      max(e.wall_time) FILTER (e.kind = 'run_finished') AS finished,
      max(e.elapsed_ms) AS duration_ms,
      count(*) AS events, arg_max(e.readiness, e.n) FILTER (e.readiness IS NOT NULL) AS readiness,
      arg_min(e.actor, e.n) FILTER (e.kind = 'run_started') AS initiator,
      arg_min(e.data->'inputs', e.n) FILTER (e.kind = 'run_started') AS inputs,
      arg_max(e.result, e.n) FILTER (e.kind = 'run_finished') AS result,
      arg_max(e.error, e.n) FILTER (e.kind = 'run_finished') AS error,
      arg_max(e.data->'standing', e.n) FILTER (e.kind = 'run_finished') AS standing
    FROM stored.runs r JOIN events e USING (run_id) GROUP BY r.run_id
    """,
)

_ATTEMPTS = View(
    "attempts",
    "Every call with an effect, from its intent to its answer; reads that were logged as steps.",
    columns("""
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
    """),
    """
    SELECT run_id, any_value(saga) AS saga, path, direction, generation, attempt,
      coalesce(any_value(tool) FILTER (kind = 'intent'), any_value(tool)) AS tool,
      any_value(service) AS service, any_value(agent) AS agent, any_value(key) AS key,
      min(wall_time) FILTER (kind = 'intent') AS started,
      max(wall_time) FILTER (kind = 'outcome') AS answered,
      max(elapsed_ms) FILTER (kind = 'outcome') - min(elapsed_ms) FILTER (kind = 'intent')
        AS duration_ms,
      coalesce(arg_max(status, n) FILTER (kind = 'outcome'),
        CASE WHEN bool_or(kind = 'attempt_lost') THEN 'lost' ELSE 'in_flight' END) AS status,
      arg_max(status, n) FILTER (kind = 'verified') AS verified, bool_or(kind = 'late') AS late,
      arg_max(error_type, n) FILTER (kind IN ('outcome', 'late')) AS error_type,
      arg_max(error, n) FILTER (kind IN ('outcome', 'late')) AS error,
      any_value(trace_id) AS trace_id, any_value(span_id) FILTER (kind = 'intent') AS span_id
    FROM events
    WHERE kind IN ('intent', 'outcome', 'attempt_lost', 'late', 'verified')
      AND direction IN ('do', 'undo', 'corrective')
    GROUP BY run_id, path, direction, generation, attempt
    HAVING bool_or(kind IN ('intent', 'outcome'))
    """,
)

_STEPS = View(
    "steps",
    "Every step that a run reached, with its status as the last event about it says.",
    columns("""
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
    """),
    f"""
    WITH causes AS (
      SELECT a.seq, o.status AS incident FROM stored.events a
      JOIN stored.events o ON o.run_id = a.run_id AND o.kind IN ('escalated', 'frozen')
        AND 'incident-' || o.n = a.data->>'incident'
      WHERE a.kind = 'resolved'),
    lost AS (
      SELECT DISTINCT run_id, path FROM stored.events WHERE direction = 'do'
        AND (kind = 'attempt_lost' OR (kind = 'outcome' AND status = 'unknown'))),
    cleared AS (
      SELECT seq, run_id, path, generation, n, kind, direction, status,
        count(*) FILTER (CASE kind WHEN 'resolved' THEN true WHEN 'verified'
            THEN direction = 'do' AND status = 'absent' AND data->>'conclusive' = 'true' END)
          OVER (PARTITION BY run_id, path ORDER BY n) AS cleared
      FROM stored.events SEMI JOIN lost USING (run_id, path)),
    told AS (
      SELECT seq, count(*) FILTER (direction = 'do'
            AND (kind = 'attempt_lost' OR (kind = 'outcome' AND status = 'unknown')))
          OVER (PARTITION BY run_id, path, generation, cleared ORDER BY n) AS loose
      FROM cleared),
    begun AS (
      SELECT e.run_id, r.saga, e.path, e.n, e.wall_time, e.elapsed_ms, e.kind, e.direction,
        e.generation, e.status, coalesce(e.tool, s.tool) AS tool, e.result, e.error_type, e.error,
        e.data, coalesce(f.class, s.class) AS class, coalesce(f.impact, s.impact) AS impact,
        coalesce(f.by_key, s.by_key) AS by_key, f.status AS folded, f.tool AS named,
        nullif(coalesce(nullif(s.agent, ''), f.agent), '') AS agent,
        nullif(coalesce(nullif(s.service, ''), f.service), '') AS service,
        c.incident, coalesce(t.loose, 0) AS loose
      FROM stored.events e
      JOIN stored.runs r USING (run_id)
      LEFT JOIN stored.steps s ON s.definition = r.definition AND s.path = {_STATIC}
      LEFT JOIN stored.standings f ON f.run_id = e.run_id AND f.path = e.path
      LEFT JOIN causes c ON c.seq = e.seq
      LEFT JOIN told t ON t.seq = e.seq
      WHERE s.path IS NOT NULL OR f.path IS NOT NULL),
    judged AS (SELECT *, CASE
        WHEN kind = 'intent' AND direction = 'do' THEN 'in_flight'
        WHEN kind = 'intent' AND direction = 'undo' THEN 'compensating'
        WHEN kind = 'attempt_lost' AND direction = 'do' THEN 'unknown'
        WHEN kind = 'outcome' AND direction = 'undo'
          THEN CASE WHEN status IN ('refused', 'conflict', 'broken')
            THEN 'compensation_failed' ELSE 'compensating' END
        WHEN kind = 'outcome' AND direction = 'do' THEN CASE
            WHEN status IN ('succeeded', 'broken') THEN 'succeeded'
            WHEN class = 'read'
              THEN CASE WHEN status IN ('refused', 'conflict') THEN 'failed' ELSE 'in_flight' END
            WHEN status = 'refused' AND (loose = 0 OR by_key) THEN 'failed'
            WHEN status IN ('transient', 'not_yet') AND loose = 0 THEN 'in_flight'
            ELSE 'unknown' END
        WHEN kind = 'verified' AND direction = 'do' AND status = 'applied' THEN 'succeeded'
        WHEN kind = 'chosen' THEN CASE status
            WHEN 'skipped' THEN 'skipped' WHEN 'undone' THEN 'compensated'
            WHEN 'accepted' THEN 'succeeded'
            WHEN 'called' THEN 'in_flight' WHEN 'completed' THEN 'succeeded'
            WHEN 'failed' THEN CASE WHEN (data->>'may_have_landed') = 'true'
              THEN 'unknown' ELSE 'failed' END END
        WHEN kind = 'escalated' AND status IN ('undo_failed', 'no_undo', 'undo_conflict')
          THEN 'compensation_failed'
        WHEN kind = 'resolved' AND incident IN ('undo_failed', 'no_undo', 'undo_conflict')
          THEN CASE status WHEN 'done' THEN 'compensated' WHEN 'retry' THEN 'compensating' END
        WHEN kind = 'resolved' AND incident <> 'corrective_failed'
          THEN CASE status WHEN 'done' THEN 'succeeded' WHEN 'skip' THEN 'failed'
            WHEN 'retry' THEN 'in_flight' END
      END AS step_status FROM begun)
    SELECT run_id, any_value(saga) AS saga, path,
      coalesce(any_value(named), any_value(tool) FILTER (direction = 'do'),
        any_value(tool) FILTER (kind = 'chosen')) AS tool,
      any_value(service) AS service, any_value(agent) AS agent, any_value(class) AS class,
      any_value(impact) AS impact,
      coalesce(any_value(folded), arg_max(step_status, n) FILTER (step_status IS NOT NULL),
        'pending') AS status,
      max(generation) AS generation,
      coalesce(nullif(count(*) FILTER (kind = 'intent' AND direction = 'do'), 0),
        count(*) FILTER (kind = 'outcome' AND direction = 'do')) AS attempts,
      count(*) FILTER (kind = 'intent' AND direction = 'undo') AS undo_attempts,
      min(wall_time) FILTER (kind = 'intent') AS started, max(wall_time) AS ended,
      max(elapsed_ms) - min(elapsed_ms) AS duration_ms,
      arg_max(result, n) FILTER (result IS NOT NULL AND direction = 'do') AS result,
      arg_max(error_type, n) FILTER (error_type IS NOT NULL) AS error_type,
      arg_max(error, n) FILTER (error_type IS NOT NULL) AS error
    FROM judged GROUP BY run_id, path
    """,
)

_EFFECTS = View(
    "effects",
    "What the steps changed outside, and what became of it.",
    columns("""
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
    """),
    """
    SELECT e.run_id, e.saga, e.path, r.effect->>'resource' AS resource,
      CASE WHEN s.class = 'accepted' AND r.effect->>'class' = 'irreversible' THEN 'accepted'
        ELSE r.effect->>'class' END AS class,
      CAST(r.effect->>'impact' AS INTEGER) AS impact, e.tool, e.actor, e.agent,
      e.wall_time AS since,
      CASE s.status
        WHEN 'succeeded' THEN 'standing' WHEN 'compensating' THEN 'standing'
        WHEN 'compensation_failed' THEN 'undo_failed'
        WHEN 'compensated'
          THEN CASE r.effect->>'class' WHEN 'irreversible' THEN 'standing' ELSE 'undone' END
        WHEN 'failed' THEN 'absent' WHEN 'pending' THEN 'absent' WHEN 'skipped' THEN 'absent'
        ELSE s.status END AS status,
      e.undo->0->>'tool' AS undo, e.key
    FROM events e
    JOIN steps s ON s.run_id = e.run_id AND s.path = e.path AND s.generation = e.generation,
    LATERAL (SELECT unnest(e.data->'$.resources[*]') AS effect) r
    WHERE e.kind = 'intent' AND e.direction = 'do'
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
