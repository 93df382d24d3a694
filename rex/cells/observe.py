"""Notes what a cell reads that no system call shows: variables, arguments, and who reads the clock.

Runs inside recorded experiments: it imports nothing of Rex.

Clocks are read all the time by libraries (logging, caches, progress bars), and no state depends on
it. So a reading counts when the code that asks is the program's own: the cell, or a module that
does not belong to the installation.
"""

from __future__ import annotations

import datetime
import functools
import gc
import os
import sys
import sysconfig
import time
from importlib.machinery import FileFinder
from typing import Any, Callable, Iterable, Iterator

_CLOCKS = ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns",
           "process_time", "process_time_ns", "thread_time", "thread_time_ns")
_NOW_WITHOUT_ARGUMENT = ("localtime", "gmtime", "ctime", "asctime", "strftime")
_FILE_TIMES = ("getmtime", "getctime", "getatime")
_DATES = (("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today"))

BORDER = "/.rex-cell/"

_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
_INSTALLED = tuple({os.path.join(path, "") for path in sysconfig.get_paths().values()}
                   | {_OWN, "<frozen"})


class Notes:
    """What was read since the last `take`."""

    def __init__(self) -> None:
        self.clock: list[str] = []
        self.variables: set[str] = set()
        self.written: set[str] = set()
        self.arguments: set[str] = set()
        self.is_on = False

    def take(self) -> dict[str, Any]:
        """Return what was noted, and start with nothing."""
        found = {"clock": self.clock, "variables": sorted(self.variables),
                 "written": sorted(self.written), "arguments": sorted(self.arguments)}
        self.clock, self.variables, self.written, self.arguments = [], set(), set(), set()
        return found


notes = Notes()
clock_s: Callable[[], float] = time.perf_counter


def install(names: dict[str, Any]) -> None:
    """Begin to watch; `names` is the namespace of the cells."""
    _watch_clocks(names)
    _watch_dates(names)
    os.environ._data = os.environb._data = _Variables(os.environ._data)   # type: ignore[attr-defined]
    sys.argv = Arguments(sys.argv)


# ------------------------------------------------------------------ clocks

def _is_own_code(globals_: dict[str, Any], names: dict[str, Any]) -> bool:
    if globals_ is names:
        return True
    file = globals_.get("__file__")
    return isinstance(file, str) and not file.startswith(_INSTALLED)


def _watch_clocks(names: dict[str, Any]) -> None:
    for name in _CLOCKS:
        setattr(time, name, _watched(getattr(time, name), names))
    for name in _NOW_WITHOUT_ARGUMENT:
        setattr(time, name, _watched(getattr(time, name), names))
    for name in _FILE_TIMES:
        setattr(os.path, name, _watched(getattr(os.path, name), names))


def _watched(function: Any, names: dict[str, Any]) -> Any:
    @functools.wraps(function)
    def watched(*args: Any, **kwargs: Any) -> Any:
        value = function(*args, **kwargs)
        if notes.is_on and _is_own_code(sys._getframe(1).f_globals, names):
            notes.clock.append(f"{function.__name__}{args!r} {value!r}")
        return value
    return watched


def _watch_dates(names: dict[str, Any]) -> None:
    """The classes are C's own and cannot be subclassed unseen; their dictionaries can be changed."""
    import ctypes
    for class_name, name in _DATES:
        owner = getattr(datetime, class_name)
        attributes = gc.get_referents(owner.__dict__)[0]
        if not isinstance(attributes, dict) or name not in owner.__dict__ and name != "today":
            continue
        plain = getattr(datetime.date, name) if name == "today" else getattr(owner, name)
        attributes[name] = classmethod(_date_method(plain.__name__, owner, names,
                                                    owner.__dict__.get(name) or
                                                    datetime.date.__dict__[name]))
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(owner))


