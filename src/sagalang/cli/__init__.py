"""The command `saga`: one module per group of commands, each loaded when its command is called."""

from __future__ import annotations

from .app import main

__all__ = ["main"]
