"""What a path means in a new experiment: local replacements over the archive over the live system."""

from __future__ import annotations

import os
from typing import Mapping

from rex import codec
from rex.archive import APPARATUS, COMPLETE, Archive, Experiment, FileEntry
from rex.errors import RexError

_MAX_LINKS = 40
_MAX_OTHERS = 16


class Names:
    """Looks paths up as the run will, links followed. Paths are absolute and plain."""

    def __init__(self, files: Mapping[str, FileEntry], local: Mapping[str, str] | None = None, has_machine: bool = True) -> None:
        """files: of the archive; local: those that replace them, or are added; has_machine: below both lies this machine."""
        self._has_machine = has_machine
        self._files = files
        self._local = dict(local or {})
        self._made = {parent for path in self._local for parent in _parents(path)}

    def kind(self, path: str) -> str:
        """file, dir, symlink, ... of the path itself; "" if nothing is there."""
        if path in self._local:
            return "file"
        entry = self._files.get(path)
        if entry:
            return entry.initial.type if entry.initial else ""
        if path in self._made:
            return "dir"
        if not self._has_machine:
            return ""
        name = codec.raw(path)
        return ("symlink" if os.path.islink(name) else "dir" if os.path.isdir(name) else
                "file" if os.path.isfile(name) else "other" if os.path.lexists(name) else "")

    def resolve(self, path: str) -> str:
        """The path without links; what is missing stays as it is."""
        done, left, links = "/", _parts(path), 0
        while left:
            part = left.pop(0)
            if part == "..":
                done = os.path.dirname(done)
                continue
            here = os.path.join(done, part)
            target = self._target(here) if links < _MAX_LINKS else ""
            if not target:
                done = here
                continue
            links += 1
            if target.startswith("/"):
                done = "/"
            left = _parts(target) + left
        return done

    def _target(self, path: str) -> str:
        if path in self._local:
            return ""
        entry = self._files.get(path)
        if entry:
            return entry.initial.target if entry.initial else ""
        if not self._has_machine:
            return ""
        try:
            return codec.text(os.readlink(codec.raw(path)))
        except OSError:
            return ""

    def is_executable(self, path: str) -> bool:
        """Whether execve would take it, as far as its permissions tell."""
        path = self.resolve(path)
        if self.kind(path) != "file":
            return False
        entry = self._files.get(path)
        if path in self._local or not entry:
            return os.access(codec.raw(self._local.get(path, path)), os.X_OK)
        return bool(entry.initial and entry.initial.mode & 0o111)

    def program(self, command: str, cwd: str, search: str) -> str | None:
        """The path that a shell would execute for a command, links not followed."""
        if "/" in command:
            path = os.path.normpath(os.path.join(cwd, command))
            return path if self.is_executable(path) else None
        for directory in search.split(":"):
            path = os.path.normpath(os.path.join(cwd, directory, command))
            if self.is_executable(path):
                return path
        return None

    def find(self, given: str, cwd: str, is_program: bool) -> str | None:
        """The archived file that a user means: a path, or the bare name of one program."""
        path = self.resolve(os.path.normpath(os.path.join(cwd, given)))
        if path in self._files:
            return path
        if is_program and "/" not in given:
            found = [p for p, entry in self._files.items()
                     if os.path.basename(p) == given and APPARATUS in entry.roles]
            found = sorted({self.resolve(p) for p in found})
            return found[0] if len(found) == 1 else None
        return None


def other_apparatus(archive: Archive, experiment: Experiment) -> dict[str, FileEntry]:
    """What other experiments of an archive ran or loaded where this one has nothing, links and directories too.

    The newest few are looked at, the newest first; one that cannot be read is passed over.
    """
    found: dict[str, FileEntry] = {}
    others = [other for other in archive.experiments() if other.name != experiment.name and other.state == COMPLETE]
    for other in sorted(others, key=lambda each: int(each.begun.get("start_ns", 0)), reverse=True)[:_MAX_OTHERS]:
        try:
            files = other.manifest.files
        except RexError:
            continue
        chosen = {path for path, entry in files.items() if entry.initial and (
            entry.initial.type == "symlink" or (APPARATUS in entry.roles and entry.initial.content))}
        chosen |= {above for path in chosen for above in _parents(path) if above in files}
        for path in chosen:
            if path not in experiment.manifest.files and files[path].initial:
                found.setdefault(path, files[path])
    return found


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _parents(path: str) -> list[str]:
    found = []
    while path != "/":
        path = os.path.dirname(path)
        found.append(path)
    return found
