"""Plan a new experiment: all conflicts are found here, before anything runs."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Mapping

from rex import codec, elf
from rex.archive import APPARATUS, Archive, Experiment, FileEntry, FileState, Manifest
from rex.errors import CommandNotFound, Conflicts, NotExecutable, NotFound, RexError, UsageError
from rex.runnew.changes import (Changes, changed_environment, describe_command,
                                describe_environment)
from rex.runnew.names import Names, other_apparatus
from rex.types import format_size

ARCHIVE, LOCAL, ADDED = "archive", "local", "added"
PROGRAM, LIBRARY, INPUT_FILE = "program", "library", "input"
_X86_64 = 62


@dataclass(frozen=True)
class Source:
    """One file of the new experiment, and where it comes from.

    Attributes:
        path: its path in the experiment.
        role: program (scripts too), library or input.
        origin: archive, local or added.
        local: the local file; "" when it comes from the archive.
    """

    path: str
    role: str
    origin: str
    size: int
    local: str = ""


@dataclass(frozen=True)
class Folder:
    """A local folder in the place of an archived one.

    Attributes:
        local: its path here.
        count: of files in it.
        listings: each directory in it, itself too, by its path in the experiment: all names there.
    """

    local: str
    count: int
    listings: dict[str, list[str]]


def folder_of(path: str, folders: Mapping[str, Folder]) -> str:
    """The replaced folder that a path is in; "" if none."""
    return next((each for each in folders if path.startswith(each + "/")), "")


_NOTHING = FileEntry(None, None)


@dataclass(frozen=True)
class RunPlan:
    """What will run; made by `plan_run`, run by `start`.

    Attributes:
        outdir: output directory, absolute; made when the run starts.
        is_recorded, name: whether the run goes into the archive, and under which name
            (None: the next free one).
        program: path in the experiment of the first program.
        files: local files by their path in the experiment: replaced, taken locally and added.
        archived: the experiment's files, as they are without replaced folders.
        folders: replaced folders by their path in the experiment, with the local ones; and each directory of theirs with its names.
        others: programs and libraries of the archive's other experiments, where this one has nothing.
        labels: of the experiment that is recorded.
    """

    archive: Archive
    experiment: Experiment
    changes: Changes
    outdir: str
    is_recorded: bool
    name: str | None
    program: str
    command: tuple[str, ...]
    cwd: str
    environment: dict[str, str]
    sources: tuple[Source, ...]
    files: dict[str, str]
    archived: dict[str, FileEntry]
    folders: dict[str, Folder]
    others: dict[str, FileEntry]
    labels: dict[str, str] = field(default_factory=dict)

    def describe(self) -> list[str]:
        """Every change in words, one per line; empty when nothing is changed."""
        manifest = self.experiment.manifest
        lines = describe_command(manifest.command, self.command)
        if self.cwd != manifest.cwd:
            lines.append(f"the working directory is {self.cwd}, was {manifest.cwd}")
        lines += describe_environment(manifest.environment, self.environment)
        for path, folder in self.folders.items():
            lines.append(f"the folder {path} is taken from {folder.local} ({folder.count} file{'' if folder.count == 1 else 's'})")
        for source in self.sources:
            if folder_of(source.path, self.folders):
                continue
            if source.origin == LOCAL:
                old = manifest.files[source.path].initial
                was = f", was {format_size(old.size)} from the archive" if old else ""
                lines.append(f"the {source.role} {source.path} is taken from {source.local} "
                             f"({format_size(source.size)}){was}")
            elif source.origin == ADDED:
                lines.append(f"the file {source.path} is added: {source.local} "
                             f"({format_size(source.size)})")
        return lines


def plan_run(archive: Archive, experiment: Experiment, changes: Changes, outdir: str,
             is_recorded: bool = False, name: str | None = None,
             is_continued: bool = False) -> RunPlan:
    """Plan to run a changed experiment; nothing is run, made or changed by it.

    The command need not be the experiment's own: any program of the archive can be run with any
    arguments, environment and directory, a single step of a workflow for example.

    Args:
        outdir: where all output goes, each file at its absolute path below; "" only plans.
        is_recorded, name: add the run to the archive, under this name or the next free one.
        is_continued: the output directory may hold what a run before left there; that is
            seen as the files of this one. What that run removed is there again.
    Raises:
        Conflicts: what makes no sense; all of it at once.
        NotFound: the experiment never finished.
    """
    if experiment.state != "complete":
        raise NotFound(f"experiment {experiment.name} is {experiment.state}",
                       "its recording did not finish", "record it again")
    return _Planner(archive, experiment, changes, outdir).plan(is_recorded, name, is_continued)


class _Planner:
    """One planning: gathers conflicts and the files that come from here."""

    def __init__(self, archive: Archive, experiment: Experiment, changes: Changes,
                 outdir: str) -> None:
        self.archive, self.experiment, self.changes = archive, experiment, changes
        self.manifest: Manifest = experiment.manifest
        self.outdir = os.path.abspath(outdir) if outdir else ""
        self.code = Conflicts.code
        self.conflicts: list[str] = []
        self.files: dict[str, str] = {}
        self.origins: dict[str, str] = {}
        self.folders: dict[str, Folder] = {}
        self.archived = dict(self.manifest.files)
        self.cwd = os.path.normpath(os.path.join(self.manifest.cwd, changes.cwd or "")).replace("//", "/")   # two at the begin would stay

    def plan(self, is_recorded: bool, name: str | None, is_continued: bool) -> RunPlan:
        changes, manifest = self.changes, self.manifest
        others = other_apparatus(self.archive, self.experiment)
        names = Names({**others, **manifest.files})
        self._replace(names, changes.files, INPUT_FILE)
        self._replace(names, changes.apps, PROGRAM)
        for path, local in changes.added.items():
            self._add(path, local)
        others = {path: entry for path, entry in others.items() if not folder_of(path, self.folders)}
        names = Names({**others, **self.archived}, self.files)
        command = tuple(manifest.command if changes.args is None else changes.args)
        environment = changed_environment(manifest, changes)
        self._check_environment(environment)
        program = self._find_program(names, command, environment)
        if changes.cwd and names.kind(self.cwd) != "dir":
            self.conflicts.append(f"there is no directory {self.cwd}")
        self._check_outdir(is_continued)
        self._check_name(is_recorded, name)
        if self.conflicts:
            raise Conflicts(self.conflicts, self.code if len(self.conflicts) == 1 else Conflicts.code)
        return RunPlan(self.archive, self.experiment, changes, self.outdir, is_recorded, name, program,
                       command, self.cwd, environment, tuple(self._sources()), self.files, self.archived, self.folders, others)

    # -- files

    def _replace(self, names: Names, wanted: Mapping[str, str], role: str) -> None:
        for given, local in wanted.items():
            path = names.find(given, self.manifest.cwd, role == PROGRAM)
            entry = self.manifest.files.get(path) if path else None
            if path and entry and entry.initial and entry.initial.type == "dir" and role == INPUT_FILE:
                self._replace_folder(path, local)
            elif not path or not entry or not entry.initial or entry.initial.type != "file":
                self.conflicts.append(f"the experiment has no {role} {given}")
            elif (APPARATUS in entry.roles) != (role == PROGRAM):
                is_one = "a program or library" if APPARATUS in entry.roles else "an input"
                self.conflicts.append(f"{path} is {is_one}, not "
                                      f"{'a program' if role == PROGRAM else 'an input'}")
            elif path in self.files:
                self.conflicts.append(f"{path} is replaced twice")
            elif self._is_usable(local) and (role != PROGRAM or self._can_stand_for(entry, local)):
                self._take(path, local, LOCAL)

    def _replace_folder(self, path: str, local: str) -> None:
        """Let a local folder stand for one of the experiment, with all that is in it and nothing else."""
        if not os.path.isdir(local):
            self.conflicts.append(f"{local}: {'not a folder' if os.path.exists(local) else 'there is no folder'}, as {path} is")
            return
        listings: dict[str, list[str]] = {}
        for old in self.archived:
            if old.startswith(path + "/"):
                self.archived[old] = _NOTHING
        for base, folders, files in os.walk(codec.raw(local)):
            where = os.path.normpath(os.path.join(path, os.path.relpath(codec.text(base), local)))
            listings[where] = sorted(map(codec.text, folders + files))
            self.conflicts += [f"{codec.text(os.path.join(base, name))}: a link to a folder" for name in folders
                               if os.path.islink(os.path.join(base, name))]
            info = os.stat(base)
            state = FileState("dir", info.st_mode & 0o7777, mtime_ns=info.st_mtime_ns)
            self.archived[where] = FileEntry(state, state)
            for name in map(codec.text, files):
                file, inner = os.path.join(codec.text(base), name), os.path.join(where, name)
                if self._is_usable(file):
                    old_entry = self.manifest.files.get(inner)
                    is_new = not old_entry or not old_entry.initial or old_entry.initial.type != "file"
                    self._take(inner, file, ADDED if is_new else LOCAL)
        count = sum(each.startswith(path + "/") for each in self.files)
        self.folders[path] = Folder(codec.text(os.fsencode(os.path.realpath(local))), count, listings)

    def _take(self, path: str, local: str, origin: str) -> None:
        self.files[path] = codec.text(os.fsencode(os.path.realpath(local)))
        self.origins[path] = origin

    def _is_usable(self, local: str) -> bool:
        problem = ("there is no file" if not os.path.exists(local) else
                   "not a plain file" if not os.path.isfile(local) else
                   "may not be read" if not os.access(local, os.R_OK) else "")
        if problem:
            self.conflicts.append(f"{local}: {problem}")
        return not problem

    def _can_stand_for(self, entry: FileEntry, local: str) -> bool:
        """Whether a local file runs where an archived program or library did."""
        try:
            facts = elf.read(local)
        except RexError as error:
            self.conflicts.append(str(error))
            return False
        if facts and facts.machine != _X86_64:
            self.conflicts.append(f"{local} is for another architecture (ELF machine {facts.machine})")
        elif entry.elf and not entry.elf.interpreter and entry.elf.soname and not facts:
            self.conflicts.append(f"{local} is no library")
        elif not facts and entry.elf and entry.elf.interpreter and not elf.script_line(local):
            self.conflicts.append(f"{local} is neither a program nor a script with #!")
        elif entry.initial and entry.initial.mode & 0o111 and not os.access(local, os.X_OK) and (
                not entry.elf or entry.elf.interpreter):
            self.conflicts.append(f"{local} is not executable")
        else:
            return True
        return False

    def _add(self, given: str, local: str) -> None:
        path = os.path.normpath(os.path.join(self.manifest.cwd, given))
        entry = self.manifest.files.get(path)
        if entry and entry.initial and entry.initial.type != "dir":
            self.conflicts.append(f"{path} is in the archive already: replace it instead")
        elif os.path.isdir(local):
            for base, _, below in os.walk(local):
                for each in below:
                    file = os.path.join(base, each)
                    self._add(os.path.join(path, os.path.relpath(file, local)), file)
        elif entry and entry.initial:
            self.conflicts.append(f"{path} is a directory of the archive")
        elif self._is_usable(local):
            self._take(path, local, ADDED)

    def _sources(self) -> list[Source]:
        sources = []
        for path, entry in self.manifest.files.items():
            if self.archived[path] is entry and entry.initial and entry.initial.type == "file" and entry.roles and path not in self.files:
                sources.append(Source(path, _role(entry), ARCHIVE, entry.initial.size))
        for path, local in self.files.items():
            role = _role(self.manifest.files[path]) if self.origins[path] == LOCAL else INPUT_FILE
            sources.append(Source(path, role, self.origins[path], os.path.getsize(codec.raw(local)), local))
        return sorted(sources, key=lambda source: source.path)

    # -- the rest

    def _find_program(self, names: Names, command: tuple[str, ...],
                      environment: dict[str, str]) -> str:
        if not command or not command[0]:
            self.conflicts.append("the command is empty")
            return ""
        recorded = self.manifest.extra.get("record", {}).get("program", "")
        if recorded and command[0] == self.manifest.command[0] and self.cwd == self.manifest.cwd and (
                environment.get("PATH") == self.manifest.environment.get("PATH")):
            return os.path.normpath(os.path.join(self.cwd, recorded))
        found = names.program(command[0], self.cwd, environment.get("PATH", os.defpath))
        if not found:
            path = names.resolve(os.path.join(self.cwd, command[0]))
            is_there = "/" in command[0] and names.kind(path) != ""
            self.conflicts.append(f"{command[0]} is not executable" if is_there else f"there is no program {command[0]}")
            self.code = NotExecutable.code if is_there else CommandNotFound.code
        return found or ""

    def _check_environment(self, environment: dict[str, str]) -> None:
        for name in self.changes.env_set:
            if not name or "=" in name:
                self.conflicts.append(f"{name!r} cannot name a variable")
        known = {*self.manifest.environment, *self.manifest.withheld, *(self.changes.environment or ())}
        self.conflicts += [f"the experiment has no variable {name}" for name in self.changes.env_unset
                           if name not in known]
        texts = [*environment, *environment.values(), *(self.changes.args or ())]
        if any("\0" in text for text in texts):
            self.conflicts.append("arguments and variables cannot hold NUL")

    def _check_outdir(self, is_continued: bool) -> None:
        if not self.outdir:
            return
        try:
            if os.listdir(self.outdir) and not is_continued:
                self.conflicts.append(f"the output directory {self.outdir} is not empty")
        except FileNotFoundError:
            above = os.path.dirname(self.outdir)
            while not os.path.lexists(above):
                above = os.path.dirname(above)
            if not os.path.isdir(above) or not os.access(above, os.W_OK):
                self.conflicts.append(f"the output directory {self.outdir} cannot be made")
        except OSError as error:
            self.conflicts.append(f"the output directory {self.outdir}: {error.strerror}")

    def _check_name(self, is_recorded: bool, name: str | None) -> None:
        if not is_recorded:
            return
        try:
            self.archive.check_name(name)
        except UsageError as error:
            self.conflicts.append(str(error))


def _role(entry: FileEntry) -> str:
    if APPARATUS not in entry.roles:
        return INPUT_FILE
    is_library = entry.elf and (entry.elf.soname or not entry.elf.interpreter) and not (
        entry.initial and entry.initial.mode & 0o111 and entry.elf.interpreter)
    return LIBRARY if is_library else PROGRAM
