"""No secret leaves through a side door: not plain, not encoded, not in half."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given, settings, strategies as st

from sagalang.runtime.secrets import SHORTEST, Mask, Unresolved, resolve
from sagalang.runtime.values import Record, Secret, decode, encode

CANARY = "CANARY-9f2-ß\"'\\"
MASK = Mask({"env:API_KEY": CANARY})


def test_a_reference_is_resolved_when_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", CANARY)
    assert resolve("env:API_KEY") == CANARY
    monkeypatch.setenv("API_KEY", "other")
    assert resolve("env:API_KEY") == "other"


@pytest.mark.parametrize(("value", "said"), [(None, "is not set"), ("", "is empty")])
def test_what_cannot_be_resolved_is_said(
    value: str | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("API_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("API_KEY", value)
    with pytest.raises(Unresolved) as unresolved:
        resolve("env:API_KEY")
    assert str(unresolved.value) == (
        f"the secret env:API_KEY cannot be read: the environment variable API_KEY {said}"
    )
    assert unresolved.value.reference == "env:API_KEY"


def escapes_in_capitals(text: str) -> str:
    return json.dumps(text).replace("\\u00df", "\\u00DF")


def in_lower_case(text: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), quote(text, safe=""))


WRITTEN: dict[str, Callable[[str], str]] = {
    "plain": str,
    "JSON": json.dumps,
    "JSON as UTF-8": lambda text: json.dumps(text, ensure_ascii=False),
    "JSON with capitals": escapes_in_capitals,
    "JSON in JSON": lambda text: json.dumps(json.dumps({"key": text})),
    "Python": repr,
    "Python in ASCII": ascii,
    "traceback": lambda text: f"KeyError: {[text]!r}",
    "URL": quote,
    "URL, all of it": lambda text: quote(text, safe=""),
    "URL in lower case": in_lower_case,
    "form": quote_plus,
    "query": lambda text: urlencode({"key": text, "b": 1}),
}


def traces(secret: str) -> list[str]:
    """What a search for the secret looks for: each form that a search of bytes could find."""
    return [
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        repr(secret)[1:-1],
        quote(secret, safe=""),
        quote_plus(secret),
        in_lower_case(secret),
        base64.b64encode(secret.encode()).decode().rstrip("=")[:-1],
    ]


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
def test_a_secret_is_found_however_it_is_written(write: Callable[[str], str]) -> None:
    masked = MASK.text(f"before {write(CANARY)} after")
    assert masked.startswith("before ") and masked.endswith(" after")
    assert "[env:API_KEY]" in masked
    assert "CANARY" not in masked
    assert "9f2" not in masked


@given(st.binary(max_size=8), st.binary(max_size=8))
def test_a_secret_in_base64_is_found_wherever_it_begins(before: bytes, after: bytes) -> None:
    for encode_ in (base64.b64encode, base64.urlsafe_b64encode):
        written = encode_(before + CANARY.encode() + after).decode()
        masked = MASK.text(written)
        assert "[env:API_KEY]" in masked
        # What is left of the secret are at most the bits that share a character with a neighbour.
        assert len(masked) <= len(written) - len(CANARY.encode()) * 8 // 6 + 2 + len(
            "[env:API_KEY]"
        )


secrets = st.text(st.characters(exclude_categories=["Cs"]), min_size=SHORTEST, max_size=24).filter(
    lambda text: "[env" not in text and text not in "[env:A][env:B]"
)


@given(secrets, st.data())
@settings(max_examples=40)
def test_no_trace_is_left_in_any_text(secret: str, data: st.DataObject) -> None:
    mask = Mask({"env:A": secret})
    parts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    write = data.draw(st.sampled_from(list(WRITTEN.values())))
    text = data.draw(parts) + write(secret) + data.draw(parts)
    masked = mask.text(text)
    assert [trace for trace in traces(secret)[:7] if trace in masked] == []
    assert mask.text(masked) == masked


@given(secrets, secrets, st.integers(0, 8))
@settings(max_examples=40)
def test_secrets_may_overlap(one: str, other: str, shared: int) -> None:
    mask = Mask({"env:A": one, "env:B": one[len(one) - shared :] + other})
    text = f"<{one}{other}>"
    masked = mask.text(text)
    assert one not in masked
    assert mask.text(masked) == masked


def test_a_longer_secret_counts_before_one_that_begins_it() -> None:
    mask = Mask({"env:A": "abcd", "env:B": "abcdefgh", "env:C": "ghij"})
    assert mask.text("-abcd-") == "-[env:A]-"
    assert mask.text("-abcdefgh-") == "-[env:B]-"
    assert mask.text("-abcdefghij-") == "-[env:B]-"


def test_stored_values_are_masked_and_can_still_be_read() -> None:
    value = {
        "text": f"Bearer {CANARY}",
        CANARY: [1, (CANARY, {CANARY}), Record("Charge", {"note": CANARY})],
        "$tag": {"$int": CANARY},
        "bytes": b"\x00\x01" + CANARY.encode(),
        "reference": Secret("env:API_KEY"),
        "plain": [None, True, 2**80, 1.5],
    }
    masked = decode(MASK.wire(encode(value)))
    label = "[env:API_KEY]"
    assert masked == {
        "text": f"Bearer {label}",
        label: [1, (label, {label}), Record("Charge", {"note": label})],
        "$tag": {"$int": label},
        "bytes": masked["bytes"],
        "reference": Secret("env:API_KEY"),
        "plain": [None, True, 2**80, 1.5],
    }
    assert label in masked["bytes"]


def test_a_number_that_is_the_secret_is_masked() -> None:
    mask = Mask({"env:PIN": "482913", "env:RATE": "12.75"})
    assert mask.wire([482913, 4829130, 12.75]) == ["[env:PIN]", 4829130, "[env:RATE]"]
    assert mask.wire(encode({"pin": 482913})) == {"pin": "[env:PIN]"}


@given(st.lists(st.none() | st.integers() | st.text(max_size=9) | st.lists(st.text(max_size=5))))
@settings(max_examples=40)
def test_nothing_else_is_changed(value: Any) -> None:
    wire = encode(value)
    assert MASK.wire(wire) == wire
    assert Mask({}).wire(wire) is wire


def test_a_text_is_masked_before_it_is_cut() -> None:
    for size in range(20, 60):
        cut = MASK.cut("x" * 10 + CANARY + "y" * 200, size)
        assert len(cut) <= size
        assert "CAN" not in cut
    assert MASK.cut("short", 10) == "short"
    assert MASK.cut("x" * 500, 50).endswith("... (500 characters)")


def test_a_short_secret_is_named_for_a_warning_and_masks_nothing() -> None:
    mask = Mask({"env:PIN": "ok1", "env:API_KEY": CANARY})
    assert mask.short == ("env:PIN",)
    assert mask.text("ok1") == "ok1"
    assert mask.text(CANARY) == "[env:API_KEY]"
    assert Mask({"env:PIN": ""}).text("") == ""
