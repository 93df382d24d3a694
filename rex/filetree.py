"""The file system that an experiment saw, as its manifest is made from it after the run."""

from __future__ import annotations

import os

from rex import codec, elf
from rex.archive import ElfFacts, FileState
from rex.archive.capture import below
from rex.credentials import SMALL_BYTES
from rex.keeping import CaptureService, Keeper, elf_facts


class FileTree:
    """The file system of this machine; what was kept during the run is there already.

    Attributes:
        captured: states of files before the experiment changed them.
        seen: states of files that were only read, kept beside the run.
        inputs: of most of these, what a manifest has of them if they are inputs.
        excluded: files whose bytes the user wanted left out; grows as files are captured.
    """

    def __init__(self, keeper: Keeper, service: CaptureService) -> None:
        """The service has ended."""
        self._keeper = keeper
        self.captured = service.captured
        self.seen = service.seen
        self.inputs = service.inputs
        self._elf = service.elf
        self.excluded = keeper.excluded
        self._infos: dict[str, os.stat_result | None] = {}

    def capture(self, path: str) -> FileState:
        """What is at a path now, with its content.

        Raises:
            FileNotFoundError: nothing is there.
            OSError: it cannot be read.
        """
        return self._keeper.capture(path)

    def peek(self, path: str) -> bytes:
        """The bytes of a small file as it is now; none if it cannot be read."""
        try:
            with open(codec.raw(path), "rb") as file:
                return file.read(SMALL_BYTES)
        except OSError:
            return b""

    def below(self, path: str) -> list[str]:
        """Everything below a directory; nothing for what is none."""
        return below(path)

    def is_link(self, path: str) -> bool:
        """Whether a symbolic link is at a path."""
        return os.path.islink(codec.raw(path))

    def info(self, path: str) -> os.stat_result | None:
        """What this machine said of a path when first asked after the run; None if that is not the experiment's file."""
        if path not in self._infos:
            try:
                self._infos[path] = os.lstat(codec.raw(path))
            except OSError:
                self._infos[path] = None
        return self._infos[path]

    def elf(self, path: str, state: FileState | None = None) -> ElfFacts | None:
        """What the ELF file at a path, which was kept in this state, says about itself."""
        if state and path in self._elf and self.seen.get(path) is state:
            return self._elf[path]
        if state and state.content and self._keeper.begins_otherwise(state.content, elf.MAGIC):
            return None
        return elf_facts(codec.raw(path))

    def needed(self, program: str, environment: dict[str, str]) -> set[str]:
        """The libraries that a program names, and that of glibc for ends of threads, by their paths without links.

        Raises:
            RexError, OSError: it cannot be read.
        """
        libraries = elf.resolve_needed(os.fsdecode(codec.raw(program)), environment)
        late = elf.resolve_unwinder(libraries, environment)
        return {codec.text(os.fsencode(os.path.realpath(path))) for path in [*libraries.found.values(), *([late] if late else [])]}
