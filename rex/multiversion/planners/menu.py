"""Menus: the ways in which a subtree can be entered."""

from __future__ import annotations

from rex.multiversion.planners.skeleton import NEVER, Facts

# An option (cost, room, written): the first node of the subtree is computed for
# `cost` seconds, counted from the checkpoint that the entry starts at; since that
# one `written` bytes of memory were written (NEVER: all of it); checkpoints below
# may hold `room` bytes. A menu has its options by rising cost and rising room: who
# pays more, as older checkpoints were given up, has more room.
Option = tuple[float, int, int]
Menu = tuple[Option, ...]

NO_ROOM = -1
"""Room in which nothing fits, not even a checkpoint of no bytes."""


class Rooms:
    """Brings rooms to the few values that make a difference below a node.

    Room that exceeds what the subtree can use is cut off, room in which no
    checkpoint fits is none. Beyond that, rooms are rounded down to a multiple
    of `quantum` bytes, which keeps plans legal; 1 is exact. What was written is
    rounded up, and as good as all once no checkpoint below is larger.
    """

    def __init__(self, facts: Facts, quantum: int = 1) -> None:
        self.enough = facts.enough
        self.least = facts.least
        self.largest = facts.largest
        self.quantum = quantum

    def fit(self, u: int, room: int) -> int:
        """The room that stands for `room` below node u."""
        if room < self.least[u]:
            return NO_ROOM
        if room >= self.enough[u]:
            return self.enough[u]
        if self.quantum > 1:
            room -= room % self.quantum
            return room if room >= self.least[u] else NO_ROOM
        return room

    def _round_up(self, u: int, written: int) -> int:
        if written >= self.largest[u]:
            return NEVER
        return written + -written % self.quantum

    def build(self, u: int, options: list[Option]) -> Menu:
        """The options for node u that no other one beats; they come by rising cost."""
        best: list[Option] = []
        top = NO_ROOM - 1
        least, enough = self.least[u], self.enough[u]
        for cost, room, written in options:
            if room >= enough >= least:
                room = enough
            elif room < least or self.quantum > 1:
                room = self.fit(u, room)
            if room > top:
                if best and best[-1][0] == cost:
                    best.pop()
                best.append((cost, room, written if written >= NEVER else self._round_up(u, written)))
                top = room
        return tuple(best)
