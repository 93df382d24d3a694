"""What is to be other than in the archived experiment, and how that reads in words."""

from __future__ import annotations

import itertools
import shlex
from dataclasses import dataclass, field
from typing import Mapping, Sequence

from rex.archive import Manifest

_LONG_CHARS = 60


@dataclass(frozen=True)
class Changes:
    """Changes to an archived experiment; everything else stays as it was.

    Attributes:
        args: the whole new command, the program first; None leaves it. The program is found
            as a shell would: by path from the working directory, or in PATH.
        cwd: another working directory.
        environment: a whole other environment, instead of the experiment's.
        env_set, env_unset: variables to set and to remove, after that.
        files: inputs replaced: path in the experiment -> local file.
        apps: programs and libraries not taken from the archive: path in the experiment -> local file.
        added: new files: path in the new experiment -> local file, or folder to add whole.
            Paths in the experiment may be relative to its working directory; of a program the bare
            name will do.
    """

    args: tuple[str, ...] | None = None
    cwd: str | None = None
    environment: Mapping[str, str] | None = None
    env_set: Mapping[str, str] = field(default_factory=dict)
    env_unset: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    apps: Mapping[str, str] = field(default_factory=dict)
    added: Mapping[str, str] = field(default_factory=dict)


def words_of(command: Sequence[str]) -> str:
    """A command as a shell would be given it."""
    return shlex.join(command)


def changed_environment(manifest: Manifest, changes: Changes) -> dict[str, str]:
    """The variables of the new experiment."""
    base = manifest.environment if changes.environment is None else changes.environment
    kept = {name: value for name, value in base.items() if name not in changes.env_unset}
    return {**kept, **changes.env_set}


def describe_command(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """How a command differs, argument by argument where only some do."""
    if tuple(before) == tuple(after):
        return []
    pairs = list(itertools.zip_longest(before, after))
    different = [number for number, (old, new) in enumerate(pairs) if old != new]
    if len(different) > 2 or len(before) != len(after):
        return [f"the command is {words_of(after)}, was {words_of(before)}"]
    return [(f"argument {number}" if number else "the program") +
            f" is {shlex.quote(pairs[number][1])}, was {shlex.quote(pairs[number][0])}"
            for number in different]


def describe_environment(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """How two environments differ, variable by variable."""
    lines = []
    for name in sorted(set(before) | set(after)):
        if name not in after:
            lines.append(f"the variable {name} is removed, was {_short(before[name])}")
        elif name not in before:
            lines.append(f"the variable {name} is added: {_short(after[name])}")
        elif before[name] != after[name]:
            lines.append(f"the variable {name} is {_short(after[name])}, was {_short(before[name])}")
    return lines


def _short(value: str) -> str:
    text = shlex.quote(value)
    return text if len(text) <= _LONG_CHARS else text[:_LONG_CHARS - 1] + "…"
