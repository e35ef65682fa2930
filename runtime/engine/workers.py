"""Where tools run: functions in threads of a pool, coroutines on a loop of their own."""

from __future__ import annotations

import inspect
import os
import threading
from queue import SimpleQueue
from typing import Any

from ..kernel.commands import Answer
from .calling import Job, call_sync, end_a_child, finish
from .coroutines import Coroutines
from .items import Ended
from .mailbox import Mailbox


class Workers:
    """The threads of an engine that run the user's code; answers go into its mailbox.

    All are daemons: a tool that never returns must not keep a program from ending, and what it left
    behind is an unknown outcome.
    """

    def __init__(self, name: str, mailbox: Mailbox) -> None:
        self._name = name
        self._mailbox = mailbox
        self._pid = os.getpid()
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        self._threads = 0
        self._coroutines: Coroutines | None = None

    def start(self, jobs: list[Job]) -> None:
        """Starts calls: coroutines in one batch, each function in a thread of its own."""
        async_jobs: list[Job] = []
        for job in jobs:
            if job.bound.is_async:
                async_jobs.append(job)
            else:
                self._queue_sync(job)
        if async_jobs:
            self._loop().start(async_jobs)

    def cancel(self, job: Job) -> None:
        """Asks a coroutine whose time is over to end; a function in a thread cannot be asked."""
        if self._coroutines is not None:
            self._coroutines.cancel(job)

    def stop(self) -> None:
        """Ends the idle threads and the loop; whatever still runs is left alone."""
        with self._lock:
            threads = self._threads
        for _ in range(threads):
            self._queue.put(None)
        if self._coroutines is not None:
            self._coroutines.stop()

    def _queue_sync(self, job: Job) -> None:
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
            else:
                self._threads += 1
                name = f"{self._name}-tool-{self._threads}"
                threading.Thread(target=self._serve, name=name, daemon=True).start()
        self._queue.put(job)

    def _serve(self) -> None:
        while True:
            job = self._queue.get()
            if job is None:
                return
            answer = call_sync(job)
            end_a_child(job, self._pid)
            if answer.kind == "returned" and inspect.isawaitable(answer.value):
                answer = self._await(job, answer.value)
            # Idle before the answer is known: the next call may come at once, and is this thread's.
            with self._lock:
                self._idle += 1
            self._mailbox.put(Ended(job, answer))

    def _await(self, job: Job, value: Any) -> Answer:
        return self._loop().run(finish(job, value)).result()

    def _loop(self) -> Coroutines:
        found = self._coroutines
        if found is None:
            with self._lock:
                if self._coroutines is None:
                    self._coroutines = Coroutines(f"{self._name}-tools", self._mailbox)
                found = self._coroutines
        return found
