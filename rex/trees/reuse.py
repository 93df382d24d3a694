"""Record a command, and put back what the archive proves to be unchanged instead of running it (`rex record --reuse`).

As a program is about to be executed, the tracer stops and asks. If a recorded process had the same program, arguments, variables and
directory, and everything that it and its descendants were given is still the same, another program is executed in its
place, which puts back what that one left (rex/native/put). So the new recording is whole, and replays.
"""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import socket
import stat
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from rex import codec
from rex.archive import Archive, Experiment, Manifest, Process, Unpacked
from rex.cacheplace import cache_root
from rex.archive.identities import Identities
from rex.archive.unpacked import WorkDirectory
from rex.errors import RexError
from rex.recorder import Options, Outcome, Streams, record
from rex.runnew import RunOutcome, RunPlan, start
from rex.tracer import native
from rex.tracer.plan import ABOUT_A_NAME, EXEC_ANSWER, EXEC_QUESTION, NAME_ANSWER
from rex.trees import facts as kinds
from rex.trees.factcache import load_facts
from rex.trees.facts import REUSED
from rex.trees.files import RunFiles
from rex.trees.judge import Judge, descriptor_for
from rex.trees.live import LiveProcess, Outside
from rex.trees.now import Now
from rex.trees.stepindex import Entry, Source, hash_words, sources
from rex.trees.step import Left, Step
from rex.trees.steps import StepMaker
from rex.workflow.gate import Asked

_MOST_SCRIPT_LINE, _MOST_NAME = 240, 4096
_PUT_BYTES_PER_S, _PUT_LEAST_S = 200_000_000, 0.02       # unpacked and copied; a step that writes less is put back in any case


@dataclass
class Summary:
    """What a recording with reuse did.

    Attributes:
        reused: commands that were not run, with the seconds that they took when recorded.
        drawn: of these, those that had read a clock or drawn random numbers.
        ran: commands that were executed, with the reason why.
        differing: steps that ran after all to be compared, and gave something else.
        variables: names of those that are others than in any recorded run of the command, where nothing could be put back.
        spent_s: to look steps up, whether they could be put back or not, and to put them back.
    """

    reused: list[tuple[str, float]] = field(default_factory=list)
    drawn: int = 0
    ran: list[tuple[str, str]] = field(default_factory=list)
    rechecked: int = 0
    differing: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    spent_s: float = 0.0

    @property
    def executed(self) -> int:
        """Programs that ran."""
        return len(self.ran)

    @property
    def recorded_s(self) -> float:
        """What the steps that were put back took when they were recorded."""
        return sum(seconds for _, seconds in self.reused)

    @property
    def saved_s(self) -> float:
        """Negative where it would have been faster to run everything."""
        return self.recorded_s - self.spent_s


