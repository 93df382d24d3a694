"""Objects that were put back for reading only: what comes next would not be as recorded if they were trained further."""

from __future__ import annotations

import functools
import weakref
from typing import Any, Callable, Mapping


class Unready:
    """Boosters whose random numbers, or whose data, no checkpoint holds."""

    def __init__(self, why: str) -> None:
        self._why = why
        self._alive: weakref.WeakSet[Any] = weakref.WeakSet()
        self._unready: weakref.WeakSet[Any] = weakref.WeakSet()
        self._refuse: Callable[[str], None] = lambda why: None

    def watch(self, kind: Any, methods: Mapping[str, Callable[..., bool]], refuse: Callable[[str], None]) -> None:
        """Refuse methods of a class, called on those that were put back, where a test of the same arguments holds."""
        self._refuse = refuse
        begin = kind.__init__

        @functools.wraps(begin)
        def __init__(value: Any, *arguments: Any, **named: Any) -> None:
            begin(value, *arguments, **named)
            self._alive.add(value)

        kind.__init__ = __init__
        for name, is_wrong in methods.items():
            setattr(kind, name, self._guarded(vars(kind)[name], is_wrong))

    def _guarded(self, method: Any, is_wrong: Callable[..., bool]) -> Any:
        @functools.wraps(method)
        def guarded(value: Any, *arguments: Any, **named: Any) -> Any:
            if value in self._unready and is_wrong(value, *arguments, **named):
                self._refuse(self._why)
            return method(value, *arguments, **named)

        return guarded

    def has(self, value: Any) -> bool:
        """Whether an object was put back for reading only."""
        return value in self._unready

    def note(self, value: Any) -> None:
        """An object was put back: neither it nor those that draw from the same generator go on as recorded."""
        self._unready.update(self._alive)
        self._unready.add(value)
