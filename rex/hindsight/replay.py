"""Replay a recorded run: what must run, by how many workers, and what they find."""

from __future__ import annotations

import json
import os
import queue
import random
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

from rex.archive import Archive, Experiment
from rex.errors import Damaged, NotFound, OwnFailure, UsageError
from rex.hindsight.changes import Probe, compare, describe_refusal, unified
from rex.hindsight.files import identity_of
from rex.hindsight.record import RUN, python_path
from rex.hindsight.records import Border, Run, content_of, read_run

_FOREVER = 1 << 60


@dataclass
class Options:
    """What the user asked of a replay.

    Attributes:
        epochs: iterations of the main loop, from and until; None for all.
        allow_changes: replay though code was changed otherwise than by additions.
        is_skipping: whether loops without added statements may be skipped.
        verify: how many loops, chosen at random, to run although they could be skipped.
    """

    script: str | None = None
    archive: str = "__default"
    experiment: str | None = None
    jobs: int = 1
    epochs: tuple[int, int] | None = None
    allow_changes: bool = False
    is_skipping: bool = True
    verify: int = 0


@dataclass(slots=True)
class Piece:
    """What one worker does: from a border (or the beginning) to another (or the end)."""

    start: str
    stop: str
    run_s: float


@dataclass
class Plan:
    """What a replay will do.

    Attributes:
        skippable: loops that hold no added statement.
        skips: how many of their runs have a checkpoint, within what is replayed.
        expected_s: seconds, by the times of the recording.
    """

    experiment: Experiment
    run: Run
    probes: list[Probe]
    skippable: set[str]
    pieces: list[Piece]
    until: int
    shown: tuple[int, int]
    script: str
    skips: int = 0
    skipped: list[str] = field(default_factory=list)
    verified: list[str] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    expected_s: float = 0.0
    is_inner: bool = False


@dataclass
class Findings:
    """What the workers told.

    Attributes:
        diverged: where output or state was not as recorded.
        notes: what else the user should know, each once.
    """

    diverged: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    values: list[dict[str, Any]] = field(default_factory=list)
    status: int = 0
    skipped: int = 0
    checked: int = 0
    restored: int = 0
    restore_s: float = 0.0
    pause_s: float = 0.0       # what the restored checkpoints had cost


def make_plan(options: Options) -> Plan:
    """Compare the script with its recording, and decide what must run.

    Raises:
        NotFound: there is no such run.
        UsageError: the code was changed otherwise than by additions.
    """
    archive = Archive.open(options.archive)
    experiment = archive.experiment(options.experiment or latest_run(archive))
    run = read_run(archive, experiment)
    script = options.script or run.head["script"]
    if not os.path.isfile(script):
        raise NotFound(f"no script {script}", "", "give its path")
    sources: dict[str, str] = {}
    probes = find_probes(archive, run, script, options.allow_changes, sources)
    if not options.allow_changes:
        check_inputs(run)
    hot = hot_sites(run, probes)
    every = {key for border in run.borders for key in _keys(border.position)}
    skippable = every - hot if options.is_skipping else set()
    main = main_loop(run)
    low, high = options.epochs or (0, _FOREVER)
    plan = Plan(experiment, run, probes, skippable, [], high, (low, high), script, sources=sources)
    plan.is_inner = any(hot & set(_keys(b.position)[1:]) for b in run.borders)
    first = first_needed(run, main, hot, low if options.epochs else 0)
    last = next((n for n, b in enumerate(run.borders) if _iteration(b.position, main) >= high),
                len(run.borders))
    _cut(plan, first, last, options.jobs)
    if options.verify:
        plan.verified = random.sample(plan.skipped, min(options.verify, len(plan.skipped)))
        plan.skips -= len(plan.verified)
    return plan


def latest_run(archive: Archive) -> str:
    """The run that is meant when none is named: the newest.

    Raises:
        NotFound: the archive holds none.
    """
    runs = [e for e in archive.experiments() if e.begun.get("engine") == "hindsight"
            and e.begun.get("kind", "run") == "run"]
    if not runs:
        raise NotFound(f"no recorded training run in {archive.path}", "",
                       "see: rex hindsight record --help")
    return max(runs, key=lambda e: e.begun.get("start_ns", 0)).name


def find_probes(archive: Archive, run: Run, script: str, allow_changes: bool,
                sources: dict[str, str]) -> list[Probe]:
    """Every statement that was added to the modules of a run.

    Args:
        sources: is given the text of the modules as they are now.
    Raises:
        UsageError: something was changed or removed.
    """
    top = os.path.dirname(os.path.realpath(script))
    recorded_top = os.path.dirname(run.head["path"])
    found: list[Probe] = []
    for name, facts in run.modules.items():
        path = script if name == "__main__" else os.path.join(
            top, os.path.relpath(facts["path"], recorded_top))
        recorded = archive.read(content_of(facts["source"])).decode()
        try:
            with open(path, encoding="utf-8") as file:
                now = file.read()
        except FileNotFoundError:
            raise NotFound(f"the module {name} is gone", path, "put it back") from None
        sources[name] = now
        if now == recorded:
            continue
        changes = compare(recorded, now, name, path)
        if changes.removed and not allow_changes:
            raise describe_refusal(path, changes.removed, unified(recorded, now, path))
        for probe in changes.probes:
            probe.function = f"{name}:{probe.function}" if probe.function else ""
        found += changes.probes
    return found


