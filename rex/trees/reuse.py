"""Record a command, and put back what the archive proves to be unchanged instead of running it (`rex record --reuse`).

As a program is about to be executed, the tracer stops and asks. If a recorded process had the same program, arguments, variables and
directory, and everything that it and its descendants were given is still the same, another program is executed in its
place, which puts back what that one left (rex/native/put). So the new recording is whole, and replays.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

from rex import codec
from rex.archive import Archive, Experiment, Manifest, Recording, Unpacked
from rex.archive.cacheplace import cache_root
from rex.archive.identities import Identities
from rex.archive.unpacked import WorkDirectory
from rex.errors import RexError
from rex.recorder import Options, Outcome, record
from rex.tracer import native
from rex.tracer.plan import EXEC_ANSWER, EXEC_QUESTION
from rex.trees import facts as kinds
from rex.trees.cut import REUSED, plain_runs
from rex.trees.factcache import load_facts
from rex.trees.live import LiveProcess, Outside
from rex.trees.now import Now
from rex.trees.steps import Left, Step, StepMaker
from rex.workflow.gate import Asked

_MOST_SCRIPT_LINE = 240


@dataclass
class Summary:
    """What a recording with reuse did.

    Attributes:
        reused: commands that were not run, with the seconds that they took when recorded.
        drawn: of these, those that had read a clock or drawn random numbers.
        executed: programs that ran.
        differing: steps that ran after all to be compared, and gave something else.
    """

    reused: list[tuple[str, float]] = field(default_factory=list)
    drawn: int = 0
    executed: int = 0
    rechecked: int = 0
    differing: list[str] = field(default_factory=list)

    @property
    def saved_s(self) -> float:
        """Seconds that the reused programs took when recorded."""
        return sum(seconds for _, seconds in self.reused)


@dataclass
class _Known:
    """A recorded process that executed a program, and the step that it begins."""

    experiment: Experiment
    maker: StepMaker
    task: int
    step: Step | None = None

    def made(self) -> Step:
        if self.step is None:
            self.step = self.maker.step([self.task])
        return self.step


class Reuser:
    """Answers what is executed in a program's place.

    Attributes:
        found: by task of the new recording: the experiment and process whose step was put back.
    """

    def __init__(self, archive: Archive, work: str, now: Now, is_strict: bool = False, recheck: int = 0) -> None:
        self._archive, self._work, self._now, self._is_strict, self._recheck = archive, work, now, is_strict, recheck
        self._unpacked = Unpacked(archive)
        self._known: dict[tuple[str, ...], list[_Known]] = {}
        self.summary = Summary()
        self.found: dict[int, tuple[str, int]] = {}
        self.rechecked: dict[int, Step] = {}
        self._machine: dict[str, Any] = {}
        for experiment in plain_runs(archive.experiments()):
            try:
                self._learn(experiment)
            except RexError:         # what cannot be read is not reused
                continue

    def close(self) -> None:
        """Remove what was unpacked."""
        self._unpacked.close()

    def _learn(self, experiment: Experiment) -> None:
        manifest, run = experiment.manifest, load_facts(experiment)
        maker = StepMaker(manifest, run)
        was_put = {int(task) for task in manifest.extra.get(REUSED, {})}
        for process in run.processes.values():
            if not process.is_forked and process.task not in was_put:
                self._known.setdefault(tuple(process.arguments), []).append(_Known(experiment, maker, process.task))

    def decide(self, task: int, process: LiveProcess) -> str:
        """The path of a script to execute instead; "" to run the program."""
        known = self._find(process)
        if known is None:
            self.summary.executed += 1
            return ""
        step = known.made()
        if len(self.rechecked) < self._recheck:
            self.rechecked[task] = step
            self.summary.executed += 1
            return ""
        path = os.path.join(self._work, f"step{len(self.found)}")
        self._write_script(path, step, process)
        self.found[task] = (known.experiment.identity, known.task)
        self.summary.reused.append((step.command, step.seconds))
        self.summary.drawn += bool({kinds.CLOCK, kinds.RANDOMNESS}.intersection(step.sources))
        return path

    def _find(self, process: LiveProcess) -> _Known | None:
        """The newest recorded process that would do the same now; None if there is none, or if equal ones did different things."""
        chosen: _Known | None = None
        keys: dict[str, str] = {}
        for known in reversed(self._known.get(tuple(process.arguments), [])):
            manifest = known.experiment.manifest
            if not process.is_alike(manifest, known.maker.program(known.task)):
                continue
            step = known.made()
            if keys.setdefault(step.key, step.result) != step.result and step.is_known:
                return None
            if chosen is None and self._may_stand_in(step, manifest, process) and all(map(self._now.is_still, step.given)):
                chosen = known
        return chosen

    def _may_stand_in(self, step: Step, manifest: Manifest, process: LiveProcess) -> bool:
        if step.against or not step.is_known or step.status is None or step.status < 0:
            return False
        refused = {kinds.NETWORK, kinds.DEVICE} | ({kinds.CLOCK, kinds.RANDOMNESS, kinds.MACHINE} if self._is_strict else set())
        if refused.intersection(step.sources) or kinds.MACHINE in step.sources and not self._is_here(manifest):
            return False
        if any(os.path.lexists(codec.raw(path)) for path in step.passing):
            return False
        return process.has_fresh_descriptors(step.programs[0]["standard"]) and all(
            _can_be_left(each, manifest.umask, process, step.writes) for each in step.left)

    def _is_here(self, manifest: Manifest) -> bool:
        """Whether a run was recorded on this machine, as it is now."""
        if not self._machine:
            from rex.recorder import machine_facts
            self._machine = machine_facts()
        return manifest.host == os.uname().nodename and manifest.machine == self._machine

    def _write_script(self, path: str, step: Step, process: LiveProcess) -> None:
        words: list[bytes] = []
        contents = [each.state.content for each in step.left if each.state and each.state.content]
        files = self._unpacked.paths(contents)
        for each in sorted(step.left, key=lambda each: each.path, reverse=True):
            if each.state is None:
                words += [b"r", codec.raw(each.path)]
        for each in sorted(step.left, key=lambda each: each.path):
            state, name = each.state, codec.raw(each.path)
            if state is None:
                continue
            if state.type == "dir":
                words += [b"d", b"%o" % state.mode, name]
            elif state.type == "symlink":
                words += [b"l", codec.raw(state.target), name]
            elif state.content:
                file, fd = codec.raw(files[state.content.sha256]), process.descriptor_of(name)
                words += [b"f", b"%o" % state.mode, name, file] if fd is None else [b"o", b"%d" % fd, file]
        for number, (stream, text) in enumerate(step.printed):
            printed = f"{path}.{number}"
            with open(printed, "wb") as out:
                out.write(text.encode("latin-1"))
            words += [b"o", b"%d" % (stream - 1), os.fsencode(printed)]
        words += [b"x", b"%d" % (step.status or 0)]
        with open(path, "wb") as out:
            out.write(b"#!" + os.fsencode(self._program()) + b" put\n" + b"".join(word + b"\0" for word in words))
        os.chmod(path, 0o755)

    def _program(self) -> str:
        """What follows scripts; a copy where its path is too long for their first line."""
        if len(native.PATH) < _MOST_SCRIPT_LINE:
            return native.PATH
        near = os.path.join(self._work, "put")
        if not os.path.exists(near):
            shutil.copy(native.PATH, near)
        return near


def _can_be_left(left: Left, mask: int, process: LiveProcess, others: frozenset[str]) -> bool:
    """Whether what the step left would be the same now at this path, which may hold an older file."""
    name, parent = codec.raw(left.path), os.path.dirname(left.path)
    if parent not in others and (not os.path.isdir(codec.raw(parent)) or os.path.realpath(codec.raw(parent)) != codec.raw(parent)):
        return False
    if process.descriptor_of(name) is not None:
        return True
    try:
        info = os.lstat(name)
    except FileNotFoundError:
        return not left.was_there or left.state is not None and left.state.mode in (0o666 & ~mask, 0o777 & ~mask)
    if not stat.S_ISREG(info.st_mode):           # a write would go through a link; a directory has contents of its own
        return left.was_there and stat.S_ISDIR(info.st_mode) and (left.state is None or left.state.type == "dir")
    if left.state is None:
        return True
    return (left.state.type == "file" and info.st_nlink == 1 and info.st_uid == os.geteuid()
            and stat.S_IMODE(info.st_mode) == left.state.mode)


class _Gate(Asked):
    """Serves the tracer's questions about what is executed."""

    def __init__(self, reuser: Reuser, outside: Outside) -> None:
        super().__init__()
        self._reuser, self._outside = reuser, outside

    def _serve(self) -> None:
        with self._ours.makefile("rb") as source:
            while len(head := source.read(EXEC_QUESTION.size)) == EXEC_QUESTION.size:
                task, pid, *lengths = EXEC_QUESTION.unpack(head)
                path, arguments, variables = (source.read(length) for length in lengths)
                try:
                    answer = os.fsencode(self._reuser.decide(task, LiveProcess(pid, path, arguments, variables, self._outside)))
                except (RexError, OSError):      # what cannot be looked at runs
                    answer = b""
                self._ours.sendall(EXEC_ANSWER.pack(len(answer)) + answer)


