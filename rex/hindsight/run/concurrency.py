"""What runs beside the script's main thread: threads with its code, child processes, and the files that these write."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any, Container

CHILD_EVENTS = ("subprocess.Popen", "os.system", "os.posix_spawn")    # of Python's audit
_MOST_FILES = 50_000
_Listing = dict[str, tuple[int, int]]     # modification and size; of folders nothing


def company(users: Container[object]) -> str:
    """What of the script's runs beside its main thread now; "" if nothing.

    Args:
        users: names of its modules.
    """
    own = threading.get_ident()
    for ident, innermost in sys._current_frames().items():
        frame: Any = innermost if ident != own else None
        while frame is not None:
            if frame.f_globals.get("__name__") in users:
                return "another thread runs the script's code"
            frame = frame.f_back
    processes = getattr(sys.modules.get("multiprocessing.process"), "_children", ())
    popened = getattr(sys.modules.get("subprocess"), "_active", None) or ()
    if any(process.is_alive() for process in [*processes]) or any(
            process._internal_poll(_deadstate=True) is None for process in [*popened]):
        return "a child process runs"
    return ""


class ChildFiles:
    """Sees what child processes write below the working directory and the script's folder."""

    def __init__(self) -> None:
        self._folders: list[str] = []
        self._known: _Listing | None = {}

    @property
    def is_lost(self) -> bool:
        """Whether there are too many files to look at."""
        return self._known is None

    def begin(self) -> None:
        """A child process is about to begin: what is there now is none of its doing."""
        script = getattr(sys.modules.get("__main__"), "__file__", None)
        self._folders = sorted({os.getcwd(), *([os.path.dirname(os.path.abspath(script))] if script else [])})
        self._known = _listed(self._folders)

    def changed(self) -> list[tuple[str, bool]]:
        """Paths that are not as they were when this was last asked, and whether there was something before."""
        before, self._known = self._known, _listed(self._folders) if self._known is not None else None
        if before is None or self._known is None:
            return []
        return [(path, path in before) for path in sorted(before.keys() | self._known.keys())
                if before.get(path) != self._known.get(path)]


def _listed(folders: list[str]) -> _Listing | None:
    found: _Listing = {}
    queue = list(folders)
    while queue:
        try:
            with os.scandir(queue.pop()) as entries:
                for entry in entries:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if is_folder and (entry.name.startswith(".") or entry.name == "__pycache__"):
                        continue
                    if is_folder and not os.path.exists(os.path.join(entry.path, "pyvenv.cfg")):
                        queue.append(entry.path)
                    info = entry.stat(follow_symlinks=False)
                    found[entry.path] = (0, 0) if is_folder else (info.st_mtime_ns, info.st_size)
        except OSError:
            continue     # it went meanwhile
        if len(found) > _MOST_FILES:
            return None
    return found
