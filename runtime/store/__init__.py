"""The event store: the journal's events in DuckDB, to be queried."""

from __future__ import annotations

from .columns import KINDS, Column, View
from .errors import (
    QueryRefused,
    StoreAhead,
    StoreBehind,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreForeign,
    StoreTooNew,
)
from .mover import Moved, move
from .page import page
from .question import Table, query
from .views import VIEWS

__all__ = [
    "KINDS",
    "VIEWS",
    "Column",
    "Moved",
    "QueryRefused",
    "StoreAhead",
    "StoreBehind",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreForeign",
    "StoreTooNew",
    "Table",
    "View",
    "move",
    "page",
    "query",
]
