"""The extension in a real JupyterLab: `.saga` files and `%%saga` cells have colours."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from .lab import CHROMIUM, PATIENCE, browser, jupyterlab, strangers

# On a user's machine a browser may be missing; where CI is set, `.ci/run` has installed it.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None and not os.environ.get("CI"),
        reason="there is no Chromium: sudo apt-get install chromium",
    ),
]

FILE = '''\
edition 2026
"""Sends
a mail."""
tool send(to: str, step: int) -> json { call python "m:send" } # at once
saga hello(name: str) -> json {
  step mail = send("Hi { name }", 5m ) when name != none
  return mail.id
}
'''


def cell(name: str, source: str) -> dict[str, object]:
    empty: dict[str, object] = {"metadata": {}, "outputs": list[str](), "execution_count": None}
    return {"cell_type": "code", "id": name, "source": source, **empty}


NOTEBOOK = {
    "cells": [
        cell("first", '%%saga --check\ngate release needs 2 of "ops" shows tool\n'),
        cell("second", "step = None  # in Python\n"),
    ],
    "metadata": {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
    },
    "nbformat": 4,
    "nbformat_minor": 5,
}

COLOURS = """(content) => {
  const found = {};
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (const word of node.data.trim().split(/\\s+/))
      (found[word] ??= []).push(getComputedStyle(node.parentElement).color);
  return found;
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("lab")
    (folder / "hello.saga").write_text(FILE, "utf-8")
    (folder / "cells.ipynb").write_text(json.dumps(NOTEBOOK), "utf-8")
    with jupyterlab(folder, tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    outside = strangers(page)
    page.set_default_timeout(PATIENCE * 1000)
    yield page
    page.close()
    assert outside == []


def colours(page: Page, selector: str, holds: str) -> dict[str, list[str]]:
    """The colours in which each word of an editor is shown, once it is coloured at all."""
    content = page.locator(selector, has_text=holds).first
    expect(content).to_be_visible(timeout=PATIENCE * 1000)
    expect(content.locator("span[class]").first).to_be_visible(timeout=PATIENCE * 1000)
    found: dict[str, list[str]] = content.evaluate(COLOURS)
    return found


def test_a_saga_file_is_coloured(page: Page, address: str) -> None:
    page.goto(address.format(path="hello.saga"))
    found = colours(page, ".jp-FileEditor .cm-content", "edition")
    [keyword], [comment] = found["saga"], set(found["once"])
    assert found["tool"] == found["return"] == found["when"] == [keyword]
    assert found["edition"] == [keyword]
    # A parameter that is called `step` is none of the language's words; the statement is.
    assert keyword in found["step"] and len(set(found["step"])) == 2
    assert len({keyword, comment, found["5m"][0], *found['mail."""']}) == 4
    # Documentation is one text over its lines.
    assert found['"""Sends'] == found['mail."""']
    # In a text an expression has the colours of code.
    assert found["name"][0] != found['"Hi'][0]


def test_a_saga_cell_is_coloured_and_the_others_are_python(page: Page, address: str) -> None:
    page.goto(address.format(path="cells.ipynb"))
    found = colours(page, ".jp-Notebook .cm-content", "release")
    [keyword] = found["gate"]
    assert found["needs"] == found["of"] == found["shows"] == [keyword]
    assert found["release"] != [keyword]
    python = colours(page, ".jp-Notebook .cm-content", "Python")
    assert python["None"] != python["step"]
    assert python["step"] != [keyword]
    # The magic typed into a cell changes its language at once, and back.
    page.locator(".jp-Notebook .cm-content", has_text="in Python").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("%%saga\n")
    expect(page.locator(".cm-content", has_text="in Python").locator("span", has_text="%%saga")
           ).to_be_visible()  # fmt: skip
