"""The shop's service keeps its word: keys, rows, and every switch that breaks it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

SERVICE = Path(__file__).parents[2] / "examples" / "shop" / "service.py"

# The service may be another one at each call, so no connection is kept.
HTTP = httpx.Client(trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))

CHARGE = {"order_id": "o-1", "amount": "12.50"}
HOLD = {"order_id": "o-1", "sku": "mug", "qty": 2}
LABEL = {"order_id": "o-1", "address": "Street 1", "carrier": "ups"}
MAIL = {"to": "a@example.org", "text": "hello"}


def post(
    shop: Any, path: str, body: dict[str, Any], key: str | None = None, timeout: float = 60
) -> httpx.Response:
    headers = {} if key is None else {"Idempotency-Key": key}
    url = f"{shop.url}/{path}"
    return HTTP.post(url, json=body, headers=headers, timeout=timeout)


def get(shop: Any, path: str, **asked: str) -> Any:
    answer = HTTP.get(f"{shop.url}/{path}", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def eventually(holds: Callable[[], bool]) -> None:
    """Waits for something that another thread of the service is about to do."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


# --- four departments ----------------------------------------------------------------------------


def test_each_department_does_finds_and_takes_back(shop: Any) -> None:
    charge = post(shop, "payments/charge", CHARGE, "k1").json()
    assert charge["state"] == "captured"
    assert get(shop, "payments/find", order_id="o-1") == charge
    post(shop, "payments/refund", {"charge_id": charge["id"]}, "k2")
    assert get(shop, "payments/find", order_id="o-1")["state"] == "refunded"

    held = post(shop, "stock/reserve", HOLD, "k3").json()
    assert get(shop, "stock/find", order_id="o-1", sku="mug") == held
    post(shop, "stock/release", {"order_id": "o-1", "sku": "mug"})
    assert get(shop, "stock/find", order_id="o-1", sku="mug") is None

    label = post(shop, "shipping/label", LABEL, "k4").json()
    assert get(shop, "shipping/find", order_id="o-1") == label
    post(shop, "shipping/recall", {"order_id": "o-1"}, "k5")
    assert get(shop, "shipping/find", order_id="o-1")["state"] == "recalled"

    mail = post(shop, "mail/send", MAIL, "k6").json()
    assert get(shop, "mail/find", key="k6") == mail
    assert get(shop, "mail/list", to="a@example.org") == [mail]

    nets = {k: shop.net(k) for k in ("payment", "stock", "parcel", "mail")}
    assert nets == {"payment": 0, "stock": 0, "parcel": 0, "mail": 1}


def test_a_charge_is_voided_by_the_key_it_was_made_with(shop: Any) -> None:
    nothing = post(shop, "payments/void", {"forward_key": "k1"})
    assert (nothing.status_code, nothing.json()["error"]) == (404, "NotFound")
    post(shop, "payments/charge", CHARGE, "k1")
    assert post(shop, "payments/void", {"forward_key": "k1"}).json()["state"] == "voided"
    again = post(shop, "payments/void", {"forward_key": "k1"})
    assert again.json()["error"] == "AlreadyRefunded"
    assert shop.net("payment", "o-1") == 0


@pytest.mark.parametrize(
    ("path", "body", "error"),
    [
        ("payments/charge", {"order_id": "o-1", "amount": "50000.01"}, "LimitExceeded"),
        ("stock/reserve", {"order_id": "o-1", "sku": "mug", "qty": 101}, "OutOfStock"),
        ("shipping/label", {**LABEL, "address": " "}, "AddressRejected"),
        ("mail/send", {"to": "nobody", "text": "hello"}, "Bounced"),
        ("payments/refund", {"charge_id": "ch_1"}, "NotFound"),
        ("stock/release", {"order_id": "o-1", "sku": "mug"}, "NotFound"),
        ("shipping/recall", {"order_id": "o-1"}, "NotFound"),
    ],
)
def test_a_department_refuses_by_name_and_applies_nothing(
    shop: Any, path: str, body: dict[str, Any], error: str
) -> None:
    answer = post(shop, path, body, "k1")
    assert answer.json()["error"] == error
    assert answer.is_client_error
    assert shop.rows() == []
    assert [call["outcome"] for call in shop.calls()] == [f"refused: {error}"]


def test_stock_runs_out_and_comes_back(shop: Any) -> None:
    def reserve(order: str, qty: int) -> bool:
        body = {"order_id": order, "sku": "mug", "qty": qty}
        return post(shop, "stock/reserve", body, order).is_success

    assert reserve("o-1", 60)
    assert not reserve("o-2", 60)
    post(shop, "stock/release", {"order_id": "o-1", "sku": "mug"})
    assert reserve("o-2", 60)


