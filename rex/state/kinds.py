"""How the walk treats each type: what is plain, what is shared, what has a handler."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import io
import pathlib
import re
import sys
import types
import uuid
from typing import Any, Callable

from rex.state.declared import on_change, treatment
from rex.state.importable import is_importable

# Immutable, or the same for everybody: to reach one together makes no co-variable.
PLAIN, SHARED = "plain", "shared"

_PLAIN_TYPES = (int, float, complex, bool, type(None), type(...), type(NotImplemented), range,
                slice, types.CodeType, types.GetSetDescriptorType,
                types.MemberDescriptorType, types.WrapperDescriptorType,
                types.MethodDescriptorType, types.ClassMethodDescriptorType)
_PLAIN_BASES = (datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo,
                decimal.Decimal, fractions.Fraction, uuid.UUID, pathlib.PurePath, re.Pattern)
# Constants that libraries make once, by the names of their base classes.
_PLAIN_LIBRARY = {("numpy", "dtype"), ("numpy", "generic"), ("numpy", "ufunc"),
                  ("pandas.core.dtypes.base", "ExtensionDtype"),
                  ("pandas.api.extensions", "ExtensionDtype"), ("torch", "dtype"),
                  ("torch", "device"), ("torch", "Size"), ("pyarrow.lib", "DataType"),
                  ("polars.datatypes.classes", "DataType")}

# Callables that are pickled by name, like functions, but are none.
_NAMED = {"_lru_cache_wrapper", "_ArrayFunctionDispatcher", "cython_function_or_method",
          "fused_cython_function", "builtin_function_or_method"}


def plain_or_shared(kind: type) -> str:
    """The treatment of a type that has no handler."""
    if kind in _PLAIN_TYPES or issubclass(kind, _PLAIN_BASES):
        return PLAIN
    if issubclass(kind, enum.Enum):
        return PLAIN if is_importable(kind) else SHARED
    if (kind.__module__, kind.__name__) == ("numpy", "void"):   # a record, which can change
        return SHARED
    for base in kind.__mro__:
        if (base.__module__, base.__name__) in _PLAIN_LIBRARY:
            return PLAIN
    return SHARED


class Kinds(dict[type, Any]):
    """The treatment by type: PLAIN, SHARED, or a function of (walker, object)."""

    def __init__(self, handlers: dict[type, Callable[[Any, Any], object]],
                 late: dict[tuple[str, str], Callable[[Any, Any], object]],
                 for_classes: Callable[[Any, Any], object], declared: dict[str, Callable[[Any, Any], object]]) -> None:
        """Args: handlers by type; by module and name for libraries that are not imported here; by what users declare."""
        super().__init__(handlers)
        self._handlers, self._late, self._for_classes, self._declared = handlers, late, for_classes, declared
        self._mortal: list[type] = []
        on_change(self._begin_anew)

    def _begin_anew(self) -> None:
        self.clear()
        self.update(self._handlers)
        self._mortal.clear()

    def __missing__(self, kind: type) -> Any:
        found: Any = self._declared.get(treatment(kind)) or self._late.get((kind.__module__, kind.__name__))
        if found is None:
            is_named = issubclass(kind, type) or kind.__name__ in _NAMED
            found = self._for_classes if is_named else plain_or_shared(kind)
        self[kind] = found
        if not is_importable(kind):
            self._mortal.append(kind)
        return found

    def purge(self) -> None:
        """Let go of the classes that may die."""
        while self._mortal:
            self.pop(self._mortal.pop(), None)


def is_open_file(value: object) -> bool:
    """Whether it is a file of the system, or a library's object that closes one when it goes: its contents are no state of ours.

    A copy of such an object, as of a shelf, would write what it knows into the file that is there now.
    """
    if not isinstance(value, io.IOBase):
        return _is_closed_when_dropped(type(value))
    if not isinstance(value, (io.TextIOWrapper, io.BufferedIOBase, io.RawIOBase)):
        return False
    try:
        value.fileno()   # type: ignore[union-attr]
    except (OSError, ValueError):
        return not isinstance(value, io.BytesIO)
    return True


def _is_closed_when_dropped(kind: type) -> bool:
    """Whether the class, one of a library, has a finalizer in Python beside a `close`."""
    finalizer = getattr(kind, "__del__", None)
    return isinstance(finalizer, types.FunctionType) and is_importable(finalizer) and hasattr(kind, "close")


# What runs the cells: it reaches every variable, and none because of another.
_MACHINERY = frozenset({"IPython", "ipykernel", "jupyter_client", "zmq", "tornado", "comm", "rex"})


def is_machinery(kind: type) -> bool:
    """Whether objects of a type are part of the kernel, not of the user's state."""
    return isinstance(kind.__module__, str) and kind.__module__.partition(".")[0] in _MACHINERY


def foreign_root(kind: type) -> str | None:
    """Top package of a type from an installed library that may keep objects by itself."""
    root = kind.__module__.partition(".")[0] if isinstance(kind.__module__, str) else ""
    quiet = root in ("", "__main__", "builtins", "numpy", "pandas")
    return None if quiet or root in sys.stdlib_module_names else root
