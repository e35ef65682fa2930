"""What is compiled while somebody types: each text once, and none that nobody waits for."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from sagalang.lsp.analysis import Analysis
from sagalang.lsp.positions import Text
from sagalang.lsp.program import Program
from sagalang.lsp.server import SagaServer
from sagalang.lsp.workspace import Workspace

RAW = "edition 2026\nrecord A { id: str }\n"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that have been compiled."""
    found: list[str] = []
    compile = Workspace.compile

    def counting(self: Workspace, text: Text) -> Program:
        found.append(text.raw)
        return compile(self, text)

    monkeypatch.setattr(Workspace, "compile", counting)
    return found


def test_a_text_that_several_ask_about_is_compiled_once(
    tmp_path: Path, compiled: list[str]
) -> None:
    async def asking() -> None:
        server = SagaServer(lambda plan: "")
        server.files = Workspace(tmp_path)
        path = str(tmp_path / "a.saga")
        server.files.put(path, RAW)
        answers = await asyncio.gather(*(server.current(path) for _ in range(5)))
        assert len({id(known.program) for known in answers if known is not None}) == 1
        server.worker.shutdown()

    asyncio.run(asking())
    assert compiled == [RAW]


def test_a_text_that_has_changed_before_its_turn_is_not_compiled(
    tmp_path: Path, compiled: list[str]
) -> None:
    async def typing() -> None:
        server = SagaServer(lambda plan: "")
        server.files = Workspace(tmp_path)
        path = str(tmp_path / "a.saga")
        busy = threading.Event()
        server.worker.submit(busy.wait)
        texts = [RAW + "#" * n for n in range(1, 6)]
        asked: list[asyncio.Future[Analysis | None]] = []
        for text in texts:
            server.files.put(path, text)
            asked.append(asyncio.ensure_future(server.current(path)))
            await asyncio.sleep(0)
        busy.set()
        answers = await asyncio.gather(*asked)
        assert {known.text.raw for known in answers if known is not None} == {texts[-1]}
        server.worker.shutdown()

    asyncio.run(typing())
    assert compiled == [RAW + "#####"]


def test_an_editor_that_takes_its_question_back_takes_back_no_other(
    tmp_path: Path, compiled: list[str]
) -> None:
    async def taking_back() -> None:
        server = SagaServer(lambda plan: "")
        server.files = Workspace(tmp_path)
        path = str(tmp_path / "a.saga")
        server.files.put(path, RAW)
        first = asyncio.ensure_future(server.current(path))
        second = asyncio.ensure_future(server.current(path))
        await asyncio.sleep(0)
        first.cancel()
        known = await second
        assert known is not None and known.text.raw == RAW
        server.worker.shutdown()

    asyncio.run(taking_back())
    assert compiled == [RAW]
