"""Memory and pipes that a worker shares with the process that waits for it (see `ahead`)."""

from __future__ import annotations

import os

from rex.values import dataclass

MOST_BYTES = 256 << 20           # of a state: all of its memory is held at once
ROOM_BYTES = MOST_BYTES + (64 << 20)


@dataclass(frozen=True, slots=True)
class Ends:
    """File descriptors of one side.

    Attributes:
        heads: a pipe, of where each state lies. done: an eventfd, of how many may be overwritten: who writes to it never waits,
            and gets no SIGPIPE. room: memory.
    """

    heads: int
    done: int
    room: int

    def close(self) -> None:
        """Have them no more."""
        for fd in (self.heads, self.done, self.room):
            os.close(fd)


def make_ends() -> tuple[Ends, Ends]:
    """The reader's and the worker's."""
    read_end, write_end = os.pipe()
    done, room = os.eventfd(0), os.memfd_create("rex-ahead")
    os.truncate(room, ROOM_BYTES)     # it takes memory as it is filled
    return Ends(write_end, done, room), Ends(read_end, os.dup(done), os.dup(room))
