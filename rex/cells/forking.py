"""Whether a process can be forked between two cells, and how.

Runs inside recorded experiments: it imports nothing of Rex. A fork copies memory and one thread.
What it does not copy, or leaves shared, is either put right here, or is a reason not to fork:
then the state is computed again where it is needed, never guessed.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import os
import random
import select
import stat
import sys
import time
from typing import Any, Iterator

from . import loops

_HARD = 2              # omp_pause_hard
_NOLOAD = 4            # RTLD_NOLOAD
_PATIENCE = 1000       # ms for a thread to end


# ------------------------------------------------------------------ reasons

def pause() -> None:
    """End the threads that will come back by themselves when they are needed."""
    for path in _loaded_libraries():
        if "libgomp" in os.path.basename(path):
            # GNU OpenMP hangs in a forked child's next parallel region unless its pool is gone.
            try:
                ctypes.CDLL(path, mode=_NOLOAD).omp_pause_resource_all(_HARD)
            except (OSError, AttributeError):
                pass
    bars = getattr(sys.modules.get("tqdm.std"), "tqdm", None)
    if bars is not None and bars.monitor is not None:
        bars.monitor.exit()
        bars.monitor = None
    _pause_scripts()


def _pause_scripts() -> None:
    """IPython keeps a thread for `%%bash` and the like."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    magics = shell and shell.magics_manager.registry.get("ScriptMagics")
    loop = getattr(magics, "event_loop", None)
    if loop is None or loop.is_closed():
        return
    if hasattr(magics, "stop_event_loop"):
        magics.stop_event_loop()
        return
    loop.call_soon_threadsafe(loop.stop)                # older ones end it nowhere
    for _ in range(_PATIENCE):
        if not loop.is_running():
            loop.close()
            magics.event_loop = None
            break
        select.select([], [], [], 0.001)


_inherited: set[int] = set()


def note_inherited() -> None:
    """What is open before the first cell is whoever started us's, and no part of a state."""
    _inherited.update(descriptor for descriptor, _ in _descriptors())


def read_maps() -> list[str]:
    """The process's memory, area by area."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        return maps.readlines()


def reason_against(maps: list[str] | None = None) -> str:
    """Why this process must not be forked now; empty if it may. Call `pause` before."""
    if _open_reason():
        gc.collect()             # what nobody can reach any more may still be open
    return _open_reason() or _child_reason() or _memory_reason(maps or read_maps())


def thread_count() -> int:
    """Live threads of this process."""
    return len(_threads())


def _threads() -> set[str]:
    return set(os.listdir("/proc/self/task"))


_lasting: set[str] = set()     # threads of libraries, that have not ended when they were waited for


def _let_threads_end() -> None:
    """Wait for threads that Python has joined: the system lists them a moment longer, on a busy machine for long."""
    for _ in range(200):
        others = _threads() - _lasting - {str(process_id())}
        if not others or len(sys._current_frames()) > 1:
            return
        time.sleep(0.001)
    _lasting.update(others)


def survives_fork() -> bool:
    """Whether no other thread is left at a fork, once the handlers of libraries have run.

    Libraries such as OpenBLAS end their threads in the parent just before a fork; so it is tried.
    """
    _let_threads_end()
    if thread_count() == 1:
        return True
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os._exit(0)
    left = thread_count()
    os.waitpid(child, 0)
    return left == 1


def _open_reason() -> str:
    known = _inherited.union(*map(loops.descriptors, loops.find_idle()))
    for descriptor, target in _descriptors():
        if descriptor in known:
            continue
        if target.startswith("socket:"):
            return "it has an open socket"
        if target.startswith("pipe:"):
            return "it has an open pipe"
        if target.startswith("anon_inode:"):
            return f"it has an open {target[11:].strip('[]')}"
        if target.startswith(("/dev/nvidia", "/dev/dri", "/dev/kfd")):
            return "it uses a GPU"
    return ""


def _child_reason() -> str:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return ""
    return "it has a child process"


def _memory_reason(maps: list[str]) -> str:
    if any(line.split(None, 2)[1] == "rw-s" for line in maps):
        return "it has writable memory that a fork would share"
    return ""


class _Info(ctypes.Structure):
    _fields_ = [("addr", ctypes.c_void_p), ("name", ctypes.c_char_p)]


def _loaded_libraries() -> list[str]:
    """By the loader's own list: no system call."""
    found: list[str] = []

    def note(info: Any, _size: int, _data: Any) -> int:
        name = info.contents.name
        if name:
            found.append(os.fsdecode(name))
        return 0

    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Info), ctypes.c_size_t,
                                ctypes.c_void_p)(note)
    ctypes.CDLL(None).dl_iterate_phdr(callback, None)
    return found


