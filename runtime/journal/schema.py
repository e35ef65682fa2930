"""The tables of a journal, its format number, and what is refused because of them."""

from __future__ import annotations

import secrets
import sqlite3
import time
from pathlib import Path
from uuid import uuid4

from .errors import LogDamaged, LogForeign, LogTooNew

APPLICATION = 0x53414741  # "SAGA"
FORMAT = 1

# No index on `events` beside its key: one more triples what a commit costs. A run is read
# backwards, from `runs.last_seq` along `prev_seq`.
TABLES = """
CREATE TABLE log(
  one INTEGER PRIMARY KEY CHECK (one = 1),
  log_id TEXT NOT NULL, salt BLOB NOT NULL, created INTEGER NOT NULL,
  last_seq INTEGER NOT NULL, pruned_through INTEGER NOT NULL);
CREATE TABLE runs(
  number INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  saga TEXT NOT NULL, definition TEXT NOT NULL, inputs TEXT NOT NULL, source TEXT NOT NULL,
  status TEXT NOT NULL, owner TEXT NOT NULL, epoch INTEGER NOT NULL,
  n INTEGER NOT NULL, last_seq INTEGER NOT NULL, hash BLOB NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL);
CREATE TABLE events(
  seq INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL, n INTEGER NOT NULL, prev_seq INTEGER NOT NULL,
  kind TEXT NOT NULL, path TEXT NOT NULL, body BLOB NOT NULL, hash BLOB NOT NULL);
CREATE TABLE definitions(hash TEXT PRIMARY KEY, plan BLOB NOT NULL);
CREATE TABLE requests(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL, kind TEXT NOT NULL, body BLOB NOT NULL, posted INTEGER NOT NULL);
CREATE TABLE waits(
  run_id TEXT NOT NULL, timer TEXT NOT NULL, due INTEGER NOT NULL,
  PRIMARY KEY (run_id, timer)) WITHOUT ROWID;
CREATE TABLE parts(
  hash TEXT NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (hash, part));
CREATE TABLE blobs(hash TEXT PRIMARY KEY, size INTEGER NOT NULL, parts INTEGER NOT NULL);
CREATE TABLE marks(store_id TEXT PRIMARY KEY, through_seq INTEGER NOT NULL, chain BLOB NOT NULL);
"""


def is_new(db: sqlite3.Connection) -> bool:
    """True for a file in which nothing was ever committed."""
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    return bool(tables == 0 and application == 0)


def create(db: sqlite3.Connection) -> None:
    """Makes the tables of a new log in one transaction."""
    db.execute("BEGIN IMMEDIATE")
    for statement in TABLES.split(";")[:-1]:
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute(f"PRAGMA user_version = {FORMAT}")
    db.execute(
        "INSERT INTO log VALUES (1, ?, ?, ?, 0, 0)",
        (str(uuid4()), secrets.token_bytes(32), time.time_ns() // 1_000_000),
    )
    db.execute("COMMIT")


def check(db: sqlite3.Connection, path: Path) -> tuple[str, bytes]:
    """Gives the log's id and salt; raises LogForeign, LogTooNew, LogDamaged."""
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise LogForeign(path, "this is a database, but not a log", "Name another file.")
    if found > FORMAT:
        raise LogTooNew(path, found, FORMAT)
    row = db.execute("SELECT log_id, salt, last_seq, pruned_through FROM log").fetchone()
    if row is None:
        raise LogDamaged(path, "its first row is missing")
    log_id, salt, last, pruned = row
    (tail,) = db.execute("SELECT max(seq) FROM events").fetchone()
    if (tail or pruned) != last:
        raise LogDamaged(path, f"it should end with entry {last}, and ends with {tail or pruned}")
    return log_id, salt
