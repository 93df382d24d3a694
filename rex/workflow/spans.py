"""Sets of stretches of time."""

from __future__ import annotations

from collections.abc import Iterable

Span = tuple[float, float]


class Spans:
    """A union of stretches, in seconds.

    Attributes:
        parts: without overlap, in order.
        begin: of the first; `at` where there is none.
    """

    def __init__(self, spans: Iterable[Span], at: float = 0.0) -> None:
        self.parts: list[Span] = []
        for begin, end in sorted(spans):
            if self.parts and begin <= self.parts[-1][1]:
                self.parts[-1] = (self.parts[-1][0], max(end, self.parts[-1][1]))
            else:
                self.parts.append((begin, end))
        self.begin = self.parts[0][0] if self.parts else at

    @property
    def length(self) -> float:
        """Seconds in all."""
        return sum(end - begin for begin, end in self.parts)

    def without(self, others: "Spans") -> "Spans":
        """What of these stretches lies in none of the others."""
        left: list[Span] = []
        for begin, end in self.parts:
            for out, back in others.parts:
                if back <= begin or out >= end:
                    continue
                if out > begin:
                    left.append((begin, out))
                begin = back
                if begin >= end:
                    break
            if begin < end:
                left.append((begin, end))
        return Spans(left, self.begin)

    def between(self, begin: float, end: float, at: float) -> "Spans":
        """What of these stretches lies between two moments; it begins at `at` in any case."""
        cut = [(max(begin, a), min(end, b)) for a, b in self.parts if b > begin and a < end]
        found = Spans(cut, at)
        found.begin = at
        return found
