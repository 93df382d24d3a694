"""Record, replay, run again and compare, as a script does it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from rex import recorder, replayer
from rex.api.archives import Archive, Experiment
from rex.archive import about
from rex.errors import OwnFailure
from rex.expdiff.difference import Comparison
from rex.tracer.plan import DEVNULL

Path = str | os.PathLike[str]
Input = bytes | int | IO[bytes] | None


@dataclass(frozen=True)
class Replay:
    """What came of a replay.

    Attributes:
        experiment: what was replayed.
        outdir: where its output files are, each at its absolute path below.
        status: exit status, or minus the number of the signal that ended the program.
        stdout, stderr: what it wrote.
        is_identical: output, output files (where they were checked) and exit status are those of the recording.
        divergences: how often the program did not follow the log.
        divergence: the first of these in words; "" for none.
        differing: outputs that are other than recorded: path, why.
        problems: what else a user must know.
    """

    experiment: Experiment
    outdir: str
    status: int
    stdout: bytes
    stderr: bytes
    is_identical: bool
    divergences: int
    divergence: str
    differing: Mapping[str, str]
    problems: Sequence[str]


@dataclass(frozen=True)
class Run:
    """What came of a new experiment.

    Attributes:
        status: exit status, or minus the number of the signal that ended the program.
        stdout, stderr: what it wrote.
        outputs: files that the run made or changed: path in the experiment, file below outdir.
        live_uses: what of this machine was used where the archive had no answer.
        experiment: what was recorded; None without recording.
        changes: what was other than in the archived experiment, in words.
    """

    status: int
    stdout: bytes
    stderr: bytes
    outputs: Mapping[str, str]
    live_uses: Sequence[str]
    experiment: Experiment | None
    changes: Sequence[str]


@contextlib.contextmanager
def _memory(name: str, data: bytes = b"") -> Iterator[IO[bytes]]:
    """A file in memory, to be read by a program or written by one."""
    with open(os.memfd_create(name), "w+b", buffering=0) as file:
        file.write(data)
        file.seek(0)
        yield file


@contextlib.contextmanager
def _input(given: Input) -> Iterator[int]:
    """The descriptor of what a program reads; None is an empty input."""
    if given is None:
        yield DEVNULL
    elif isinstance(given, bytes):
        with _memory("stdin", given) as file:
            yield file.fileno()
    else:
        yield given if isinstance(given, int) else given.fileno()


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def record(command: Sequence[Path], archive: Path | Archive = "__default", experiment: str | None = None, *,
           env: Mapping[str, str] | None = None, cwd: Path | None = None, stdin: Input = None, capture: bool = True,
           keep_env: Sequence[str] = (), drop_env: Sequence[str] = (), exclude: Sequence[str] = (),
           redact: bool = False, serialize: bool = False, labels: Mapping[str, str] | None = None, note: str = "") -> Experiment:
    """Run a command and add it to an archive, which is made if nothing is there.

    Args:
        command: the program and its arguments; no shell is involved.
        experiment: its name; None: the next free one of exp0, exp1, ...
        env: its environment; None: ours.
        cwd: where it runs; None: here.
        stdin: what it reads: bytes, a file or descriptor; None: nothing.
        capture: keep its output to the archive (`Experiment.stdout`); False: show it on our standard streams.
        labels, note: to find it by.
        keep_env, drop_env, exclude, redact, serialize: as the options of `rex record`.
    Raises:
        CommandNotFound, NotExecutable, Unsupported: nothing was run and nothing recorded.
        NotPermitted: the kernel does not let us trace.
        OwnFailure: Rex failed; the experiment is incomplete.
    """
    where = archive if isinstance(archive, Archive) else Archive(archive, create=True)
    with _input(stdin) as source, contextlib.ExitStack() as stack:
        output = [stack.enter_context(_memory(name)).fileno() for name in ("stdout", "stderr")] if capture else [1, 2]
        options = recorder.Options(
            [os.fspath(word) for word in command], where.path, experiment, tuple(keep_env), tuple(drop_env), tuple(exclude),
            serialize=serialize, redact=redact, environment=None if env is None else {os.fsencode(k): os.fsencode(v) for k, v in env.items()},
            cwd=None if cwd is None else os.fsencode(os.path.abspath(cwd)), streams=(source, output[0], output[1]),
            extra=about.facts(labels or {}, note))
        return where[recorder.record(options).experiment.name]


def replay(experiment: Experiment, outdir: Path, check: bool = True, *, sandbox: bool = False) -> Replay:
    """Run an experiment again from its archive alone.

    Args:
        outdir: where output files go, each at its absolute path below; made if need be, must be empty.
        check: compare the output files with the recorded ones.
        sandbox: let it see nothing of this machine but its own files and outdir.
    Raises:
        NotFound, Damaged, TooNew: the archive cannot be read.
        NotPermitted: the kernel does not let us trace, or make a sandbox.
        UsageError: outdir is not empty.
    """
    with _memory("stdout") as stdout, _memory("stderr") as stderr:
        done = replayer.replay(experiment.archive.path, experiment.name, os.fspath(outdir), is_checked=check,
                               is_sandboxed=sandbox, output=(stdout.fileno(), stderr.fileno()))
        first = done.divergence
        text = f"event {first.event} ({first.why}): log has {first.logged}, program asked for {first.asked}" if first else ""
        return Replay(experiment, done.outdir, os.waitstatus_to_exitcode(done.status), _content(stdout), _content(stderr),
                      done.is_identical and not done.divergences, done.divergences, text, done.differing, done.problems)


def run(experiment: Experiment, outdir: Path, *, args: Sequence[str] | None = None, env: Mapping[str, str] | None = None,
        unset: Sequence[str] = (), cwd: str | None = None, files: Mapping[str, Path] | None = None,
        apps: Mapping[str, Path] | None = None, add: Mapping[str, Path] | None = None, stdin: Input = None,
        record: bool | str = False, sandbox: bool = False) -> Run:
    """Run a new experiment: an archived one with changes, on what the archive holds.

    Args:
        outdir: where output files go, each at its absolute path below; made if need be, must be empty.
        args: the program's new arguments, without the program itself.
        env, unset: variables to set and to remove.
        cwd: another working directory, as a path of the experiment.
        files, apps, add: inputs to replace, programs or libraries to replace, files to add: path in the
            experiment, local file.
        stdin: what it reads; None: the plain file that the experiment had there, or nothing.
        record: add the run to the archive; a string is its name.
        sandbox: let it see nothing of this machine but its own files, those given here, and outdir.
    Raises:
        Conflicts: the changes make no sense; all reasons at once.
        NotFound, NotPermitted, OwnFailure: as `record` and `replay`.
    """
    from rex.runnew import Changes, plan_run, start

    def local(given: Mapping[str, Path] | None) -> dict[str, str]:
        return {path: os.fspath(file) for path, file in (given or {}).items()}

    source = experiment.archive.store.experiment(experiment.name)
    changes = Changes(args=None if args is None else (experiment.command[0], *args), cwd=cwd, env_set=dict(env or {}),
                      env_unset=tuple(unset), files=local(files), apps=local(apps), added=local(add))
    plan = plan_run(experiment.archive.store, source, changes, os.fspath(outdir), is_recorded=record is not False,
                    name=record if isinstance(record, str) else None)
    with _input(stdin) as reader, _memory("stdout") as stdout, _memory("stderr") as stderr:
        done = start(plan, reader, stdout.fileno(), stderr.fileno(), sandbox).wait()
        if done.is_cancelled:
            raise OwnFailure("the run was cancelled", "", "run it again")
        return Run(os.waitstatus_to_exitcode(done.status), _content(stdout), _content(stderr), dict(done.outputs),
                   [str(use) for use in done.live_uses], experiment.archive[done.experiment] if done.experiment else None,
                   plan.describe())


def compare(left: Experiment, right: Experiment, depth: int = 1, *, rtol: float = 0.0, atol: float = 0.0, ulps: int = 0,
            ignore: Sequence[str] = (), formats: Sequence[str] = (), any_order: bool = False) -> Comparison:
    """What differs between two experiments; `is_same` where nothing that matters does.

    Args:
        depth: 1 for components and files, 2 for their bytes too, 3 for the calls as well.
        rtol, atol, ulps, ignore, any_order: what outputs may differ in, as the options of `rex expdiff`; such outputs are in `within`.
        formats: as the option --as: texts FILE=FORMAT.
    Raises:
        NotFound: one of them never finished.
        Damaged, TooNew: it cannot be read.
        UsageError: what outputs may differ in makes no sense.
    """
    from rex.contents.rules import make
    from rex.expdiff.compare import Side
    from rex.expdiff.compare import compare as find
    one, two = (Side(each.archive.store, each.archive.store.experiment(each.name)) for each in (left, right))
    return find(one, two, depth, make(rtol, atol, ulps, ignore, formats, any_order))
