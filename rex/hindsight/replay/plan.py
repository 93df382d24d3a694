"""Plan a replay: what must run, what is skipped, and who begins where."""

from __future__ import annotations

import os
import random
from importlib.util import decode_source

from rex.archive import Archive, Experiment
from rex.errors import NotFound, UsageError
from rex.hindsight.instrument.changes import Probe, compare, describe_refusal, unified
from rex.hindsight.replay.choice import Options, Recorded
from rex.hindsight.run.files import identity_of
from rex.hindsight.trace.records import Border, Run, content_of
from rex.values import dataclass, field

FOREVER = 1 << 60
_BEGIN_S = 0.5     # until a worker has begun, beside what its script does before the first loop


@dataclass(slots=True)
class Piece:
    """What one worker does: from a border (or the beginning) to another (or the end).

    Attributes:
        borders: numbers of those that it comes by, in order.
        until: the iteration of the main loop at which it ends. shown: those whose answers are asked for; None: all.
    """

    start: str
    stop: str
    run_s: float
    borders: list[int]
    until: int = FOREVER
    shown: list[int] | None = None


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
    steps: list[int] | None
    script: str
    skips: int = 0
    skipped: list[str] = field(default_factory=list)
    verified: list[str] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    expected_s: float = 0.0
    is_inner: bool = False


def make_plan(options: Options, recorded: Recorded, jobs: int) -> Plan:
    """Compare the script with its recording, and decide what must run.

    Args:
        jobs: how many pieces there may be.
    Raises:
        UsageError: the code was changed otherwise than by additions.
    """
    run, script = recorded.run, recorded.script
    sources: dict[str, str] = {}
    probes = find_probes(recorded.archive, run, script, options.allow_changes, sources)
    if not options.allow_changes:
        check_inputs(run)
    hot = hot_sites(run, probes)
    every = {key for border in run.borders for key in _keys(border.position)}
    skippable = every - hot if options.is_skipping else set()
    main = main_loop(run)
    chosen = options.query.choose(run, main, recorded.experiment.name)
    plan = Plan(recorded.experiment, run, probes, skippable, [], options.query.chosen_steps(), script, sources=sources)
    plan.is_inner = any(hot & set(_keys(b.position)[1:]) for b in run.borders)
    if chosen is None:
        _cut(plan, first_needed(run, main, hot, 0), len(run.borders), jobs)
    for group in _groups(plan, main, chosen) if chosen else ():
        first = first_needed(run, main, hot, group[0])
        last = next((n for n, b in enumerate(run.borders) if _iteration(b.position, main) > group[-1]), len(run.borders))
        begun = len(plan.pieces)
        _cut(plan, first, last, max(1, round(jobs * len(group) / len(chosen or group))))
        for piece in plan.pieces[begun:]:
            piece.until, piece.shown = group[-1] + 1, group
    if options.verify:
        plan.verified = random.sample(plan.skipped, min(options.verify, len(plan.skipped)))
        plan.skips -= len(plan.verified)
    return plan


def _groups(plan: Plan, main: str, chosen: list[int]) -> list[list[int]]:
    """The iterations asked for, those together that a worker comes by sooner than another one would begin."""
    borders = plan.run.borders
    begin_s = (borders[0].at_s if borders else 0.0) + _BEGIN_S
    spent: dict[int, float] = {}
    for number, cost in _costs(plan, -1, len(borders)).items():
        iteration = _iteration(borders[number].position, main)
        spent[iteration] = spent.get(iteration, 0.0) + cost
    plan.skips, plan.skipped = 0, []     # counted when pieces are cut
    found: list[list[int]] = []
    for number in chosen:
        if found and sum(spent.get(between, 0.0) for between in range(found[-1][-1] + 1, number)) <= begin_s:
            found[-1].append(number)
        else:
            found.append([number])
    return found


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
        recorded = decode_source(archive.read(content_of(facts["source"])))
        try:
            with open(path, "rb") as file:
                now = decode_source(file.read())
        except FileNotFoundError:
            raise NotFound(f"the module {name} is gone", path, "put it back") from None
        sources[name] = now
        if now == recorded:
            continue
        if "why_plain" in facts:
            raise UsageError(f"{path} was changed since the recording", f"it was not instrumented: {facts['why_plain']}",
                             "put it back; statements can be added to the other modules")
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
    if functions & run.plain:
        hot.update(key for border in run.borders for key in _keys(border.position))
    return hot


def main_loop(run: Run) -> str:
    """Position of the outermost loop that took longest; "" if there is none."""
    spent: dict[str, float] = {}
    for border in run.borders:
        head = border.position.split("/")[0].rstrip("!").partition(":")[0]
        spent[head] = spent.get(head, 0.0) + border.spent_s
    return max(spent, key=lambda name: spent[name], default="")


def first_needed(run: Run, main: str, hot: set[str], low: int) -> int:
    """The first border after which something must run: an added statement, or an epoch asked for. Short epochs have no border of their own."""
    for number, border in enumerate(run.borders):
        if low:
            if _iteration(border.position, main) >= low:
                return number if border.position == f"{main}:{low}" else max(number - 1, 0)
        elif hot & set(_keys(border.position)):
            return number
    return len(run.borders)


def _keys(position: str) -> list[str]:
    return [part.rstrip("!").partition(":")[0].rpartition(".")[0] for part in position.split("/")]


def _iteration(position: str, main: str) -> int:
    """Of the main loop at a border; -1 before it, a large number behind it."""
    head = position.split("/")[0]
    if head == f"{main}!":
        return FOREVER
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
    plan.expected_s += total
    cuts = [n for n in costs if n > first and _is_resumable(borders[n]) and n < last]
    chosen: list[int] = []
    done, share = 0.0, total / max(1, jobs)
    for number, cost in costs.items():
        done += cost
        if number in cuts and len(chosen) < jobs - 1 and done >= share * (len(chosen) + 1):
            chosen.append(number)
    edges = [begin, *chosen, -2]
    for one, other in zip(edges, edges[1:]):
        passed = [n for n in costs if n > one and (other == -2 or n <= other)]
        plan.pieces.append(Piece(borders[one].position if one >= 0 else "", borders[other].position if other != -2 else "",
                                 sum(costs[n] for n in passed), [one, *passed] if one >= 0 else passed))


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