class Reuser:
    """Answers what is executed in a program's place.

    Attributes:
        found: by task of the new recording: the experiment and process whose step was put back.
    """

    def __init__(self, archive: Archive, work: str, now: Now, is_strict: bool = False, recheck: int = 0, explains: bool = False) -> None:
        self._archive, self._work, self._now, self._recheck, self._explains = archive, work, now, recheck, explains
        self._judge = Judge(now, is_strict)
        self._unpacked = Unpacked(archive)
        now.archived_as = self._unpacked.sha256_of
        self._known: dict[str, list[tuple[Source, Entry]]] = {}
        self._steps: dict[tuple[str, int], Step] = {}
        self.summary = Summary()
        self.found: dict[int, tuple[str, int]] = {}
        self.rechecked: dict[int, Step] = {}
        self._ran_at: dict[tuple[int, str], int] = {}    # execvp() asks in each directory of PATH
        self._has_libraries: bool | None = None if isinstance(now.files, RunFiles) else True
        for source, entries in sources(archive.experiments()):
            for entry in entries:
                self._known.setdefault(entry.words, []).append((source, entry))

    def close(self) -> None:
        """Remove what was unpacked."""
        self._unpacked.close()

    def decide(self, task: int, process: LiveProcess) -> str:
        """The path of a script to execute instead; "" to run the program."""
        began = time.monotonic()
        self._now.files.forget()
        known, why = self._find(process) if self._can_put_back(process) else (None, "the program that puts back does not run here")
        if not task and known is None:
            self.summary.variables = self._other_variables(process)
        if known is None:
            command = shlex.join(process.arguments)
            place = self._ran_at.setdefault((task, command), len(self.summary.ran))
            self.summary.ran[place:place + 1] = [(command, why)]
            self.summary.spent_s += time.monotonic() - began
            return ""
        step = self._step(*known)
        if len(self.rechecked) < self._recheck:
            self.rechecked[task] = step
            self.summary.ran.append((step.command, "to be compared"))
            return ""
        path = os.path.join(self._work, f"step{len(self.found)}")
        self._write_script(path, step, process)
        self.found[task] = (known[0].experiment.identity, known[1].task)
        self.summary.reused.append((step.command, step.seconds))
        self.summary.drawn += bool({kinds.CLOCK, kinds.RANDOMNESS}.intersection(step.sources))
        return path

    def _can_put_back(self, process: LiveProcess) -> bool:
        """Whether the program that puts back, which is the tracer's, finds its libraries where a run sees those of an archive."""
        if self._has_libraries is None:
            self._has_libraries = all(self._now.content(path) == self._now.content_here(path) for path in process.libraries_of_tracer())
        return self._has_libraries

    def _step(self, source: Source, entry: Entry) -> Step:
        where = source.experiment.identity, entry.task
        if where not in self._steps:
            self._steps[where] = source.maker().step([entry.task])
        return self._steps[where]

    def _find(self, process: LiveProcess) -> tuple[tuple[Source, Entry] | None, str]:
        """The newest recorded process that would do the same now; None if there is none, and why the newest would not."""
        known = self._known.get(hash_words(process.arguments), [])
        refused: set[str] = set()
        first = "" if known else "no recorded run has a program with these arguments"
        for source, entry in reversed(known):
            is_open = bool(entry.needs and entry.result)
            if is_open and entry.needs not in refused or self._explains and not first:
                why = self._objection(source, entry, process) or ("" if is_open else "it is never put back")
                if not why:
                    why = self._doubt(entry, self._step(source, entry))
                    return (None if why else (source, entry)), why
                first = first or why
            refused.add(entry.needs)
        return None, first or "nothing of its recorded runs can be put back (--explain tells why)"

    def _objection(self, source: Source, entry: Entry, process: LiveProcess) -> str:
        """Why what a recorded process did is not put back now; "" if it is."""
        try:
            manifest, program = source.experiment.manifest, source.maker().program(entry.task)
            if why := process.difference(manifest, program):
                return why
            step = self._step(source, entry)
        except RexError as error:         # what cannot be read is not reused
            return str(error)
        return self._judge.objection(step, manifest, process)

    def _doubt(self, entry: Entry, step: Step) -> str:
        """Why not to put back what would do the same now."""
        results = {other.result for _, other in self._known[entry.words] if other.key == entry.key and other.result}
        if len(results) > 1:
            return "equal inputs gave different results"
        return "" if pays(step) else "to put back what it left takes more time"

    def _other_variables(self, process: LiveProcess) -> list[str]:
        """Those of the recorded run of a command that has the fewest others; the newest first, as reading takes time."""
        found: list[list[str]] = []
        for source, entry in reversed(self._known.get(hash_words(process.arguments), [])):
            if found and not found[-1]:
                break
            with suppress(RexError):
                found.append(process.other_variables(source.experiment.manifest, source.maker().program(entry.task)))
        return min(found, key=len, default=[])

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
                words += [b"d", b"%o" % (state.mode | stat.S_IRWXU), name]
            elif state.type == "symlink":
                words += [b"l", codec.raw(state.target), name]
            elif state.content:
                file, fd = codec.raw(files[state.content.sha256]), process.descriptor_of(name)
                words += [b"f", b"%o" % state.mode, name, file] if fd is None else [b"o", b"%d" % fd, file]
            if state.type != "dir":
                words += _time_words(each)
        for each in sorted(step.left, key=lambda each: each.path, reverse=True):
            if each.state and each.state.type == "dir":
                words += _time_words(each)
                if each.state.mode & stat.S_IRWXU != stat.S_IRWXU:
                    words += [b"d", b"%o" % each.state.mode, codec.raw(each.path)]
        for number, (stream, text) in enumerate(step.printed):
            printed = f"{path}.{number}"
            with open(printed, "wb") as out:
                out.write(text.encode("latin-1"))
            words += [b"o", b"%d" % (descriptor_for(step, stream) or 0), os.fsencode(printed)]
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


def _time_words(left: Left) -> list[bytes]:
    """What sets the time of a file that a step left."""
    return [b"t", b"%d" % left.mtime_ns, codec.raw(left.path)] if left.mtime_ns else []


def pays(step: Step) -> bool:
    """Whether to put a step back takes less time than to execute it: `cp` of a large file does not."""
    size = sum(each.state.size for each in step.left if each.state and each.state.type == "file")
    return size <= _PUT_BYTES_PER_S * (step.seconds + _PUT_LEAST_S)


