"""Makes the steps of a run: what each was given, in a canonical form, and what it left."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rex.trees import facts as kinds
from rex.trees import inherited, looks
from rex.trees.facts import ABSENT, DATED, FILE, GIVEN, KERNEL, LIST, LOOK, MOVED, NAME, OWN, REMOVE, SET, SHARED, TIME, WRITE, ProcessFacts, RunFacts, Standard, Use
from rex.trees.made import Made
from rex.trees.othernames import OtherNames
from rex.trees.step import Given, Left, Step
from rex.trees.times import Times, end_ns

if TYPE_CHECKING:
    from rex.archive import FileState, Manifest

# Files of the kernel that stay as they are while a machine runs; others are like clocks.
_STEADY = ("/proc/filesystems", "/proc/sys/", "/sys/")
_PLAIN_TYPES = ("file", "dir", "symlink")


class StepMaker:
    """Makes steps of a run's facts."""

    def __init__(self, manifest: "Manifest", run: RunFacts) -> None:
        self._manifest, self._run = manifest, run
        self._children: dict[int, list[int]] = {task: [] for task in run.processes}
        for process in run.processes.values():
            if process.parent is not None:
                self._children[process.parent].append(process.task)
        self._by_process: dict[int, list[Use]] = {task: [] for task in run.processes}
        self._changes: dict[str, list[Use]] = {}
        self._changes_in: dict[str, list[Use]] = {}           # by directory
        for use in run.uses:
            self._by_process[use.process].append(use)
            if use.kind not in GIVEN:
                self._changes.setdefault(use.path, []).append(use)
                self._changes_in.setdefault(os.path.dirname(use.path), []).append(use)
        self._named = {path for use in run.uses if use.value.startswith(f"{NAME} ") for path in (use.path, use.value.removeprefix(f"{NAME} "))}
        self._other_names = OtherNames(run.linked, run.uses, run.processes)
        self._statuses = {process.task: process.exit_status for process in manifest.processes}
        self._cpu_s = {process.task: process.cpu_s for process in manifest.processes}
        self._spans = {process.task: (process.start_s, process.end_s or process.start_s) for process in manifest.processes}

    @property
    def tasks(self) -> frozenset[int]:
        """All processes."""
        return frozenset(self._run.processes)

    def is_program(self, task: int) -> bool:
        """Whether a process did nothing but execute a program."""
        return not self._run.processes[task].is_forked

    def members(self, roots: Iterable[int]) -> list[int]:
        """Processes and all that descend from them."""
        found = list(roots)
        for task in found:
            found += self._children[task]
        return sorted(set(found))

    def cpu_s(self, tasks: Iterable[int]) -> float:
        """Processor time that processes took."""
        return sum(self._cpu_s.get(task, 0.0) for task in tasks)

    def step(self, roots: Iterable[int]) -> Step:
        """The step that these processes begin."""
        roots = tuple(sorted(roots))
        members = self.members(roots)
        inside = frozenset(members)
        processes = [self._run.processes[task] for task in members]
        first = [self._run.processes[task] for task in roots]
        uses = sorted((use for task in members for use in self._by_process[task] if self._counts(use, roots)), key=lambda use: use.at)
        uses = [read for process in first for read in self._read_before(process)] + uses
        times, sources = Times(uses, self._manifest), self._sources(processes, uses)
        given = self._given(uses, inside, first)
        left, passing = self._left(uses, inside, {each.path for each in given if each.kind == ABSENT}, {each.path for process in first for each in process.standard}, times)
        given += self._dated(uses, times)
        against = [why for process in processes for why in process.against] + self._ties(inside) + self._lasting(roots, members) + [
            why for process in first for why in self._inherited(process, uses)]
        printed = sorted((at, stream, text) for process in processes for at, stream, text in process.printed)
        begin, end = (edge(self._spans[task][which] for task in members) for which, edge in ((0, min), (1, max)))
        step = Step(roots, inside, " | ".join(_shown(process) for process in first), [self.program(task) for task in roots],
                    given, left, _joined(printed), self._statuses.get(roots[-1]), sources, tuple(dict.fromkeys(against)),
                    min(process.begins_at for process in first), end - begin + sum(map(self._put_back_s, members)),
                    min(end - begin, self.cpu_s(members)), passing=tuple(passing), writes=frozenset(each.path for each in left),
                    is_program=not any(process.is_forked for process in first), owns=any(use.value == OWN for use in uses))
        step.key, step.result = self._key(step), _hash([self._short_left(step), step.printed, step.status])
        return step

    def _put_back_s(self, task: int) -> float:
        """The seconds that a process saved because a step was put back in its place."""
        begin, end = self._spans[task]
        return max(self._run.put_back_s.get(task, 0.0) - (end - begin), 0.0)

    def _counts(self, use: Use, roots: tuple[int, ...]) -> bool:
        """Before it executes, a root does what its maker had it do; only its program's standard files count."""
        process = self._run.processes[use.process]
        return use.process not in roots or use.at >= process.begins_at or any(use.path == each.path for each in process.standard)

    def _read_before(self, process: ProcessFacts) -> list[Use]:
        """What is in the files that its maker opened for it to read; of directories that they are some."""
        found = []
        for each in process.standard:
            if each.kind == "file" and not each.is_writable and process.parent is not None:
                reads = [use for use in self._by_process[process.parent] if use.path == each.path and use.at < process.begins_at
                         and (use.kind == FILE or use.kind == LOOK and looks.is_directory(use.value))]
                found += reads[-1:]
        return found

    # ------------------------------------------------------------------ given

    def _given(self, uses: list[Use], inside: frozenset[int], first: list[ProcessFacts]) -> list[Given]:
        found: dict[tuple[str, str, str], Given] = {}
        made = Made()
        standard = {each.path for process in first for each in process.standard}
        listed = {use.path for use in uses if use.kind == LIST}
        opened = {use.name or use.path for use in uses if use.kind == FILE} | {use.path for use in uses if use.kind == FILE}
        for use in uses:
            name = use.name or use.path
            if use.kind not in GIVEN:
                made.take(use)
            elif use.kind == DATED:
                continue
            elif made.is_led_to(use):
                given = self._link_to(use)
                found.setdefault((given.kind, given.path, given.value), given)
            elif use.kind == LOOK and made.is_rewritten(use.path) and self._was_there(use.path, inside, standard):
                answer = looks.of_rewritten(use.value)
                found.setdefault((LOOK, use.path, "rewritten"), Given(LOOK, use.path, answer, use.process, answer, answer))
            elif (name := made.outer_name(use)):
                seen = self._seen(use) if use.kind == LOOK else ""
                if seen and use.path not in listed:
                    seen = looks.without_place(seen)
                value = (looks.without_time(seen) if name in opened or looks.is_directory(seen) else looks.without_blocks(seen)) if seen else use.value
                if use.kind == LIST:
                    value = names_hash(self._names_before(use, made.paths))
                if use.kind != KERNEL or use.path.startswith(_STEADY):
                    found.setdefault((use.kind, name, looks.sort_of(use.value) if use.kind in (ABSENT, LOOK) else ""),
                                     Given(use.kind, name, value, use.process, seen, looks.of_opened(seen) if name in opened else seen))
        return sorted(found.values(), key=lambda each: (each.kind, self.shorten(each.path), each.value))

    def _link_to(self, use: Use) -> Given:
        """The link by which a name led elsewhere; a file that is not known where the archive does not have it."""
        name = os.path.normpath(use.name)
        for end in (at for at in range(1, len(name) + 1) if name[at:at + 1] in ("/", "")):
            entry = self._manifest.files.get(name[:end])
            for state in (entry.initial, entry.final) if entry else ():
                if state and state.type == "symlink" and os.path.normpath(os.path.join(os.path.dirname(name[:end]), state.target + name[end:])) == use.path:
                    return Given(LOOK, name[:end], f"link {state.target}", use.process, f"link {state.target}", f"link {state.target}")
        return Given(FILE, name, "", use.process)

    def _was_there(self, path: str, inside: frozenset[int], standard: set[str]) -> bool:
        """Whether a file that processes have changed may have been there before them; what was opened for them was."""
        first = next(number for number, use in enumerate(self._changes[path]) if use.process in inside)
        entry = self._manifest.files.get(path)
        return path in standard or first > 0 or bool(entry and entry.initial)

    def _seen(self, use: Use) -> str:
        """What an answer holds, without the time where that is of this run."""
        changes = self._changes_in if looks.is_directory(use.value) else self._changes
        is_made = any(each.at < use.at for each in (*changes.get(use.path, ()), *self._changes.get(use.path, ())))
        seen = looks.of_made(use.value, self._manifest.start_ns, end_ns(self._manifest)) if is_made else use.value
        return seen if use.path in self._named else looks.with_names_before(seen)

    def _names_before(self, use: Use, changed: set[str]) -> set[str]:
        """The names in a directory as they were before the step changed some."""
        names = set(use.value.split("/")) - {""}
        for path in changed:
            directory, _, name = path.rpartition("/")
            if directory == use.path.rstrip("/"):
                entry = self._manifest.files.get(path)
                names.discard(name)
                if entry and entry.initial:
                    names.add(name)
        return names

    def _dated(self, uses: list[Use], times: Times) -> list[Given]:
        """Times of files that decide which times the step left."""
        found: dict[str, Given] = {}
        made = Made()
        for use in uses:
            if use.kind not in GIVEN:
                made.take(use)
            elif use.kind == DATED and made.outer_name(use) and (answer := times.input_at(use.path, self._seen(use))):
                found.setdefault(use.path, Given(LOOK, use.path, answer, use.process, answer, answer))
        return sorted(found.values(), key=lambda each: self.shorten(each.path))

    # ------------------------------------------------------------------ left

    def _left(self, uses: list[Use], inside: frozenset[int], free: set[str], standard: set[str], times: Times) -> tuple[list[Left], list[str]]:
        """What is there afterwards, or not any more; and paths of what was made and removed again."""
        changed = dict.fromkeys(use.path for use in uses if use.kind not in GIVEN)
        found: list[Left] = []
        passing: list[str] = []
        for path in changed:
            entry = self._manifest.files.get(path)
            all_changes = self._changes[path]
            first = next(number for number, use in enumerate(all_changes) if use.process in inside)
            tail = all_changes[first:]
            mine = [use for use in tail if use.process in inside]
            is_last = all(use.process in inside or use.value in (TIME, SET) for use in tail) and not self._other_names.may_write(path, mine[0].at)
            final = entry.final if entry else None
            if mine[-1].kind == REMOVE:
                if first and not (path in free and all_changes[first - 1].kind == REMOVE) or not first and entry and entry.initial:
                    found.append(Left(path, None))
                else:
                    passing.append(path)      # nobody else needs it
                continue
            before = all_changes[:first]
            if path in standard and tail[0].kind == SHARED:         # the last of them opened it for the step
                before = before[:max((at for at, use in enumerate(before) if _opens(use)), default=0)]
            is_opened_here = not first and tail[0].kind == WRITE       # else others may have it open, whose writes are in no log
            covers = is_opened_here or all(use.kind != SHARED for use in tail) or _covers(tail, final.size if final else -1)
            is_known = is_last and final is not None and covers and not self._is_held(before, tail[0].at) and not any(_adds_name(use, uses, passing) for use in mine) and final.type in _PLAIN_TYPES and not final.xattrs and (
                final.type != "file" or final.content is not None)
            mtime_ns = times.of(path, final, len(mine) < len(tail)) if is_known and final else None
            is_known = mtime_ns is not None
            found.append(Left(path, final if is_known else None, is_known, bool(first or entry and entry.initial), mtime_ns or 0))
        return sorted(found, key=lambda each: self.shorten(each.path)), passing

    def _is_held(self, changes: list[Use], at: int) -> bool:
        """Whether others who opened a file, and still run at an event, may write to it again: what they do with it is in no log."""
        removed = max((number for number, use in enumerate(changes) if use.kind == REMOVE), default=-1)
        ends = [self._run.processes[use.process].ends_at for use in changes[removed + 1:] if _opens(use)]
        return any(end < 0 or end > at for end in ends)

    # ------------------------------------------------------------------ what forbids leaving it out

    def _sources(self, processes: list[ProcessFacts], uses: list[Use]) -> tuple[str, ...]:
        found = {source for process in processes for source in process.sources}
        if any(use.kind == KERNEL and not use.path.startswith(_STEADY) for use in uses):
            found.add(kinds.MACHINE)
        return tuple(sorted(found))

    def _ties(self, inside: frozenset[int]) -> list[str]:
        return [f"it exchanges data with process {two if one in inside else one}" for one, two in self._run.ties
                if (one in inside) != (two in inside)]

    def _lasting(self, roots: tuple[int, ...], members: list[int]) -> list[str]:
        ends = [self._run.processes[task].ends_at for task in roots]
        if any(end < 0 for end in ends):
            return ["it did not end"]
        late = [task for task in members if not 0 <= self._run.processes[task].ends_at <= max(ends)]
        return [f"process {task} goes on after it" for task in late]

    def _inherited(self, process: ProcessFacts, uses: list[Use]) -> list[str]:
        found = ["it does more than one program does"] if process.is_forked else []
        for fd, each in enumerate(process.standard):
            if each.kind in ("other", "pipe") and (each.kind == "other" or not self._is_tied_inside(process)):
                found.append(f"descriptor {fd} is a {'pipe' if each.kind == 'pipe' else 'device'} of others")
            if each.kind == "file" and each.is_readable and each.is_writable and not self._opened(process, each.path):
                found.append(f"it may read in {each.path}, which others write")
            if each.kind == "file" and not each.is_lent and not each.path.startswith("/dev/null"):
                if not each.is_writable:
                    found.append(f"it may read on in {each.path}, which others read")
                elif any(use.kind == SHARED and use.path == each.path for use in uses):
                    found.append(f"it writes to {each.path}, which others write")
        return found

    def _opened(self, process: ProcessFacts, path: str) -> bool:
        """Whether a process opened one of its standard files itself."""
        return any(use.path == path and use.at < process.begins_at for use in self._by_process[process.task])

    def _is_tied_inside(self, process: ProcessFacts) -> bool:
        return any(process.task in tie for tie in self._run.ties)

    # ------------------------------------------------------------------ the key

    def program(self, task: int) -> dict[str, Any]:
        """What a process executed first, and where."""
        run, process = self._run, self._run.processes[task]
        return {"program": process.program, "content": process.content, "arguments": process.arguments,
                "environment": run.environments[process.environment] if process.environment >= 0 else {},
                "cwd": process.cwd, "scripts": process.scripts, "inherited": process.inherited, "altered": self._altered(process), "standard": [self._descriptor(each) for each in process.standard]}

    def _altered(self, process: ProcessFacts) -> dict[str, str]:
        first = self._run.processes.get(0, process).inherited
        return {name: self.shorten(value) for name, value in inherited.altered(process.inherited, first).items()}

    def _descriptor(self, each: Standard) -> str:
        if each.kind == "stream":
            name = ("stdin", "stdout", "stderr")[int(each.path) - 1]
            return f"{'terminal' if self._manifest.terminal.get(name) == 'terminal' else 'stream'} {each.path}"
        if each.kind != "file":
            return each.kind
        return f"{'write' if each.is_writable else 'read'} {each.path}"

    def _key(self, step: Step) -> str:
        short = self.shorten
        programs = [{**each, "inherited": None, "program": short(each["program"]), "cwd": short(each["cwd"]), "scripts": [short(path) for path in each["scripts"]],
                     "arguments": [short(word) for word in each["arguments"]],
                     "environment": {name: short(value) for name, value in each["environment"].items()},
                     "standard": [_shorten_words(text, short) for text in each["standard"]]} for each in step.programs]
        return _hash([programs, [[each.kind, short(each.path), each.value] for each in step.counted]])

    def _short_left(self, step: Step) -> list[list[str]]:
        return [[self.shorten(each.path), each.value] for each in step.left]

    def shorten(self, text: str) -> str:
        """A path from the experiment's working directory, where it lies there."""
        cwd = self._manifest.cwd
        return "." + text[len(cwd):] if text == cwd or text.startswith(cwd + "/") and cwd != "/" else text


