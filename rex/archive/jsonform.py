"""Dataclasses as plain JSON values and back, every type checked: the text may be hostile."""

from __future__ import annotations

import functools
import operator
import sys
import types
from typing import Any, Callable, Union, get_args, get_origin

from rex.values import defaults, is_value

_SCALARS = frozenset((str, int, bool, float, type(None)))


@functools.cache
def _defaults(kind: Any) -> tuple[tuple[str, ...], tuple[Any, ...], Callable[[Any], Any]]:
    """Names of the fields, their defaults, and what gets their values."""
    known = defaults(kind)
    values = operator.attrgetter(*known)
    return tuple(known), tuple(known.values()), values if len(known) > 1 else lambda one: (values(one),)


def plain(value: Any) -> Any:
    """The value as dicts, lists and scalars; fields at their default are left out."""
    kind: Any = type(value)
    if kind in _SCALARS:
        return value
    if is_value(kind):
        names, defaults, values = _defaults(kind)
        return {name: item if type(item) in _SCALARS else plain(item)
                for name, default, item in zip(names, defaults, values(value)) if item is not default and item != default}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value


@functools.cache
def builder(kind: Any) -> Callable[[Any], Any]:
    """A function that makes a value of the annotated type from plain JSON.

    It raises TypeError or ValueError where the JSON does not fit; unknown
    keys are passed over, so that later writers may add fields.
    """
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return lambda value: value
    if is_value(kind):
        return _build_dataclass(kind)
    if origin in (Union, types.UnionType):
        inner = builder(next(arg for arg in args if arg is not type(None)))
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        return _build_tuple(builder(args[0]))
    if origin is dict:
        return _build_dict(builder(args[1]))
    return _build_scalar((int, float) if kind is float else kind)


def _build_scalar(kind: Any) -> Callable[[Any], Any]:
    def build(value: Any) -> Any:
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise TypeError(f"{value!r:.60} is not a {kind}")
        return value
    return build


def _build_tuple(inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def build(value: Any) -> Any:
        if not isinstance(value, list):
            raise TypeError(f"{value!r:.60} is not a list")
        return tuple([inner(item) for item in value])
    return build


def _build_dict(inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def build(value: Any) -> Any:
        if not isinstance(value, dict):
            raise TypeError(f"{value!r:.60} is not an object")
        return {key: inner(item) for key, item in value.items()}
    return build


def _build_dataclass(kind: Any) -> Callable[[Any], Any]:
    known = vars(sys.modules[kind.__module__])
    # Annotations are texts of ours. What typing has for it compiles them, for which Python makes classes of all syntax.
    builders = {name: builder(eval(kind.__annotations__[name], known)) for name in defaults(kind)}

    def build(value: Any) -> Any:
        if not isinstance(value, dict):
            raise TypeError(f"{value!r:.60} is not an object")
        return kind(**{key: builders[key](item) for key, item in value.items()
                       if key in builders})
    return build
