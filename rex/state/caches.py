"""What `functools.lru_cache` keeps: results by key, counts; read from a cache and put into one."""

from __future__ import annotations

import ctypes
import functools
import gc
import struct
import types
from typing import Any

_COUNTS = (70_009, 13)     # hits and misses of a cache in which their places are looked for


def cached_results(function: Any) -> dict[Any, Any]:
    """Results by key, in order of use; of an unbounded cache the very dict."""
    held = gc.get_referents(function)
    found: dict[Any, Any] = next(each for each in held if type(each) is dict and each is not function.__dict__)
    if function.cache_info().maxsize is None:
        return found
    triples = held[1:1 + 3 * len(found)]   # behind its class: key, result, class of the link, ...
    return dict(zip(triples[::3], triples[1::3]))


def set_counts(function: Any, hits: int, misses: int) -> bool:
    """Set what a cache counted; whether that can be done."""
    places = _counters()
    for place, count in zip(places or (), (hits, misses)):
        ctypes.c_ssize_t.from_address(id(function) + place).value = count
    return places is not None


@functools.lru_cache(maxsize=None)
def _counters() -> tuple[int, int] | None:
    """Where a cache in C counts its hits and misses; None if that is not found."""
    probe = functools.lru_cache(maxsize=None)(lambda number: number)
    hits, misses = _COUNTS
    for number in range(misses):
        probe(number)
    for _ in range(hits):
        probe(0)
    held = ctypes.string_at(id(probe), type(probe).__basicsize__)
    places = [[at for at in range(0, len(held), 8) if held[at:at + 8] == struct.pack("n", count)] for count in _COUNTS]
    return (places[0][0], places[1][0]) if [len(each) for each in places] == [1, 1] else None


def can_count() -> bool:
    """Whether counts can be set."""
    return _counters() is not None


@functools.lru_cache(maxsize=None)
def _mark() -> object:
    """What stands before keyword arguments in keys of this process."""
    probe = functools.lru_cache(maxsize=None)(lambda **named: 0)
    probe(a=0)
    return next(iter(cached_results(probe)))[0]


_Call = tuple[tuple[Any, ...], dict[str, Any], Any]     # arguments and result


def calls_of(function: Any) -> list[_Call]:
    """The calls whose results a cache keeps, in order of use."""
    is_typed = function.cache_parameters()["typed"]
    return [(*_arguments(key, is_typed), result) for key, result in cached_results(function).items()]


def _arguments(key: Any, is_typed: bool) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of a key: (a1, .., mark, n1, v1, ..), and behind them the types of a1, .., v1, .. if typed."""
    if type(key) is not tuple:     # one argument of a quick type
        return (key,), {}
    place = next((place for place, each in enumerate(key) if each is _mark()), None)
    if place is None:
        return key[:len(key) // 2] if is_typed else key, {}
    pairs = (len(key) - 2 * place - 1) // 3 if is_typed else (len(key) - place - 1) // 2
    names = key[place + 1:place + 1 + 2 * pairs]
    return key[:place], dict(zip(names[::2], names[1::2]))


def fill(function: Any, calls: list[_Call]) -> None:
    """Put results into an empty cache whose function is written in Python: it is called, with code that gives them."""
    wrapped: types.FunctionType = function.__wrapped__
    results = iter([result for _, _, result in calls])
    before = wrapped.__code__
    wrapped.__code__ = _giving(lambda: next(results), before)
    try:
        for arguments, named, _ in calls:
            function(*arguments, **named)
    finally:
        wrapped.__code__ = before


def _template(*arguments: Any, **named: Any) -> Any:
    give: Any = "give"     # the constant is replaced
    return give()


def _giving(give: Any, like: types.CodeType) -> types.CodeType:
    """Code that calls `give`, for a function with the closure of another."""
    code = _template.__code__
    return code.replace(co_freevars=like.co_freevars, co_consts=tuple(
        give if each == "give" else each for each in code.co_consts))
