"""The apparatus as people think of it: programs, each with the libraries that it needs."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from rex.archive import APPARATUS, FileEntry, Manifest

PROGRAM, SCRIPT, LIBRARY = "program", "script", "library"


@dataclass(frozen=True)
class Part:
    """A file of the apparatus."""

    path: str
    size: int
    kind: str


@dataclass
class Program:
    """A program of the experiment.

    Attributes:
        runs: how many processes executed it.
        libraries: what the loader brings in for it, nearest first; libraries that nobody
            names are with the first program, if there is only one.
    """

    part: Part
    runs: int = 0
    libraries: list[Part] = field(default_factory=list)


@dataclass(frozen=True)
class Apparatus:
    """All of it; `others` are libraries that no program names, so loaded while one ran (plugins)."""

    programs: list[Program]
    others: list[Part]

    def paths(self) -> set[str]:
        """Every path, once."""
        return {part.path for program in self.programs for part in [program.part, *program.libraries]} | {
            part.path for part in self.others}


def read_apparatus(manifest: Manifest) -> Apparatus:
    """The programs: those below the working directory first, each kind in the order of their first run."""
    entries = {path: entry for path, entry in manifest.files.items()
               if APPARATUS in entry.roles and (entry.initial or entry.final)}
    runs: dict[str, int] = {}
    for process in sorted(manifest.processes, key=lambda process: process.start_s):
        if process.executable in entries:
            runs[process.executable] = runs.get(process.executable, 0) + 1
    paths = list(runs) + [path for path in sorted(entries) if path not in runs and _is_program(entries[path])]
    top = manifest.cwd.rstrip("/") + "/"
    paths.sort(key=lambda path: not path.startswith(top))
    by_name = _names(entries)
    programs = [Program(_part(path, entries[path]), runs.get(path, 0),
                        [_part(each, entries[each]) for each in _needed(path, entries, by_name) if each not in paths])
                for path in paths]
    named = {part.path for program in programs for part in program.libraries} | set(paths)
    others = [_part(path, entry) for path, entry in sorted(entries.items()) if path not in named]
    if len(programs) == 1:
        programs[0].libraries += others
        others = []
    return Apparatus(programs, others)


def _is_program(entry: FileEntry) -> bool:
    """Executed, though no process shows it any more: a script, or what a script line names."""
    return entry.elf is None or bool(entry.elf.interpreter and not entry.elf.soname)


def _part(path: str, entry: FileEntry) -> Part:
    state = entry.initial or entry.final
    assert state
    kind = SCRIPT if entry.elf is None else PROGRAM if _is_program(entry) else LIBRARY
    return Part(path, state.size, kind)


def _names(entries: dict[str, FileEntry]) -> dict[str, list[str]]:
    """Paths by every name under which a loader may look for them."""
    found: dict[str, list[str]] = {}
    for path, entry in entries.items():
        for name in {os.path.basename(path), entry.elf.soname if entry.elf else ""} - {""}:
            found.setdefault(name, []).append(path)
    return found


def _needed(path: str, entries: dict[str, FileEntry], by_name: dict[str, list[str]]) -> list[str]:
    """Libraries of a program, breadth first; of several with one name the one nearest to the program that needs it."""
    found: dict[str, None] = {}
    queue = [path]
    for asking in queue:   # grows while it is walked
        elf = entries[asking].elf
        for name in [*elf.needed, os.path.basename(elf.interpreter)] if elf else ():
            candidates = by_name.get(os.path.basename(name), [])
            if candidates:
                best = max(candidates, key=lambda each: len(os.path.commonprefix([each, asking])))
                if best not in found and best != path:
                    found[best] = None
                    queue.append(best)
    return list(found)
