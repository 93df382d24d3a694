"""A recording watched while it runs: the first input that is not as in an earlier experiment."""

from __future__ import annotations

import hashlib
import os
import struct
from typing import TYPE_CHECKING, Callable, Iterator, Mapping, Sequence

from rex import codec
from rex.archive import APPARATUS, INPUT
from rex.expdiff.received import Received, position_of
from rex.log.records import EVENT, HEADER, MAX_RECORD_BYTES, decode
from rex.log.repeats import events_in
from rex.log.uses import READ, file_uses

if TYPE_CHECKING:
    from rex.archive import Experiment
    from rex.archive.logkeeper import Growing
    from rex.archive.store import Store
    from rex.log.records import Event

_NATURAL = frozenset({"_", "OLDPWD", "SHLVL", "PWD"})
_HASHED_BYTES = 64 << 20     # larger files of the same size are left to the comparison in the end
_SIZE = struct.Struct("<I").unpack_from


class Watch:
    """Looks for the first difference, and tells it once."""

    def __init__(self, earlier: "Experiment", store: "Store", tell: Callable[[str], None]) -> None:
        self._earlier, self._tell = earlier.manifest, tell
        self._experiment, self._store = earlier, store
        self._cwd = self._earlier.cwd
        self._stdin = -1
        self._position: int | None = None
        self._is_told = False
        self._seen: set[str] = set()
        self._written: set[str] = set()

    def begin(self, stdin: int, command: Sequence[str], environment: Mapping[str, str], cwd: str) -> None:
        """Look at what is known before the program runs."""
        self._cwd = cwd
        self._stdin, self._position = stdin, position_of(stdin)
        earlier = self._earlier
        for at, (old, new) in enumerate(zip(earlier.command, command)):
            if old != new:
                return self._found(f"argument {at} is {new!r}, and was {old!r}")
        if len(earlier.command) != len(command):
            return self._found(f"the command has {len(command)} words, and had {len(earlier.command)}")
        for name in sorted({*earlier.environment, *environment} - _NATURAL - {*earlier.withheld}):
            if earlier.environment.get(name) != environment.get(name):
                return self._found(f"variable {name} is another one")

    def follow(self, log: "Growing") -> None:
        """Look at each file that the program reads, as it does, and at what comes from outside."""
        received = Received(self._experiment, self._store, self._cwd, self._found)
        if self._position is not None and not self._is_told:
            received.begin(self._stdin, self._position)
        for number, event in enumerate(_events(log)):
            if self._is_told:
                return
            received.take(number, event)
            for raw, use in file_uses(event):
                path = codec.text(raw)
                if use != READ:
                    self._written.add(path)
                elif path not in self._seen and path not in self._written:
                    self._seen.add(path)
                    self._look(path, number)

    def _found(self, what: str) -> None:
        if not self._is_told:
            self._is_told = True
            self._tell(what)

    def _look(self, path: str, number: int) -> None:
        """Compare a file with what the earlier experiment read there."""
        start = self._cwd.rstrip("/") + "/"
        old = os.path.join(self._earlier.cwd, path[len(start):]) if path.startswith(start) else path
        entry = self._earlier.files.get(old)
        state = entry.initial if entry and {INPUT, APPARATUS} & {*entry.roles} else None
        if state is None or state.content is None:
            return
        try:
            with open(codec.raw(path), "rb") as file:
                size = os.fstat(file.fileno()).st_size
                is_other = size != state.size or size <= _HASHED_BYTES and hashlib.file_digest(file, "sha256").hexdigest() != state.content.sha256
        except OSError:
            return
        if is_other:
            self._found(f"{'input' if entry and INPUT in entry.roles else 'program or library'} {path} differs (event {number})")


def _events(log: "Growing") -> Iterator["Event"]:
    """The events of a log as they come, from its beginning."""
    buffer, offset, position = b"", HEADER.size, HEADER.size
    while data := log.arrived():
        buffer += data
        while len(buffer) - position >= EVENT.size:
            size = _SIZE(buffer, position)[0]
            if size < EVENT.size or size & 7 or size > MAX_RECORD_BYTES:
                return
            if len(buffer) - position < size:
                break
            yield from events_in(decode(memoryview(buffer)[position:position + size], offset))
            position += size
            offset += size
        buffer, position = buffer[position:], 0
