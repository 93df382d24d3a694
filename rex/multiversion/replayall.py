"""Replays all versions of an archive, shared prefixes once."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field

from rex.multiversion.execute import Replayer, Tally, Watch
from rex.multiversion.lab import LiveLab
from rex.multiversion.merge import VersionTree, merge
from rex.multiversion.orders import Orders
from rex.multiversion.parallel import ParallelReplayer
from rex.multiversion.planners import Plan, make_plan
from rex.multiversion.results import Comparison, compare_cells, notebook
from rex.multiversion.versions import Version, load_versions
from rex.replay import compare_outputs, prepare_outdir


@dataclass
class Wishes:
    """What the user asked of a replay of all versions.

    Attributes:
        budget_bytes: what all checkpoints together may take.
        workers: processes side by side; 1 follows the plan.
        tolerance: pixels of images may differ by this part of their range.
    """

    archive: str
    outdir: str
    budget_bytes: int
    workers: int = 1
    algorithm: str = "best"
    tolerance: float = 0.0


@dataclass
class AllReplayed:
    """A replay of all versions that ran to its end.

    Attributes:
        plan: the plan; None where several processes shared the tree as they found time.
        wall_s: seconds that it took, processes started and files unpacked.
        alone_s: seconds in cells of all versions one by one, as recorded.
    """

    tree: VersionTree
    plan: Plan
    tally: Tally
    wall_s: float
    alone_s: float
    comparisons: list[Comparison] = field(default_factory=list)

    @property
    def is_identical(self) -> bool:
        """Whether every version gave what was recorded."""
        return all(each.is_identical for each in self.comparisons)


def prepare(wishes: Wishes) -> tuple[VersionTree, Plan]:
    """The tree of an archive's versions, and the plan for it."""
    tree = merge(load_versions(wishes.archive)[1])
    return tree, make_plan(tree.execution, wishes.budget_bytes, wishes.algorithm)


def replay_all(wishes: Wishes, tree: VersionTree, plan: Plan, watch: Watch) -> AllReplayed:
    """Replay every version: outputs in OUTDIR/<experiment>, executed notebooks beside them.

    Raises:
        UsageError: the output directory is not empty, or the native engine is not there.
        OwnFailure: processes could not be started.
    """
    archive, versions = load_versions(wishes.archive)
    outdir = prepare_outdir(wishes.outdir)
    orders = Orders(archive, versions)
    began = time.monotonic()
    with LiveLab(archive, orders, outdir) as lab:
        if wishes.workers == 1:
            tally = Replayer(tree, orders, lab, watch, wishes.budget_bytes).run(plan.sequence.ops)
        else:
            tally = ParallelReplayer(tree, orders, lab, watch, wishes.budget_bytes, wishes.workers).run()
    for note in lab.notes:
        tally.note(note)
    wall_s = time.monotonic() - began
    alone_s = sum(cell.seconds for version in versions for cell in version.cells)
    comparisons = [_leave(version, tree, tally, orders, outdir, wishes) for version in versions]
    return AllReplayed(tree, plan, tally, wall_s, alone_s, comparisons)


def _leave(version: Version, tree: VersionTree, tally: Tally, orders: Orders, outdir: str,
           wishes: Wishes) -> Comparison:
    """Write a version's executed notebook, and compare it with its recording."""
    path = tree.path(tree.ends[version.name])
    results = [tally.results[name] for name in path if name in tally.results]
    with open(os.path.join(outdir, f"{version.name}.ipynb"), "w", encoding="utf-8") as file:
        file.write(notebook(version, results))
    lost = next((name for name in path if name in tally.failed), None)
    comparison = Comparison(version.name, compare_cells(version, results, wishes.tolerance))
    if lost:
        comparison.failed = f"cell {path.index(lost) + 1} could not be run: {tally.failed[lost]}"
    else:
        comparison.files = compare_outputs(orders.manifest(version.name), os.path.join(outdir, version.name))
    return comparison
