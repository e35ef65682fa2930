"""What the events come to, kept beside them: each run, step, attempt and effect as one row.

Windows and groups over ten million events take seconds whenever somebody asks. So whoever moves
events works these rows out, of just those steps that the events are about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .columns import STATIC

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

# `recent` are the events after {after}, and the earlier ones of the same steps; none of these and
# of their runs stands before {since}.

_RUNS = """
    SELECT a.run_id, a.saga, a.definition, a.source, a.status, epoch_ms(a.created) AS started,
      greatest(o.updated, e.updated) AS updated, coalesce(e.finished, o.finished) AS finished,
      greatest(o.duration_ms, e.duration_ms) AS duration_ms,
      coalesce(o.events, 0) + e.events AS events, coalesce(e.readiness, o.readiness) AS readiness,
      coalesce(o.initiator, e.initiator) AS initiator, coalesce(o.inputs, e.inputs) AS inputs,
      coalesce(e.result, o.result) AS result, coalesce(e.error, o.error) AS error,
      coalesce(e.standing, o.standing) AS standing,
      coalesce(o.first_seq, e.first_seq) AS first_seq, e.last_kind, e.last_path
    FROM (SELECT run_id, min(seq) AS first_seq, max(wall_time) AS updated, count(*) AS events,
        max(CASE WHEN kind = 'run_finished' THEN wall_time END) AS finished,
        max(elapsed_ms) AS duration_ms, arg_max(readiness, n) AS readiness,
        arg_min(CASE WHEN kind = 'run_started' THEN actor END, n) AS initiator,
        arg_min(CASE WHEN kind = 'run_started' THEN data->'inputs' END, n) AS inputs,
        arg_max(CASE WHEN kind = 'run_finished' THEN result END, n) AS result,
        arg_max(CASE WHEN kind = 'run_finished' THEN error END, n) AS error,
        arg_max(CASE WHEN kind = 'run_finished' THEN data->'standing' END, n) AS standing,
        arg_max(kind, n) AS last_kind, arg_max(path, n) AS last_path
      FROM stored.events WHERE seq > {after} GROUP BY run_id) e
    JOIN stored.runs a USING (run_id) LEFT JOIN derived.runs o USING (run_id)
