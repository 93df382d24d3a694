"""What added statements write: kept apart from the user's files, and reported when the worker ends."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import re
import sys
from collections import Counter
from typing import Any, Collection, Container, Iterator

from rex.errors import UsageError
from rex.hindsight.replay.private import PrivateView, is_removal


class AddedFiles:
    """Knows which of the files that a worker wrote are of added statements: those that the recorded run did not write."""

    def __init__(self, view: PrivateView, recorded: Collection[str]) -> None:
        """Args: recorded: paths that the run wrote."""
        self._view, self._recorded = view, recorded
        self._sizes: dict[str, int] = {}       # of what was there before the worker's piece began
        self._anew: set[str] = set()           # opened since then, without what was in them
        self._unshown: set[str] = set()        # last opened in iterations that nobody asked for
        self._shared: set[str] = set()         # of the run, opened by added statements too

    def will_write(self, path: str, is_anew: bool, is_shown: bool) -> bool:
        """An added statement is about to write a file; False if it is one of the run's too.

        Raises:
            UsageError: it would be the user's.
        """
        if not self._view.cover_place_of(path):
            raise UsageError(f"an added statement writes {path}", "a replay cannot keep files apart there", "let it write below the working directory")
        (self._unshown.discard if is_shown else self._unshown.add)(path)
        if is_anew and is_shown:
            self._anew.add(path)
        if path in self._recorded:
            self._shared.add(path)
            return False
        return True

    def begin(self) -> None:
        """What is written from now on belongs to this worker; before, it only came to its piece."""
        flush_all()
        self._sizes = {path: info.st_size for path, _, info in self._view.changed()}
        self._anew.clear()
        self._unshown.clear()

    def told(self, own: Container[str] = ()) -> Iterator[dict[str, Any]]:
        """Path and place of each file that belongs to this worker, in order.

        A file that is opened outside of added statements, under a recorded name but for its numbers (of a process, a time), is
        the recorded one, unless there are more of such a name.

        Args:
            own: paths that were opened for writing outside of added statements, in this process too.
        `after`: bytes that others reported already; what follows is to be added. -1: it stands for all that others have.
        """
        changed = sorted(self._view.changed())
        recorded = Counter(map(_without_numbers, self._recorded))
        found = Counter(_without_numbers(path) for path, _, _ in changed if path not in self._recorded)
        if changed:
            flush_all()
        for path, at, _ in changed:
            info = os.lstat(at)
            name = _without_numbers(path)
            is_own = path in self._recorded or path in own and found[name] <= recorded[name]
            if is_own and path not in self._shared or path in self._unshown or path.endswith(".pyc"):
                continue
            if is_removal(info):
                yield {"path": path, "at": "", "after": -1}
            elif path in self._anew:
                yield {"path": path, "at": at, "after": -1}
            elif info.st_size != self._sizes.get(path, -1):
                yield {"path": path, "at": at, "after": self._sizes.get(path, 0)}


def _without_numbers(path: str) -> str:
    return re.sub(r"\d+", "0", path)


def flush_all() -> None:
    """Have everything written that the program's objects hold back: nobody closes them."""
    is_asked: dict[int, bool] = {}        # by the type's id: a program has millions of objects, and few types
    for each in gc.get_objects():
        kind = type(each)
        if id(kind) not in is_asked:
            is_asked[id(kind)] = _may_hold_back(kind)
        if is_asked[id(kind)]:
            with contextlib.suppress(Exception):     # closed, read only, or something else that is called so
                each.flush()


def _may_hold_back(kind: type) -> bool:
    """Whether objects of a type may hold output back. What does can be closed; others empty caches, as IPython's history does, which takes long."""
    is_foreign = kind.__module__ not in sys.stdlib_module_names
    return issubclass(kind, io.IOBase) or is_foreign and all(callable(getattr(kind, name, None)) for name in ("flush", "close"))
