"""The magics: `%%saga`, `%saga_run`, `%%sagasql`, `%saga_doctor`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics

from ..files import FileReader
from ..loading import CompileFailed, Program, open as open_log, program
from ..runtime.engine.run import Run
from ..runtime.engine.saga import Saga
from ..runtime.store import query
from ..runtime.store.question import Table
from . import card
from .bundles import bundle, saga_bundle
from .cell import locate
from .declaring import magic, magics, option
from .doctor import examine
from .faults import CellFailed, WrongOptions
from .twins import Twins
from .words import split
from .written import write


@magics
class SagaMagics(Magics):
    """Sagas in cells. `raw` is the cell that runs now, as it was typed."""

    shell: Any
    raw: str | None = None

    def __init__(self, shell: InteractiveShell, twins: Twins) -> None:
        super().__init__(shell)
        self.twins = twins

    @property
    def number(self) -> int:
        """The k of the `In[k]` that runs now.

        Some versions of IPython count on before a cell runs and some after it; all note the cell
        first, so the notes tell which one it is.
        """
        noted = self.shell.history_manager.input_hist_raw
        if self.raw is not None and noted and noted[-1].rstrip("\n") == self.raw.rstrip("\n"):
            return len(noted) - 1
        return int(self.shell.execution_count)

    @magic(
        "cell",
        option("--check", action="store_true", help="only check the cell: no name is changed"),
        option("--write", metavar="PATH", help="also write the text to a .saga file"),
        option("--quiet", action="store_true", help="show no cards"),
        option("--no-dag", action="store_true", help="show the cards without the graph"),
    )
    def saga(self, line: str, cell: str) -> None:
        """Compile the cell: each saga and record of it becomes a name of the notebook.

        Tools that name no module call the notebook's functions of their name. Mistakes are shown
        with their lines in the cell.
        """
        found = locate(self.raw, line, cell, self.number)
        options = self._options("%%saga", found.options, shlex.split)
        try:
            made = program(found.source, FileReader(), self.shell.user_ns)
        except CompileFailed as failed:
            colour = "NO_COLOR" not in os.environ
            name = found.source.name
            raise CellFailed(failed.diagnostics, failed.sources, name, colour=colour) from None
        if options.write:
            write(Path(options.write), found.source.text)
        if not options.check:
            self._bind(made)
        if not options.quiet:
            for saga in made.values():
                self._publish(saga_bundle(saga, dag=not options.no_dag))
        if not made:
            self._say("The cell declares no saga: nothing can be started.")

    @magic(
        "line",
        option("name", help="the saga"),
        option("inputs", nargs="*", metavar="K=EXPR", help="inputs, each a Python expression"),
        option("--id", dest="run_id", help="the run's id; of an id that exists: that run"),
        option("--log", metavar="PATH", help="the log (default: saga.toml, then saga.duckdb)"),
    )
    def saga_run(self, line: str) -> Run:
        """Start a run and return it at once."""
        options = self._options("%saga_run", line, split)
        saga = self.shell.user_ns.get(options.name)
        if not isinstance(saga, Saga):
            known = [n for n, value in self.shell.user_ns.items() if isinstance(value, Saga)]
            there = ", ".join(sorted(known)) or "none yet: `%%saga` makes them"
            raise WrongOptions(f"there is no saga `{options.name}` here; there are: {there}")
        given = {}
        for pair in options.inputs:
            name, equals, expression = pair.partition("=")
            if not equals or not name.isidentifier():
                raise WrongOptions(f"`{pair}`: an input is written name=expression")
            given[name] = self._value(name, expression)
        return saga.start(open_log(options.log), run_id=options.run_id, **given)

    @magic(
        "cell",
        option("-o", dest="name", metavar="VAR", help="keep the answer under this name"),
        option("--log", metavar="PATH", help="the log (default: the run's, then saga.toml's)"),
        option("run", nargs="?", help="a run, or the id of one: it is `$run` in the question"),
    )
    def sagasql(self, line: str, cell: str) -> Table | None:
        """Ask the views of a log in SQL, read-only."""
        found = locate(self.raw, line, cell, self.number)
        options = self._options("%%sagasql", found.options, shlex.split)
        run = self.shell.user_ns.get(options.run, options.run) if options.run else None
        if run is not None and not isinstance(run, Run | str):
            raise WrongOptions(f"`{options.run}` is no run; name a run, or give the id of one")
        log = run.log if isinstance(run, Run) and not options.log else open_log(options.log)
        names = {} if run is None else {"run": run.id if isinstance(run, Run) else run}
        answer = query(log.path, found.source.text, names)
        if options.name is None:
            return answer
        if not options.name.isidentifier():
            raise WrongOptions(f"-o {options.name}: a name of Python is wanted")
        self.shell.user_ns[options.name] = answer
        return None

    @magic("line")
    def saga_doctor(self, line: str) -> None:
        """Show versions, the log, and who goes on with which run."""
        rows = examine()
        width = max(len(name) for name, _ in rows)
        text = "\n".join(f"{name:<{width}}  {said}" for name, said in rows)
        self._publish(
            bundle(text, lambda: card.card(card.table(("what", "found"), rows, "the text")))
        )

    def _bind(self, made: Program) -> None:
        """Makes sagas and classes names of the notebook. Raises `WrongOptions`."""
        values: dict[str, object] = {**made.classes, **made}
        called = {
            tool.call.target.partition(".")[0]: tool.name
            for saga in made.values()
            for tool in saga.plan.tools
            if ":" not in tool.call.target
        }
        for name in values:
            if name in called:
                raise WrongOptions(
                    f"`{name}` would replace the function that the tool `{called[name]}` calls. "
                    "Give one of them another name."
                )
        for saga in made.values():
            self._pinned(saga)
        self.shell.user_ns.update(values)

    def _pinned(self, saga: Saga) -> None:
        live = self.twins.pinned(saga)
        if live:
            many = "runs" if len(live) > 1 else "run"
            go = "go on" if len(live) > 1 else "goes on"
            self._say(
                f"The {many} {', '.join(live)} of `{saga.name}` {go} as begun: "
                "what this cell changes holds for new runs."
            )

    def _value(self, name: str, expression: str) -> object:
        try:
            # An expression that the user typed, as IPython evaluates those of its own magics.
            return cast(object, self.shell.ev(expression))
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise WrongOptions(f"the input `{name}` cannot be computed: {said}") from None

    def _options(self, name: str, line: str, words: Callable[[str], list[str]]) -> Any:
        magic = name.lstrip("%")
        parser = getattr(type(self), magic).parser
        try:
            return parser.parse_args(words(line))
        except (UsageError, ValueError) as error:
            usage = " ".join(parser.format_usage().split()).partition(f"%{magic}")[2]
            raise WrongOptions(f"{error}.\nIt is used so: {name}{usage}") from None

    def _publish(self, shown: dict[str, str]) -> None:
        self.shell.display_pub.publish(data=shown, metadata={})

    def _say(self, said: str) -> None:
        self._publish(bundle(said, lambda: card.card(card.paragraph(said))))
