"""How objects of the interpreter are pickled that libraries get wrong: locks, loggers, views of memory."""

from __future__ import annotations

import pickle
import re
import threading
import types
import weakref
from typing import Any, Callable

from rex.state import build
from rex.state.caches import calls_of
from rex.state.importable import is_importable


def _reduce_cached(function: Any) -> Any:
    if is_importable(function):
        return NotImplemented
    # By itself it would be pickled by a name in __main__, whatever that means later.
    calls, info = calls_of(function), function.cache_info()
    if calls and type(function.__wrapped__) is not types.FunctionType:
        raise pickle.PicklingError("results cached of a function that is not written in Python")
    return (build.make_cached, (function.__wrapped__, function.cache_parameters()),
            (function.__dict__, calls, info.hits, info.misses), None, None, build.set_cached)


def _reduce_lock(lock: Any) -> Any:
    return build.make_lock, (lock.locked(),)


def _reduce_rlock(lock: Any) -> Any:
    # Its repr alone tells who holds it; dill makes of a free one one that nobody can ever take.
    held = re.search(r"owner=(\d+) count=(\d+)", repr(lock))
    owner, count = (int(held[1]), int(held[2])) if held else (0, 1)
    if count and owner != threading.get_ident():
        raise pickle.PicklingError("a lock that another thread holds")
    return build.make_rlock, (count,)


def _reduce_logger(logger: Any) -> Any:
    return build.make_logger, (logger.name if logger.parent else "", logger.level, logger.propagate,
                               logger.disabled)


def _reduce_memoryview(view: memoryview) -> Any:
    # Others pickle it as bytes, which it then is no more.
    if type(view.obj) in (bytes, bytearray) and view.contiguous and view.format == "B" \
            and view.ndim == 1 and view.nbytes == len(view.obj):
        return memoryview, (view.obj,)
    raise pickle.PicklingError("a memoryview of a part, or of another library's memory")


def _reduce_weak_collection(value: Any) -> Any:
    items = list(value) if isinstance(value, weakref.WeakSet) else list(value.items())
    return build.make_weak, (type(value),), items, None, None, build.fill_weak


def _reduce_weak_reference(reference: Any) -> Any:
    if reference.__callback__ is not None:
        raise pickle.PicklingError("a weak reference with a callback")
    target = reference()
    return (build.dead_reference, ()) if target is None else (weakref.ref, (target,))


def _reduce_plotly(figure: Any) -> Any:
    # Its own way turns arrays into texts.
    return type(figure), ({"data": figure._data, "layout": figure._layout,
                           "frames": [frame.to_plotly_json() for frame in figure.frames],
                           "_grid_str": figure._grid_str, "_grid_ref": figure._grid_ref},)


REDUCERS: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("functools", "_lru_cache_wrapper"): _reduce_cached,
    ("_thread", "lock"): _reduce_lock, ("_thread", "RLock"): _reduce_rlock,
    ("builtins", "memoryview"): _reduce_memoryview,
    ("_weakrefset", "WeakSet"): _reduce_weak_collection, ("weakref", "WeakValueDictionary"): _reduce_weak_collection,
    ("weakref", "WeakKeyDictionary"): _reduce_weak_collection, ("weakref", "ReferenceType"): _reduce_weak_reference,
    ("logging", "Logger"): _reduce_logger, ("logging", "RootLogger"): _reduce_logger,
    ("plotly.graph_objs._figure", "Figure"): _reduce_plotly}
