"""Why a recorded step may not take the place of a program that is about to be executed."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from rex import codec
from rex.trees import facts as kinds
from rex.trees.facts import ABSENT, FILE, LIST
from rex.trees.files import Files
from rex.trees.inherited import PROCESSORS
from rex.trees.live import LiveProcess
from rex.trees.now import Now
from rex.trees.step import Given, Left, Step

if TYPE_CHECKING:
    from rex.archive import Manifest

_DRAWN = {kinds.CLOCK: "it read a clock", kinds.RANDOMNESS: "it drew random numbers", kinds.MACHINE: "it looked at the machine",
          kinds.NETWORK: "it talked to the network", kinds.DEVICE: "it used a device or a terminal", kinds.OTHERS: "it looked at other processes"}


class Judge:
    """Compares steps with what is here now."""

    def __init__(self, now: Now, is_strict: bool) -> None:
        self._now = now
        self._refused = kinds.NEVER | ({kinds.CLOCK, kinds.RANDOMNESS, kinds.MACHINE} if is_strict else set())
        self._machine: dict[str, Any] = {}

    def objection(self, step: Step, manifest: "Manifest", process: LiveProcess) -> str:
        """The first reason; "" if there is none."""
        return self._of_recording(step) or self._of_place(step, manifest, process) or next(
            (self._of_input(given) for given in step.given if not self._now.is_still(given)), "")

    def _of_recording(self, step: Step) -> str:
        if step.against:
            return step.against[0]
        if not step.is_known:
            lacking = [each.path for each in step.left if not each.is_known] + [each.path for each in step.given if each.kind == FILE and not each.value]
            return f"the archive does not have {lacking[0]} as it was then" if lacking else "the archive does not have its program"
        if step.status is None or step.status < 0:
            return "a signal ended it"
        return next((_DRAWN[source] for source in step.sources if source in self._refused), "")

    def _of_place(self, step: Step, manifest: "Manifest", process: LiveProcess) -> str:
        files = self._now.files
        if kinds.MACHINE in step.sources and not self._is_here(manifest, step, process):
            return "it looked at the machine, and this is another one"
        if there := next((path for path in step.passing if files.is_there(codec.raw(path))), ""):
            return f"{there} is there, which it makes and removes"
        if any(descriptor_for(step, stream) is None for stream, _ in step.printed):
            return "it printed by a descriptor that is not a standard one"
        if step.owns and not all(_has_our_group(files, codec.raw(each.path)) for each in step.left):
            return "what it leaves would have another group"
        if not process.has_fresh_descriptors(step.programs[0]["standard"]):
            return "its standard descriptors lead elsewhere, or their files are not as they were"
        other = next((each.path for each in step.left if not _can_be_left(files, each, process, step.writes)), "")
        return f"{other}, which it leaves, is here as another thing than before it" if other else ""

    def _of_input(self, given: Given) -> str:
        if given.kind == ABSENT:
            return f"{given.path} is there now"
        if given.kind == LIST:
            return f"other names in {given.path}"
        if not self._now.files.is_there(codec.raw(given.path)):
            return f"input {given.path} is gone"
        if given.kind == FILE:
            return f"input {given.path} changed" + (", which this run has written" if self._now.is_of_this_run(given.path) else "")
        return f"time, size, mode or the like of {given.path} changed"

    def _is_here(self, manifest: Manifest, step: Step, process: LiveProcess) -> bool:
        """Whether a step was recorded on this machine, as it is now, with the same processors."""
        if not self._machine:
            from rex.recorder import machine_facts
            self._machine = machine_facts()
        return (manifest.host == os.uname().nodename and manifest.machine == self._machine
                and step.programs[0]["inherited"].get(PROCESSORS) == process.inherited.get(PROCESSORS))


def descriptor_for(step: Step, stream: int) -> int | None:
    """The standard descriptor of a step's program that leads to a stream of the experiment."""
    found = [fd for fd, text in enumerate(step.programs[0]["standard"]) if text in (f"stream {stream}", f"terminal {stream}")]
    return found[0] if found else None


def _can_be_left(files: Files, left: Left, process: LiveProcess, others: frozenset[str]) -> bool:
    """Whether what the step left would be the same now at this path, which may hold an older file."""
    name, parent = codec.raw(left.path), os.path.dirname(left.path)
    if parent not in others and not _is_directory(files, codec.raw(parent)):
        return False
    if process.descriptor_of(name) is not None:
        return True
    try:
        info = files.stat(name, False)
    except FileNotFoundError:
        return not left.was_there              # else nobody knows what mode it would get
    if not stat.S_ISREG(info.st_mode):           # a write would go through a link; a directory has contents of its own
        return left.was_there and stat.S_ISDIR(info.st_mode) and (left.state is None or left.state.type == "dir")
    if left.state is None:
        return True
    return (left.state.type == "file" and info.st_nlink == 1 and info.st_uid == os.geteuid()
            and stat.S_IMODE(info.st_mode) == left.state.mode)


def _has_our_group(files: Files, name: bytes) -> bool:
    """Whether a file that is made or written at a name has the group of who runs."""
    try:
        if files.is_there(name):
            return files.stat(name, False).st_gid == os.getegid()
        above = files.stat(os.path.dirname(name))
        return not above.st_mode & stat.S_ISGID or above.st_gid == os.getegid()
    except OSError:
        return False


def _is_directory(files: Files, name: bytes) -> bool:
    """Whether a name, without any link in it, is that of a directory."""
    try:
        return stat.S_ISDIR(files.stat(name).st_mode) and files.real(name) == name
    except OSError:
        return False
