"""Try in a forked twin whether what was captured loads as it was.

Some classes pickle without an error and come back different: state that
`__getstate__` leaves out, wrong `__reduce__`. The twin loads a version beside
the originals, which it holds by copy on write, and compares structures.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
import types
import warnings
import weakref
from dataclasses import dataclass
from typing import Any, Iterable

from rex.state.declared import SAVE, has_hook, own_state
from rex.state.importable import is_importable
from rex.state.kinds import PLAIN
from rex.state.load import load
from rex.state.versions import Version
from rex.state.walk import KINDS

LIMIT_S = 10.0
_MAX_PAIRS = 200_000
# Their authors test pickling, and leave caches out of it on purpose.
_TRUSTED = frozenset(sys.stdlib_module_names) | frozenset("""
    numpy pandas scipy sklearn matplotlib seaborn polars pyarrow torch networkx statsmodels
    plotly bokeh xgboost lightgbm nltk spacy PIL cv2 sympy dask xarray rex cloudpickle ipywidgets
""".split()) - {"__main__"}


@dataclass(slots=True)
class _Twin:
    pid: int
    answer_fd: int
    version: Version
    kinds: frozenset[type]
    deadline_s: float


class Verifier:
    """Checks each class once, by the first version that holds one of its objects."""

    def __init__(self) -> None:
        self._checked: weakref.WeakKeyDictionary[type, str] = weakref.WeakKeyDictionary()
        self._waiting: weakref.WeakKeyDictionary[type, list[Version]] = \
            weakref.WeakKeyDictionary()
        self._twins: list[_Twin] = []

    def check(self, version: Version, kinds: Iterable[type], namespace: dict[str, Any]) -> None:
        """Have a version checked if it holds objects of classes not seen before."""
        self.collect()
        doubtful = [k for k in kinds if not _is_library(k)
                    and (k.__module__ or "").partition(".")[0] not in _TRUSTED]
        for kind in doubtful:
            if doubt := self._checked.get(kind):
                version.doubts.append(doubt)
            elif kind in self._waiting:
                self._waiting[kind].append(version)
        fresh = frozenset(k for k in doubtful
                          if k not in self._checked and k not in self._waiting)
        torch = sys.modules.get("torch")
        if not fresh or torch is not None and torch.cuda.is_initialized():
            return
        for kind in fresh:
            self._waiting[kind] = [version]
        self._twins.append(_fork(version, fresh, namespace))

    def collect(self, wait: bool = False) -> None:
        """Take the answers that are there; with wait all, within their time limits."""
        for twin in list(self._twins):
            left_s = max(0.0, twin.deadline_s - time.monotonic())
            ready = select.select([twin.answer_fd], [], [], left_s if wait else 0)[0]
            if not ready and left_s > 0 and not wait:
                continue
            doubt = os.read(twin.answer_fd, 4000).decode() if ready else "loading takes too long"
            os.close(twin.answer_fd)
            if not ready:
                os.kill(twin.pid, signal.SIGKILL)
            os.waitpid(twin.pid, 0)
            self._twins.remove(twin)
            doubt = doubt.removeprefix("+") if doubt else "loading ends the process"
            for kind in twin.kinds:
                self._checked[kind] = doubt
                for version in self._waiting.pop(kind, []):
                    if doubt and doubt not in version.doubts:
                        version.doubts.append(doubt)

    def close(self) -> None:
        """Wait for the twins that are at work."""
        self.collect(wait=True)


def _fork(version: Version, kinds: frozenset[type], namespace: dict[str, Any]) -> _Twin:
    answer, tell = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)   # threads; the twin uses none
        pid = os.fork()
    if pid == 0:
        try:
            null = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            doubt = try_load(version, namespace)
            os.write(tell, f"+{doubt}".encode()[:3900])
        finally:
            os._exit(0)
    os.close(tell)
    return _Twin(pid, answer, version, kinds, time.monotonic() + LIMIT_S)


def try_load(version: Version, namespace: dict[str, Any]) -> str:
    """Load a version in this process and compare with the originals; what differs, or ""."""
    try:
        values = load(version, namespace, isolated=True)
    except BaseException as error:
        return f"it does not load: {type(error).__name__}: {error}"
    try:
        path = difference([namespace[name] for name in version.names], values)
    except Exception as error:
        return f"it cannot be compared: {type(error).__name__}: {error}"
    return f"it loads, but differs at {path}" if path else ""


def difference(one: Any, other: Any) -> str:
    """Where two object graphs differ in structure or plain values; "" where nowhere."""
    queue: list[tuple[str, Any, Any]] = [("value", one, other)]
    seen: dict[int, int] = {}
    kept: list[Any] = []
    while queue and len(seen) < _MAX_PAIRS:
        path, a, b = queue.pop()
        if a is b:
            continue
        if _name(type(a)) != _name(type(b)):
            return f"{path} ({type(a).__name__} became {type(b).__name__})"
        if KINDS[type(a)] is PLAIN or isinstance(a, (str, bytes)):
            if a != b and a == a and repr(a) != repr(b):
                return path
            continue
        if id(a) in seen:
            if seen[id(a)] != id(b):
                return f"{path} (shared no more)"
            continue
        seen[id(a)] = id(b)
        kept += (a, b)
        steps = _steps(a, b)
        if isinstance(steps, str):
            return path + steps
        queue += [(path + step, x, y) for step, x, y in steps]
    return ""


def _is_library(kind: type) -> bool:
    root = (kind.__module__ or "").partition(".")[0]
    return root.startswith("_cython") or root in _TRUSTED and (
        root not in sys.stdlib_module_names and kind.__name__ != "ndarray")


def _name(kind: type) -> tuple[str, str]:
    return kind.__module__, kind.__qualname__


def _steps(a: Any, b: Any) -> list[tuple[str, Any, Any]] | str:
    """Pairs one step below, or how the two differ right here."""
    if has_hook(type(a)):
        return [(f".{SAVE}()", own_state(a), own_state(b))]
    if isinstance(a, (type, types.BuiltinFunctionType)) or _is_library(type(a)):
        return []
    if isinstance(a, types.FunctionType):
        if is_importable(a) or a.__code__.co_code == b.__code__.co_code:
            return [(".__dict__", a.__dict__, b.__dict__),
                    (".__defaults__", a.__defaults__, b.__defaults__)]
        return ".__code__"
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(a, numpy.ndarray):
        is_same = a.dtype == b.dtype and a.shape == b.shape and (
            a.dtype.hasobject or a.tobytes() == b.tobytes())
        return [] if is_same else " (array)"
    steps = _attributes(a, b)
    if isinstance(steps, str):
        return steps
    if isinstance(a, (list, tuple)):
        if len(a) != len(b):
            return " (length)"
        steps += [(f"[{i}]", x, y) for i, (x, y) in enumerate(zip(a, b))]
    elif isinstance(a, dict):
        if len(a) != len(b):
            return " (length)"
        steps += [(f"[{k!r:.40}]", x, y) for (k, x), y in zip(a.items(), b.values())]
        steps += [(".keys()", x, y) for x, y in zip(a, b)]
    elif isinstance(a, (set, frozenset)) and len(a) != len(b):
        return " (length)"
    return steps


def _attributes(a: Any, b: Any) -> list[tuple[str, Any, Any]] | str:
    mine, its = _attributes_of(a), _attributes_of(b)
    if mine.keys() != its.keys():
        return "." + sorted(mine.keys() ^ its.keys())[0]
    return [(f".{name}", value, its[name]) for name, value in mine.items()]


def _attributes_of(value: Any) -> dict[str, Any]:
    found = dict(getattr(value, "__dict__", None) or {})
    for kind in type(value).__mro__:
        for name, member in vars(kind).items():
            if isinstance(member, types.MemberDescriptorType):
                try:
                    found[name] = member.__get__(value)
                except AttributeError:
                    pass
    return found
