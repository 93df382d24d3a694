"""A process that is about to execute a program, stopped: what it would be given besides files."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from rex import codec
from rex.trees import inherited
from rex.trees.files import Files
from rex.standard import is_closed

if TYPE_CHECKING:
    from rex.archive import Manifest

_JOBSERVER = "jobserver"          # what make hands on to what it starts, which nobody but another make reads


class Outside:
    """What a recording is given.

    Attributes:
        files: device and inode of all that Rex has open: what a program does with it shows in the log.
        streams: of the standard streams; terminals: those that are one.
    """

    def __init__(self, streams: tuple[int, int, int]) -> None:
        null = os.stat(os.devnull)
        infos = [null if fd < 0 or is_closed(fd) else os.fstat(fd) for fd in streams]
        self.streams = [(info.st_dev, info.st_ino) for info in infos]
        self.terminals = {number for number, fd in enumerate(streams) if fd >= 0 and os.isatty(fd)}
        self.files = set(self.streams)
        for name in os.listdir("/proc/self/fd"):
            try:
                info = os.fstat(int(name))
            except OSError:          # the directory itself
                continue
            self.files.add((info.st_dev, info.st_ino))


class LiveProcess:
    """What /proc says about it, and what it wants to execute.

    Attributes:
        arguments, environment: of the new program.
        inherited: what else that would be given.
    """

    def __init__(self, pid: int, path: bytes, arguments: bytes, variables: bytes, state: bytes, outside: "Outside",
                 files: Files) -> None:
        self._proc = f"/proc/{pid}"
        self._outside, self._files = outside, files
        self.path = codec.text(path)
        self.arguments = [codec.text(word) for word in arguments.split(b"\0")[:-1]]
        pairs = [word.partition(b"=") for word in variables.split(b"\0")[:-1]]
        self.environment = {codec.text(name): codec.text(value) for name, _, value in pairs}
        self.inherited = inherited.parse(state)

    def difference(self, manifest: "Manifest", program: dict[str, Any]) -> str:
        """What is not as a recorded program had it, of variables, directory and everything else that programs inherit."""
        if names := self.other_variables(manifest, program):
            return f"variable {names[0]} differs"
        if self._link("cwd") != program["cwd"]:
            return f"its working directory was {program['cwd']}"
        if not self._is_program(program):
            return f"its program was {program['program']}"
        if name := inherited.difference(self.inherited, program["inherited"]):
            return f"it inherits another {name}"
        if not self._is_ours():
            return "it has other rights than Rex"
        return "it inherits open files" if self._has_other_descriptors() else ""

    def other_variables(self, manifest: "Manifest", program: dict[str, Any]) -> list[str]:
        """Names of the variables that a recorded program had not, or with another value."""
        masked = {name: "*" * len(codec.raw(value)) if name in manifest.withheld else value for name, value in self.environment.items()}
        return sorted(name for name in {*masked, *program["environment"]} if masked.get(name) != program["environment"].get(name))

    def _is_program(self, program: dict[str, Any]) -> bool:
        """Whether the path that is given now leads to the program, or to one of its scripts, whose content is compared later."""
        name = os.path.join(self._link("cwd"), self.path)
        real = codec.text(self._files.real(codec.raw(name)))
        return real == program["program"] or real in program["scripts"]

    def _link(self, name: str) -> str:
        return codec.text(self._files.logical(os.readlink(os.fsencode(f"{self._proc}/{name}"))))

    def _status(self, name: str) -> str:
        """A line of /proc/PID/status; "" if the kernel does not tell it."""
        with open(f"{self._proc}/status", encoding="utf-8", errors="replace") as file:
            return next((line.split()[1] for line in file if line.startswith(f"{name}:")), "")

    def libraries_of_tracer(self) -> set[bytes]:
        """The loader and the libraries that its tracer runs with."""
        with open(f"/proc/{self._status('TracerPid')}/maps", "rb") as file:
            mapped = {line.split(None, 5)[5].rstrip(b"\n") for line in file if line.count(b"/")}
        return {path for path in mapped if b".so" in os.path.basename(path)}

    def _is_ours(self) -> bool:
        """Whether it may do what we may: its files are looked at by us."""
        return all(self.inherited.get(name, "").split()[1:2] == [str(number)] for name, number in (("uid", os.geteuid()), ("gid", os.getegid())))

    def _flags(self, fd: int) -> tuple[int, int]:
        """Position and flags of a descriptor."""
        with open(f"{self._proc}/fdinfo/{fd}", encoding="ascii", errors="replace") as file:
            facts = dict(line.split(":", 1) for line in file if ":" in line)
        return int(facts["pos"]), int(facts["flags"], 8)

    def _identity(self, fd: int) -> tuple[int, int]:
        info = os.stat(f"{self._proc}/fd/{fd}")
        return info.st_dev, info.st_ino

    def _has_other_descriptors(self) -> bool:
        """Whether the program would inherit files by which others could tell it something unseen."""
        for fd in map(int, os.listdir(f"{self._proc}/fd")):
            if fd > 2 and not self._flags(fd)[1] & os.O_CLOEXEC and self._identity(fd) not in self._outside.files:
                if not (_JOBSERVER in self.environment.get("MAKEFLAGS", "") and self._link(f"fd/{fd}").startswith("pipe:")):
                    return True
        return False

    def _shares_reading(self, fd: int, here: str) -> bool:
        """Whether its parent has the same file at that descriptor: who reads next goes on where this program ends."""
        try:
            return codec.text(self._files.logical(os.readlink(os.fsencode(f"/proc/{self._status('PPid')}/fd/{fd}")))) == here
        except FileNotFoundError:
            return False

    def has_fresh_descriptors(self, recorded: list[str]) -> bool:
        """Whether standard descriptors lead where they led, and files among them are at their beginning, those to read its own, those
        to write empty."""
        for fd, was in enumerate(recorded):
            kind, _, path = was.partition(" ")
            try:
                info, here = os.stat(f"{self._proc}/fd/{fd}"), self._link(f"fd/{fd}")
            except FileNotFoundError:
                if kind != "closed":
                    return False
                continue
            if kind in ("stream", "terminal"):
                number = int(path) - 1
                if (info.st_dev, info.st_ino) != self._outside.streams[number] or (number in self._outside.terminals) != (kind == "terminal"):
                    return False
            elif kind not in ("read", "write") or here != path:
                return False
            elif stat.S_ISREG(info.st_mode) and (self._flags(fd)[0] or info.st_size and (kind == "write" or self._shares_reading(fd, here))):
                return False
        return True

    def descriptor_of(self, name: bytes) -> int | None:
        """The standard descriptor that is open on a file for writing."""
        for fd in (1, 2):
            try:
                if codec.raw(self._link(f"fd/{fd}")) == name and self._flags(fd)[1] & os.O_ACCMODE != os.O_RDONLY:
                    return fd
            except OSError:
                continue
        return None
