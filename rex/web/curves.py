"""Numbers over iterations as SVG, which holds text and shapes only."""

from __future__ import annotations

import html
import math
from typing import Sequence

Point = tuple[float, float]

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 180, 64, 12, 10, 28
_MAX_POINTS = 600


def curve(name: str, lines: Sequence[tuple[str, Sequence[Point]]], marks: Sequence[float]) -> str:
    """Lines over one axis of iterations.

    Args:
        lines: each with its label and points (iteration, value), in order.
        marks: iterations to mark on the axis.
    Returns:
        "" where no value is a finite number.
    """
    finite = [(label, [point for point in points if math.isfinite(point[1])]) for label, points in lines]
    points = [point for _, each in finite for point in each]
    if not points:
        return ""
    across = Scale([x for x, _ in points] + list(marks), _LEFT, _WIDTH - _RIGHT)
    up = Scale([y for _, y in points], _HEIGHT - _BOTTOM, _TOP)
    parts = [text(f"{across.low:.4g}", _LEFT, _HEIGHT - 8, "start"), text(f"{across.high:.4g}", _WIDTH - _RIGHT, _HEIGHT - 8, "end"),
             text(f"{up.low:.4g}", _LEFT - 6, _HEIGHT - _BOTTOM, "end"), text(f"{up.high:.4g}", _LEFT - 6, _TOP + 8, "end"),
             f'<path class="axis" d="M{_LEFT} {_TOP}V{_HEIGHT - _BOTTOM}H{_WIDTH - _RIGHT}"/>']
    parts += [f'<path class="mark" d="M{across(x):.1f} {_HEIGHT - _BOTTOM}v6"><title>checkpoint at iteration {x:g}</title></path>' for x in marks]
    for number, (label, each) in enumerate(finite):
        drawn = each[::max(1, len(each) // _MAX_POINTS)]
        if not drawn:
            continue
        path = "L".join(f"{across(x):.1f} {up(y):.1f}" for x, y in drawn)
        shape = f'd="M{path}"' if len(drawn) > 1 else f'd="M{path}h.01"'
        parts.append(f'<path class="line line-{number % 4}" {shape}><title>{html.escape(label)}</title></path>')
    return (f'<svg class="curve" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{html.escape(name, quote=True)} over iterations">'
            + "".join(parts) + "</svg>")


class Scale:
    """From values to a length; a single value stands in the middle."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        self.low, self.high = min(values), max(values)
        self._begin, self._length = begin, end - begin

    def __call__(self, value: float) -> float:
        span = self.high - self.low
        part = (value - self.low) / span if span > 0 and math.isfinite(span) else 0.5
        return self._begin + part * self._length


def text(shown: str, x: float, y: float, anchor: str) -> str:
    """A text beside an axis."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{html.escape(shown)}</text>'
