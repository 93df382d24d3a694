"""Logged values as plain data."""

from __future__ import annotations

from typing import Any

_MOST = 1000


def plain_value(value: Any) -> Any:
    """A logged value as JSON has it; what it has not as text."""
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    if isinstance(value, (list, tuple)) and len(value) <= _MOST:
        return [plain_value(each) for each in value]
    if isinstance(value, dict) and len(value) <= _MOST:
        return {str(key): plain_value(each) for key, each in value.items()}
    to_list = getattr(value, "tolist", None)   # arrays, tensors, their scalars
    shape = getattr(value, "shape", None)
    if callable(to_list) and shape is not None:
        size = 1
        for length in shape:
            size *= length
        if size <= _MOST:
            return plain_value(to_list())
    return repr(value)
