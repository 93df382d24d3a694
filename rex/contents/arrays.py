"""Numpy arrays, compared in blocks: memory stays bounded beside what holds them."""

from __future__ import annotations

from typing import Any

import numpy

from rex.contents.judge import Judge
from rex.contents.tally import Group

_BLOCK = 1 << 18
_NUMBERS = "biufc"


def compare_arrays(one: Any, two: Any, group: Group, judge: Judge, places: Any = None) -> None:
    """Compare two arrays value by value, and count; places: names a flat index."""
    if one.shape != two.shape:
        ours, theirs = sorted((str(one.shape), str(two.shape)))
        judge.tally.note(f"{group.name} has shapes {ours} and {theirs}")
        return
    if one.dtype.names or two.dtype.names:
        _compare_fields(one, two, group, judge)
        return
    if one.dtype.kind in "mM" and one.dtype == two.dtype:
        one, two = one.astype("i8"), two.astype("i8")
    shape, one, two = one.shape, one.reshape(-1), two.reshape(-1)
    if one.dtype.kind not in _NUMBERS or two.dtype.kind not in _NUMBERS:
        for at in range(len(one)):
            judge.compare(group, _plain(one[at]), _plain(two[at]), lambda at=at: _place(at, shape, places))   # type: ignore[misc]
        return
    group.compared += len(one)
    for begin in range(0, len(one), _BLOCK):
        _compare_block(one[begin:begin + _BLOCK], two[begin:begin + _BLOCK], begin, shape, group, judge, places)


def _compare_fields(one: Any, two: Any, group: Group, judge: Judge) -> None:
    ours, theirs = one.dtype.names or (), two.dtype.names or ()
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        if name in ours and name in theirs:
            label = name if group.noun else f"{group.name}.{name}"
            compare_arrays(one[name], two[name], judge.tally.group(label), judge)
        else:
            judge.tally.miss(f"field {name}", int(name not in ours))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, numpy.generic) else value


def _place(at: int, shape: tuple[int, ...], places: Any) -> str:
    if places:
        return str(places(at))
    return "[" + ", ".join(str(int(each)) for each in numpy.unravel_index(at, shape)) + "]" if shape else ""


def _compare_block(one: Any, two: Any, begin: int, shape: tuple[int, ...], group: Group, judge: Judge, places: Any) -> None:
    """Count where two blocks differ."""
    with numpy.errstate(all="ignore"):
        differs = (one != two) & ~((one != one) & (two != two))
        where = numpy.flatnonzero(differs)
        if not len(where):
            return
        one, two = one[where], two[where]
        apart, larger = _distances(one, two)
        is_finite = numpy.isfinite(apart) & numpy.isfinite(larger)
        close = is_finite & (apart <= judge.rules.atol + judge.rules.rtol * larger)
        if judge.rules.ulps:
            close |= is_finite & (_ulps(one, two) <= judge.rules.ulps)
        apart = numpy.where(is_finite, apart, numpy.inf)
        relative = numpy.where(is_finite, numpy.where(larger > 0, apart / numpy.where(larger > 0, larger, 1), 0), numpy.inf)
    beyond = int(len(close) - numpy.count_nonzero(close))
    group.differing += beyond
    group.within += len(close) - beyond
    group.largest_abs = max(group.largest_abs, float(apart.max()))
    group.largest_rel = max(group.largest_rel, float(relative.max()))
    candidates = numpy.flatnonzero(~close) if beyond else numpy.arange(len(close))
    sizes = relative if beyond else apart
    worst = int(candidates[int(sizes[candidates].argmax())])
    group.mark(beyond > 0, float(sizes[worst]), _place(begin + int(where[worst]), shape, places))


def _distances(one: Any, two: Any) -> tuple[Any, Any]:
    """How far values are apart, and the larger of the two; whole numbers exactly, as far as a double has room."""
    if one.dtype.kind in "iu" and two.dtype.kind in "iu":
        if "u8" in (one.dtype.str[1:], two.dtype.str[1:]):
            apart = numpy.array([abs(int(a) - int(b)) for a, b in zip(one, two)], dtype=float)
        else:
            wide, other = one.astype("i8"), two.astype("i8")
            apart = (numpy.maximum(wide, other).view("u8") - numpy.minimum(wide, other).view("u8")).astype(float)
        return apart, numpy.maximum(abs(one.astype(float)), abs(two.astype(float)))
    kind = numpy.result_type(one.dtype, two.dtype, float)
    one, two = one.astype(kind), two.astype(kind)
    return abs(one - two).astype(float), numpy.maximum(abs(one), abs(two)).astype(float)


def _ulps(one: Any, two: Any) -> Any:
    """Steps between neighbouring numbers of the arrays' own kind; of complex numbers the worse part."""
    if "c" in (one.dtype.kind, two.dtype.kind):
        return numpy.maximum(_ulps(one.real, two.real), _ulps(one.imag, two.imag))
    size = one.dtype.itemsize if one.dtype == two.dtype and one.dtype.kind == "f" and one.dtype.itemsize in (2, 4, 8) else 8
    ranks = []
    for values in (one, two):
        bits = numpy.ascontiguousarray(values.astype(f"=f{size}")).view(f"=i{size}").astype(object if size == 8 else "i8")
        low = (1 << (8 * size - 1)) - 1
        ranks.append(numpy.where(bits >= 0, bits, -(bits & low)))
    return abs(ranks[0] - ranks[1]).astype(float)
