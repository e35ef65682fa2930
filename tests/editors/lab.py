"""A real JupyterLab in a folder of its own, with our extension, and the browser that shows it."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from .examples import ROOT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
"""The browser of the system; none is ever downloaded."""

PATIENCE = 90
"""Seconds after which JupyterLab counts as lost; nothing is measured with it."""

MOMENT = 10
"""Seconds that the server gets to end well."""

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def jupyterlab(folder: Path, home: Path) -> Generator[str]:
    """Starts a server for a folder; gives the address with `{path}` for the path in Lab."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    token = secrets.token_hex(8)
    extensions = home / "labextensions"
    extensions.mkdir(parents=True)
    (extensions / "sagalang").symlink_to(ROOT / "grammar/editors/jupyterlab")
    settings = home / "settings"
    settings.mkdir()
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    overrides = {"@jupyterlab/apputils-extension:notification": quiet}
    (settings / "overrides.json").write_text(json.dumps(overrides), "utf-8")
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"),
        f"--port={port}",
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={token}",
        f"--ServerApp.root_dir={folder}",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.extension_manager=readonly",
        f"--LabApp.app_settings_dir={settings}",
        f"--LabApp.extra_labextensions_path={extensions}",
    ]
    environment = {**os.environ, "HOME": str(home), "JUPYTER_CONFIG_DIR": str(home)}
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        _wait(server, f"http://127.0.0.1:{port}/api?token={token}", home / "log")
        yield f"http://127.0.0.1:{port}/lab/tree/{{path}}?token={token}&reset"
    finally:
        _stop(server, f"http://127.0.0.1:{port}/api/shutdown", token)


def _stop(server: subprocess.Popen[bytes], address: str, token: str) -> None:
    """Ends the server as Lab's own menu does; where a kernel is just starting it never would."""
    request = urllib.request.Request(address, b"", {"Authorization": f"token {token}"})
    try:
        urllib.request.urlopen(request, timeout=MOMENT).close()
        server.wait(MOMENT)
    except (OSError, subprocess.TimeoutExpired):
        # Kernels end by themselves when their server is gone.
        server.kill()
        server.wait()


def _wait(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    last = time.monotonic() + PATIENCE
    while time.monotonic() < last and server.poll() is None:
        try:
            urllib.request.urlopen(address).close()
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text('utf-8', 'replace')}")


@contextmanager
def browser() -> Generator[Browser]:
    """Starts the system's Chromium without a window."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        yield chromium
        chromium.close()


def strangers(page: Page) -> list[str]:
    """Gives a list that fills with every request of a page that leaves the machine."""
    found: list[str] = []

    def look(address: str) -> None:
        if address.startswith("http") and "127.0.0.1" not in address:
            found.append(address)

    page.on("request", lambda request: look(request.url))
    return found