# --- idempotency keys ----------------------------------------------------------------------------


def test_the_same_key_and_payload_get_the_first_answer_and_no_second_row(shop: Any) -> None:
    first = post(shop, "payments/charge", CHARGE, "k1")
    second = post(shop, "payments/charge", CHARGE, "k1")
    assert second.json() == first.json()
    assert len(shop.rows()) == 1
    assert [call["outcome"] for call in shop.calls()] == ["applied", "repeated"]


def test_the_same_key_with_another_payload_is_a_conflict(shop: Any) -> None:
    post(shop, "payments/charge", CHARGE, "k1")
    other = post(shop, "payments/charge", {**CHARGE, "amount": "99.00"}, "k1")
    assert (other.status_code, other.json()["error"]) == (409, "Conflict")
    assert len(shop.rows()) == 1


def test_without_a_key_or_with_keys_ignored_a_repeated_call_does_it_twice(shop: Any) -> None:
    post(shop, "stock/reserve", HOLD)
    post(shop, "stock/reserve", HOLD)
    assert shop.net("stock", "o-1/mug") == 2
    shop.switch("payments/charge", ignore_keys=True, times="always")
    post(shop, "payments/charge", CHARGE, "k1")
    post(shop, "payments/charge", CHARGE, "k1")
    assert shop.net("payment", "o-1") == 2


def test_a_call_that_lands_late_and_its_repetition_are_one_row(shop: Any) -> None:
    shop.switch("payments/charge", delay_before=0.5)
    late = threading.Thread(target=post, args=(shop, "payments/charge", CHARGE, "k1"))
    late.start()
    eventually(lambda: len(shop.calls()) == 1)
    assert post(shop, "payments/charge", CHARGE, "k1").is_success
    late.join()
    assert len(shop.rows()) == 1
    assert [call["outcome"] for call in shop.calls()] == ["repeated", "applied"]


# --- switches ------------------------------------------------------------------------------------


