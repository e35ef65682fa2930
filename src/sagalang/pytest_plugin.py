"""The plugin for pytest: each scenario of a `.saga` file is a test at its own line.

pytest loads this module for every project that it tests where sagalang is installed, so it imports
nothing of the package before it has found a file with a scenario in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .dsl.source import Source
    from .runtime.rehearsal.report import Rehearsal
    from .runtime.scenario import Scenario


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects a `.saga` file in which there may be a scenario."""
    if file_path.suffix != ".saga" or not _may_hold_one(file_path):
        return None
    # pytest does not say what `from_parent` takes.
    return SagaFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]


def _may_hold_one(path: Path) -> bool:
    try:
        return b"scenario" in path.read_bytes()
    except OSError:
        # Collecting it says what is wrong with the file.
        return True


class SagaFile(pytest.File):
    """A `.saga` file; its items are its scenarios."""

    def collect(self) -> Iterator[pytest.Item]:
        """Compiles the file and yields its scenarios; a file with errors cannot be collected."""
        from .cli.faults import Unreadable
        from .cli.programs import compiled, rendered
        from .runtime.settings import BadSettings

        try:
            seen = compiled(str(self.path))
        except (Unreadable, BadSettings) as reason:
            raise self.CollectError(str(reason)) from None
        if seen.compilation is None or not seen.compilation.ok:
            raise self.CollectError(rendered(seen).rstrip())
        source = seen.compilation.sources[str(self.path)]
        scenarios = seen.compilation.scenarios
        titles = Counter(scenario.title for scenario in scenarios)
        for scenario in scenarios:
            saga = f" for {scenario.plan.saga}" if titles[scenario.title] > 1 else ""
            yield ScenarioItem.from_parent(  # pyright: ignore[reportUnknownMemberType]
                self, name=f"{scenario.title}{saga}", scenario=scenario, source=source
            )


class ScenarioItem(pytest.Item):
    """One scenario."""

    def __init__(self, *, scenario: Scenario, source: Source, **given: Any) -> None:
        super().__init__(**given)  # pyright: ignore[reportUnknownMemberType]
        self.scenario = scenario
        self.source = source

    def runtest(self) -> None:
        """Plays the scenario. Raises `ScenarioFailed`."""
        from .runtime.rehearsal.rehearse import rehearse

        rehearsal = rehearse(self.scenario)
        if not rehearsal.passed:
            raise ScenarioFailed(rehearsal)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Tells what was expected and what happened, in place of a traceback."""
        from .rehearsed import told

        if isinstance(excinfo.value, ScenarioFailed):
            return told(excinfo.value.rehearsal, self.nodeid.split("::")[0], self.source)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Gives where the scenario stands (pytest counts lines from 0) and its title."""
        return self.path, self.scenario.at.line - 1, self.name


class ScenarioFailed(Exception):
    """A scenario in which something fell short."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        super().__init__("; ".join(one.happened for one in rehearsal.shortfalls))
        self.rehearsal = rehearsal
