"""Delta debugging: the few of many differences that are enough to give the other result."""

from __future__ import annotations

from typing import Callable, Sequence, TypeVar

Item = TypeVar("Item")


class OutOfRuns(Exception):
    """No more runs are allowed.

    Attributes:
        left: the fewest items known to be enough.
    """

    def __init__(self, left: Sequence[object]) -> None:
        super().__init__()
        self.left = list(left)


class Trials:
    """Tests of sets of items, each set once, and at most so many."""

    def __init__(self, is_enough: Callable[[list[Item]], bool], most: int) -> None:
        self._is_enough, self._left = is_enough, most
        self._known: dict[tuple[int, ...], bool] = {}
        self.fewest: list[object] = []

    def test(self, chosen: Sequence[int], items: Sequence[Item]) -> bool:
        """Whether items by these numbers are enough.

        Raises:
            OutOfRuns: that would be one run too many.
        """
        key = tuple(sorted(chosen))
        if key not in self._known:
            if self._left <= 0:
                raise OutOfRuns(self.fewest)
            self._left -= 1
            self._known[key] = self._is_enough([items[number] for number in key])   # type: ignore[arg-type]
        if self._known[key] and (not self.fewest or len(key) < len(self.fewest)):
            self.fewest = [items[number] for number in key]
        return self._known[key]


def isolate(items: Sequence[Item], is_enough: Callable[[list[Item]], bool], most: int) -> list[Item]:
    """The items of which none can be left out, if all together are enough.

    One that is enough alone is found by halves: the logarithm of their number in tests, and one more. Where there is none, sets are
    made smaller part by part (Zeller's ddmin).

    Args:
        is_enough: a test, which takes long.
        most: so many tests at most.
    Raises:
        OutOfRuns: that was not enough.
    """
    trials = Trials(is_enough, most)
    trials.fewest = list(items)
    chosen = list(range(len(items)))
    while len(chosen) > 1:
        half = len(chosen) // 2
        chosen = chosen[:half] if trials.test(chosen[:half], items) else chosen[half:]
    if trials.test(chosen, items):
        return [items[number] for number in chosen]
    return [items[number] for number in _minimal(list(range(len(items))), lambda numbers: trials.test(numbers, items))]


def _minimal(chosen: list[int], test: Callable[[list[int]], bool]) -> list[int]:
    """ddmin: a subset that is enough, and of which no single item can be left out."""
    parts = 2
    while len(chosen) > 1:
        size = -(-len(chosen) // parts)
        pieces = [chosen[at:at + size] for at in range(0, len(chosen), size)]
        rests = [[number for number in chosen if number not in piece] for piece in pieces]
        if found := next((piece for piece in pieces if test(piece)), None):
            chosen, parts = found, 2
        elif len(pieces) > 2 and (found := next((rest for rest in rests if test(rest)), None)):
            chosen, parts = found, max(parts - 1, 2)
        elif parts >= len(chosen):
            return chosen
        else:
            parts = min(2 * parts, len(chosen))
    return chosen
