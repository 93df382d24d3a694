"""Record a command, and put back what the archive proves to be unchanged instead of running it (`rex record --reuse`).

As a program is about to be executed, the tracer stops and asks. If a recorded process had the same program, arguments, variables and
directory, and everything that it and its descendants were given is still the same, another program is executed in its
place, which puts back what that one left (rex/native/put). So the new recording is whole, and replays.
"""

from __future__ import annotations

import errno
import os
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
from rex.trees.files import Files, RunFiles
from rex.trees.inherited import PROCESSORS
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
        executed: programs that ran.
        differing: steps that ran after all to be compared, and gave something else.
        variables: names of those that are others than in any recorded run of the command, where nothing could be put back.
        spent_s: to look steps up, whether they could be put back or not, and to put them back.
    """

    reused: list[tuple[str, float]] = field(default_factory=list)
    drawn: int = 0
    executed: int = 0
    rechecked: int = 0
    differing: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    spent_s: float = 0.0

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

    def __init__(self, archive: Archive, work: str, now: Now, is_strict: bool = False, recheck: int = 0) -> None:
        self._archive, self._work, self._now, self._is_strict, self._recheck = archive, work, now, is_strict, recheck
        self._unpacked = Unpacked(archive)
        now.archived_as = self._unpacked.sha256_of
        self._known: dict[str, list[tuple[Source, Entry]]] = {}
        self._steps: dict[tuple[str, int], Step] = {}
        self.summary = Summary()
        self.found: dict[int, tuple[str, int]] = {}
        self.rechecked: dict[int, Step] = {}
        self._machine: dict[str, Any] = {}
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
        known = self._find(process) if self._can_put_back(process) else None
        if not task and known is None:
            self.summary.variables = self._other_variables(process)
        if known is None or not pays(self._step(*known)):
            self.summary.executed += 1
            self.summary.spent_s += time.monotonic() - began
            return ""
        step = self._step(*known)
        if len(self.rechecked) < self._recheck:
            self.rechecked[task] = step
            self.summary.executed += 1
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

    def _find(self, process: LiveProcess) -> tuple[Source, Entry] | None:
        """The newest recorded process that would do the same now; None if there is none, or if equal ones did different things."""
        known = self._known.get(hash_words(process.arguments), [])
        refused: set[str] = set()
        for source, entry in reversed(known):
            if entry.needs in refused or not entry.needs or not entry.result:
                continue
            if self._would_do_the_same(source, entry, process):
                results = {other.result for _, other in known if other.key == entry.key and other.result}
                return (source, entry) if len(results) == 1 else None
            refused.add(entry.needs)
        return None

    def _other_variables(self, process: LiveProcess) -> list[str]:
        """Those of the recorded run of a command that has the fewest others; the newest first, as reading takes time."""
        found: list[list[str]] = []
        for source, entry in reversed(self._known.get(hash_words(process.arguments), [])):
            if found and not found[-1]:
                break
            with suppress(RexError):
                found.append(process.other_variables(source.experiment.manifest, source.maker().program(entry.task)))
        return min(found, key=len, default=[])

    def _would_do_the_same(self, source: Source, entry: Entry, process: LiveProcess) -> bool:
        try:
            manifest, program = source.experiment.manifest, source.maker().program(entry.task)
            if not process.is_alike(manifest, program):
                return False
            step = self._step(source, entry)
        except RexError:         # what cannot be read is not reused
            return False
        return self._may_stand_in(step, manifest, process) and all(map(self._now.is_still, step.given))

    def _may_stand_in(self, step: Step, manifest: Manifest, process: LiveProcess) -> bool:
        if step.against or not step.is_known or step.status is None or step.status < 0:
            return False
        refused = kinds.NEVER | ({kinds.CLOCK, kinds.RANDOMNESS, kinds.MACHINE} if self._is_strict else set())
        if refused.intersection(step.sources) or kinds.MACHINE in step.sources and not self._is_here(manifest, step, process):
            return False
        if any(self._now.files.is_there(codec.raw(path)) for path in step.passing):
            return False
        if any(_descriptor_for(step, stream) is None for stream, _ in step.printed):
            return False
        if step.owns and not all(_has_our_group(self._now.files, codec.raw(each.path)) for each in step.left):
            return False
        return process.has_fresh_descriptors(step.programs[0]["standard"]) and all(
            _can_be_left(self._now.files, each, process, step.writes) for each in step.left)

    def _is_here(self, manifest: Manifest, step: Step, process: LiveProcess) -> bool:
        """Whether a step was recorded on this machine, as it is now, with the same processors."""
        if not self._machine:
            from rex.recorder import machine_facts
            self._machine = machine_facts()
        return (manifest.host == os.uname().nodename and manifest.machine == self._machine
                and step.programs[0]["inherited"].get(PROCESSORS) == process.inherited.get(PROCESSORS))

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
            words += [b"o", b"%d" % (_descriptor_for(step, stream) or 0), os.fsencode(printed)]
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


def _descriptor_for(step: Step, stream: int) -> int | None:
    """The standard descriptor of a step's program that leads to a stream of the experiment."""
    found = [fd for fd, text in enumerate(step.programs[0]["standard"]) if text in (f"stream {stream}", f"terminal {stream}")]
    return found[0] if found else None


