"""Files of two experiments: which role each has, and which belong together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable, Iterable

from rex.archive import APPARATUS, INPUT, OUTPUT, FileEntry, FileState
from rex.expdiff.names import uncounted, undated

if TYPE_CHECKING:
    from rex.archive import Manifest

_SITE = re.compile(r".*/(?:site|dist)-packages/")
ROLES = (APPARATUS, INPUT, OUTPUT)


def final_state(entry: FileEntry) -> FileState | None:
    """What the experiment left at the path; an unchanged file is as it was."""
    return entry.final if entry.is_changed else entry.initial


def is_removed(entry: FileEntry) -> bool:
    """Whether the experiment removed what was there before it."""
    return entry.is_changed and entry.initial is not None and entry.final is None


def has_role(entry: FileEntry, role: str) -> bool:
    """Whether the entry has the role; what was removed is an output too."""
    return role in entry.roles or role == OUTPUT and is_removed(entry)


def state_for(entry: FileEntry, role: str) -> FileState | None:
    """The state that counts for a role: as left for an output, else as found."""
    return final_state(entry) if role == OUTPUT else entry.initial


@dataclass(frozen=True, slots=True)
class Pair:
    """One file in two experiments; an empty path and None where it is in one only.

    Attributes:
        name: what to call it: its path, from the working directory where it was matched so.
        is_renumbered: only a number in the name tells the paths apart.
    """

    name: str
    left_path: str
    right_path: str
    left: FileEntry | None
    right: FileEntry | None
    is_renumbered: bool = False


Naming = Callable[[str], str]


def match(left: "Manifest", right: "Manifest", role: str,
          naming: tuple[Naming, Naming] = (str, str)) -> list[Pair]:
    """Every file of a role in either experiment, with its counterpart in the other.

    Where the working directories differ, files below them belong together by
    their path from there; all others by their absolute path; libraries that
    are left then by SONAME; temporary files by their names without what was drawn at random.

    Args:
        naming: for either side the name that a path has in any run.
    """
    ours = {path: e for path, e in left.files.items() if has_role(e, role)}
    theirs = {path: e for path, e in right.files.items() if has_role(e, role)}
    found: dict[str, str] = {}
    names: dict[str, str] = {}
    renumbered: dict[str, str] = {}
    if left.cwd != right.cwd:
        moved = _below(theirs, right.cwd)
        for relative, path in _below(ours, left.cwd).items():
            if relative in moved:
                found[path], names[path] = moved[relative], relative
    used = set(found.values())
    found.update({path: path for path in ours
                  if path not in found and path in theirs and path not in used})
    found.update(_by_soname(ours, theirs, found))
    found.update(_by_site(ours, theirs, found))
    found.update(_by_logical_name(ours, theirs, found, naming))
    if role == OUTPUT:   # of what an experiment made it chose the name
        made = tuple({path: entry for path, entry in files.items() if entry.initial is None} for files in (ours, theirs))
        found.update(_by_logical_name(*made, found, (_from(left.cwd, undated), _from(right.cwd, undated))))
        renumbered = _by_logical_name(*made, found, (_from(left.cwd, uncounted), _from(right.cwd, uncounted)))
        found.update(renumbered)
    used = set(found.values())
    pairs = [Pair(names.get(path, path), path, found.get(path, ""), entry, theirs.get(found.get(path, "")), path in renumbered) for path, entry in ours.items()]
    pairs += [Pair(path, "", path, None, entry) for path, entry in theirs.items()
              if path not in used]
    return sorted(pairs, key=lambda pair: pair.name)


def _below(paths: Iterable[str], directory: str) -> dict[str, str]:
    """Paths below a directory, by their path from there."""
    start = directory.rstrip("/") + "/"
    return {path[len(start):]: path for path in paths if path.startswith(start)}


def _by_soname(ours: dict[str, FileEntry], theirs: dict[str, FileEntry],
               found: dict[str, str]) -> dict[str, str]:
    def unmatched(files: dict[str, FileEntry], matched: Iterable[str]) -> dict[str, list[str]]:
        done = set(matched)
        names: dict[str, list[str]] = {}
        for path, entry in files.items():
            if path not in done and entry.elf and entry.elf.soname:
                names.setdefault(entry.elf.soname, []).append(path)
        return names

    others = unmatched(theirs, found.values())
    return {paths[0]: others[soname][0] for soname, paths in unmatched(ours, found).items()
            if len(paths) == 1 and len(others.get(soname, ())) == 1}


def _from(cwd: str, naming: Naming) -> Naming:
    """The names of what is below a working directory, from there."""
    start = cwd.rstrip("/") + "/"
    return lambda path: naming("./" + path[len(start):] if path.startswith(start) else path)


def _by_site(ours: Iterable[str], theirs: Iterable[str], found: dict[str, str]) -> dict[str, str]:
    """Files of Python packages belong together wherever the environment with the packages is."""
    sites: list[dict[str, list[str]]] = []
    for paths, done in ((ours, set(found)), (theirs, set(found.values()))):
        sites.append({})
        for path in paths:
            if path not in done and (inner := in_site(path)):
                sites[-1].setdefault(inner, []).append(path)
    return {paths[0]: sites[1][inner][0] for inner, paths in sites[0].items() if len(paths) == 1 and len(sites[1].get(inner, ())) == 1}


def in_site(path: str) -> str:
    """The part of a path below a folder of Python packages; "" for others."""
    match = _SITE.match(path)
    return path[match.end():] if match else ""


def _by_logical_name(ours: Iterable[str], theirs: Iterable[str], found: dict[str, str],
                     naming: tuple[Naming, Naming]) -> dict[str, str]:
    """Of several files with one logical name each goes with the next in order of their names."""
    used = set(found.values())
    others: dict[str, list[str]] = {}
    for path in sorted((p for p in theirs if p not in used), reverse=True):
        others.setdefault(naming[1](path), []).append(path)
    made = {}
    for path in sorted(p for p in ours if p not in found):
        same = others.get(naming[0](path))
        if same:
            made[path] = same.pop()
    return made