class Reuse(Asked):
    """The gate of a recording, or of a run: steps that are known and unchanged are put back from the archive.

    Attributes:
        summary: what it did so far.
    """

    def __init__(self, archive: Archive, streams: Streams, is_strict: bool = False, recheck: int = 0, is_run: bool = False, explains: bool = False) -> None:
        """
        Args:
            is_strict: run what read a clock, drew random numbers, looked at the machine, or asked for the time of a file.
            recheck: run as many steps, that could have been put back, all the same, and compare.
            explains: read also what can never be put back, to say why.
            is_run: names are those of a run on archived files, as its tracer tells.
        """
        super().__init__()
        began = time.monotonic()
        with ExitStack() as stack:
            work = stack.enter_context(closing(WorkDirectory(cache_root())))
            now = Now(stack.enter_context(closing(Identities(cache_root()))), is_strict)
            if is_run:
                now.files = RunFiles(self._ask)
                os.set_inheritable(self.theirs, False)     # else tracers of runs side by side had it
            self._files, self._outside = now.files, Outside(streams)
            self._reuser = stack.enter_context(closing(Reuser(archive, work.path, now, is_strict, recheck, explains)))
            self._stack = stack.pop_all()
        self.summary = self._reuser.summary
        self.summary.spent_s += time.monotonic() - began

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        super().__exit__(kind, error, trace)
        self._stack.close()

    def complete(self, manifest: Manifest) -> Manifest:
        """The manifest of the new experiment, with what was put back."""
        from rex.values import replace
        self.take_times(lambda: manifest.processes)
        found = {str(task): list(where) for task, where in self._reuser.found.items()}
        return replace(manifest, extra={**manifest.extra, REUSED: found}) if found else manifest

    def take_times(self, read: Callable[[], Iterable[Process]]) -> None:
        """Add what it took to put steps back, once the run has ended; read: its processes."""
        if found := self._reuser.found:
            self.summary.spent_s += sum(each.end_s - each.start_s for each in read() if each.task in found and each.end_s)

    def finish(self, experiment: Experiment, manifest: Manifest) -> Summary:
        """The summary, once the experiment is in the archive."""
        summary, reuser = self.summary, self._reuser
        if reuser.rechecked:
            maker = StepMaker(manifest, load_facts(experiment))
            summary.rechecked = len(reuser.rechecked)
            summary.differing = [step.command for task, step in reuser.rechecked.items() if maker.step([task]).result != step.result]
        return summary

    def _serve(self) -> None:
        try:
            self._answer_all()
        finally:
            self._ours.shutdown(socket.SHUT_RDWR)       # nobody waits for us

    def _answer_all(self) -> None:
        with self._ours.makefile("rb") as self._source:
            while len(head := self._source.read(EXEC_QUESTION.size)) == EXEC_QUESTION.size:
                task, pid, *lengths = EXEC_QUESTION.unpack(head)
                path, arguments, variables, state = (self._source.read(length) for length in lengths)
                try:
                    process = LiveProcess(pid, path, arguments, variables, state, self._outside, self._files)
                    answer = os.fsencode(self._reuser.decide(task, process))
                except (RexError, OSError, ValueError):      # what cannot be looked at runs
                    answer = b""
                self._ours.sendall(EXEC_ANSWER.pack(len(answer)) + answer)

    def _ask(self, kind: bytes, name: bytes) -> bytes:
        if len(name) >= _MOST_NAME:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        self._ours.sendall(EXEC_ANSWER.pack(ABOUT_A_NAME | len(kind + name)) + kind + name)
        failed, length = NAME_ANSWER.unpack(self._source.read(NAME_ANSWER.size))
        told = self._source.read(length)
        if failed:
            raise OSError(-failed, os.strerror(-failed))
        return told


def record_reusing(options: Options, is_strict: bool = False, recheck: int = 0, explains: bool = False) -> tuple[Outcome, Summary]:
    """Record a command with reuse, as `Reuse` has it."""
    with Archive.made(options.archive) as archive, Reuse(archive, options.streams, is_strict, recheck, explains=explains) as reuse:
        options.gate, options.complete = reuse.theirs, lambda manifest, recording: reuse.complete(manifest)
        outcome = record(options)
        return outcome, reuse.finish(outcome.experiment, outcome.manifest)


def run_reusing(archive: Archive, plan: RunPlan, streams: Streams) -> tuple[RunOutcome, Summary]:
    """Run archived files with reuse, as `Reuse` has it."""
    with Reuse(archive, streams, is_run=True) as reuse:
        outcome = start(plan, *streams, gate=reuse).wait()
        experiment = archive.experiment(outcome.experiment) if outcome.experiment else None
        return outcome, reuse.finish(experiment, experiment.manifest) if experiment else reuse.summary
