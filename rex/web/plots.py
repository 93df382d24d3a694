"""Numbers against the values of a parameter as SVG, which holds text and shapes only."""

from __future__ import annotations

import html
import math
import statistics
from dataclasses import dataclass
from typing import Sequence

from rex.text import clean
from rex.web.curves import Scale, text

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 360, 190, 60, 18, 12, 28
_TICK_GAP = 44          # between two texts below the axis
_TICK_CHARS = 12
_WIDE = 20              # times that the largest value is the smallest, from which on the axis is logarithmic


@dataclass(frozen=True)
class Dot:
    """One run: the value of its parameter as it was given, what came of it, and what a pointer on it shows."""

    given: str
    value: float
    told: str


def plot(title: str, dots: Sequence[Dot]) -> str:
    """A dot for each run, and a line through the means.

    Values of the parameter stand on a scale where all are numbers, on a logarithmic one where they span much, and else side by side.
    """
    across, places = _across([dot.given for dot in dots])
    up = Scale([dot.value for dot in dots], _HEIGHT - _BOTTOM, _TOP)
    base = _HEIGHT - _BOTTOM
    parts = [text(f"{up.low:.4g}", _LEFT - 6, base, "end"), text(f"{up.high:.4g}", _LEFT - 6, _TOP + 8, "end"),
             f'<path class="axis" d="M{_LEFT} {_TOP}V{base}H{_WIDTH - _RIGHT}"/>']
    last = -math.inf
    for given, place in sorted(places.items(), key=lambda each: each[1]):
        x = across(place)
        parts.append(f'<path class="axis" d="M{x:.1f} {base}v4"/>')
        if x - last >= _TICK_GAP:
            parts.append(text(_short(clean(given)), x, _HEIGHT - 8, "middle"))
            last = x
    means = [(across(place), up(statistics.fmean(dot.value for dot in dots if dot.given == given)))
             for given, place in sorted(places.items(), key=lambda each: each[1])]
    parts.append(f'<path class="line" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in means)}"/>')
    parts += [f'<circle cx="{across(places[dot.given]):.1f}" cy="{up(dot.value):.1f}" r="3"><title>{html.escape(clean(dot.told))}: {dot.value:.6g}</title></circle>'
              for dot in dots]
    return (f'<svg class="curve plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{html.escape(title, quote=True)}">'
            + "".join(parts) + "</svg>")


def _across(given: Sequence[str]) -> tuple[Scale, dict[str, float]]:
    """The scale of the axis, and where each value stands on it."""
    names = list(dict.fromkeys(given))
    try:
        places = {name: float(name) for name in names}
    except ValueError:
        places = {}
    if not places or not all(abs(value) < 1e300 for value in places.values()):
        places = {name: float(at) for at, name in enumerate(names)}
    elif min(places.values()) > 0 and max(places.values()) > _WIDE * min(places.values()):
        places = {name: math.log(value) for name, value in places.items()}
    return Scale(list(places.values()), _LEFT + 10, _WIDTH - _RIGHT - 10), places


def _short(name: str) -> str:
    return name if len(name) <= _TICK_CHARS else name[:_TICK_CHARS - 1] + "…"
