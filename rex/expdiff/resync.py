"""Bring two sequences back into step where they differ, in linear time and bounded memory."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Iterable, Iterator

from rex.expdiff.spool import Entry

WINDOW = 1 << 16   # entries looked ahead at most, on either side
_FIRST_REACH = 32

SAME, CHANGED, SKIPPED_LEFT, SKIPPED_RIGHT = "same", "changed", "skipped_left", "skipped_right"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the comparison: two entries in step, or one that was skipped."""

    kind: str
    left: Entry | None = None
    right: Entry | None = None


class _Ahead:
    """What was read ahead of one sequence, with an index of first positions by key.

    Every entry enters and leaves queue and index once: all look-ahead together is linear.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = iter(entries)
        self._queue: deque[Entry] = deque()
        # Places by key as chains: most keys are rare, and a list for each would cost more than the entries.
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._next: dict[int, int] = {}
        self._at = 0   # position of the queue's head in the sequence

    def head(self) -> Entry | None:
        """The current entry; None at the end."""
        self.fill(1)
        return self._queue[0] if self._queue else None

    def fill(self, count: int) -> bool:
        """Read ahead until count entries wait; whether there are that many."""
        while len(self._queue) < count:
            entry = next(self._entries, None)
            if entry is None:
                return False
            place = self._at + len(self._queue)
            self._queue.append(entry)
            before = self._last.get(entry[0])
            if before is None:
                self._first[entry[0]] = place
            else:
                self._next[before] = place
            self._last[entry[0]] = place
        return True

    def pop(self) -> Entry:
        """Go on by one entry."""
        entry = self._queue.popleft()
        after = self._next.pop(self._at, None)
        if after is None:
            del self._first[entry[0]], self._last[entry[0]]
        else:
            self._first[entry[0]] = after
        self._at += 1
        return entry

    def find(self, key: int, within: int) -> int | None:
        """Distance to the first entry with the key among the next ones; None for none."""
        place = self._first.get(key)
        return None if place is None or place - self._at > within else place - self._at


def resynchronise(left: Iterable[Entry], right: Iterable[Entry],
                  window: int = WINDOW) -> Iterator[Step]:
    """Walk two sequences in step and tell where they part.

    Where the keys differ, each current entry's first match in the other
    sequence is sought, and the sequence whose way is shorter skips to it; if
    neither has a match within the window, both skip one entry. Swapped
    arguments give the mirror image.

    Source: Rex's paper, on comparing the logs of two experiments; we bound the
        look-ahead and index it, because a search for every entry is quadratic.
    """
    one, two = _Ahead(left), _Ahead(right)
    while True:
        ours, theirs = one.head(), two.head()
        if ours is None or theirs is None:
            break
        if ours[0] == theirs[0]:
            yield Step(SAME if ours[1] == theirs[1] else CHANGED, one.pop(), two.pop())
            continue
        in_one, in_two = _distances(one, two, ours[0], theirs[0], window)
        if in_one is None and in_two is None:
            yield Step(SKIPPED_LEFT, one.pop())
            yield Step(SKIPPED_RIGHT, None, two.pop())
        elif in_two is None or in_one is not None and (in_one, ours[0]) < (in_two, theirs[0]):
            for _ in range(in_one or 0):
                yield Step(SKIPPED_LEFT, one.pop())
        else:
            for _ in range(in_two):
                yield Step(SKIPPED_RIGHT, None, two.pop())
    while one.head():
        yield Step(SKIPPED_LEFT, one.pop())
    while two.head():
        yield Step(SKIPPED_RIGHT, None, two.pop())


def _distances(one: _Ahead, two: _Ahead, ours: int, theirs: int,
               window: int) -> tuple[int | None, int | None]:
    """How far the match of either current entry is away in the other sequence.

    The look-ahead grows on both sides alike and stops at the first match: a
    longer way on the other side would not be taken.
    """
    reach = min(_FIRST_REACH, window)
    while True:
        is_more = one.fill(reach + 1) | two.fill(reach + 1)
        in_one, in_two = one.find(theirs, reach), two.find(ours, reach)
        if in_one is not None or in_two is not None or not is_more or reach >= window:
            return in_one, in_two
        reach = min(reach * 4, window)
