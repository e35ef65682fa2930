"""Where tools run: functions in threads of a pool, coroutines on a loop of their own."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from queue import SimpleQueue
from typing import Any

from ..kernel.commands import Answer
from .calling import Job, Post, call_async, call_sync, finish, raised


class Workers:
    """The threads of an engine that run the user's code.

    All are daemons: a tool that never returns must not keep a program from ending, and what it left
    behind is an unknown outcome.
    """

    def __init__(self, name: str, post: Post) -> None:
        self._name = name
        self._post = post
        self._pid = os.getpid()
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        self._threads = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, jobs: list[Job]) -> None:
        """Starts calls: coroutines in one batch, each function in a thread of its own."""
        async_jobs = [job for job in jobs if job.bound.is_async]
        if async_jobs:
            self._tool_loop().call_soon_threadsafe(self._begin, async_jobs)
        for job in jobs:
            if not job.bound.is_async:
                self._queue_sync(job)

    def cancel(self, job: Job) -> None:
        """Asks a coroutine whose time is over to end; a function in a thread cannot be asked."""
        if job.task is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(job.task.cancel)

    def stop(self) -> None:
        """Ends the idle threads and the loop; whatever still runs is left alone."""
        with self._lock:
            threads = self._threads
        for _ in range(threads):
            self._queue.put(None)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)

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
            self._end_a_child(job)
            if answer.kind == "returned" and inspect.isawaitable(answer.value):
                answer = self._await(job, answer.value)
            # Idle before the answer is known: the next call may come at once, and is this thread's.
            with self._lock:
                self._idle += 1
            self._post(job, answer)

    def _end_a_child(self, job: Job) -> None:
        """Ends the child of a tool that forked, when it comes back out of the tool.

        Nobody in it waits for an answer, and the tool, in the parent, may wait for its end.
        """
        if os.getpid() != self._pid:
            said = f"`{job.call.tool}` has forked, and the child came back out of it: it ends here."
            # Not through sys.stderr: another thread may have held its lock in the parent.
            os.write(2, f"{said} End a child with `os._exit(0)`.\n".encode())
            os._exit(1)

    def _await(self, job: Job, value: Any) -> Answer:
        return asyncio.run_coroutine_threadsafe(finish(job, value), self._tool_loop()).result()

    def _begin(self, jobs: list[Job]) -> None:
        loop = self._loop
        assert loop is not None
        for job in jobs:
            if job.over:
                # It never began, and the engine must not think that it goes on for ever.
                self._post(job, raised(job, asyncio.CancelledError()))
                continue
            task = loop.create_task(self._call(job))
            job.task = task
            # The loop itself holds its tasks weakly.
            self._tasks.add(task)

    async def _call(self, job: Job) -> None:
        try:
            answer = await call_async(job)
            self._end_a_child(job)
            self._post(job, answer)
        finally:
            # Here and not in a callback of the task, which takes the loop one more turn.
            self._tasks.discard(job.task)

    def _tool_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                name = f"{self._name}-tools"
                threading.Thread(target=self._turn, name=name, daemon=True).start()
            return self._loop

    def _turn(self) -> None:
        loop = self._loop
        assert loop is not None
        asyncio.set_event_loop(loop)
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
