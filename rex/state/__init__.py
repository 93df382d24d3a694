"""Live Python state: co-variables, what a cell changed, capture and restore (docs/state.md)."""

from __future__ import annotations

import importlib
from typing import Any

# Loaded when they are used: hindsight needs little of this package, and a replay is short.
_PLACES = {"restore": ("Restored", "checkout", "run_plainly", "values_at"),
           "spill": ("recover",), "store": ("MakeFacts", "Store", "load_history"), "tracker": ("StateTracker",),
           "versions": ("Chunk", "Delta", "History", "Part", "Version", "path_up")}

__all__ = ["Chunk", "Delta", "History", "MakeFacts", "Part", "Restored", "StateTracker", "Store", "Version",
           "checkout", "load_history", "path_up",
           "recover", "run_plainly", "values_at"]


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            found = globals()[name] = getattr(importlib.import_module(f"rex.state.{module}"), name)
            return found
    raise AttributeError(f"module 'rex.state' has no attribute {name!r}")
