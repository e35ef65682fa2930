"""Views that count and measure: readiness, undos, durations, and what takes too long."""

from __future__ import annotations

from .columns import View, columns

_READINESS = View(
    "readiness_over_time",
    "How well each run could be rolled back, event by event.",
    columns("""
        run_id: The run.
        saga: Its saga.
        n: Place in the run.
        wall_time: When, UTC.
        elapsed_ms: The run's own time.
        kind: What happened.
        path: Where.
        readiness: How well it could be rolled back after that, 0 to 1.
    """),
    """
    SELECT run_id, saga, n, wall_time, elapsed_ms, kind, path, readiness
    FROM events WHERE readiness IS NOT NULL
    """,
)

_UNDOS = View(
    "undo_reliability",
    "How often each undo did what it should.",
    columns("""
        tool: The undo.
        service: The service behind the step that it undoes.
        undos: Effects that it was called for.
        succeeded: Those that it undid.
        failed: Those that it failed to undo, for good or so far.
        calls: Calls of it.
        reliability: Share of the effects that it undid, of those that are settled.
        p50_ms: Median time of a call.
        p99_ms: Time that 99 of 100 calls stay below.
    """),
    """
    WITH undone AS (
      SELECT run_id, path, generation, any_value(tool) AS tool, any_value(service) AS service,
        count(*) AS calls, bool_or(status IN ('succeeded', 'done')) AS answered,
        list(duration_ms) FILTER (duration_ms IS NOT NULL) AS times
      FROM attempts WHERE direction = 'undo' GROUP BY run_id, path, generation),
    settled AS (
      SELECT u.*, s.status FROM undone u
      LEFT JOIN steps s ON s.run_id = u.run_id AND s.path = u.path AND s.generation = u.generation),
    counted AS (
      SELECT tool, any_value(service) AS service, count(*) AS undos,
        count(*) FILTER (answered OR status = 'compensated') AS succeeded,
        count(*) FILTER (NOT answered AND status = 'compensation_failed') AS failed,
        CAST(sum(calls) AS BIGINT) AS calls, flatten(list(times)) AS times
      FROM settled GROUP BY tool)
    SELECT tool, service, undos, succeeded, failed, calls,
      succeeded / nullif(succeeded + failed, 0) AS reliability,
      list_aggregate(times, 'quantile_cont', 0.5) AS p50_ms,
      list_aggregate(times, 'quantile_cont', 0.99) AS p99_ms
    FROM counted
    """,
)

_DURATIONS = View(
    "durations",
    "How long the calls of each tool take, from intent to answer.",
    columns("""
        tool: The tool.
        service: The service behind the step.
        direction: do, undo or corrective.
        calls: Calls that were answered.
        failures: Those that were not answered with success.
        p50_ms: Median.
        p90_ms: What 90 of 100 calls stay below.
        p99_ms: What 99 of 100 calls stay below.
        max_ms: The longest.
    """),
    """
    SELECT tool, any_value(service) AS service, direction, count(*) AS calls,
      count(*) FILTER (status <> 'succeeded') AS failures,
      quantile_cont(duration_ms, 0.5) AS p50_ms, quantile_cont(duration_ms, 0.9) AS p90_ms,
      quantile_cont(duration_ms, 0.99) AS p99_ms, max(duration_ms) AS max_ms
    FROM attempts WHERE duration_ms IS NOT NULL GROUP BY tool, direction
    """,
)

_ANOMALIES = View(
    "anomalies",
    "Calls in flight for longer than 99 of 100 calls of their tool took.",
    columns("""
        run_id: The run.
        saga: Its saga.
        path: The step.
        direction: do, undo or corrective.
        attempt: Which call.
        tool: The tool.
        started: When the intent was written, UTC.
        in_flight_ms: Since then.
        p99_ms: What 99 of 100 calls of the tool stay below.
        calls: How many calls that is known from.
    """),
    """
    SELECT a.run_id, a.saga, a.path, a.direction, a.attempt, a.tool, a.started,
      epoch_ms(now()) - epoch_ms(a.started) AS in_flight_ms, d.p99_ms, d.calls
    FROM attempts a JOIN durations d ON d.tool = a.tool AND d.direction = a.direction
    WHERE a.status = 'in_flight' AND a.started IS NOT NULL
      AND epoch_ms(now()) - epoch_ms(a.started) > d.p99_ms
    """,
)

_STUCK = View(
    "stuck",
    "Runs that are not over and for which nobody does anything: escalated, or silent for a minute.",
    columns("""
        run_id: The run.
        saga: Its saga.
        status: Its status.
        why: What it stands at.
        path: Where.
        since: When its last event was written, UTC.
        silent_ms: Since then.
        readiness: How well it could be rolled back.
    """),
    """
    WITH asked AS (
      SELECT run_id, arg_min(cause, opened) AS cause, arg_min(path, opened) AS path
      FROM incidents WHERE answer IS NULL GROUP BY run_id)
    SELECT r.run_id, r.saga, r.status,
      CASE WHEN a.cause IS NOT NULL THEN 'incident: ' || a.cause
        ELSE 'last event: ' || r.last_kind END AS why,
      coalesce(a.path, r.last_path) AS path, r.updated AS since,
      epoch_ms(now()) - epoch_ms(r.updated) AS silent_ms, r.readiness
    FROM derived.runs r LEFT JOIN asked a USING (run_id)
    WHERE r.status NOT IN ('succeeded', 'rolled_back', 'partly_rolled_back', 'cancelled')
      AND (a.cause IS NOT NULL
        OR (r.status <> 'waiting' AND epoch_ms(now()) - epoch_ms(r.updated) > 60000))
    """,
)

STATISTICS: tuple[View, ...] = (_READINESS, _UNDOS, _DURATIONS, _ANOMALIES, _STUCK)
