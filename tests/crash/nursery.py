"""Starts processes that run the command `saga`, each forked from one that has imported everything.

One JSON object a line on stdin, one on stdout: `{"program"}` compiles a text once;
`{"argv", "env", "cwd", "out"}` starts a process and gives its `pid`; `{"poll": pid}` gives its
`code` when it is over (negative: the signal), else none.
Importing costs a second or more where forking costs some milliseconds, and hundreds are started.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import sys
from typing import Any

import sagalang.cli
from sagalang.compiler.pipeline import compile
from sagalang.dsl.source import Source
from sagalang.files import FileReader

for warm in (
    *("httpx", "sagalang.loading", "sagalang.runtime.engine.engine"),
    *(f"sagalang.cli.{name}" for name in ("check", "look", "people", "registry", "run")),
):
    importlib.import_module(warm)


def live(asked: dict[str, Any]) -> None:
    """Is the child: runs the command with its own folder, environment and files."""
    os.chdir(asked["cwd"])
    os.environ.update(asked["env"])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for stream, name in ((1, "out"), (2, "err")):
        file = f"{asked['out']}.{name}"
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), stream)
    sys.argv = asked["argv"]
    sys.path[0] = asked["cwd"]
    if sys.argv[0] == "saga":
        sagalang.cli.main(prog_name="saga")
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")
    sys.exit(0)


def main() -> None:
    """Serves until stdin ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "program" in asked:
            # What the parser makes on its way is there before the first child.
            compile(Source("warm.saga", asked["program"]), FileReader())
            gc.freeze()
            answer: dict[str, Any] = {}
        elif "poll" in asked:
            pid, status = os.waitpid(asked["poll"], os.WNOHANG)
            code = os.waitstatus_to_exitcode(status) if pid else None
            answer = {"code": code}
        else:
            pid = os.fork()
            if pid == 0:
                live(asked)
            answer = {"pid": pid}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
