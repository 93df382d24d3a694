"""How far two numbers are apart, and whether a tolerance allows it."""

from __future__ import annotations

import math
import struct
from decimal import Decimal, InvalidOperation
from typing import Any

from rex.contents.rules import Rules

Number = int | float


def number_in(text: str) -> Number | None:
    """The number that a text is; None for any other text. Exponents may have Fortran's d."""
    if len(text) > 400:
        return None
    try:
        return int(text) if text.lstrip("+-").isascii() and text.lstrip("+-").isdigit() else float(text.replace("d", "e").replace("D", "e"))
    except ValueError:
        return None


def ulps_between(one: float, two: float) -> int:
    """How many floating-point numbers of 64 bits lie from one to the other."""
    return abs(_rank(one) - _rank(two))


def _rank(value: float) -> int:
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def distance(one: Number, two: Number) -> tuple[float, float]:
    """The absolute and the relative difference of two numbers; infinite where one of them is not finite."""
    if one == two or one != one and two != two:
        return 0.0, 0.0
    try:
        apart = float(abs(one - two))
        larger = float(max(abs(one), abs(two)))
    except OverflowError:
        return math.inf, math.inf
    if not math.isfinite(apart) or not math.isfinite(larger):
        return math.inf, math.inf
    return apart, apart / larger if larger else 0.0


def is_close(one: Number, two: Number, rules: Rules) -> bool:
    """Whether the tolerance allows the difference of two numbers; the order of the two does not matter."""
    if one == two or one != one and two != two:
        return True
    apart, _ = distance(one, two)
    if not math.isfinite(apart):
        return False
    if apart <= rules.atol + rules.rtol * float(max(abs(one), abs(two))):
        return True
    return bool(rules.ulps) and ulps_between(float(one), float(two)) <= rules.ulps


def text_distance(one: str, two: str) -> tuple[float, float] | None:
    """The distance of two texts that are numbers, exact also where one double stands for both; None where one is no number."""
    a, b = number_in(one), number_in(two)
    if a is None or b is None:
        return None
    if a != b or isinstance(a, int) and isinstance(b, int):
        return distance(a, b)
    try:   # equal as doubles: perhaps because they overflow, or have more digits
        x, y = (Decimal(text.strip().lower().replace("d", "e")) for text in (one, two))
        if x == y:
            return 0.0, 0.0
        if not math.isfinite(a):
            return math.inf, math.inf
        apart = abs(x - y)
        return float(apart) or 5e-324, float(apart / max(abs(x), abs(y))) or 5e-324
    except (InvalidOperation, OverflowError, ValueError, ArithmeticError):
        return math.inf, math.inf


def is_text_close(one: str, two: str, rules: Rules) -> bool:
    """As `is_close`, for texts that are numbers."""
    a, b = number_in(one), number_in(two)
    if a is None or b is None:
        return False
    apart = text_distance(one, two)
    if a != b or apart is None:
        return is_close(a, b, rules)
    if not math.isfinite(apart[0]):
        return False
    return apart[0] == 0 or bool(rules.ulps) or apart[0] <= rules.atol + rules.rtol * abs(float(a))


def as_number(value: Any) -> Number | None:
    """A value that is a number already; truth values are none."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
