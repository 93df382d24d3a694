"""Ids and small frozen values that modules pass to each other."""

from __future__ import annotations

import re

from rex.values import dataclass

# Compiled when they are used: that takes a while, and most commands do without.
_SIZE = r"^\s*(\d+(?:\.\d+)?)\s*([kmgtp]?)(i?)b?\s*$"
_DURATION = r"(\d+(?:\.\d+)?)\s*(ms|us|s|m|h|d|w)"
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


@dataclass(frozen=True)
class ExperimentRef:
    """An experiment as users name it: ARCHIVE:EXP, or ARCHIVE for its default one."""

    archive: str
    experiment: str | None

    @classmethod
    def parse(cls, text: str) -> "ExperimentRef":
        """Split at the last colon, so that archive paths may hold colons."""
        head, colon, tail = text.rpartition(":")
        if colon and head and "/" not in tail:
            return cls(head, tail or None)
        return cls(text, None)

    def __str__(self) -> str:
        return f"{self.archive}:{self.experiment}" if self.experiment else self.archive


def parse_size(text: str) -> int:
    """Bytes of a size as users write it: 512M, 4GiB, 1.5k, 100 (all powers of 1024).

    Raises:
        ValueError: the text is no size.
    """
    match = re.match(_SIZE, text, re.IGNORECASE)
    if not match:
        raise ValueError(f"not a size: {text!r} (write 512M or 4GiB)")
    number, unit, _ = match.groups()
    power = " kmgtp".index(unit.lower()) if unit else 0
    return int(float(number) * 1024 ** power)


def parse_duration(text: str) -> float:
    """Seconds of a duration as users write it: 90s, 6h, 1h30m, or a bare number of seconds.

    Raises:
        ValueError: the text is no duration.
    """
    compact = text.strip()
    try:
        seconds = float(compact)
    except ValueError:
        parts = re.findall(_DURATION, compact, re.IGNORECASE)
        if not parts or "".join(n + u for n, u in parts) != compact.replace(" ", ""):
            raise ValueError(f"not a duration: {text!r} (write 90s or 6h)") from None
        seconds = sum(float(n) * _SECONDS[u.lower()] for n, u in parts)
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"not a duration: {text!r} (write 90s or 6h)")
    return seconds


def format_size(size_bytes: int) -> str:
    """A size for people: 1.4 MB (powers of 1000, as disks are sold)."""
    value = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def format_duration(seconds: float) -> str:
    """A duration for people: 0.34 s, 12.1 s, 3 m 05 s, 2 h 04 m."""
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(round(seconds)), 60)
    if minutes < 60:
        return f"{minutes} m {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} m"
