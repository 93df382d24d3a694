"""The makespan sum on numpy arrays, for graphs whose tasks need many outputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rex.extras import missing
from rex.workflow.line import Line

# Up to this many distinct pieces, slices beat a vector of exponentials.
_FEW = 4


def numpy_module() -> Any:
    """numpy, or one clear line where it is not installed."""
    try:
        import numpy
    except ImportError as error:
        raise missing("workflow", "scheduling needs numpy") from error
    return numpy


def need_bits(line: Line, flags: Sequence[bool]) -> list[int]:
    """B_i for every position, as integers whose bit j stands for position j."""
    needs: list[int] = []
    for preds in line.preds:
        need = 0
        for pred in preds:
            need |= 1 << pred
            if not flags[pred]:
                need |= needs[pred]
        needs.append(need)
    return needs


def bit_positions(np: Any, bits: int) -> Any:
    """The positions of an integer's set bits, ascending."""
    raw = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(raw, bitorder="little"))


def sum_forwards(line: Line, flags: Sequence[bool], rate: float) -> tuple[float, float]:
    """The sum in the makespan formula and the exponent taken out of it.

    Source: the formula of makespan.py, with P as one array over k.
    """
    np = numpy_module()
    costs, owns = np.array(line.costs(flags)), line.owns(flags)
    last = np.arange(len(line))
    # Entry k + 1 is P_k: entry 0 stands for "no failure yet".
    chance = np.zeros(len(line) + 1)
    chance[0] = 1.0
    struck: list[float] = []
    fulls: list[float] = []
    for i, bits in enumerate(need_bits(line, flags)):
        own_s = owns[i]
        if not bits:
            struck.append(_strike(chance[:i + 1], own_s, rate))
            fulls.append(own_s)
        else:
            need = bit_positions(np, bits)
            extra_s, before = costs[need], last[need]
            last[need] = i
            struck.append(_strike_steps(np, chance, i, own_s, extra_s, before, rate))
            fulls.append(own_s + float(extra_s.sum()))
        chance[i + 1] = struck[-1]
    most = rate * max(fulls)
    shift = most if most > 600.0 else 0.0
    return math.fsum(math.exp(rate * full - shift) * q for full, q in zip(fulls, struck)), shift


def _strike(chance: Any, seconds: float, rate: float) -> float:
    """Lets `seconds` pass for these cases; how probable a failure is among them."""
    mass = float(chance.sum())
    chance *= math.exp(-rate * seconds)
    return -math.expm1(-rate * seconds) * mass


def _strike_steps(np: Any, chance: Any, i: int, own_s: float, extra_s: Any, before: Any,
                  rate: float) -> float:
    distinct = sorted(set(before.tolist())) if len(before) <= 4 * _FEW else None
    if distinct is not None and len(distinct) <= _FEW:
        total, start, seconds = 0.0, 0, own_s
        for cut in distinct:
            total += _strike(chance[start:cut + 2], seconds, rate)
            seconds += float(extra_s[before == cut].sum())
            start = cut + 2
        return total + _strike(chance[start:i + 1], seconds, rate)
    wiped = np.bincount(before, weights=extra_s, minlength=i)
    exponent = np.full(i + 1, own_s)
    # A failure at k wipes what was last touched before k, that is at k - 1 at the latest.
    exponent[2:] += np.cumsum(wiped[:i - 1])
    exponent *= -rate
    cases = chance[:i + 1]
    total = -float(np.dot(cases, np.expm1(exponent)))
    cases *= np.exp(exponent)
    return total
