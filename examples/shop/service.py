"""The shop's HTTP service: four departments, one ledger, and switches to break it on purpose.

Run it with `python service.py`; it prints one line with its address and stops on SIGTERM.
"""

from __future__ import annotations

import argparse
import json
import math
import signal
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl, urlsplit

from departments import CHANGES, READS
from ledger import Ledger, Payload, Refusal, now
from switches import Faults, Switches


class _Cut(Exception):
    """The connection is to be cut without an answer."""


class _Shop(ThreadingHTTPServer):
    daemon_threads = True
    # A delayed call must not keep the service from stopping.
    block_on_close = False

    def __init__(self, port: int, ledger: Ledger) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.ledger = ledger
        self.switches = Switches((*CHANGES, *READS))

    def handle_error(self, request: object, client_address: object) -> None:
        """Says one line: a client that hung up is an everyday thing here."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError):
            print(f"shop: {type(error).__name__}: {error}", file=sys.stderr)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def shop(self) -> _Shop:
        """The server, as what it is here."""
        assert isinstance(self.server, _Shop)
        return self.server

    def do_GET(self) -> None:
        """Reads: `/payments/find?order_id=o-1`, `/rows`, `/calls`, `/switches`."""
        url = urlsplit(self.path)
        self._serve(url.path.strip("/"), dict(parse_qsl(url.query)))

    def do_POST(self) -> None:
        """Changes: `/payments/charge`, `/switches/payments/charge`, `/drift`, `/reset`."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            payload: object = json.loads(body or b"{}")
        except ValueError:
            payload = None
        if isinstance(payload, dict):
            self._serve(urlsplit(self.path).path.strip("/"), cast("Payload", payload))
        else:
            self._answer(400, _error("BadRequest", "the body must be a JSON object"))

    def log_message(self, format: str, *args: object) -> None:
        """Keeps quiet: `/calls` has every call, with what became of it."""

    def _serve(self, path: str, payload: Payload) -> None:
        known = CHANGES if self.command == "POST" else READS
        try:
            if path in known:
                self._call(path, payload)
            else:
                self._answer(200, self._control(path, payload))
        except Refusal as refusal:
            self._answer(refusal.status, _error(refusal.name, str(refusal)))
        except _Cut:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def _control(self, path: str, payload: Payload) -> object:
        ledger, switches = self.shop.ledger, self.shop.switches
        first, _, rest = path.partition("/")
        texts = {name: str(value) for name, value in payload.items()}
        match self.command, first:
            case "GET", "rows":
                return ledger.rows(texts.get("kind"), texts.get("resource"))
            case "GET", "calls":
                return ledger.calls(texts.get("operation"))
            case "GET", "switches":
                return switches.listed()
            case "POST", "switches":
                return switches.add(rest, payload)
            case "POST", "drift":
                return ledger.drift(texts.get("kind", ""), texts.get("resource", ""))
            case "POST", "reset":
                switches.clear()
                ledger.reset()
                return {}
            case _:
                raise Refusal("NoSuchPath", f"there is no {self.command} /{path}", 404)

    def _call(self, operation: str, payload: Payload) -> None:
        """One call of a department, with the faults that its switches ask for."""
        ledger = self.shop.ledger
        faults = self.shop.switches.take(operation)
        number = ledger.received(operation, self.headers.get("Idempotency-Key"), payload)
        try:
            if faults.rate_limit is not None:
                ledger.settled(number, "rate limited")
                return self._answer(
                    429,
                    {**_error("RateLimited", "too many calls"), "retry_after": faults.rate_limit},
                    {"Retry-After": str(math.ceil(faults.rate_limit))},
                )
            if faults.cut_before:
                ledger.settled(number, "cut before it was applied")
                raise _Cut
            if faults.refuse is not None:
                raise Refusal(faults.refuse, "refused by a switch")
            time.sleep(faults.delay_before)
            answer, outcome = self._apply(operation, payload, faults)
        except Refusal as refusal:
            ledger.settled(number, f"refused: {refusal.name}")
            raise
        lost = faults.lose_answer
        ledger.settled(number, f"{outcome}, answer lost" if lost else outcome)
        time.sleep(faults.delay_answer)
        if lost:
            raise _Cut
        if faults.malformed == "json":
            return self._send(200, b'{"id": "ch_', {})
        return self._answer(200, {"surprise": 1} if faults.malformed == "shape" else answer)

    def _apply(self, operation: str, payload: Payload, faults: Faults) -> tuple[object, str]:
        ledger = self.shop.ledger
        if operation in READS:
            return READS[operation](ledger, payload, now() - faults.lag), "read"
        answer, change = ledger.apply(
            operation,
            payload,
            self.headers.get("Idempotency-Key"),
            CHANGES[operation],
            honour_keys=not faults.ignore_keys,
        )
        if faults.drift and change is not None:
            ledger.drift(change.kind, change.resource)
        return answer, "repeated" if change is None else "applied"

    def _answer(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(body).encode(), headers or {})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _error(name: str, message: str) -> dict[str, object]:
    return {"error": name, "message": message}


def main(arguments: list[str] | None = None) -> int:
    """Serves until SIGTERM or Ctrl-C; returns the exit code."""
    parser = argparse.ArgumentParser(description="The shop's payments, stock, shipping and mail.")
    parser.add_argument("--port", type=int, default=0, help="a port of 127.0.0.1 (default: free)")
    parser.add_argument("--db", type=Path, default=Path("service.sqlite3"), help="the rows' file")
    chosen = parser.parse_args(arguments)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop.set())
    try:
        shop = _Shop(chosen.port, Ledger(chosen.db))
    except Exception as error:
        print(
            f"shop: cannot start on port {chosen.port} with {chosen.db}: {error}", file=sys.stderr
        )
        return 2
    threading.Thread(target=shop.serve_forever, args=(0.05,), daemon=True).start()
    print(f"the shop is open at http://127.0.0.1:{shop.server_port}", flush=True)
    stop.wait()
    shop.shutdown()
    shop.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