def check_inputs(run: Run) -> None:
    """Refuse inputs that are not what they were.

    Raises:
        UsageError: this one was changed, or is gone.
    """
    for path, identity in run.inputs.items():
        now = identity_of(path)
        if path not in run.files and now != identity:
            raise UsageError(f"the input {path} {'was changed' if now else 'is gone'} since the recording", "",
                             "put it back, or replay with --allow-changes")


def hot_sites(run: Run, probes: list[Probe]) -> set[str]:
    """The loops in which added statements may run: around them, or around calls of their function."""
    hot = {key for probe in probes for key in probe.sites}
    functions = {probe.function for probe in probes} - {""}
    for around, called in run.calls.items():
        if called & functions:
            hot.update(around.split("/"))
    return hot


def main_loop(run: Run) -> str:
    """Position of the outermost loop that took longest; "" if there is none."""
    spent: dict[str, float] = {}
    for border in run.borders:
        head = border.position.split("/")[0].rstrip("!").partition(":")[0]
        spent[head] = spent.get(head, 0.0) + border.spent_s
    return max(spent, key=lambda name: spent[name], default="")


def first_needed(run: Run, main: str, hot: set[str], low: int) -> int:
    """The first border after which something must run: an added statement, or an epoch asked for."""
    for number, border in enumerate(run.borders):
        if low:
            if _iteration(border.position, main) >= low:
                return number
        elif hot & set(_keys(border.position)):
            return number
    return len(run.borders)


def _keys(position: str) -> list[str]:
    return [part.rstrip("!").partition(":")[0].rpartition(".")[0] for part in position.split("/")]


def _iteration(position: str, main: str) -> int:
    """Of the main loop at a border; -1 before it, a large number behind it."""
    head = position.split("/")[0]
    if head == f"{main}!":
        return _FOREVER
    name, _, iteration = head.rstrip("!").partition(":")
    return int(iteration) if name == main and iteration else -1


def _is_resumable(border: Border) -> bool:
    return border.checkpoint is not None and not border.checkpoint.why_not


def _cut(plan: Plan, first: int, last: int, jobs: int) -> None:
    """Divide borders first..last into pieces of equal time, each from a checkpoint."""
    borders = plan.run.borders
    starts = [n for n in range(min(first, len(borders) - 1) + 1) if _is_resumable(borders[n])] \
        if first else []
    begin = starts[-1] if starts else -1
    costs = _costs(plan, begin, last)
    total = sum(costs.values())
    plan.expected_s = total
    cuts = [n for n in costs if n > first and _is_resumable(borders[n]) and n < last]
    chosen: list[int] = []
    done, share = 0.0, total / max(1, jobs)
    for number, cost in costs.items():
        done += cost
        if number in cuts and len(chosen) < jobs - 1 and done >= share * (len(chosen) + 1):
            chosen.append(number)
    edges = [begin, *chosen, -2]
    for one, other in zip(edges, edges[1:]):
        run_s = sum(cost for n, cost in costs.items() if n > one and (other == -2 or n <= other))
        plan.pieces.append(Piece(borders[one].position if one >= 0 else "",
                                 borders[other].position if other != -2 else "", run_s))


def _costs(plan: Plan, begin: int, last: int) -> dict[int, float]:
    """Seconds until each border from the one before, when what can be skipped is skipped."""
    costs: dict[int, float] = {}
    skipped = ""
    borders = plan.run.borders
    ends = {b.position: n for n, b in enumerate(borders) if b.position.endswith("!")}
    for number in range(begin + 1, min(last + 1, len(borders))):
        border = borders[number]
        position = border.position
        if skipped and position.startswith(skipped + ":"):
            continue
        skipped = ""
        for end in _enclosing(position):
            key = _keys(end)[-1]
            place = ends.get(end + "!")
            if key in plan.skippable and place is not None and _is_resumable(borders[place]):
                skipped = end
                break
        if skipped and position == skipped + "!":
            plan.skips += 1
            plan.skipped.append(position)
            checkpoint = border.checkpoint
            costs[number] = checkpoint.pause_s * 1.4 if checkpoint else 0.0
        elif not skipped:
            costs[number] = border.spent_s
    return costs


def _enclosing(position: str) -> list[str]:
    """Positions of the loops that a border lies in, or is the end of."""
    parts = position.split("/")
    found = []
    for depth, part in enumerate(parts):
        found.append("/".join([*parts[:depth], part.rstrip("!").partition(":")[0]]))
    return found


