"""Shapes of what has to be described by its meaning: weak collections, context variables, results that are cached."""

from __future__ import annotations

import gc
import types
import weakref
from collections import OrderedDict
from typing import Any, Iterable

from rex.hindsight.capture.graph import SCALARS, Node, Shape, Walk
from rex.hindsight.capture.shapes import Cannot, ObjectShape, put_attributes, set_items
from rex.hindsight.instrument.usercode import UserCode
from rex.state.build import dead_reference
from rex.state.caches import calls_of, can_count, fill, set_counts

WEAK_BAGS = (weakref.WeakSet, weakref.WeakKeyDictionary, weakref.WeakValueDictionary)


class WeakShape(Shape):
    """Weak references; the referent is part of the state if it lives."""

    tag = "weak"

    def save(self, walk: Walk, value: Any) -> Node:
        return "weak", walk.ref(value()), walk.ref(type(value)), value.__callback__ is not None

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return [(node[1], live())]

    def make(self, build: Any, node: Node) -> Any:
        target = build.get(node[1])
        live = build.candidate
        if live is not None and isinstance(live, weakref.ref) and live() is target:
            return live   # with its callback
        if target is None:
            return dead_reference()
        if node[3] or build.get(node[2]) is not weakref.ref:
            raise Cannot("a weak reference with a callback is not found again")
        return weakref.ref(target)


class ProxyShape(Shape):
    """weakref.proxy; whoever asks one what it is asks its referent."""

    tag = "proxy"

    def save(self, walk: Walk, value: Any) -> Node:
        return "proxy", walk.ref(_behind(value))

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return [(node[1], _behind(live))]

    def make(self, build: Any, node: Node) -> Any:
        target = build.get(node[1])
        if build.candidate is not None and _behind(build.candidate) is target:
            return build.candidate     # with its callback
        return weakref.proxy(type("Gone", (), {})() if target is None else target)


def _behind(proxy: Any) -> Any:
    """What a proxy refers to; None if that is gone."""
    try:
        return proxy.__reduce_ex__.__self__
    except ReferenceError:
        return None


class MappingShape(Shape):
    """Read-only views of dicts (`inspect.Signature.parameters`); those of classes stay as they live."""

    tag = "mapping"

    def save(self, walk: Walk, value: Any) -> Node:
        return "mapping", walk.ref(_viewed(value))

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return [(node[1], _viewed(live))]

    def fits(self, node: Node, live: Any) -> bool:
        return node[1] is None and type(live) is types.MappingProxyType and _viewed(live) is None

    def make(self, build: Any, node: Node) -> Any:
        mapping = build.get(node[1])
        if mapping is None:
            raise Cannot("a view of a class's attributes is not found again")
        live = build.candidate
        return live if live is not None and _viewed(live) is mapping else types.MappingProxyType(mapping)


def _viewed(value: Any) -> Any:
    """The dict behind a view; None if it is a class's, or of a class of its own."""
    found = gc.get_referents(value)
    is_plain = len(found) == 1 and type(found[0]) in (dict, OrderedDict) and "__module__" not in found[0]
    return found[0] if is_plain else None


class WeakBagShape(Shape):
    """WeakSet, WeakKeyDictionary, WeakValueDictionary: their items, in order where there is one."""

    tag = "weakbag"

    def save(self, walk: Walk, value: Any) -> Node:
        if isinstance(value, weakref.WeakSet):
            return "weakbag", type(value).__name__, walk.refs(set_items(walk, set(value))), []
        items = list(value.items())
        return "weakbag", type(value).__name__, walk.refs(key for key, _ in items), walk.refs(item for _, item in items)

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        if node[1] == "WeakSet":
            return ()
        items = list(live.items())
        return [*zip(node[2], [key for key, _ in items]), *zip(node[3], [item for _, item in items])]

    def fits(self, node: Node, live: Any) -> bool:
        return bool(type(live).__name__ == node[1])

    def make(self, build: Any, node: Node) -> Any:
        return getattr(weakref, node[1])()

    def fill(self, build: Any, node: Node, value: Any) -> None:
        keys = build.keys(node[2])
        if node[1] == "WeakSet":
            if len(value) != len(keys) or not all(key in value for key in keys):
                value.clear()
                value.update(keys)
            return
        items, now = build.values(node[3]), list(value.items())
        if len(now) != len(keys) or not all(a is key and b is item or a == key and b is item for (a, b), key, item in zip(
                now, keys, items)):
            value.clear()
            for key, item in zip(keys, items):
                value[key] = item


