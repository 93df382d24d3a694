"""The file system that a live run saw, after the run: what the recording's manifest is made from."""

from __future__ import annotations

import os
import stat
from typing import Iterable

from rex import codec, elf
from rex.archive import ElfFacts, FileState, Line, Recording
from rex.archive.capture import below
from rex.credentials import SMALL_BYTES
from rex.filetree import FileTree
from rex.keeping import elf_facts
from rex.runnew.answers import Answers, Look
from rex.runnew.plan import RunPlan
from rex.values import replace


class RunTree(FileTree):
    """Outputs over local files over archived ones over this machine's."""

    def __init__(self, recording: Recording, plan: RunPlan, answers: Answers, touched: Iterable[str],
                 gone: set[str]) -> None:
        """After the run.

        Args:
            touched: paths that the run was about to change.
            gone: paths that it removed from below its outputs.
        """
        self.recording = recording
        self.seen: dict[str, FileState] = {}
        self.inputs: dict[str, Line] = {}
        self.excluded: set[str] = set()
        self._plan, self._answers, self._gone = plan, answers.without(plan.files, plan.folders), gone
        self._top = os.path.realpath(plan.outdir)
        self._files = {**plan.others, **plan.archived}
        self.captured: dict[str, FileState] = {}
        for path in touched:
            self.captured.update(self._all_before(path))

    def capture(self, path: str) -> FileState:
        """The state of a path as the run left it; FileNotFoundError where it is gone."""
        upper = self._top + path
        if os.path.lexists(codec.raw(upper)):
            state = self.recording.capture(upper)
            return state if state.type != "dir" or self._is_own(path) else self.before(path)
        if self._is_gone(path):
            raise FileNotFoundError(path)
        return self.before(path)

    def _is_own(self, path: str) -> bool:
        """Whether a directory is the run's own, not just the place of an output."""
        try:
            self.before(path)
        except OSError:
            return True
        return self._is_gone(path)

    def _is_gone(self, path: str) -> bool:
        while path not in self._gone and path != "/":
            path = os.path.dirname(path)
        return path in self._gone

    def before(self, path: str) -> FileState:
        """What was at a path before the run.

        Raises:
            FileNotFoundError: nothing was there.
        """
        if path in self._plan.files:
            return self.recording.capture(self._plan.files[path])
        if entry := self._files.get(path):
            if entry.initial:
                return entry.initial
            raise FileNotFoundError(path)
        if look := self._answers.looks.get(path):
            return self._looked_at(path, look)
        if path in self._answers.links:
            return FileState("symlink", 0o777, target=self._answers.links[path])
        if path in self._answers.absent:
            raise FileNotFoundError(path)
        try:
            return self.recording.capture(path)
        except FileNotFoundError:
            if any(each.startswith(path.rstrip("/") + "/") for each in [self._plan.cwd + "/", *self._plan.files]):
                return FileState("dir", 0o755)
            raise

    def _looked_at(self, path: str, look: Look) -> FileState:
        """What was at a path of which the archive knows only the answer of a stat: as the tracer gives it to who opens it.

        A file has the bytes of this machine's if that has the size; without a known size all is this machine's.
        """
        mode = stat.S_IMODE(look.mode)
        if stat.S_ISDIR(look.mode):
            return FileState("dir", mode, mtime_ns=look.mtime_ns)
        try:
            info = os.stat(codec.raw(path))
            if stat.S_ISREG(info.st_mode) and look.size in (None, info.st_size):
                state = self.recording.capture(os.path.realpath(codec.raw(path)))
                return state if look.size is None else replace(state, mode=mode, mtime_ns=look.mtime_ns)
        except OSError:   # the archive has the name only
            pass
        return FileState("file", mode, mtime_ns=look.mtime_ns, size=look.size or 0)

    def _all_before(self, path: str) -> dict[str, FileState]:
        """What was at a path and below it before the run."""
        found = {}
        known = [p for p in (*self._files, *self._plan.files) if p.startswith(path + "/")]
        for each in {path, *known, *(below(path) if path not in self._files else ())}:
            try:
                found[each] = self.before(each)
            except FileNotFoundError:
                continue
        return found

    def below(self, path: str) -> list[str]:
        """Paths of what the run wrote below a directory."""
        return [found[len(self._top):] for found in below(self._top + path)]

    def peek(self, path: str) -> bytes:
        """The bytes of a small file of this machine; of one of the archive none: its own recording has looked at it."""
        place = self._top + path
        if not os.path.lexists(codec.raw(place)):
            place = self._plan.files.get(path, "" if path in self._files else path)
        try:
            with open(codec.raw(place), "rb") as file:
                return file.read(SMALL_BYTES)
        except OSError:
            return b""

    def is_link(self, path: str) -> bool:
        """The path is a symbolic link now."""
        try:
            return self._state(path).type == "symlink"
        except OSError:
            return False

    def _state(self, path: str) -> FileState:
        upper = codec.raw(self._top + path)
        if os.path.islink(upper):
            return FileState("symlink", target=codec.text(os.readlink(upper)))
        entry = self._files.get(path)
        if entry and entry.initial and not self._is_gone(path):
            return entry.initial
        name = codec.raw(path)
        if path in self._answers.links or os.path.islink(name):
            return FileState("symlink")
        return FileState("other")

    def info(self, path: str) -> os.stat_result | None:
        """No stat: the run's files lie elsewhere."""
        return None

    def elf(self, path: str, state: FileState | None = None) -> ElfFacts | None:
        """The facts of an ELF file that the run saw; None if it is none."""
        entry = self._files.get(path)
        if path in self._plan.files:
            return elf_facts(codec.raw(self._plan.files[path]))
        return entry.elf if entry else elf_facts(codec.raw(path))

    def needed(self, program: str, environment: dict[str, str]) -> set[str]:
        """Those among the archived libraries that it names, and that they name; and that of glibc for ends of threads."""
        by_name: dict[str, str] = {}
        for path, entry in self._files.items():
            if entry.elf and entry.elf.soname and entry.initial:
                by_name.setdefault(entry.elf.soname, path)
        found: set[str] = set()
        left = [program]
        while left:
            facts = self.elf(left.pop())
            new = {by_name[name] for name in (facts.needed if facts else ()) if name in by_name} - found
            found |= new
            left += new
        if by_name.get(elf.LIBC) in found and elf.UNWINDER in by_name:
            found.add(by_name[elf.UNWINDER])
        return found
