"""A real kernel in a folder of its own, and what its cells put out."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

PATIENCE = 60.0
"""Seconds after which a cell counts as lost; nothing is measured with it."""


@dataclass
class Shown:
    """What came of a cell."""

    text: str = ""
    html: list[str] = field(default_factory=list[str])
    error: str = ""
    traceback: str = ""
    ok: bool = True

    @property
    def everything(self) -> str:
        """All that a saved notebook would hold of it."""
        return "\n".join((self.text, *self.html, self.error, self.traceback))


class Kernel:
    """A kernel of IPython as Jupyter starts it."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.manager: Any = KernelManager(kernel_name="python3")
        base = {name: value for name, value in os.environ.items() if name != "SAGA_UI"}
        self._environment = {**base, "IPYTHONDIR": str(folder / ".ipython"), **environment}
        self.client: BlockingKernelClient
        self.number = 0
        """The k of the last cell, as its front end shows it."""

    def __enter__(self) -> Self:
        self.manager.start_kernel(cwd=str(self.folder), env=self._environment)
        self._connect()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()

    def restart(self) -> None:
        """Kills the process without a word and starts another one."""
        self.client.stop_channels()
        self.manager.restart_kernel(now=True)
        self._connect()

    def interrupt(self) -> None:
        """Does what the button with the square does."""
        self.manager.interrupt_kernel()

    def run(self, code: str) -> Shown:
        """Runs a cell to its end."""
        return self.finish(self.begin(code))

    def begin(self, code: str) -> str:
        """Begins a cell; gives its message's id."""
        return str(self.client.execute(code))

    def wait_for(self, name: str) -> None:
        """Waits until a cell has made a file."""
        end = time.monotonic() + PATIENCE
        while not (self.folder / name).exists():
            assert time.monotonic() < end, name
            time.sleep(0.01)

    def finish(self, message: str) -> Shown:
        """Collects what a cell puts out until it is over."""
        shown = Shown()
        end = time.monotonic() + PATIENCE
        while True:
            got = self.client.get_iopub_msg(timeout=max(0.1, end - time.monotonic()))
            if got["parent_header"].get("msg_id") != message:
                continue
            content = got["content"]
            match got["msg_type"]:
                case "execute_input":
                    self.number = content["execution_count"]
                case "stream":
                    shown.text += content["text"]
                case "display_data" | "execute_result":
                    shown.text += content["data"].get("text/plain", "")
                    shown.html += [h for h in [content["data"].get("text/html")] if h]
                case "error":
                    shown.error = content["ename"]
                    shown.traceback = plain("\n".join(content["traceback"]))
                    shown.ok = False
                case "status" if content["execution_state"] == "idle":
                    return shown
                case _:
                    pass

    def _connect(self) -> None:
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)


def plain(text: str) -> str:
    """Takes the colours out of a text."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)