class ContextShape(Shape):
    """Context variables, with their value in the context of the training loop."""

    tag = "context"

    def save(self, walk: Walk, value: Any) -> Node:
        held = value.get(_UNSET)
        return ("context", value.name) if held is _UNSET else ("context", value.name, walk.ref(held))

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        held = live.get(_UNSET)
        return [(node[2], held)] if len(node) > 2 and held is not _UNSET else ()

    def fits(self, node: Node, live: Any) -> bool:
        return bool(live.name == node[1]) and (len(node) > 2 or live.get(_UNSET) is _UNSET)

    def make(self, build: Any, node: Node) -> Any:
        raise Cannot(f"the context variable {node[1]} is not found again")

    def fill(self, build: Any, node: Node, value: Any) -> None:
        if len(node) > 2:
            wanted = build.get(node[2])
            if value.get(_UNSET) is not wanted:
                value.set(wanted)


_UNSET = object()


class CachingShape(ObjectShape):
    """Instances that never change, and keep what was computed of them: it is computed again."""

    def attributes(self, value: Any) -> dict[str, Any] | None:
        return {name: {} if name == "_cache" else item for name, item in vars(value).items()}


class BarShape(Shape):
    """Progress bars: their numbers and texts; how they are drawn stays as it is."""

    tag = "bar"

    def save(self, walk: Walk, value: Any) -> Node:
        shown = _shown(value)
        return "bar", walk.ref(type(value)), list(shown), list(shown.values())

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return [(node[1], type(live))]

    def fits(self, node: Node, live: Any) -> bool:
        return True

    def make(self, build: Any, node: Node) -> Any:
        raise Cannot("the progress bar is not found again")

    def fill(self, build: Any, node: Node, value: Any) -> None:
        put_attributes(value, dict(zip(node[2], node[3])), _shown(value))


# A thread of the bars and the clock decide these.
_DRAWN = frozenset(("start_t", "last_print_t", "last_print_n", "miniters", "mininterval", "maxinterval", "delay", "pos", "ncols", "nrows"))


def _shown(bar: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(bar).items() if type(value) in SCALARS and name not in _DRAWN}


class CacheShape(Shape):
    """Functions of the user's behind functools.lru_cache, with the results that they keep and what they counted."""

    tag = "cache"

    def __init__(self, user: UserCode) -> None:
        self._user = user

    def save(self, walk: Walk, value: Any) -> Node:
        if value.__module__ not in self._user:
            return "global", value.__module__, value.__qualname__
        keys, results = _calls(value)
        info = value.cache_info()
        return ("cache", value.__qualname__, walk.ref(value.__wrapped__), info.maxsize, walk.refs(keys), walk.refs(results),
                info.hits, info.misses)

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        yield node[2], live.__wrapped__
        keys, results = _calls(live)
        yield from zip(node[4], keys)
        yield from zip(node[5], results)

    def fits(self, node: Node, live: Any) -> bool:
        info = live.cache_info()
        return (live.__qualname__, info.maxsize) == (node[1], node[3]) and ((info.hits, info.misses) == node[6:8] or can_count())

    def make(self, build: Any, node: Node) -> Any:
        raise Cannot(f"the cache of {node[1]} is not found again")

    def check(self, build: Any, node: Node, live: Any) -> None:
        """Refuse the cache of a function in C that holds other results: nothing can be put into it.

        Raises:
            Cannot: it does.
        """
        if type(live.__wrapped__) is types.FunctionType:
            return
        for wanted, now in zip(node[4:6], _calls(live)):
            if len(wanted) != len(now) or not all(map(build.will_be, wanted, now)):
                raise Cannot(f"the cache of {node[1]} holds other results")

    def fill(self, build: Any, node: Node, value: Any) -> None:
        keys, results = build.keys(node[4]), build.values(node[5])
        now = _calls(value)
        if len(now[0]) != len(keys) or not all(map(_is_same, now[0], keys)) or not all(map(_is_same, now[1], results)):
            value.cache_clear()
            fill(value, [(arguments, dict(zip(names, named)), result) for (arguments, names, named), result in zip(keys, results)])
        set_counts(value, *node[6:8])


def _calls(function: Any) -> tuple[list[Any], list[Any]]:
    """Arguments (and names and values of those with a name) of the calls whose results a cache keeps, and these results."""
    calls = calls_of(function)
    return [(arguments, (*named,), (*named.values(),)) for arguments, named, _ in calls], [result for _, _, result in calls]


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are one object, or plain and equal; tuples by their items."""
    if type(one) is tuple is type(other):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return one is other or type(one) is type(other) and type(one) in SCALARS and one == other