def _shorten_words(text: str, short: Any) -> str:
    kind, space, path = text.partition(" ")
    return f"{kind}{space}{short(path)}"


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def names_hash(names: Iterable[str]) -> str:
    """One text for the names in a directory, whatever their order."""
    return hashlib.sha256("/".join(sorted(names)).encode("utf-8", "surrogatepass")).hexdigest()


def _opens(use: Use) -> bool:
    """Whether a process opened a file to write to it."""
    return use.kind == WRITE and not use.value


def _adds_name(use: Use, uses: list[Use], passing: list[str]) -> bool:
    """Whether a change leaves a file with one more name; where its maker only had another one for a while, it is a file like others."""
    kind, _, other = use.value.partition(" ")
    if kind != NAME:
        return False
    ends = [each.value for each in uses if each.kind == REMOVE and each.path == other]
    return other not in passing or ends[-1] == MOVED or sum(each.value == use.value for each in uses) > 1


def _covers(tail: list[Use], size: int) -> bool:
    """Whether these writes, one behind the other from the beginning, are all that is in the file."""
    at = 0
    for use in tail:
        if use.kind == SHARED:
            begin, _, length = use.value.partition("+")
            if int(begin) != at:
                return False
            at += int(length)
    return at == size


def _joined(printed: list[tuple[int, int, str]]) -> list[tuple[int, str]]:
    """Neighbouring pieces of one stream as one."""
    found: list[tuple[int, str]] = []
    for _, stream, text in printed:
        if found and found[-1][0] == stream:
            found[-1] = stream, found[-1][1] + text
        else:
            found.append((stream, text))
    return found


def _shown(process: ProcessFacts) -> str:
    import shlex
    return shlex.join(process.arguments) or process.program