def _can_be_left(files: Files, left: Left, process: LiveProcess, others: frozenset[str]) -> bool:
    """Whether what the step left would be the same now at this path, which may hold an older file."""
    name, parent = codec.raw(left.path), os.path.dirname(left.path)
    if parent not in others and not _is_directory(files, codec.raw(parent)):
        return False
    if process.descriptor_of(name) is not None:
        return True
    try:
        info = files.stat(name, False)
    except FileNotFoundError:
        return not left.was_there              # else nobody knows what mode it would get
    if not stat.S_ISREG(info.st_mode):           # a write would go through a link; a directory has contents of its own
        return left.was_there and stat.S_ISDIR(info.st_mode) and (left.state is None or left.state.type == "dir")
    if left.state is None:
        return True
    return (left.state.type == "file" and info.st_nlink == 1 and info.st_uid == os.geteuid()
            and stat.S_IMODE(info.st_mode) == left.state.mode)


def _has_our_group(files: Files, name: bytes) -> bool:
    """Whether a file that is made or written at a name has the group of who runs."""
    try:
        if files.is_there(name):
            return files.stat(name, False).st_gid == os.getegid()
        above = files.stat(os.path.dirname(name))
        return not above.st_mode & stat.S_ISGID or above.st_gid == os.getegid()
    except OSError:
        return False


def _is_directory(files: Files, name: bytes) -> bool:
    """Whether a name, without any link in it, is that of a directory."""
    try:
        return stat.S_ISDIR(files.stat(name).st_mode) and files.real(name) == name
    except OSError:
        return False


class Reuse(Asked):
    """The gate of a recording, or of a run: steps that are known and unchanged are put back from the archive.

    Attributes:
        summary: what it did so far.
    """

    def __init__(self, archive: Archive, streams: Streams, is_strict: bool = False, recheck: int = 0, is_run: bool = False) -> None:
        """
        Args:
            is_strict: run what read a clock, drew random numbers, looked at the machine, or asked for the time of a file.
            recheck: run as many steps, that could have been put back, all the same, and compare.
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
            self._reuser = stack.enter_context(closing(Reuser(archive, work.path, now, is_strict, recheck)))
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


def record_reusing(options: Options, is_strict: bool = False, recheck: int = 0) -> tuple[Outcome, Summary]:
    """Record a command with reuse, as `Reuse` has it."""
    with Archive.made(options.archive) as archive, Reuse(archive, options.streams, is_strict, recheck) as reuse:
        options.gate, options.complete = reuse.theirs, lambda manifest, recording: reuse.complete(manifest)
        outcome = record(options)
        return outcome, reuse.finish(outcome.experiment, outcome.manifest)


def run_reusing(archive: Archive, plan: RunPlan, streams: Streams) -> tuple[RunOutcome, Summary]:
    """Run archived files with reuse, as `Reuse` has it."""
    with Reuse(archive, streams, is_run=True) as reuse:
        outcome = start(plan, *streams, gate=reuse).wait()
        experiment = archive.experiment(outcome.experiment) if outcome.experiment else None
        return outcome, reuse.finish(experiment, experiment.manifest) if experiment else reuse.summary
