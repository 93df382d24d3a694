"""Dataclasses as plain JSON values and back, every type checked: the text may be hostile."""

from __future__ import annotations

import functools
import json
import math
import operator
import re
import sys
import types

from rex import limits
from rex.hints import Any, Callable
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


# Lone surrogates, but for those that stand for bytes which are not UTF-8; and NUL, which no name and no argument has.
_REFUSED = r"[\0\ud800-\udc7f\udd00-\udfff]"
_MAX_INTEGER = 1 << 64


def read_json(data: bytes, what: str) -> Any:
    """The value of a JSON text from anywhere.

    Args:
        what: the text for people.
    Raises:
        ValueError: it is none, or has numbers or characters that no writer of ours makes.
        TooLarge: it would take too much memory.
    """
    limits.check_json(len(data), what)
    try:
        value = json.loads(data.decode(), parse_constant=_refuse_constant, parse_float=_finite, parse_int=_integer)
        # Without one of these escapes no text can hold such a character.
        if b"\\ud" in (lower := data.lower()) or b"\\u0000" in lower:
            check_texts(value)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return value


def _refuse_constant(text: str) -> None:
    raise ValueError(f"a number is {text}")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"a number is {text:.60}")
    return number


def _integer(text: str) -> int:
    number = int(text)
    if not -_MAX_INTEGER < number < _MAX_INTEGER:
        raise ValueError(f"a number is {text:.60}")
    return number


def check_texts(value: Any) -> None:
    """Make sure that all texts in a value may be names; raises ValueError."""
    refused, waiting = re.compile(_REFUSED), [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        elif isinstance(item, str) and refused.search(item):
            raise ValueError(f"a text has characters that no name has: {item!r:.60}")


@functools.cache
def builder(kind: Any) -> Callable[[Any], Any]:
    """A function that makes a value of the annotated type from plain JSON.

    It raises TypeError or ValueError where the JSON does not fit; unknown
    keys are passed over, so that later writers may add fields.
    """
    origin, args = getattr(kind, "__origin__", None), getattr(kind, "__args__", ())
    if kind is Any or getattr(kind, "__name__", "") == "Any":     # of typing
        return lambda value: value
    if is_value(kind):
        return _build_dataclass(kind)
    if isinstance(kind, types.UnionType):
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