"""

_STEPS = f"""
    WITH causes AS (
      SELECT a.seq, o.status AS incident FROM recent a
      JOIN stored.events o ON o.run_id = a.run_id AND o.kind IN ('escalated', 'frozen')
        AND 'incident-' || o.n = a.data->>'incident'
      WHERE a.kind = 'resolved' AND o.seq >= {{since}}),
    lost AS (
      SELECT DISTINCT run_id, path FROM recent WHERE direction = 'do'
        AND (kind = 'attempt_lost' OR (kind = 'outcome' AND status = 'unknown'))),
    cleared AS (
      SELECT seq, run_id, path, generation, n, kind, direction, status,
        count(*) FILTER (CASE kind WHEN 'resolved' THEN true WHEN 'verified'
            THEN direction = 'do' AND status = 'absent' AND data->>'conclusive' = 'true' END)
          OVER (PARTITION BY run_id, path ORDER BY n) AS cleared
      FROM recent SEMI JOIN lost USING (run_id, path)),
    told AS (
      SELECT seq, count(*) FILTER (direction = 'do'
            AND (kind = 'attempt_lost' OR (kind = 'outcome' AND status = 'unknown')))
          OVER (PARTITION BY run_id, path, generation, cleared ORDER BY n) AS loose
      FROM cleared),
    begun AS (
      SELECT e.seq, e.run_id, e.saga, e.path, e.n, e.wall_time, e.elapsed_ms, e.kind, e.direction,
        e.generation, e.status, e.tool, e.result, e.error_type, e.error,
        e.data, coalesce(f.class, s.class) AS class, coalesce(f.impact, s.impact) AS impact,
        coalesce(f.by_key, s.by_key) AS by_key, f.status AS folded, f.tool AS named,
        coalesce(e.agent, nullif(f.agent, '')) AS agent,
        coalesce(e.service, nullif(f.service, '')) AS service,
        c.incident, coalesce(t.loose, 0) AS loose
      FROM recent e
      LEFT JOIN stored.steps s ON s.definition = e.definition AND s.path = {STATIC}
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
      coalesce(any_value(folded), arg_max(step_status, n), 'pending') AS status,
      max(generation) AS generation,
      coalesce(nullif(count(*) FILTER (kind = 'intent' AND direction = 'do'), 0),
        count(*) FILTER (kind = 'outcome' AND direction = 'do')) AS attempts,
      count(*) FILTER (kind = 'intent' AND direction = 'undo') AS undo_attempts,
      min(wall_time) FILTER (kind = 'intent') AS started, max(wall_time) AS ended,
      max(elapsed_ms) - min(elapsed_ms) AS duration_ms,
      arg_max(result, n) FILTER (direction = 'do') AS result,
      arg_max(error_type, n) AS error_type,
      arg_max(error, n) FILTER (error_type IS NOT NULL) AS error, min(seq) AS first_seq
    FROM judged GROUP BY run_id, path
"""

_ATTEMPTS = """
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
      any_value(trace_id) AS trace_id, any_value(span_id) FILTER (kind = 'intent') AS span_id,
      min(seq) AS first_seq
    FROM recent
    WHERE kind IN ('intent', 'outcome', 'attempt_lost', 'late', 'verified')
      AND direction IN ('do', 'undo', 'corrective')
    GROUP BY run_id, path, direction, generation, attempt
    HAVING bool_or(kind IN ('intent', 'outcome'))
"""

_EFFECTS = """
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
      e.undo->0->>'tool' AS undo, e.key, e.seq AS first_seq
    FROM recent e
    JOIN derived.steps s ON s.run_id = e.run_id AND s.path = e.path
      AND s.generation = e.generation AND s.first_seq >= {since},
    LATERAL (SELECT unnest(e.data->'$.resources[*]') AS effect) r
    WHERE e.kind = 'intent' AND e.direction = 'do'
"""

_ROWS = {"steps": _STEPS, "attempts": _ATTEMPTS, "effects": _EFFECTS}

TABLES = """
CREATE SCHEMA derived;
CREATE TABLE derived.runs(
  run_id VARCHAR, saga VARCHAR, definition VARCHAR, source VARCHAR, status VARCHAR,
  started TIMESTAMP, updated TIMESTAMP, finished TIMESTAMP, duration_ms BIGINT, events BIGINT,
  readiness DOUBLE, initiator VARCHAR, inputs JSON, result JSON, error VARCHAR, standing JSON,
  first_seq BIGINT, last_kind VARCHAR, last_path VARCHAR);
CREATE TABLE derived.steps(
  run_id VARCHAR, saga VARCHAR, path VARCHAR, tool VARCHAR, service VARCHAR, agent VARCHAR,
  class VARCHAR, impact INTEGER, status VARCHAR, generation INTEGER, attempts BIGINT,
  undo_attempts BIGINT, started TIMESTAMP, ended TIMESTAMP, duration_ms BIGINT, result JSON,
  error_type VARCHAR, error VARCHAR, first_seq BIGINT);
CREATE TABLE derived.attempts(
  run_id VARCHAR, saga VARCHAR, path VARCHAR, direction VARCHAR, generation INTEGER,
  attempt INTEGER, tool VARCHAR, service VARCHAR, agent VARCHAR, key VARCHAR, started TIMESTAMP,
  answered TIMESTAMP, duration_ms BIGINT, status VARCHAR, verified VARCHAR, late BOOLEAN,
  error_type VARCHAR, error VARCHAR, trace_id VARCHAR, span_id VARCHAR, first_seq BIGINT);
CREATE TABLE derived.effects(
  run_id VARCHAR, saga VARCHAR, path VARCHAR, resource VARCHAR, class VARCHAR, impact INTEGER,
  tool VARCHAR, actor VARCHAR, agent VARCHAR, since TIMESTAMP, status VARCHAR, undo VARCHAR,
  key VARCHAR, first_seq BIGINT);
"""
"""Tables of such rows, of each kind one; `first_seq` is the first event behind a row."""

_KNOWN = """
    CREATE OR REPLACE TEMP TABLE known AS
    SELECT run_id, first_seq FROM derived.runs
    WHERE run_id IN (SELECT run_id FROM stored.events WHERE seq > {after})
"""

# How the steps of some runs stand is folded anew with each event, of whatever step it is.
_TOUCHED = """
    CREATE OR REPLACE TEMP TABLE touched AS
    SELECT DISTINCT run_id, path FROM stored.events SEMI JOIN known USING (run_id)
    WHERE seq > {after}
    UNION
    SELECT DISTINCT run_id, path FROM stored.events SEMI JOIN known USING (run_id)
    WHERE seq >= {since} AND run_id IN (SELECT run_id FROM stored.standings)
"""

_EARLIER = """
    CREATE OR REPLACE TEMP TABLE earlier AS
    SELECT e.* FROM stored.events e SEMI JOIN touched USING (run_id, path)
    WHERE e.seq >= {since} AND e.seq <= {after}
"""

_OVERTAKEN = """
    DELETE FROM derived.{name} WHERE first_seq >= {since}
    AND (run_id, path) IN (SELECT (run_id, path) FROM touched)
"""

_RECENT = "CREATE OR REPLACE TEMP VIEW recent AS SELECT * FROM stored.events WHERE seq > {after}"


def derive(db: Connection, after: int) -> None:
    """Works out anew what the events after a place in the log change, within a transaction."""
    db.execute(_KNOWN.format(after=after))
    (first,) = db.execute("SELECT min(first_seq) FROM known").fetchone() or (None,)
    span = {"after": after, "since": after + 1 if first is None else first}
    # Rows of runs go on from those that there are, all others are made of their events.
    db.execute(f"CREATE OR REPLACE TEMP TABLE renewed AS {_RUNS.format_map(span)}")
    db.execute("DELETE FROM derived.runs WHERE run_id IN (SELECT run_id FROM known)")
    db.execute("INSERT INTO derived.runs BY NAME FROM renewed")
    if first is None:
        db.execute(_RECENT.format_map(span))
    else:
        db.execute(_TOUCHED.format_map(span))
        db.execute(_EARLIER.format_map(span))
        db.execute(f"{_RECENT.format_map(span)} UNION ALL SELECT * FROM earlier")
        for name in _ROWS:
            db.execute(_OVERTAKEN.format(name=name, **span))
    for name, question in _ROWS.items():
        db.execute(f"INSERT INTO derived.{name} BY NAME {question.format_map(span)}")
