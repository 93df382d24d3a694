"""Which processes of a recording are steps: units that run, or are left out, on their own.

Some processes only start others: shells, make, drivers. They are the *frame*. A step is a
process that the frame starts, with all that it starts in turn; steps that exchange data
through pipes, or whose files go back and forth between them, are one. A frame can be run
again at any time, with the steps that are wanted, which is how a replay runs them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rex.workflow.recorded import Recorded

NONE, DEPTH, COMMAND = "none", "depth", "command"
GROUPINGS = (DEPTH, COMMAND, NONE)

# A process is taken apart into its children if that separates so much of the whole time.
_WORTH = 0.02


class Sets:
    """Disjoint sets of numbers."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def find(self, item: int) -> int:
        """The least member of its set."""
        path = []
        while (parent := self._parents.get(item, item)) != item:
            path.append(item)
            item = parent
        for each in path:
            self._parents[each] = item
        return item

    def join(self, one: int, two: int) -> None:
        """Make two sets one."""
        least, other = sorted((self.find(one), self.find(two)))
        self._parents[other] = least


@dataclass
class Tree:
    """The processes of a recording as a tree."""

    parents: dict[int, int | None]
    children: dict[int, list[int]]
    spans: dict[int, tuple[float, float]]

    @classmethod
    def of(cls, recorded: Recorded) -> "Tree":
        """The tree of a recording's processes."""
        parents: dict[int, int | None] = {}
        children: dict[int, list[int]] = {task: [] for task in recorded.processes}
        spans, last_s = {}, recorded.end_s
        for task, process in recorded.processes.items():
            parent = process.parent if process.parent in recorded.processes and process.parent != task else None
            parents[task] = parent
            if parent is not None:
                children[parent].append(task)
            end_s = process.end_s if process.end_s is not None else last_s
            spans[task] = (process.start_s, max(process.start_s, end_s))
        return cls(parents, children, spans)

    def below(self, root: int) -> list[int]:
        """A process and all that descend from it."""
        found = [root]
        for task in found:
            found += self.children[task]
        return found

    def above(self, task: int) -> list[int]:
        """All ancestors of a process."""
        found = []
        while (parent := self.parents[task]) is not None:
            found.append(task := parent)
        return found

    def is_above(self, upper: int, task: int) -> bool:
        """Whether a process is another, or an ancestor of it."""
        return task == upper or upper in self.above(task)

    def lasts_s(self, task: int) -> float:
        """Seconds from a process's birth to the end of all that it started."""
        begin, end = self.spans[task]
        return end - begin


@dataclass
class Steps:
    """The frame, and the steps by the process that begins them.

    Attributes:
        frame: processes that run whenever any step does.
        sets: steps that are one, by their roots.
    """

    tree: Tree
    frame: set[int]
    sets: Sets = field(default_factory=Sets)
    root_of: dict[int, int] = field(default_factory=dict)

    def unit(self, process: int) -> int | None:
        """The set of steps that a process belongs to, by its least root; None for the frame."""
        root = self.root_of.get(process)
        return None if root is None else self.sets.find(root)

    def roots(self) -> list[int]:
        """The first process of every step, in order of birth."""
        return sorted(set(self.root_of.values()))


def find_steps(recorded: Recorded, grouping: str, attached: Iterable[int] = (), opened: Iterable[int] = (), is_by_cpu: bool = False) -> Steps:
    """Choose the frame, and with it the steps.

    Args:
        grouping: none takes everything apart; the others only what is worth it.
        attached: roots of steps that the frame cannot do without.
        opened: processes that are to be taken apart in any case, with all that they descend from.
        is_by_cpu: what is worth it follows from processor time, whatever else the machine did, not from time on the wall.
    """
    tree = Tree.of(recorded)
    lasts_s = cpu_below(recorded, tree) if is_by_cpu else {task: tree.lasts_s(task) for task in tree.parents}
    whole_s = sum(process.cpu_s for process in recorded.processes.values()) if is_by_cpu else recorded.end_s
    frame = _opened(tree, lasts_s, whole_s, grouping).union(opened)
    fixed = {task for task, parent in tree.parents.items() if parent is None}
    for root in attached:
        fixed.update(tree.below(root), tree.above(root))
    frame |= fixed
    _settle_ties(tree, frame, fixed, recorded.ties)
    steps = Steps(tree, frame)
    for task, parent in tree.parents.items():     # parents come first
        if task not in frame:
            steps.root_of[task] = task if parent is None or parent in frame else steps.root_of[parent]
    for one, two in recorded.ties:
        if one not in frame and two not in frame:
            steps.sets.join(steps.root_of[one], steps.root_of[two])
    return steps


def cpu_below(recorded: Recorded, tree: Tree) -> dict[int, float]:
    """Processor time of each process with all that descend from it."""
    found = {task: process.cpu_s for task, process in recorded.processes.items()}
    for task in sorted(tree.parents, reverse=True):      # children before parents
        parent = tree.parents[task]
        if parent is not None:
            found[parent] += found[task]
    return found


def _opened(tree: Tree, lasts_s: dict[int, float], whole_s: float, grouping: str) -> set[int]:
    """Processes that are taken apart; the first ones always are."""
    opened: set[int] = {task for task, parent in tree.parents.items() if parent is None}
    for task in sorted(tree.parents, reverse=True):      # children before parents
        below = tree.children[task]
        lasting = sorted(lasts_s[child] for child in below)
        is_worth = sum(lasting[:-1]) > _WORTH * whole_s
        if any(child in opened for child in below) or (below and (is_worth or grouping == NONE)):
            opened.add(task)
    return opened


def _settle_ties(tree: Tree, frame: set[int], fixed: set[int], ties: list[tuple[int, int]]) -> None:
    """No data passes directly between the frame and a step: until that is so, the frame gives
    up a process that exchanges data with one beside it, or takes in one below it.

    Args:
        fixed: what the frame cannot give up; what is taken in joins it, so that this ends.
    """
    has_changed = True
    while has_changed:
        has_changed = False
        for pair in ties:
            inside = [task for task in pair if task in frame]
            if len(inside) != 1:
                continue
            mine, other = inside[0], pair[0] + pair[1] - inside[0]
            has_changed = True
            if tree.is_above(mine, other) or fixed.intersection(tree.below(mine)):
                while (parent := tree.parents[other]) is not None and parent not in frame:
                    other = parent
                frame.update(tree.below(other))
                fixed.update(tree.below(other))
            else:
                frame.difference_update(tree.below(mine))
