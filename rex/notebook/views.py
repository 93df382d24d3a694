"""A short view of a value: its kind, its shape, its columns; made while it lives, kept as text."""

from __future__ import annotations

import types
from typing import Any

TEXT_CHARS, NAMES_SHOWN = 80, 60
_SIMPLE = (int, float, complex, bool, type(None), str, bytes)

View = dict[str, Any]


def view_of(value: Any) -> View:
    """What a list of differences says about a value; runs no code of the user's classes.

    Returns:
        kind, and where known: shape (text), columns (list of texts), text.
    """
    kind = type(value)
    found: View = {"kind": _kind_name(kind)}
    try:
        if kind in _SIMPLE:
            found["text"] = _cut(repr(value[:TEXT_CHARS + 20] if isinstance(value, (str, bytes))
                                      else value))
            if isinstance(value, (str, bytes)) and len(value) > TEXT_CHARS:
                found["shape"] = str(len(value))
        elif kind in (list, tuple, set, frozenset, dict, bytearray):
            found["shape"] = str(len(value))
            found["text"] = _items_text(value)
        elif kind is types.ModuleType:
            found["text"] = value.__name__
        elif kind in (types.FunctionType, type):
            found["text"] = value.__qualname__
        else:
            _library_view(kind, value, found)
    except Exception:   # libraries raise what they like
        pass
    return found


def _library_view(kind: type, value: Any, found: View) -> None:
    root = kind.__module__.partition(".")[0]
    if root not in ("numpy", "pandas", "polars", "torch", "scipy", "xarray", "pyarrow"):
        return
    if (shape := getattr(value, "shape", None)) is not None and isinstance(shape, tuple):
        found["shape"] = " x ".join(map(str, shape))
        if shape == () and root in ("numpy",):
            found["text"] = _cut(repr(value.item()))
    elif hasattr(value, "__len__"):
        found["shape"] = str(len(value))
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        found["dtype"] = _cut(str(dtype), 30)
    columns = getattr(value, "columns", None)
    if columns is not None and kind.__name__ in ("DataFrame",):
        dtypes = [str(one) for one in value.dtypes]
        found["columns"] = [[_cut(str(name), 40), _cut(one, 20)] for name, one in
                            zip(list(columns)[:NAMES_SHOWN], dtypes)]


def _items_text(value: Any) -> str:
    """The first few items, as far as they are plain."""
    shown = []
    for number, item in enumerate(value.items() if isinstance(value, dict) else value):
        if number == 4:
            shown.append("…")
            break
        if isinstance(value, dict):
            shown.append(f"{_item_text(item[0])}: {_item_text(item[1])}")
        else:
            shown.append(_item_text(item))
    return _cut(", ".join(shown))


def _item_text(item: Any) -> str:
    if type(item) in _SIMPLE:
        return _cut(repr(item[:30] if isinstance(item, (str, bytes)) else item), 24)
    if type(item).__module__ == "numpy" and type(item).__name__ not in ("ndarray", "void"):
        return _cut(str(item), 24)
    return type(item).__name__


def _kind_name(kind: type) -> str:
    root = kind.__module__.partition(".")[0] if isinstance(kind.__module__, str) else ""
    return kind.__name__ if root in ("builtins", "__main__", "") else f"{root}.{kind.__name__}"


def _cut(text: str, chars: int = TEXT_CHARS) -> str:
    return text if len(text) <= chars else text[:chars - 1] + "…"


def view_text(view: Any) -> str:
    """A view in one line."""
    if not isinstance(view, dict):
        return "?"
    parts = [str(view.get("kind", "?"))]
    if shape := view.get("shape"):
        parts.append(f"{shape}" if " x " in str(shape) else f"of {shape}")
    if dtype := view.get("dtype"):
        parts.append(str(dtype))
    if text := view.get("text"):
        return " ".join(parts) + f": {text}" if shape else f"{text}" if _is_self_told(view) \
            else f"{parts[0]} {text}"
    if columns := view.get("columns"):
        names = [str(one[0]) for one in columns if isinstance(one, list) and one]
        parts.append("(" + ", ".join(names[:8]) + (", …" if len(names) > 8 else "") + ")")
    return " ".join(parts)


def _is_self_told(view: View) -> bool:
    return view.get("kind") in ("int", "float", "complex", "bool", "NoneType", "str", "bytes")


def changes_between(old: Any, new: Any) -> list[str]:
    """What two views say differently, a line each."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return []
    found = [f"{name} {old.get(name)} -> {new.get(name)}" for name in ("kind", "shape", "dtype")
             if old.get(name) != new.get(name) and (old.get(name) or new.get(name))]
    if old.get("text") != new.get("text") and old.get("kind") == new.get("kind") \
            and old.get("text") and new.get("text"):
        found.append(f"{old['text']} -> {new['text']}")
    before, after = (_columns(view) for view in (old, new))
    found += [f"column {name} added ({kind})" for name, kind in after.items() if name not in before]
    found += [f"column {name} removed" for name in before if name not in after]
    found += [f"column {name}: {before[name]} -> {kind}" for name, kind in after.items()
              if name in before and before[name] != kind]
    return found


def _columns(view: View) -> dict[str, str]:
    columns = view.get("columns")
    return {str(one[0]): str(one[1]) for one in columns if isinstance(one, list) and len(one) == 2
            } if isinstance(columns, list) else {}