def test_a_refusal_can_be_ordered_for_the_next_calls_then_all_is_well(shop: Any) -> None:
    shop.switch("payments/charge", refuse="CardDeclined", times=2)
    answers = [post(shop, "payments/charge", CHARGE, "k1") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [422, 422, 200]
    assert answers[0].json()["error"] == "CardDeclined"
    assert len(shop.rows()) == 1


def test_a_refusal_speaks_for_its_own_attempt_even_when_the_key_is_known(shop: Any) -> None:
    shop.switch("payments/charge", lose_answer=True)
    shop.switch("payments/charge", refuse="CardDeclined")
    with pytest.raises(httpx.RemoteProtocolError):
        post(shop, "payments/charge", CHARGE, "k1")
    assert post(shop, "payments/charge", CHARGE, "k1").status_code == 422
    assert shop.net("payment", "o-1") == 1


@pytest.mark.parametrize(("fault", "landed"), [("lose_answer", 1), ("cut_before", 0)])
def test_a_lost_answer_and_a_lost_call_look_alike_to_the_client(
    shop: Any, fault: str, landed: int
) -> None:
    shop.switch("payments/charge", **{fault: True})
    with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
        post(shop, "payments/charge", CHARGE, "k1")
    assert shop.net("payment", "o-1") == landed


@pytest.mark.parametrize("fault", ["delay_before", "delay_answer"])
def test_a_delayed_call_lands_though_the_client_has_hung_up(shop: Any, fault: str) -> None:
    shop.switch("payments/charge", **{fault: 2})
    with pytest.raises(httpx.ReadTimeout):
        post(shop, "payments/charge", CHARGE, "k1", timeout=0.5)
    eventually(lambda: shop.net("payment", "o-1") == 1)


def test_a_lagging_read_sees_the_shop_as_it_was(shop: Any) -> None:
    post(shop, "payments/charge", CHARGE, "k1")
    shop.switch("payments/find", lag=3600)
    assert get(shop, "payments/find", order_id="o-1") is None
    assert get(shop, "payments/find", order_id="o-1")["state"] == "captured"


def test_a_rate_limit_says_when_to_come_again(shop: Any) -> None:
    shop.switch("payments/charge", rate_limit=0.25)
    answer = post(shop, "payments/charge", CHARGE, "k1")
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    assert answer.json()["retry_after"] == 0.25
    assert shop.rows() == []


def test_a_malformed_answer_comes_after_the_change(shop: Any) -> None:
    shop.switch("payments/charge", malformed="json")
    shop.switch("stock/reserve", malformed="shape")
    with pytest.raises(ValueError, match="Unterminated"):
        post(shop, "payments/charge", CHARGE, "k1").json()
    assert "id" not in post(shop, "stock/reserve", HOLD, "k2").json()
    assert (shop.net("payment"), shop.net("stock")) == (1, 1)


def test_somebody_else_changes_what_was_made(shop: Any) -> None:
    shop.switch("payments/charge", drift=True)
    post(shop, "payments/charge", CHARGE, "k1")
    assert get(shop, "payments/find", order_id="o-1")["state"] == "disputed"
    post(shop, "stock/reserve", HOLD, "k2")
    shop.drift("stock", "o-1/mug")
    assert get(shop, "stock/find", order_id="o-1", sku="mug")["qty"] == 3
    post(shop, "shipping/label", LABEL, "k3")
    shop.drift("parcel", "o-1")
    assert get(shop, "shipping/find", order_id="o-1")["state"] == "rerouted"
    assert [shop.net(k) for k in ("payment", "stock", "parcel")] == [1, 1, 1]
    with pytest.raises(ValueError, match="no payment stands at o-2"):
        shop.drift("payment", "o-2")


def test_an_undo_can_be_refused(shop: Any) -> None:
    charge = post(shop, "payments/charge", CHARGE, "k1").json()
    shop.switch("payments/refund", refuse="RefundsClosed", times="always")
    for _ in range(3):
        answer = post(shop, "payments/refund", {"charge_id": charge["id"]}, "k2")
        assert answer.json()["error"] == "RefundsClosed"
    assert shop.net("payment", "o-1") == 1


def test_faults_queue_up_and_an_empty_one_lets_calls_pass(shop: Any) -> None:
    shop.switch("mail/send", times=1)
    shop.switch("mail/send", rate_limit=1)
    shop.switch("mail/send", refuse="Bounced", times="always")
    statuses = [post(shop, "mail/send", MAIL).status_code for _ in range(4)]
    assert statuses == [200, 429, 422, 422]
    assert get(shop, "switches") == {"mail/send": [{"refuse": "Bounced", "times": "always"}]}
    shop.reset()
    assert get(shop, "switches") == {}
    assert post(shop, "mail/send", MAIL).status_code == 200


@pytest.mark.parametrize(
    ("operation", "faults", "says"),
    [
        ("payments/chrage", {"refuse": "X"}, "'payments/chrage' is none of payments/charge"),
        ("payments/charge", {"refused": "X"}, "'refused' is none of refuse"),
        ("payments/charge", {"refuse": 1}, "refuse must be a text"),
        ("payments/charge", {"lag": -1}, "lag must be seconds, 0 or more"),
        ("payments/charge", {"drift": 1}, "drift must be true or false"),
        ("payments/charge", {"malformed": "xml"}, "malformed must be"),
        ("payments/charge", {"drift": True, "times": 0}, "times must be a whole number above 0"),
    ],
)
def test_a_switch_that_does_not_exist_is_an_error(
    shop: Any, operation: str, faults: dict[str, Any], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        shop.switch(operation, **faults)


# --- the process ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("payments/charge", b"{", 400),
        ("payments/charge", b"[1]", 400),
        ("payments/charge", b"{}", 400),
        ("payments/charge", b'{"order_id": "o-1", "amount": "NaN"}', 400),
        ("nowhere", b"{}", 404),
    ],
)
def test_a_bad_request_gets_a_clear_answer(shop: Any, path: str, body: bytes, status: int) -> None:
    answer = HTTP.post(f"{shop.url}/{path}", content=body)
    assert answer.status_code == status
    assert answer.json()["message"]
    assert shop.rows() == []


def test_rows_over_http_are_the_rows_in_the_file(shop: Any) -> None:
    post(shop, "payments/charge", CHARGE, "k1")
    post(shop, "stock/reserve", HOLD, "k2")
    assert get(shop, "rows") == shop.rows()
    assert get(shop, "rows", kind="stock") == shop.rows("stock")
    assert get(shop, "calls") == shop.calls()


def test_sigterm_stops_it_cleanly_and_the_rows_stay(world: ModuleType, tmp_path: Path) -> None:
    with world.open_shop(tmp_path) as shop:
        shop.switch("payments/charge", delay_answer=60)
        with pytest.raises(httpx.ReadTimeout):
            post(shop, "payments/charge", CHARGE, "k1", timeout=0.5)
        eventually(lambda: shop.net("payment") == 1)
        shop.process.send_signal(signal.SIGTERM)
        out, err = shop.process.communicate(timeout=60)
    assert (shop.process.returncode, out, err) == (0, "", "")
    with world.open_shop(tmp_path) as shop:
        assert shop.net("payment", "o-1") == 1


def test_a_port_that_is_taken_is_named_without_a_traceback(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, str(SERVICE), "--port", port, "--db", str(tmp_path / "rows")],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    assert f"cannot start on port {port}" in done.stderr
    assert "Traceback" not in done.stderr
