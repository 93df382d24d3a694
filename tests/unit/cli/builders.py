"""Experiments made by hand: manifests and logs as a recording would leave them."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from rex.archive import (APPARATUS, INPUT, OUTPUT, Archive, ElfFacts, Experiment, FileEntry,
                         FileState, Manifest, Process, Recording)
from rex.log import Event, LogWriter
from rex.log.records import ARGV, EXIT, IN, NOTE, OUT, RESOLVED, TASK, TEXT
from rex.syscalls import BY_NAME

START_NS = 1_600_000_000_000_000_000


def call(name: str, result: int = 0, *fields: tuple[int, int, bytes], **more: Any) -> Event:
    """A syscall that returned."""
    return Event(BY_NAME[name].nr, result=result, fields=fields, **more)


def write(stream: int, data: bytes, task: int = 0) -> Event:
    """A write to a standard stream."""
    return call("write", len(data), (1, IN, data), task=task, stream=stream, args=(stream - 1, 1, len(data), 0, 0, 0))


def a_log(written: list[Event]) -> list[Event]:
    """A shell and one child: 0 begins, 1 execve, 2 an open that fails, 3 begins, 4 an open of
    /proc, 5 a read from it, 6 a note, then what was written, and two ends."""
    first = 2**32 - 1
    return [
        Event(TASK, args=(first, 0, 0, 500, 500, 0)),
        call("execve", 0, (0, IN, b"/bin/sh"), (0, RESOLVED, b"/usr/bin/dash"), (1, ARGV, b"sh\0-c\0x\0")),
        call("openat", -2, (1, IN, b"/etc/nothing"), args=(2**64 - 100, 1, 0, 0, 0, 0)),
        Event(TASK, task=1, args=(0, 0, 17, 501, 501, 1), time_ns=1000),
        call("openat", 3, (1, IN, b"/proc/cpuinfo"), (1, RESOLVED, b"/proc/cpuinfo"), task=1, stream=4,
             args=(2**64 - 100, 1, 0, 0, 0, 0)),
        call("read", 3, (1, OUT, b"cpu"), task=1, stream=4, args=(3, 1, 64, 0, 0, 0)),
        Event(NOTE, fields=((255, TEXT, b"a note \x1b[31m"),)),
        *written,
        Event(EXIT, task=1, time_ns=2000), Event(EXIT, result=3 << 8, time_ns=3000)]


class Bench:
    """An archive that experiments can be put into."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.archive = Archive.create(path)

    def _state(self, recording: Recording, data: bytes, mode: int, mtime_ns: int) -> FileState:
        return FileState("file", mode, mtime_ns=mtime_ns, size=len(data), content=recording.add_bytes(data))

    def record(self, name: str | None = None, *, inputs: dict[str, bytes] | None = None,
               outputs: dict[str, bytes] | None = None, apparatus: dict[str, tuple[bytes, ElfFacts]] | None = None,
               stdout: bytes = b"", stderr: bytes = b"", removed: tuple[str, ...] = (), mode: int = 0o644,
               mtime_ns: int = 5, stdin: bytes | None = None, entries: dict[str, FileEntry] | None = None,
               events: list[Event] | None = None, **facts: Any) -> Experiment:
        """A finished experiment with these files, output and manifest facts."""
        with self.archive.begin(name, {"command": ["sh"], "start_ns": START_NS}) as recording:
            files = {"/usr": FileEntry(FileState("dir", 0o755)), **(entries or {})}
            for path, data in (inputs or {}).items():
                files[path] = FileEntry(self._state(recording, data, mode, mtime_ns), roles=(INPUT,))
            for path, data in (outputs or {}).items():
                files[path] = FileEntry(None, self._state(recording, data, mode, mtime_ns), True, (OUTPUT,))
            for path, (data, elf) in (apparatus or {}).items():
                files[path] = FileEntry(self._state(recording, data, 0o755, mtime_ns), roles=(APPARATUS,), elf=elf)
            for path in removed:
                files[path] = FileEntry(self._state(recording, b"old", mode, mtime_ns), None, True, (INPUT,))
            written = [write(stream, data) for stream, data in ((2, stdout), (3, stderr)) if data]
            with LogWriter(recording.log_path, start_ns=START_NS) as log:
                for event in events if events is not None else a_log(written):
                    log.append(event)
            attachments = {} if stdin is None else {"stdin": recording.add_bytes(stdin)}
            return recording.finish(Manifest(files=files, attachments=attachments, **{**default_facts(), **facts}))

    def leave_incomplete(self) -> Experiment:
        """An experiment whose recorder died."""
        with self.archive.begin(None, {"command": ["sleep", "9"], "cwd": "/w", "start_ns": START_NS}) as recording:
            log = LogWriter(recording.log_path, start_ns=START_NS)
            log.append(call("getpid", 5))
            log.abandon()
        return self.archive.experiments()[-1]

    def damage_packs(self) -> None:
        """Flip bytes in every pack."""
        for path in Path(self.path, "packs").glob("*.pack"):
            path.chmod(0o644)
            data = bytearray(path.read_bytes())
            data[10:14] = struct.pack("<I", 0x12345678)
            path.write_bytes(bytes(data))


def default_facts() -> dict[str, Any]:
    """Manifest facts of an ordinary experiment."""
    return {
        "command": ("sh", "-c", "x"), "cwd": "/w", "environment": {"A": "1", "PWD": "/w"}, "user": "ann",
        "host": "h", "machine": {"kernel": "6.1", "cpus": 2}, "terminal": {"stdin": "terminal"},
        "limits": {"nofile": (1024, 4096), "cpu": (-1, -1)}, "engine": "native", "rex": "0", "start_ns": START_NS,
        "duration_s": 1.5, "exit_status": 3, "counts": {"events": 10, "files": 1, "processes": 2},
        "processes": (Process(0, None, 0, ("sh", "-c", "x"), "/usr/bin/dash", 0.0, 1.5, 3),
                      Process(1, 0, 0, ("cat", "in"), "/usr/bin/cat", 0.5, 1.0, 0),
                      Process(2, 0, 1, ("sleep", "9"), "/usr/bin/sleep", 0.6, None, -9),
                      Process(3, 1, 0, ("true",), "/usr/bin/true", 0.7, 0.8, 0))}
