"""Whether classes and functions are found again by their names."""

from __future__ import annotations

import sys
import types
from operator import attrgetter
from typing import Any

_importable: dict[int, object] = {}


def is_importable(value: Any) -> bool:
    """Whether a class or function is found again by its name, and pickled so by cloudpickle."""
    if id(value) in _importable:
        return True
    try:
        found = _is_found(value)
    except Exception:   # modules with surprising __getattr__
        found = False
    if found:
        _importable[id(value)] = value   # kept alive: the id stays its own
    return found


def forget_importable() -> None:
    """Look every class and function up again, after a module may have been reloaded."""
    _importable.clear()


def _is_found(value: Any) -> bool:
    name = getattr(value, "__qualname__", None) or value.__name__
    place = getattr(value, "__module__", None)
    if place is None:
        return any(_has(module, name, value) for place, module in list(sys.modules.items()) if not place.endswith("main__"))
    module = sys.modules.get(place)
    return place != "__main__" and module is not None and attrgetter(name)(module) is value and not _is_by_value(place, value)


def _has(module: Any, name: str, value: Any) -> bool:
    try:
        return isinstance(module, types.ModuleType) and attrgetter(name)(module) is value
    except Exception:   # lazy ones, say, whose import fails
        return False


def _is_by_value(place: str, value: Any) -> bool:
    """Whether cloudpickle has to pickle what a module or its package has by value."""
    cloudpickle = sys.modules.get("cloudpickle.cloudpickle")     # its import takes a while
    told = getattr(cloudpickle, "_PICKLE_BY_VALUE_MODULES", ())
    return isinstance(value, (type, types.FunctionType)) and any(f"{place}.".startswith(f"{each}.") for each in told)
