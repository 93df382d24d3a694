"""Work of helper threads whose results are taken in the order in which it was given."""

from __future__ import annotations

import os
import threading
from _queue import SimpleQueue   # what is around it takes a while to import

from rex.hints import Any, Callable

_MOST_THREADS = 4
_WAITING = 2        # items for each thread that may wait: each may hold some MiB


class Pipeline:
    """Calls `make` with each item in several threads at once, and `take` with the item and what came of it, one after the other.

    It lives as long as one task does, so that no process forks with threads that wait for work.
    """

    def __init__(self, make: Callable[[Any], Any], take: Callable[[Any, Any], None]) -> None:
        """Both leave the GIL free most of the time."""
        self._make, self._take = make, take
        count = min(_MOST_THREADS, len(os.sched_getaffinity(0)))
        self._items: SimpleQueue[tuple[int, Any] | None] = SimpleQueue()
        self._free = threading.Semaphore(_WAITING * count)
        self._turn = threading.Condition()
        self._given = self._taken = 0
        self._failure: BaseException | None = None
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def put(self, item: Any) -> None:
        """Give an item; waits while many are waiting."""
        self._free.acquire()
        self._items.put((self._given, item))
        self._given += 1

    def end(self) -> None:
        """Wait for all that was given; raises what a call raised, the first time."""
        for _ in self._threads:
            self._items.put(None)
        for thread in self._threads:
            thread.join()
        if self._failure:
            raise self._failure

    def _run(self) -> None:
        while found := self._items.get():
            number, item = found
            made = self._tried(lambda: self._make(item))
            with self._turn:
                self._turn.wait_for(lambda: self._taken == number)
            if not self._failure:
                self._tried(lambda: self._take(item, made))
            with self._turn:
                self._taken += 1
                self._turn.notify_all()
            self._free.release()

    def _tried(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except BaseException as error:
            self._failure = self._failure or error
            return None
