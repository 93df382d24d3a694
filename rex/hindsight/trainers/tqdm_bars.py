"""tqdm: loops over progress bars.

A bar's iterator is a generator, which no checkpoint can hold. It is replaced by an object that holds the same and draws the bar alike.
Bars read a clock of their own: how often they read it depends on the machine, and the script's readings are given back by number.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

from rex.hindsight.trace.clock import real_time_ns


class BarItems:
    """The items of a bar, in place of `tqdm.__iter__`; during an iteration the bar's `n` is the number of those before."""

    def __init__(self, bar: Any) -> None:
        self.bar, self.items, self.n = bar, iter(bar.iterable), bar.n
        self.is_begun = self.is_over = False

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self.is_over:
            raise StopIteration
        try:
            if self.is_begun:
                self._count()
            self.is_begun = True
            return next(self.items)
        except BaseException:     # as the generator's `finally`
            self._end()
            raise

    def _count(self) -> None:
        self.n += 1
        bar = self.bar
        if self.n - bar.last_print_n >= bar.miniters:
            now_s = bar._time()
            if now_s - bar.last_print_t >= bar.mininterval and now_s >= bar.start_t + bar.delay:
                bar.n = bar.last_print_n
                bar.update(self.n - bar.last_print_n)
        bar.n = self.n

    def _end(self) -> None:
        self.is_over = True
        self.bar.n = self.n
        self.bar.close()

    def __del__(self) -> None:
        if vars(self).get("is_begun") and not self.is_over:
            self._end()


def watch(std: Any, refuse: Callable[[str], None]) -> None:
    """Let bars be iterated by such objects."""
    std.time = _now_s
    std.tqdm.__iter__ = lambda bar: iter(bar.iterable) if bar.disable else BarItems(bar)


def _now_s() -> float:
    return real_time_ns() / 1e9
