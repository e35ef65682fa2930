"""The journal of a process: the writing side of a log, with group commit and ownership."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress

from ..events import Event
from . import commit as commits, forks, ownership, points
from .batch import OPEN, Committed, Run, Settlement, Write
from .blobs import is_stored, parts, store_part
from .connection import WAL_SIZE, Writing, reading
from .encoding import Entry, Mask, encode
from .errors import (
    LogBusy,
    LogClosed,
    LogError,
    LogFailing,
    LogForked,
    LogFull,
    LogMoved,
    LogUnwritable,
    translate,
)
from .files import Files, files, identity
from .heads import Heads, Rows, Stale, add
from .lock import Lock
from .owners import OwnLock
from .place import check_place
from .reads import Reading
from .recovery import finish_swap
from .settlement import settle

_NEARLY_FULL = WAL_SIZE // 4096 * 3 // 4
"""Frames of `-wal` after which a commit writes a checkpoint first."""


class Journal(Reading):
    """A log, opened for writing by one thread of one process.

    Nothing here waits longer than it is told to: the lock of the log is taken or LogBusy is raised.
    After any other error the connection is closed for good, and `reopen` says what was written.
    """

    def __init__(self, where: Files, wait: float) -> None:
        self.files = where
        self._failure: LogError | None = None
        self._doubt: tuple[Sequence[Write], commits.Hashes] | None = None
        self._failed_at: tuple[int, int] | None = None
        self._frames = 0
        self._version = -1
        self._heads = Heads()
        self._lock = Lock(where.lock)
        self._own: OwnLock | None = None
        self._writing: Writing | None = None
        try:
            with self._lock.held("opening", wait):
                self._open()
                self._own = OwnLock(where)
        except BaseException:
            self._lock.close()
            raise
        self.owner = self._own.id
        forks.watch(self)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, wait: float = 5.0) -> Journal:
        """Opens the log that `path` names, and makes it when there is none.

        Raises LogBusy after `wait` seconds, LogUnwritable, LogUnlockable, LogDamaged, LogTooNew,
        LogForeign, LogFailing.
        """
        where = files(path)
        check_place(where.journal)
        return cls(where, wait)

    def close(self) -> None:
        """Gives up this owner's runs and closes; no call of theirs may be going on."""
        if isinstance(self._failure, LogForked | LogClosed):
            return
        with suppress(LogError), self._lock.held("closing", 5.0, distrust=False):
            # What cannot be written here is found out by whoever takes a dead owner's runs.
            if self._failure is None:
                with suppress(LogError, sqlite3.Error), self._transaction("release"):
                    ownership.release(self._db, self.owner, None)
            # After a failure there is no connection any more.
            if self._failure is None:
                with suppress(LogError, sqlite3.Error):
                    self._checkpoint()
            self._let_go()
        self._let_go()
        if self._own is not None:
            self._own.close()
        self._lock.close()
        self._failure = LogClosed(self.files.journal, "the log was closed", "Open it again.")

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def encode(self, event: Event, mask: Mask | None = None) -> Entry:
        """Encodes a stamped event, in any thread; raises TooLarge and Unencodable."""
        return encode(event, self._salt, mask)

    def spill(self, entry: Entry, *, wait: float = 0.0) -> Iterator[None]:
        """Writes the large values of an entry, one part of 1 MB at each step."""
        for blob in entry.blobs:
            with self._reading() as db:
                if is_stored(db, blob):
                    continue
            for part in range(parts(blob)):
                with self._held("blob", wait), self._transaction("blob"):
                    self._frames += store_part(self._db, blob, part) // 4000
                yield

    def commit(self, writes: Sequence[Write], *, wait: float = 0.0) -> Committed:
        """Appends a batch durably, in one transaction; fenced runs are dropped and reported.

        LogBusy: nothing was tried. Any other LogError: the result is unknown until `reopen`.
        """
        self._usable()
        try:
            return self._commit(writes, wait)
        except LogError:
            # Whatever failed first: `reopen` answers for this batch.
            if self._failure is not None and self._doubt is None:
                self._doubt = (writes, {})
            raise

    def reopen(self, *, wait: float = 0.0, other: bool = False) -> Settlement:
        """Opens anew after an error and says what became of the last batch; raises as `open`.

        Raises LogMoved when the log that was opened is not there, unless any `other` will do.
        """
        if isinstance(self._failure, LogForked | LogClosed):
            raise self._failure
        with self._lock.held("opening", wait):
            if isinstance(self._failure, LogFailing) and self._failed_at == identity(
                self.files.journal
            ):
                raise self._failure
            self._let_go()
            self._open("" if other else self.log_id)
            try:
                doubt = self._doubt
                found = settle(self._db, self.owner, *doubt) if doubt else Settlement()
            except sqlite3.Error as error:
                raise self._fail(translate(error, self.files.journal)) from error
            self._failure = self._doubt = None
        return found

    def checkpoint(self, *, wait: float = 0.0) -> None:
        """Moves what was committed from `-wal` into the journal; for idle moments."""
        self._usable()
        with self._lock.held("checkpoint", wait):
            self._in_place()
            self._checkpoint()

    def take(self, run_id: str, *, owner_is_dead: bool = False, wait: float = 5.0) -> Run:
        """Makes a run this owner's, its epoch raised; raises RunOwned and RunUnknown."""
        with self._held("take", wait), self._transaction("take"):
            return ownership.take(
                self._db, self.files, self.owner, run_id, owner_is_dead=owner_is_dead
            )

    def take_dead(self, statuses: Collection[str] = OPEN, *, wait: float = 5.0) -> list[Run]:
        """Takes all runs of some statuses that no living process owns."""
        with self._held("take", wait), self._transaction("take"):
            return ownership.take_dead(self._db, self.files, self.owner, statuses)

    def release(self, run_ids: Collection[str], *, wait: float = 5.0) -> None:
        """Gives up runs: the next who wants them takes them at once."""
        with self._held("release", wait), self._transaction("release"):
            ownership.release(self._db, self.owner, run_ids)

    def forget(self, run_id: str) -> None:
        """Keeps nothing more of a run in memory: its next commit asks the log how it was left."""
        self._heads.forget(run_id)

    def keep_definition(self, definition: str, plan: bytes, *, wait: float = 5.0) -> None:
        """Stores a plan under its hash, once."""
        with self._held("definition", wait), self._transaction("definition"):
            commits.keep_definition(self._db, definition, plan)

    def epoch(self, run_id: str) -> int:
        """Gives the epoch of a run as the log has it now; raises RunUnknown."""
        return self.run(run_id).epoch

    def changed(self) -> bool:
        """True when somebody else committed since this was last asked."""
        self._usable()
        self._in_place()
        try:
            (version,) = self._db.execute("PRAGMA data_version").fetchone()
        except sqlite3.Error as error:
            raise self._fail(translate(error, self.files.journal)) from error
        before, self._version = self._version, version
        return bool(before != version)

    def note(self, text: str) -> None:
        """Writes a line into this owner's lock file, for whoever asks why nothing goes on."""
        if self._own is not None:
            self._own.note(text)

    def forked(self) -> None:
        """Refuses every use in a forked child, and touches no file of the parent's."""
        if self._writing is not None:
            self._writing.abandon()
        self._failure = LogForked(
            self.files.journal, "a forked child uses its parent's log", "Open the log in the child."
        )

    @property
    def _db(self) -> sqlite3.Connection:
        assert self._writing is not None
        return self._writing.db

    def _open(self, known: str = "") -> None:
        """Opens the connections; the lock is held."""
        try:
            finish_swap(self.files)
            self._writing = Writing(self.files, create=True, grow=True, known=known)
            self._heads.prepare(self._db)
        except sqlite3.Error as error:
            raise translate(error, self.files.journal) from error
        self.log_id, self._salt = self._writing.log_id, self._writing.salt
        self._version = -1

    def _commit(self, writes: Sequence[Write], wait: float) -> Committed:
        size = 0
        for write in writes:
            for entry in write.entries:
                size += len(entry.body) + 200
                if entry.blobs:
                    for _ in self.spill(entry, wait=wait):
                        pass
        hashes: commits.Hashes = {}
        rows = self._heads.rows(self.owner, writes, hashes)
        self._usable()
        self._lock.take("commit", wait)
        try:
            points.reach("commit.before")
            self._in_place()
            if self._frames > _NEARLY_FULL:
                self._checkpoint()
            self._frames += 4 + size // 3500
            committed = self._append(writes, rows, hashes)
            points.reach("commit.after")
        finally:
            self._lock.drop()
        return committed

    def _append(
        self, writes: Sequence[Write], rows: Rows | None, hashes: commits.Hashes
    ) -> Committed:
        """Appends by the statement alone where it holds the whole batch; the lock is held."""
        # The points in the middle of a commit stand between statements.
        alone = rows is not None and not rows.others and not rows.attended
        if rows is not None and alone and points.listener is None:
            try:
                self._add(rows, (writes, hashes))
            except Stale:
                rows = None
                hashes.clear()
            else:
                self._heads.learn(rows.left)
                return Committed({run_id: head[3] for run_id, head in rows.left.heads.items()})
        with self._transaction("commit", (writes, hashes)):
            committed, left = commits.append(self._db, self.owner, writes, hashes, rows)
            points.reach("commit.written")
        self._heads.learn(left)
        return committed

    def _add(self, rows: Rows, doubt: tuple[Sequence[Write], commits.Hashes]) -> None:
        """Appends rows in a transaction of their own statement. Raises Stale: nothing was tried."""
        self._doubt = doubt
        try:
            add(self._db, rows)
        except Stale:
            self._doubt = None
            raise
        except sqlite3.Error as error:
            found = translate(error, self.files.journal)
            if isinstance(found, LogBusy):
                self._doubt = None
                raise found from error
            raise self._fail(found) from error
        except BaseException:
            self._fail(self._interrupted())
            raise
        self._in_place()
        self._doubt = None

    def _usable(self) -> None:
        if self._failure is not None:
            raise self._failure

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        if isinstance(self._failure, LogForked | LogClosed):
            raise self._failure
        guard = self._writing.guard if self._writing else None
        if guard is None:
            with reading(self.files) as db:
                yield db
            return
        try:
            yield guard
        except sqlite3.Error as error:
            raise translate(error, self.files.journal) from error

    @contextmanager
    def _held(self, doing: str, wait: float) -> Generator[None]:
        self._usable()
        self._lock.take(doing, wait)
        try:
            points.reach(f"{doing}.before")
            self._in_place()
            yield
            points.reach(f"{doing}.after")
        finally:
            self._lock.drop()

    @contextmanager
    def _transaction(
        self, doing: str, doubt: tuple[Sequence[Write], commits.Hashes] | None = None
    ) -> Generator[None]:
        """Runs one transaction; after an error the connection is never used again."""
        db = self._db
        try:
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            found = translate(error, self.files.journal)
            raise found if isinstance(found, LogBusy) else self._fail(found) from error
        self._doubt = doubt
        points.reach(f"{doing}.begun")
        try:
            yield
            db.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._fail(translate(error, self.files.journal)) from error
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
                self._doubt = None
            else:
                self._fail(self._interrupted())
            raise
        # Looked at once more: what was committed into a file that went away was never written.
        self._in_place()
        self._doubt = None

    def _in_place(self) -> None:
        if self._writing is not None and not self._writing.is_in_place():
            raise self._fail(
                LogMoved(
                    self.files.wal,
                    "the log's files are not those that were opened",
                    "Something replaced or removed them; the runs go on when it is opened again.",
                )
            )

    def _fail(self, failure: LogError) -> LogError:
        """Closes the connection for good; gives the error back."""
        self._failure = failure
        self._failed_at = identity(self.files.journal)
        if isinstance(failure, LogFailing):
            with suppress(OSError):
                self._lock.record(failure)
        self._let_go()
        return failure

    def _interrupted(self) -> LogError:
        return LogUnwritable(self.files.journal, "a commit was interrupted", "Open it again.")

    def _checkpoint(self) -> None:
        """Writes a checkpoint; the lock is held. A full disk or a reader only postpones it."""
        points.reach("checkpoint.before")
        try:
            busy, frames, moved = self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error as error:
            found = translate(error, self.files.journal)
            if not isinstance(found, LogFull | LogBusy):
                raise self._fail(found) from error
            busy, frames, moved = 1, 0, 0
        done = not busy and frames == moved
        self._frames = 0 if done else _NEARLY_FULL - 250
        points.reach("checkpoint.after")

    def _let_go(self) -> None:
        if self._writing is not None:
            self._writing.close()
        self._writing = None