def _descriptors() -> Iterator[tuple[int, str]]:
    for name in os.listdir("/proc/self/fd"):
        try:
            yield int(name), os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue


# ------------------------------------------------------------------ process ids

class _Identity:
    """The process id that a state knows as its own: it stays what it was when a checkpoint becomes another process.

    Libraries compare it with one of before, to find out that they are in a child, and then draw new
    randomness (tempfile) or refuse to clean up (multiprocessing). In a child of the program they are right.
    """

    def __init__(self) -> None:
        self.kept: int | None = None
        self.real, self._kill = os.getpid, os.kill

    def getpid(self) -> int:
        """The current process id."""
        return self.kept or self.real()

    def kill(self, pid: int, signal: int) -> None:
        """Send a signal to a process."""
        self._kill(self.real() if pid == self.kept else pid, signal)

    def forget(self) -> None:
        self.kept = None


_identity = _Identity()


def process_id() -> int:
    """What the system calls this process."""
    return _identity.real()


def keep_identity() -> None:
    """Before the program begins: let its process id outlast forks of ours."""
    os.getpid, os.kill = _identity.getpid, _identity.kill
    os.register_at_fork(after_in_child=_identity.forget)


# ------------------------------------------------------------------ forking

def fork() -> bool:
    """Fork with the child's state that of the parent, random numbers too; True in the child.

    The child is on its own: it is nobody's child to wait for, since the program may wait for any.
    """
    state, pid = random.getstate(), os.getpid()      # the module reseeds itself in a child
    idle = loops.find_idle()
    gc.collect()
    gc.freeze()                              # else collections dirty the pages that are shared
    sys.__stdout__.flush()
    sys.__stderr__.flush()
    middle = os.fork()
    if middle:
        os.waitpid(middle, 0)
        return False
    if os.fork():
        os._exit(0)
    random.setstate(state)
    _identity.kept = pid
    for loop in idle:
        loops.renew(loop)
    return True


def plain_files() -> list[tuple[int, str]]:
    """The program's open plain files: descriptors and names."""
    found = []
    for descriptor, target in _descriptors():
        try:
            status = os.fstat(descriptor)
        except OSError:
            continue
        if descriptor not in _inherited and stat.S_ISREG(status.st_mode):
            found.append((descriptor, target))
    return found


def reopen(files: list[tuple[int, str]]) -> str:
    """In a child: give every plain file its own offset, and in a branch its own copy.

    Returns what could not be done; empty if all is well.
    """
    for descriptor, target in files:
        problem = _reopen(descriptor, target)
        if problem:
            return problem
    return ""


def _reopen(descriptor: int, target: str) -> str:
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    keep = flags & (os.O_ACCMODE | os.O_APPEND)
    at = os.lseek(descriptor, 0, os.SEEK_CUR)
    inheritable = os.get_inheritable(descriptor)
    try:
        if target.endswith(" (deleted)") or target.startswith("/memfd:"):
            fresh = _copy_nameless(descriptor, os.fstat(descriptor).st_size)
        else:
            fresh = os.open(target, keep)
    except OSError as error:
        return f"{target} cannot be opened again: {error.strerror}"
    os.lseek(fresh, at, os.SEEK_SET)
    os.dup2(fresh, descriptor, inheritable)
    os.close(fresh)
    return ""


def _copy_nameless(descriptor: int, size: int) -> int:
    fresh = os.memfd_create("rex-copy")
    place = 0
    while place < size:
        block = os.pread(descriptor, min(1 << 20, size - place), place)
        if not block:
            break
        os.pwrite(fresh, block, place)
        place += len(block)
    return fresh
