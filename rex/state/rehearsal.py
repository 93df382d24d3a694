"""Run code in a confined twin of this process first: what it would do outside is found before it is done here.

Some objects (generators, locks, connections) live in one process and cannot be sent to another, so their cell must
run here. A forked twin runs it before, and the kernel ends the twin at the first call that would change something.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import select
import signal
import stat
import sys
import time
import warnings
from typing import Callable, NoReturn

from rex.state.confine import confine
from rex.state.effects import forbid_effects, no_bytecode_files

LIMIT_S, _TIMES_LONGER = 10.0, 5.0
_ANSWER_BYTES = 4000
_HARMLESS = "+"


def rehearse(run: Callable[[], None], usual_s: float = 0.0) -> str:
    """Why code must not run in this process; "" if its run in a confined twin changed nothing outside.

    Args:
        run: runs the code; what it raises counts as a reason.
        usual_s: seconds that it took before.
    """
    answer, tell = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)   # threads; the twin uses none of them
        pid = os.fork()
    if pid == 0:
        try:
            _be_twin(run, tell)
        finally:
            os._exit(1)
    os.close(tell)
    try:
        return _outcome(pid, answer, LIMIT_S + _TIMES_LONGER * usual_s)
    finally:
        os.close(answer)


def _outcome(pid: int, answer: int, limit_s: float) -> str:
    """What the twin found."""
    text, end_s = b"", time.monotonic() + limit_s
    while select.select([answer], [], [], max(0.0, end_s - time.monotonic()))[0]:
        if not (piece := os.read(answer, _ANSWER_BYTES)):
            break
        text += piece
    else:
        os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    if text:
        return text.decode("utf-8", "replace").removeprefix(_HARMLESS)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSYS:
        return "running the cell again would change files, start programs or use the network"
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return f"running the cell again in a confined process did not end within {limit_s:.0f} s"
    return "running the cell again ends the process"


def _be_twin(run: Callable[[], None], tell: int) -> NoReturn:
    def say(text: str) -> NoReturn:
        os.write(tell, text.encode("utf-8", "replace")[:_ANSWER_BYTES])
        os._exit(0)

    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    _use_one_thread()
    before = set(sys._current_frames())
    if why := confine(*_separate_descriptors({0, 1, 2, null, tell})):
        say(why)
    try:
        with no_bytecode_files(), forbid_effects(lambda what: say(f"running the cell again would {what}")):
            run()
    except BaseException as error:
        say(f"{type(error).__name__}: {error}")
    if set(sys._current_frames()) - before:
        say("threads that the cell starts run on")
    say(_HARMLESS)


def _use_one_thread() -> None:
    """Pools of threads did not come along: let OpenMP and torch compute in this thread, rather than wait for them."""
    torch = sys.modules.get("torch")
    if hasattr(torch, "set_num_threads"):
        torch.set_num_threads(1)
    with open("/proc/self/maps") as file:
        paths = set(re.findall(r"/\S*/lib[gi]?omp[^/\s]*\.so\S*", file.read()))
    for path in paths:
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(path).omp_set_num_threads(1)


def _separate_descriptors(own: set[int]) -> tuple[set[int], set[int]]:
    """Give this process positions of its own in open files; descriptors not to be written, and not to be read.

    A twin shares the positions of open files with its original, and what is in pipes and sockets.
    """
    unwritable, unreadable = set(), set()
    for fd in {int(name) for name in os.listdir("/proc/self/fd")} - own:
        try:
            facts, link = os.fstat(fd), f"/proc/self/fd/{fd}"
        except OSError:
            continue     # it was that of the listing
        if stat.S_ISREG(facts.st_mode):
            unwritable.add(fd)
            if not _reopen(link, fd):
                unreadable.add(fd)
        elif not stat.S_ISDIR(facts.st_mode) and facts.st_rdev != os.makedev(1, 3):     # /dev/null
            unwritable.add(fd)
            unreadable.add(fd)
    return unwritable, unreadable


def _reopen(link: str, fd: int) -> bool:
    """Replace a descriptor by one of its own for reading, at the same place; whether that was done."""
    try:
        place, anew = os.lseek(fd, 0, os.SEEK_CUR), os.open(link, os.O_RDONLY)
    except OSError:
        return False
    os.lseek(anew, place, os.SEEK_SET)
    os.dup2(anew, fd)
    os.close(anew)
    return True