@contextmanager
def _reuser(options: Options, is_strict: bool, recheck: int) -> Iterator[Reuser]:
    with closing(WorkDirectory(cache_root())) as work, Archive.made(options.archive) as archive, \
            closing(Identities(cache_root())) as identities, \
            closing(Reuser(archive, work.path, Now(identities), is_strict, recheck)) as reuser:
        yield reuser


def record_reusing(options: Options, is_strict: bool = False, recheck: int = 0) -> tuple[Outcome, Summary]:
    """Record a command; steps that are known and unchanged are put back from the archive.

    Args:
        is_strict: run what read a clock, drew random numbers, or looked at the machine.
        recheck: run as many steps, that could have been put back, all the same, and compare.
    """
    with _reuser(options, is_strict, recheck) as reuser, _Gate(reuser, Outside(options.streams)) as gate:
        def complete(manifest: Manifest, recording: Recording) -> Manifest:
            from rex.values import replace
            found = {str(task): list(where) for task, where in reuser.found.items()}
            return replace(manifest, extra={**manifest.extra, REUSED: found}) if found else manifest

        options.gate, options.complete = gate.theirs, complete
        outcome = record(options)
        summary = reuser.summary
        if reuser.rechecked:
            maker = StepMaker(outcome.manifest, load_facts(outcome.experiment))
            summary.rechecked = len(reuser.rechecked)
            summary.differing = [step.command for task, step in reuser.rechecked.items() if maker.step([task]).result != step.result]
        return outcome, summary
