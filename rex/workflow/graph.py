"""The graph of a recorded workflow: steps, what each of them took, wrote, and needs of others."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rex.workflow.dag import Dag
from rex.workflow.links import Links, order_units
from rex.workflow.recorded import Recorded, read_recorded
from rex.workflow.spans import Spans
from rex.workflow.steps import COMMAND, DEPTH, NONE, Steps, find_steps
from rex.workflow.wfcommons import Storage

if TYPE_CHECKING:
    from rex.archive import Experiment, Process

# Neighbours that take less than this share of the whole time are joined, up to the second share.
_TINY, _JOINED = 0.002, 0.01
# A frame that takes less than this share is left out of the graph.
_FRAME = 0.005


@dataclass(frozen=True)
class Task:
    """A step of a workflow, or a stretch of its frame.

    Attributes:
        id: number and name of its first program: the same for the same recording and grouping.
        roots: the processes that begin it; none for the frame.
        command: what it ran.
        seconds: wall-clock time, without that of other tasks.
        cpu_s: processor time.
        preds: tasks that it needs, by place in the graph, with the files it reads of each.
        outputs: files that later tasks read, with their sizes in bytes.
        results: files that it left and nobody read.
        remaining: outputs that were still as it left them in the end.
        removed: what it took away that had been there before it.
        is_frame: whether it is a stretch of the frame, of which nothing can be kept.
    """

    id: str
    roots: tuple[int, ...]
    command: str
    seconds: float
    cpu_s: float
    preds: dict[int, tuple[str, ...]]
    outputs: dict[str, int]
    results: dict[str, int]
    remaining: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    is_frame: bool = False

    @property
    def output_bytes(self) -> int:
        """Bytes of the files that later tasks read."""
        return sum(self.outputs.values())

    @property
    def result_bytes(self) -> int:
        """Bytes of the files that remain and that no task reads."""
        return sum(self.results.values())


@dataclass(frozen=True)
class Workflow:
    """Tasks in an order in which they can run, that of the recording as far as possible.

    Attributes:
        grouping: how the tasks were chosen.
        frame: processes that run whenever any step does; frame_s is what they took themselves.
        frame_needs: tasks of which the frame reads files.
        is_parallel: whether steps ran side by side when recorded.
    """

    tasks: tuple[Task, ...]
    grouping: str
    frame: tuple[int, ...]
    frame_s: float
    frame_needs: frozenset[int]
    is_parallel: bool
    experiment: str = ""
    cwd: str = "/"
    duration_s: float = 0.0

    def shown(self, path: str) -> str:
        """A path as people name it: from the working directory, where it lies below that."""
        inside = path.removeprefix(self.cwd.rstrip("/") + "/")
        return inside if inside != path and inside else path

    def dag(self, storage: Storage) -> Dag:
        """The graph as a planner asks for it.

        Persisting a task's outputs, and reading them back, takes as long as the storage says.
        Results must be saved in any case: that is part of the weight.
        """
        costs = tuple(0.0 if task.is_frame else storage.seconds(task.output_bytes) for task in self.tasks)
        weights = tuple(task.seconds + (storage.seconds(task.result_bytes) if task.results else 0.0)
                        for task in self.tasks)
        return Dag(tuple(task.id for task in self.tasks), weights, costs, costs,
                   tuple(tuple(task.preds) for task in self.tasks),
                   tuple(task.output_bytes for task in self.tasks),
                   frozenset(place for place, task in enumerate(self.tasks) if task.is_frame))


def read_workflow(experiment: "Experiment", grouping: str = DEPTH) -> Workflow:
    """The graph of a recorded experiment.

    Raises:
        NotFound: it is unfinished or has no log.
        Damaged, TooNew: it cannot be read.
    """
    return build_workflow(read_recorded(experiment), grouping, experiment.name)


def build_workflow(recorded: Recorded, grouping: str, name: str = "") -> Workflow:
    """The graph of what a recording tells.

    Steps on a cycle are one: what goes back and forth between them cannot be cut. If the
    frame is on it, they belong to the frame.
    """
    attached: set[int] = set()
    while True:
        steps = find_steps(recorded, grouping, attached)
        links = Links(recorded, steps)
        more = links.merge_cycles()
        if not more:
            return _assemble(recorded, steps, links, grouping, name)
        attached |= more


def _assemble(recorded: Recorded, steps: Steps, links: Links, grouping: str, name: str) -> Workflow:
    end_s = recorded.end_s
    spans = _unit_spans(steps, links, end_s)
    begins_s = {unit: times.begin for unit, times in spans.items()}
    order = order_units(links.needs, begins_s)
    if grouping != NONE:
        _join_neighbours(recorded, steps, links, order, spans, grouping, end_s)
        order = order_units(links.needs, {unit: spans[unit].begin for unit in links.needs})
    frame_reads = {other for unit in order if unit < 0 for other in links.needs[unit] if other >= 0}
    frame_s = sum(spans[unit].length for unit in order if unit < 0)
    if frame_s < _FRAME * end_s or len(order) == 1 and not steps.roots():
        order = _without_frame(links, order) or order
    place = {unit: number for number, unit in enumerate(order)}
    files = _Files(recorded, links)
    tasks = [_task(recorded, steps, links, unit, spans[unit].length, place, files) for unit in order]
    lasting = Spans([span for unit in order if unit >= 0 for span in spans[unit].parts]).length
    is_parallel = sum(spans[unit].length for unit in order if unit >= 0) > 1.05 * lasting + 1e-3
    return Workflow(tuple(tasks), grouping, tuple(sorted(steps.frame)), frame_s,
                    frozenset(place[unit] for unit in frame_reads), is_parallel, name,
                    recorded.manifest.cwd, end_s)


def _unit_spans(steps: Steps, links: Links, end_s: float) -> dict[int, Spans]:
    """When each unit ran: steps from birth to the end of all that they started, the frame while
    no step did."""
    parts: dict[int, list[tuple[float, float]]] = {unit: [] for unit in links.needs}
    for root in steps.roots():
        below = steps.tree.below(root)
        parts[steps.sets.find(root)].append((steps.tree.spans[root][0], max(steps.tree.spans[t][1] for t in below)))
    running = Spans([span for spans in parts.values() for span in spans])
    own = Spans([steps.tree.spans[task] for task in steps.frame]).without(running)
    spans = {unit: Spans(found) for unit, found in parts.items() if unit >= 0}
    stretches = sorted(links.begins_s.items(), reverse=True)
    for (unit, begin), (_, end) in zip(stretches, [*stretches[1:], (0, end_s)]):
        spans[unit] = own.between(begin, end, begin)
    return spans


def _join_neighbours(recorded: Recorded, steps: Steps, links: Links, order: Sequence[int],
                     spans: dict[int, Spans], grouping: str, end_s: float) -> None:
    """Runs of tiny steps with the same parent, or the same program, become one: neighbours in an
    order that can run can be joined without making a cycle."""
    names: dict[int, int] = {}
    last: tuple[int, object] | None = None
    for unit in order:
        length = spans[unit].length
        if unit < 0 or length > _TINY * end_s:
            last = None
            continue
        process = recorded.processes[unit]
        kind = process.executable if grouping == COMMAND else steps.tree.parents[unit]
        if last and last[1] == kind and spans[last[0]].length + length <= _JOINED * end_s:
            names[unit] = last[0]
            spans[last[0]] = Spans([*spans[last[0]].parts, *spans[unit].parts])
        else:
            last = unit, kind
    for unit, other in names.items():
        steps.sets.join(unit, other)
    final = {unit: steps.sets.find(unit) for unit in links.needs if unit >= 0}
    for unit, other in final.items():
        if unit != other and unit not in names:      # a lesser root took the name over
            spans[other] = spans[unit]
    links.rename(final)


def _without_frame(links: Links, order: Sequence[int]) -> list[int]:
    """Leave the frame out; who needed a stretch of it needs what that needed."""
    behind: dict[int, dict[int, set[str]]] = {}
    for unit in order:
        needs: dict[int, set[str]] = {}
        for other, paths in links.needs[unit].items():
            for each, its in (behind[other] if other < 0 else {other: paths}).items():
                needs.setdefault(each, set()).update(its if other >= 0 else ())
        if unit < 0:
            behind[unit] = needs
        else:
            links.needs[unit] = needs
    return [unit for unit in order if unit >= 0]


class _Files:
    """Outputs and results by unit."""

    def __init__(self, recorded: Recorded, links: Links) -> None:
        self.outputs: dict[int, dict[str, int]] = {}
        self.results: dict[int, dict[str, int]] = {}
        self.remaining: dict[int, list[str]] = {}
        self.removed: dict[int, list[str]] = {}
        for path, versions in links.versions.items():
            entry = recorded.manifest.files.get(path)
            final = entry.final if entry else None
            if final:
                versions[-1].size_bytes = final.size if final.type == "file" else 0
            elif len(versions) > 1 or entry and entry.initial:
                self.removed.setdefault(versions[-1].unit, []).append(path)
            for version in versions:
                kept = max(0, version.size_bytes)
                if version.readers:
                    self.outputs.setdefault(version.unit, {})[path] = kept
                    if final and version is versions[-1]:
                        self.remaining.setdefault(version.unit, []).append(path)
                elif final and version is versions[-1]:
                    self.results.setdefault(version.unit, {})[path] = kept


def _task(recorded: Recorded, steps: Steps, links: Links, unit: int, seconds: float,
          place: dict[int, int], files: _Files) -> Task:
    preds = {place[other]: tuple(sorted(paths)) for other, paths in links.needs[unit].items()}
    preds = dict(sorted(preds.items()))
    outputs, results = (dict(sorted(found.get(unit, {}).items())) for found in (files.outputs, files.results))
    if unit < 0:
        first = recorded.processes[min(steps.frame)]
        part = f".{-unit}" if unit < -1 else ""
        cpu_s = sum(recorded.processes[task].cpu_s for task in steps.frame) if unit == -1 else 0.0
        return Task(f"{first.task}{part}-{_program(first)}", (), shlex.join(first.command), seconds,
                    cpu_s, preds, {}, results, is_frame=True)
    roots = tuple(root for root in steps.roots() if steps.sets.find(root) == unit)
    members = [task for root in roots for task in steps.tree.below(root)]
    heaviest = max(members, key=lambda task: (recorded.processes[task].cpu_s, -task))
    return Task(f"{roots[0]}-{_program(recorded.processes[heaviest])}", roots, _commands(recorded, roots, steps), seconds,
                sum(recorded.processes[task].cpu_s for task in members), preds, outputs, results,
                tuple(sorted(files.remaining.get(unit, ()))), tuple(sorted(files.removed.get(unit, ()))))


def _commands(recorded: Recorded, roots: Iterable[int], steps: Steps) -> str:
    """What the roots ran; of one that executed nothing, what its children did."""
    told = []
    for root in roots:
        command = recorded.processes[root].command
        parent = steps.tree.parents[root]
        if parent is not None and command == recorded.processes[parent].command:
            inner = [shlex.join(recorded.processes[task].command) for task in steps.tree.children[root]]
            told.append("(" + "; ".join(inner) + ")" if inner else shlex.join(command))
        else:
            told.append(shlex.join(command))
    return " + ".join(told[:8]) + (f" + {len(told) - 8} more" if len(told) > 8 else "")


def _program(process: "Process") -> str:
    return os.path.basename(process.command[0] if process.command else process.executable) or "process"