def run_plan(plan: Plan, options: Options,
             show: Callable[[dict[str, Any]], None]) -> Findings:
    """Run the pieces side by side; show what probes print in the order of the run.

    Raises:
        OwnFailure: a worker ended without a result.
    """
    findings = Findings()
    with tempfile.TemporaryDirectory(prefix="rex-") as work:
        workers = [_Worker(plan, options, number, work) for number in range(len(plan.pieces))]
        try:
            for worker in workers:
                for event in worker.events():
                    _take(findings, event, show)
        finally:
            for worker in workers:
                worker.stop()
    return findings


def _take(findings: Findings, event: dict[str, Any],
          show: Callable[[dict[str, Any]], None]) -> None:
    kind = event["e"]
    if kind in ("probe", "value"):
        show(event)
    elif kind == "diverged":
        findings.diverged.append(event)
    elif kind == "note":
        findings.notes.setdefault(event["key"], event["text"])
    elif kind == "lost":
        raise Damaged(f"the replay never came to {event['position']}", "",
                      "is this the script that was recorded?")
    elif kind == "end":
        findings.status = event["status"] or findings.status
        for name in ("skipped", "checked", "restored", "restore_s", "pause_s"):
            setattr(findings, name, getattr(findings, name) + event[name])


class _Worker:
    """One process; its events are read as they come, and handed out in turn."""

    def __init__(self, plan: Plan, options: Options, number: int, work: str) -> None:
        self._plan, self._work, self._number = plan, work, number
        self._job = job_of(plan, options, number)
        self._recorded_status = plan.run.end.get("status", 0)
        self._begin()

    def _begin(self) -> None:
        read_end, write_end = os.pipe()
        self._process = start_job(self._plan, self._job, write_end, self._work)
        os.close(write_end)
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, args=(read_end,), daemon=True)
        self._thread.start()

    def _read(self, fd: int) -> None:
        with os.fdopen(fd, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                self._lines.put(line)
        self._lines.put(None)

    def events(self) -> Iterator[dict[str, Any]]:
        """What the worker tells, until it ends.

        Raises:
            OwnFailure: it ended without saying so.
        """
        is_done = False
        while (line := self._lines.get()) is not None:
            event = json.loads(line)
            is_done = is_done or event["e"] == "end"
            if event["e"] == "stuck":
                yield {"e": "note", "key": "stuck", "text": f"not begun at {event['position']} but at the "
                       f"start: {event['why']}"}
                self.stop()
                self._job |= {"start": "", "quiet": event["position"]}
                self._begin()
            else:
                yield event
        self._process.wait()
        if not is_done or self._process.returncode not in (0, self._recorded_status):
            with open(_errors_of(self._work, self._number), encoding="utf-8", errors="replace") as file:
                told = file.read().strip()
            error = OwnFailure("the replay broke off", told.splitlines()[-1] if told else
                               f"status {self._process.returncode}", "see the lines above")
            error.add_note(told + "\n")
            raise error

    def stop(self) -> None:
        """End the worker."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()


def job_of(plan: Plan, options: Options, number: int) -> dict[str, Any]:
    """What the worker of a piece is told."""
    piece, head = plan.pieces[number], plan.run.head
    is_absolute = os.path.isabs(head["script"])
    return {"do": "replay", "archive": os.path.abspath(options.archive), "number": number,
            "experiment": plan.experiment.name, "arguments": head["arguments"],
            "script": os.path.abspath(plan.script) if is_absolute else plan.script,
            "start": piece.start, "stop": piece.stop, "quiet": "", "until": plan.until,
            "shown": plan.shown, "only_loop": plan.shown[0] > 0 or plan.until < _FOREVER,
            "skippable": sorted(plan.skippable), "verify": plan.verified,
            "mentioned": sorted({name for probe in plan.probes for name in probe.names}),
            "jobs": len(plan.pieces), "is_first": number == 0, "unset": head["unset"],
            "withheld": head["withheld"]}


def start_job(plan: Plan, job: dict[str, Any], events: int, work: str) -> subprocess.Popen[bytes]:
    """Start a worker that writes its events to a descriptor; its messages go to a file in `work`."""
    path = os.path.join(work, f"job{job['number']}.json")
    scratch = tempfile.mkdtemp(prefix="files", dir=work)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**job, "events": events, "scratch": scratch}, file)
    head = plan.run.head
    kept = plan.experiment.manifest.environment if plan.experiment.state == "complete" else \
        dict(os.environ)
    environment = {**kept, "PYTHONHASHSEED": head["hash_seed"], "PYTHONPATH": python_path(kept)}
    environment |= {name: os.environ[name] for name in head["withheld"] if name in os.environ}
    with open(_errors_of(work, job["number"]), "wb") as errors:
        return subprocess.Popen([sys.executable, "-c", RUN, path], env=environment, pass_fds=[events],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)


def _errors_of(work: str, number: int) -> str:
    return os.path.join(work, f"stderr{number}")