def _date_method(name: str, owner: type, names: dict[str, Any], plain: Any) -> Any:
    def method(cls: type, *args: Any, **kwargs: Any) -> Any:
        was_on, notes.is_on = notes.is_on, False      # today() asks time.time() in our name
        try:
            value = plain.__get__(None, cls)(*args, **kwargs)
        finally:
            notes.is_on = was_on
        if notes.is_on and _is_own_code(sys._getframe(1).f_globals, names):
            notes.clock.append(f"{name} {value!r}")
        return value
    method.__name__ = name
    method.__qualname__ = f"{owner.__name__}.{name}"
    return method


# ------------------------------------------------------------------ variables and arguments

class _Variables(dict[bytes, bytes]):
    """The environment behind os.environ; says which variables somebody asked for."""

    def _note(self, key: object) -> None:
        if notes.is_on and isinstance(key, bytes):
            notes.variables.add(os.fsdecode(key))

    def __getitem__(self, key: bytes) -> bytes:
        self._note(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._note(key)
        return super().__contains__(key)

    def get(self, key: bytes, default: Any = None) -> Any:
        self._note(key)
        return super().get(key, default)

    def __iter__(self) -> Iterator[bytes]:
        if notes.is_on:
            notes.variables.add("*")
        return super().__iter__()

    def __setitem__(self, key: bytes, value: bytes) -> None:
        if notes.is_on:
            notes.written.add(os.fsdecode(key))
        super().__setitem__(key, value)

    def __delitem__(self, key: bytes) -> None:
        if notes.is_on:
            notes.written.add(os.fsdecode(key))
        super().__delitem__(key)

    def items(self) -> Any:
        if notes.is_on:
            notes.variables.add("*")
        return super().items()


class Arguments(list[str]):
    """sys.argv; says whether somebody looked at the program's name or its arguments."""

    def _note(self, which: str) -> None:
        if notes.is_on:
            notes.arguments.add(which)

    def __getitem__(self, index: Any) -> Any:
        self._note("name" if index in (0, slice(None, 1)) else "arguments")
        if isinstance(index, slice) and index.start in (None, 0):
            self._note("name")
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[str]:
        self._note("name")
        self._note("arguments")
        return super().__iter__()

    def __len__(self) -> int:
        self._note("arguments")
        return super().__len__()

    def __repr__(self) -> str:
        self._note("name")
        self._note("arguments")
        return super().__repr__()


# ------------------------------------------------------------------ imports

class _Everything:
    def __contains__(self, _name: object) -> bool:
        return True


class PreciseFinder(FileFinder):
    """Finds modules by asking for their very names.

    The usual finder lists the directory, so that any file beside a notebook, and
    any package beside those in use, would be something that the cell has seen.
    """

    def _fill_cache(self) -> None:
        self._path_cache = self._relaxed_path_cache = _Everything()   # type: ignore[assignment]


def find_precisely(paths: Iterable[str]) -> None:
    """Give these directories of sys.path a precise finder."""
    from importlib.machinery import (BYTECODE_SUFFIXES, EXTENSION_SUFFIXES, SOURCE_SUFFIXES,
                                     ExtensionFileLoader, SourceFileLoader, SourcelessFileLoader)
    loaders = ((ExtensionFileLoader, EXTENSION_SUFFIXES), (SourceFileLoader, SOURCE_SUFFIXES),
               (SourcelessFileLoader, BYTECODE_SUFFIXES))
    for path in paths:
        sys.path_importer_cache[path] = PreciseFinder(path, *loaders)


def list_packages_quietly(directory: str) -> None:
    """Let importlib.metadata see only the packages in the program's directory, not all its files."""
    from importlib.metadata import FastPath
    plain = FastPath.children

    def children(self: Any) -> Any:
        if os.path.realpath(self.root or ".") != directory:
            return plain(self)
        os.access(f"{BORDER}quiet", os.F_OK)
        found = [name for name in plain(self) if name.lower().endswith((".dist-info", ".egg-info", ".egg"))]
        os.access(f"{BORDER}loud", os.F_OK)
        os.access(f"{BORDER}saw/{' '.join(sorted(found))[:3000]}", os.F_OK)
        return found

    FastPath.children = children   # type: ignore[method-assign]
