"""The loop of an engine's coroutines: a thread of its own, woken once for a batch of calls."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import deque
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any

from ..kernel.commands import Answer
from .calling import Job, call_async, end_a_child, raised
from .items import Ended
from .mailbox import Mailbox


class Coroutines:
    """Runs calls as tasks of one asyncio loop, which begins with the first of them.

    Calls that begin together are mostly answered together, when they do not wait for anything or
    for the same: the engine, which would fight for Python's lock with them, is woken by the last.

    Calls come through a pipe of our own: asyncio's way to call something from another thread makes
    an object for it, and reads its socket until nothing is left, which is one exception a call.
    """

    def __init__(self, name: str, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._pid = os.getpid()
        self._fresh = 0
        self._jobs: deque[Job] = deque()
        self._woken = False
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._turn, name=name, daemon=True).start()

    def start(self, jobs: list[Job]) -> None:
        """Begins calls; from the engine's thread."""
        self._jobs.extend(jobs)
        if not self._woken:
            self._woken = True
            os.write(self._write, b"x")

    def cancel(self, job: Job) -> None:
        """Asks a call to end."""
        if job.task is not None:
            self._loop.call_soon_threadsafe(job.task.cancel)

    def run(self, coroutine: Coroutine[Any, Any, Answer]) -> Future[Answer]:
        """Runs a coroutine of another thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def stop(self) -> None:
        """Ends the loop, and cancels what still runs in it."""
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _begin(self) -> None:
        os.read(self._read, 1)
        # Before the calls are taken: one that comes after them wakes the loop again.
        self._woken = False
        jobs = [self._jobs.popleft() for _ in range(len(self._jobs))]
        # Those of the last time have all begun by now, unless somebody cancelled their tasks.
        self._fresh = len(jobs)
        for job in jobs:
            # The engine holds the job, and so its task, until it has the answer.
            if sys.version_info >= (3, 12):
                # The first step is made here: what waits for nothing needs no turn of the loop.
                job.task = asyncio.Task(self._call(job), loop=self._loop, eager_start=True)
                if job.over and not job.task.done():
                    # Its time was over meanwhile, and there was no task yet to be cancelled.
                    job.task.cancel()
            else:
                job.task = self._loop.create_task(self._call(job))

    async def _call(self, job: Job) -> None:
        self._fresh -= 1
        if not self._fresh:
            # Before this one, which may take long: what it answers at once is there all the same
            # when the engine has woken up.
            self._mailbox.wake()
        if job.over:
            # It never began, and the engine must not think that it goes on for ever.
            answer = raised(job, asyncio.CancelledError())
        else:
            answer = await call_async(job)
            end_a_child(job, self._pid)
        if self._fresh > 0:
            self._mailbox.add(Ended(job, answer))
        else:
            self._mailbox.put(Ended(job, answer))

    def _turn(self) -> None:
        loop = self._loop
        asyncio.set_event_loop(loop)
        loop.add_reader(self._read, self._begin)
        try:
            loop.run_forever()
        finally:
            # Also those that tools have begun and left: Python would complain about each.
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()
            os.close(self._read)
            os.close(self._write)
