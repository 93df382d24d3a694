"""Whether classes and functions are found again by their names."""

from __future__ import annotations

import types
from typing import Any

from cloudpickle import cloudpickle

_importable: dict[int, object] = {}


def is_importable(value: Any) -> bool:
    """Whether a class or function is found again by its name."""
    if id(value) in _importable:
        return True
    try:
        if isinstance(value, (type, types.FunctionType)):
            found = cloudpickle._should_pickle_by_reference(value)
        else:
            found = cloudpickle._lookup_module_and_qualname(value) is not None
    except Exception:   # modules with surprising __getattr__
        found = False
    if found:
        _importable[id(value)] = value   # kept alive: the id stays its own
    return bool(found)


def forget_importable() -> None:
    """Look every class and function up anew, after a module may have been reloaded."""
    _importable.clear()
