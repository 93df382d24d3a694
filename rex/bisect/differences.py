"""What one experiment was given otherwise than another, each as a change that a new run can be made with."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Sequence

from rex.archive import APPARATUS, INPUT
from rex.bisect.lines import TEXT_BYTES, Edit, edited, find_edits
from rex.expdiff.files import match
from rex.runnew import Changes

if TYPE_CHECKING:
    from rex.archive import Archive, FileState, Manifest

_NATURAL = frozenset({"_", "OLDPWD", "SHLVL", "PWD"})
ARGUMENT, COMMAND, VARIABLE, FILE, ADDED, PROGRAM = "argument", "command", "variable", "input", "new file", "program or library"


@dataclass(frozen=True)
class Delta:
    """One difference.

    Attributes:
        name: number of an argument, variable, or path in the good experiment (of a new file: in the bad one).
        value: what the bad one has; None: it has no such variable.
        state: of a file: as the bad one has it.
        edit: of a text file: only these lines of it.
    """

    kind: str
    name: str
    value: str | None = None
    state: "FileState | None" = None
    edit: Edit | None = None

    def describe(self) -> str:
        """It in words."""
        if self.kind == COMMAND:
            return f"the command {self.value}"
        if self.edit is not None:
            return f"{self.edit.describe()} of the {self.kind} {self.name}"
        if self.state is not None:
            return f"the {self.kind} {self.name}"
        if self.kind == ARGUMENT:
            return f"argument {self.name} ({self.value!r})"
        return f"the {self.kind} {self.name} ({self.value!r})" if self.value is not None else f"the {self.kind} {self.name} (not set)"


def find_deltas(good: "Manifest", bad: "Manifest") -> tuple[list[Delta], list[str]]:
    """All differences that a run can be made with, and in words those that it cannot."""
    found, left_out = _arguments(good, bad), list[str]()
    for name in sorted(good.environment.keys() | bad.environment.keys()):
        if name not in _NATURAL and good.environment.get(name) != bad.environment.get(name):
            found.append(Delta(VARIABLE, name, bad.environment.get(name)))
    for role, kind in ((INPUT, FILE), (APPARATUS, PROGRAM)):
        for pair in match(good, bad, role):
            old, new = (entry.initial if entry else None for entry in (pair.left, pair.right))
            if old and new and old.content and new.content and old.content.sha256 != new.content.sha256 and old.type == new.type == "file":
                is_program = APPARATUS in pair.left.roles if pair.left else False
                found.append(Delta(PROGRAM if is_program else kind, pair.left_path, state=new))
            elif pair.left is None and new and new.content and new.type == "file" and (good.files.get(pair.right_path) is None):
                found.append(Delta(ADDED, pair.right_path, state=new))
            elif pair.right is None and old and old.content:
                left_out.append(f"{pair.left_path} is only in the good one")
    if good.cwd != bad.cwd:
        left_out.append("the working directory")
    unique = {(each.kind, each.name): each for each in found}
    return list(unique.values()), left_out


def _arguments(good: "Manifest", bad: "Manifest") -> list[Delta]:
    if len(good.command) != len(bad.command) or good.command[0] != bad.command[0]:
        return [] if good.command == bad.command else [Delta(COMMAND, "", " ".join(bad.command))]
    return [Delta(ARGUMENT, str(at), new) for at, (old, new) in enumerate(zip(good.command, bad.command)) if old != new]


def changes_of(deltas: Sequence[Delta], good: "Manifest", bad: "Manifest", archive: "Archive", folder: str) -> Changes:
    """The changes that make a run of the good experiment have these differences.

    Args:
        archive: of the bad one.
        folder: where files of it are written.
    """
    command = list(bad.command) if any(each.kind == COMMAND for each in deltas) else list(good.command)
    for each in deltas:
        if each.kind == ARGUMENT:
            command[int(each.name)] = each.value or ""
    placed: dict[str, dict[str, str]] = {FILE: {}, PROGRAM: {}, ADDED: {}}
    files: dict[tuple[str, str], list[Delta]] = {}
    for each in deltas:
        if each.state:
            files.setdefault((each.kind, each.name), []).append(each)
    for number, ((kind, name), parts) in enumerate(files.items()):
        path = os.path.join(folder, str(number), os.path.basename(name))
        os.makedirs(os.path.dirname(path))
        _write(path, parts, good, archive)
        placed[kind][name] = path
    variables = [each for each in deltas if each.kind == VARIABLE]
    return Changes(args=tuple(command), env_set={each.name: each.value for each in variables if each.value is not None},
                   env_unset=tuple(each.name for each in variables if each.value is None),
                   files=placed[FILE], apps=placed[PROGRAM], added=placed[ADDED])


def _write(path: str, parts: Sequence[Delta], good: "Manifest", archive: "Archive") -> None:
    """Write a file as the bad experiment has it, or as the good one has it with some lines of the bad one."""
    state, edits = parts[0].state, [each.edit for each in parts if each.edit]
    assert state and state.content
    archive.extract(state.content, path, state.mode)
    if edits:
        data = edited(_content(parts[0].name, good, archive), edits)
        os.chmod(path, 0o600)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, state.mode)
    os.utime(path, ns=(state.mtime_ns, state.mtime_ns))


def _content(name: str, good: "Manifest", archive: "Archive") -> bytes:
    """What a file holds in the good experiment; nothing of one that is large or not there."""
    entry = good.files.get(name)
    content = entry.initial.content if entry and entry.initial else None
    return archive.read(content, TEXT_BYTES) if content and content.size <= TEXT_BYTES else b""


def by_lines(delta: Delta, good: "Manifest", archive: "Archive") -> list[Delta]:
    """A changed text file as one difference for each changed line; none where it cannot be taken apart so."""
    content = delta.state.content if delta.state else None
    old = _content(delta.name, good, archive) if delta.kind in (FILE, PROGRAM) else b""
    if not old or content is None or content.size > TEXT_BYTES:
        return []
    return [replace(delta, edit=edit) for edit in find_edits(old, archive.read(content, TEXT_BYTES))]
