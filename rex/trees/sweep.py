"""Run an archived experiment once for each combination of parameters; each run is an experiment with its parameters as labels."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import partial

from rex import cluster, codec
from rex.archive import OUTPUT, Archive, Experiment
from rex.archive.about import labels_of
from rex.errors import RexError, UsageError
from rex.recorder import Streams
from rex.runnew import Changes, RunOutcome, RunPlan, plan_run, start
from rex.trees.facts import FILE as FILE_READ
from rex.trees.facts import REUSED
from rex.trees.grafts import Makers
from rex.trees.reuse import Summary, run_reusing

ARG, ENV, FILE = "arg", "env", "file"
SWEPT = "sweep"              # label: the experiment that a sweep began from
_MOST = 100_000
_Job = tuple[int, dict[str, str]]      # number and values of a combination
_RANGE = re.compile(r"(-?\d{1,18})\.\.(-?\d{1,18})")


@dataclass(frozen=True)
class Parameter:
    """What is varied.

    Attributes:
        kind: arg, env or file.
        name: number of an argument, variable, or path in the experiment.
    """

    kind: str
    name: str
    values: tuple[str, ...]

    @property
    def label(self) -> str:
        """The name of the label that has its value."""
        return f"arg{self.name}" if self.kind == ARG else self.name


@dataclass
class Swept:
    """A combination that was run.

    Attributes:
        experiment: its name; "" if it could not be run.
        outputs: by path from the working directory: size, sha256.
        is_old: it was there already.
        failed: why it could not be run.
        reused, saved_s: steps that were put back, and what that saves.
        groups: by output the number of those that gave the same, where a user says what that is.
    """

    values: dict[str, str]
    experiment: str = ""
    exit_status: int | None = None
    seconds: float = 0.0
    outputs: dict[str, tuple[int, str]] = field(default_factory=dict)
    is_old: bool = False
    failed: str = ""
    reused: int = 0
    saved_s: float = 0.0
    groups: dict[str, int] = field(default_factory=dict)


def parse(kind: str, text: str) -> Parameter:
    """A parameter as users write it: 3=3,5,7 or SEED=1..10.

    Raises:
        UsageError: it has no values, or none that can be read.
    """
    name, equals, given = text.partition("=")
    span = _RANGE.fullmatch(given)
    if span:
        first, last = map(int, span.groups())
        if first > last:
            raise UsageError(f"--{kind} {text}: the range is empty", f"{first} is more than {last}", "write the smaller number first")
        if last - first >= _MOST:
            raise UsageError(f"--{kind} {text}: too many values", f"more than {_MOST}", "give fewer")
        values = tuple(map(str, range(first, last + 1)))
    else:
        values = tuple(given.split(","))
    if not equals or not name or not given:
        raise UsageError(f"--{kind} {text}: no parameter with values", "", f"write --{kind} NAME=VALUE,VALUE or NAME=1..10")
    if kind == ARG and not (name.isascii() and name.isdigit() and int(name)):
        raise UsageError(f"--arg {text}: {name!r} is no number of an argument", "", "the first one after the program is 1")
    return Parameter(kind, name, values)


def combinations(parameters: Sequence[Parameter], is_zipped: bool) -> list[dict[str, str]]:
    """All combinations of values, by label; zipped: the first of each, the second of each, and so on.

    Raises:
        UsageError: nothing is varied, one label means two parameters, or there are too many.
    """
    labels = [each.label for each in parameters]
    if not labels:
        raise UsageError("nothing is varied", "", "give --arg, --env or --file")
    double = next((label for label in labels if labels.count(label) > 1), None)
    if double:
        raise UsageError(f"{double} is given twice", "", "give all its values at once")
    if is_zipped:
        counts = {len(each.values) for each in parameters}
        if len(counts) > 1:
            raise UsageError("--zip needs equally many values of each parameter", ", ".join(
                f"{each.label} has {len(each.values)}" for each in parameters), "give as many, or leave --zip out")
        rows = list(zip(*(each.values for each in parameters)))
    else:
        total = 1
        for each in parameters:
            total *= len(each.values)
        if total > _MOST:
            raise UsageError(f"{total} combinations", f"more than {_MOST}", "vary less, or use --zip")
        rows = list(itertools.product(*(each.values for each in parameters)))
    again, count = Counter(rows).most_common(1)[0]
    if count > 1:
        raise UsageError(f"{' '.join(f'{label}={value}' for label, value in zip(labels, again))} comes twice", "", "give each value once")
    return [dict(zip(labels, row)) for row in rows]


def changes_of(experiment: Experiment, parameters: Sequence[Parameter], values: dict[str, str], place: str) -> Changes:
    """What one combination changes.

    Args:
        place: the directory from which files are named.
    Raises:
        UsageError: the experiment has no such argument.
    """
    command = list(experiment.manifest.command)
    variables, files = {}, {}
    for each in parameters:
        value = values[each.label]
        if each.kind == ARG:
            if int(each.name) >= len(command):
                raise UsageError(f"{experiment.name} has no argument {each.name}", f"it has {len(command) - 1}", "see: rex show")
            command[int(each.name)] = value
        elif each.kind == ENV:
            variables[each.name] = value
        else:
            files[each.name] = os.path.join(place, value)
    return Changes(args=tuple(command), env_set=variables, files=files)


@dataclass(frozen=True)
class Wishes:
    """What is to be run.

    Attributes:
        archive, outdir, place: absolute; place: the directory from which files are named.
        reuses: put back steps that the archive proves to be unchanged, also those of earlier runs of the sweep.
        is_sandboxed: let each run see nothing of this machine but its own files; nothing is put back then.
    """

    archive: str
    experiment: str
    parameters: tuple[Parameter, ...]
    outdir: str | None
    place: str
    reuses: bool = True
    is_sandboxed: bool = False


class Sweep:
    """The runs of a sweep."""

    def __init__(self, wishes: Wishes) -> None:
        self._wishes, self._archive = wishes, Archive.open(wishes.archive)
        self._experiment = self._archive.experiment(wishes.experiment)

    def run(self, rows: list[dict[str, str]], workers: int, is_resumed: bool, tell: Callable[[Swept], None], dask: str = "") -> list[Swept]:
        """Run all combinations, in order, several side by side.

        Args:
            is_resumed: what an earlier sweep with these labels has finished is not run again.
            tell: is called as each has ended.
            dask: address of a Dask scheduler, whose workers run them; empty for this machine alone.
        Raises:
            UsageError: a parameter is none of the experiment's, before anything runs; there is no such cluster.
            OwnFailure: the cluster lost its workers.
        """
        files = [plan_run(self._archive, self._experiment, self._changes(row), "").files for row in rows]     # all that is wrong shows before anything runs
        done, found = self._finished() if is_resumed else {}, dict[int, Swept]()
        for number, row in enumerate(rows):
            old = done.get(tuple(sorted(row.items())))
            if old and _has_read(self._archive, old, files[number]):
                found[number] = self._result(row, old, True)
                tell(found[number])
        jobs = [(number, row) for number, row in enumerate(rows) if number not in found]
        if self._wishes.outdir and not is_resumed:
            _refuse_remains([os.path.join(self._wishes.outdir, str(number)) for number, _ in jobs])
        for number, swept in (_on_cluster(dask, self._wishes, jobs) if dask else self._side_by_side(jobs, workers)):
            found[number] = swept
            tell(swept)
        return [found[number] for number in range(len(rows))]

    def _side_by_side(self, jobs: list[_Job], workers: int) -> Iterator[tuple[int, Swept]]:
        """The number of each combination and what came of it, as they end."""
        with ThreadPoolExecutor(workers) as pool:
            numbers = {pool.submit(self.one, *job): job[0] for job in jobs}
            for future in as_completed(numbers):
                yield numbers[future], future.result()

    def _changes(self, row: dict[str, str]) -> Changes:
        return changes_of(self._experiment, self._wishes.parameters, row, self._wishes.place)

    def _finished(self) -> dict[tuple[tuple[str, str], ...], Experiment]:
        found = {}
        for experiment in self._archive.experiments():
            if experiment.state == "complete":
                labels = labels_of(experiment.manifest)
                if labels.pop(SWEPT, "") == self._experiment.name:
                    found[tuple(sorted(labels.items()))] = experiment
        return found

    def one(self, number: int, row: dict[str, str]) -> Swept:
        """Run a combination. What is in its output directory is of a run that was killed."""
        with tempfile.TemporaryDirectory(prefix="rex-sweep-") as temporary:
            top = os.path.join(self._wishes.outdir or temporary, str(number))
            try:
                shutil.rmtree(top, ignore_errors=True)
                os.makedirs(top)
                plan = plan_run(self._archive, self._experiment, self._changes(row), os.path.join(top, "files"), is_recorded=True)
                plan = replace(plan, labels={**row, SWEPT: self._experiment.name})
                with open(os.devnull, "rb") as stdin, open(os.path.join(top, "stdout"), "wb") as out, \
                        open(os.path.join(top, "stderr"), "wb") as err:
                    outcome, summary = self._start(plan, (stdin.fileno(), out.fileno(), err.fileno()))
            except (RexError, OSError) as error:
                return Swept(row, failed=str(error))
        if outcome.experiment is None:
            return Swept(row, failed="it was cancelled")
        found = self._result(row, self._archive.experiment(outcome.experiment), False)
        return replace(found, reused=len(summary.reused), saved_s=summary.saved_s) if summary else found

    def _start(self, plan: RunPlan, streams: Streams) -> tuple[RunOutcome, Summary | None]:
        return run_reusing(self._archive, plan, streams) if self._wishes.reuses else (
            start(plan, *streams, is_sandboxed=self._wishes.is_sandboxed).wait(), None)

    @staticmethod
    def _result(row: dict[str, str], experiment: Experiment, is_old: bool) -> Swept:
        manifest = experiment.manifest
        outputs = {}
        for path, entry in manifest.files.items():
            if OUTPUT in entry.roles and entry.final and entry.final.content:
                shown = os.path.relpath(path, manifest.cwd) if path.startswith(manifest.cwd + "/") else path
                outputs[shown] = (entry.final.size, entry.final.content.sha256)
        return Swept(row, experiment.name, manifest.exit_status, manifest.duration_s, outputs, is_old)


def _refuse_remains(outdirs: list[str]) -> None:
    """Raises UsageError if something is in one of them."""
    if full := next((path for path in outdirs if os.path.isdir(path) and os.listdir(path)), ""):
        raise UsageError(f"the output directory {full} is not empty", "", "choose another with -o, remove it, or add --resume")


def _run_job(wishes: Wishes, job: _Job) -> Swept:
    """A task of a cluster."""
    return Sweep(wishes).one(*job)


def _on_cluster(address: str, wishes: Wishes, jobs: list[_Job]) -> Iterator[tuple[int, Swept]]:
    """The number of each combination and what came of it, as they end."""
    with cluster.connect(address) as client:
        for at, swept in cluster.ended(client, partial(_run_job, wishes), jobs):
            yield jobs[at][0], swept


def _read_in(archive: Archive, experiment: Experiment) -> dict[str, set[str]]:
    """The contents that a run has read, by path, also in what it put back.

    Raises:
        RexError: a run of which it put back a step is gone, or cannot be read.
    """
    found: dict[str, set[str]] = {}
    for path, entry in experiment.manifest.files.items():
        if entry.initial and entry.initial.content:
            found.setdefault(path, set()).add(entry.initial.content.sha256)
    makers = Makers(archive.experiments())
    for identity, task in experiment.manifest.extra.get(REUSED, {}).values():
        original = makers.original(identity)
        members = makers.maker(original).members([task])
        for use in makers.facts(original).uses:
            if use.kind == FILE_READ and use.process in members:
                found.setdefault(use.path, set()).add(use.value)
    return found


def _has_read(archive: Archive, experiment: Experiment, files: dict[str, str]) -> bool:
    """Whether a run has read nothing else at these paths than what is in these files here now."""
    try:
        read = _read_in(archive, experiment) if files else {}
    except RexError:
        return False
    for path, local in files.items():
        with open(codec.raw(local), "rb") as file:
            if read.get(path, set()) - {hashlib.file_digest(file, "sha256").hexdigest()}:
                return False
    return True


def pairs(rows: list[Swept]) -> dict[str, list[list[Swept]]]:
    """By parameter, the groups of two or more runs that differ in it alone."""
    found: dict[str, list[list[Swept]]] = {label: [] for row in rows for label in row.values}
    for label in found:
        groups: dict[tuple[tuple[str, str], ...], list[Swept]] = {}
        for row in rows:
            if not row.failed:
                groups.setdefault(tuple(sorted((k, v) for k, v in row.values.items() if k != label)), []).append(row)
        found[label] = [group for group in groups.values() if len({row.values.get(label) for row in group}) > 1]
    return found


def effects(rows: list[Swept]) -> dict[str, list[str]]:
    """By parameter, the outputs that differ between runs which differ in it alone."""
    found: dict[str, set[str]] = {label: set() for row in rows for label in row.values}
    for label, groups in pairs(rows).items():
        for group in groups:
            for path in {path for row in group for path in row.outputs}:
                if len({str(row.groups.get(path, row.outputs.get(path, (0, ""))[1])) for row in group}) > 1:
                    found[label].add(path)
    return {label: sorted(paths) for label, paths in found.items()}


def local_files(parameters: Sequence[Parameter]) -> None:
    """Make sure that replacements are there.

    Raises:
        UsageError: one is not.
    """
    for each in parameters:
        missing = next((value for value in each.values if each.kind == FILE and not os.path.exists(codec.raw(value))), None)
        if missing:
            raise UsageError(f"--file {each.name}: there is no {missing}", "", "check the spelling")
