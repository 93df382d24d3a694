"""Replays all versions of an archive, shared prefixes once."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace

from rex.archive import Archive
from rex.contents.rules import Rules
from rex.multiversion.cluster import replay_on
from rex.multiversion.execute import Replayer, Silence, Tally, Watch
from rex.multiversion.replay_host import LiveLab
from rex.multiversion.merge import VersionTree, merge
from rex.multiversion.worker_protocol import Orders
from rex.multiversion.parallel import ParallelReplayer
from rex.multiversion.planners import Plan, fit_versions, make_plan
from rex.multiversion.results import Comparison, compare_cells, notebook
from rex.multiversion.scheduling import choose_order
from rex.multiversion.tree import ExecutionTree
from rex.multiversion.versions import Version, load_versions, with_updates
from rex.replayer import compare_outputs, prepare_outdir


@dataclass
class Wishes:
    """What the user asked of a replay of all versions.

    Attributes:
        budget_bytes: what all checkpoints together may take (with Dask: those of one task).
        workers: processes side by side; 1 follows the plan.
        rules: what outputs of cells may differ in.
        dask: address of a Dask scheduler; empty for this machine alone.
        deadline_s: seconds that the cells may take by the plan; None: no limit.
        is_sandboxed: let processes see nothing of this machine but the versions' files and outputs.
    """

    archive: str
    outdir: str
    budget_bytes: int
    workers: int = 1
    algorithm: str = "best"
    rules: Rules = Rules()
    dask: str = ""
    deadline_s: float | None = None
    is_sandboxed: bool = False


@dataclass
class AllReplayed:
    """A replay of all versions that ran to its end.

    Attributes:
        plan: the plan for one process, whoever followed it.
        wall_s: seconds that it took, processes started and files unpacked.
        alone_s, alone_cpu_s: seconds, and processor time, in cells of all versions one by one, as recorded.
    """

    tree: VersionTree
    plan: Plan
    tally: Tally
    wall_s: float
    alone_s: float
    alone_cpu_s: float
    comparisons: list[Comparison] = field(default_factory=list)

    @property
    def is_identical(self) -> bool:
        """Whether every version gave what was recorded."""
        return all(each.is_identical for each in self.comparisons)


@dataclass(frozen=True)
class Chosen:
    """How many versions the archive has, and how many different ones any choice has at most that meets the deadline."""

    of: int
    at_most: int


def prepare(wishes: Wishes) -> tuple[VersionTree, Plan, Chosen]:
    """The tree of an archive's versions, or of those that meet the deadline, and the plan for it.

    Raises:
        UsageError: no version meets the deadline.
    """
    versions = load_versions(wishes.archive)[1]
    tree = merge(versions)
    chosen = Chosen(len(versions), len(tree.execution.leaves))
    if wishes.deadline_s is not None:
        fit = fit_versions(tree.execution, wishes.deadline_s, lambda part: _planned_s(wishes, part), wishes.workers)
        kept = [version for version in versions if tree.ends[version.name] in fit.tree.by_id]
        tree, chosen = merge(kept), replace(chosen, at_most=fit.at_most)
    return tree, make_plan(tree.execution, wishes.budget_bytes, wishes.algorithm), chosen


def _planned_s(wishes: Wishes, tree: ExecutionTree) -> float:
    """Seconds that the cells take by the plan, or by processes side by side."""
    if wishes.workers > 1:
        return choose_order(tree, wishes.budget_bytes, wishes.workers)[1]
    return make_plan(tree, wishes.budget_bytes, wishes.algorithm).cost_s


def replay_all(wishes: Wishes, tree: VersionTree, plan: Plan, watch: Watch) -> AllReplayed:
    """Replay every version: outputs in OUTDIR/<experiment>, executed notebooks beside them.

    Raises:
        UsageError: the output directory is not empty, or the native engine is not there.
        OwnFailure: processes could not be started.
    """
    archive, versions = load_versions(wishes.archive)
    versions = [version for version in versions if version.name in tree.ends]
    wishes = replace(wishes, outdir=prepare_outdir(wishes.outdir), archive=os.path.abspath(wishes.archive))
    began = time.monotonic()
    if wishes.dask:
        tally, comparisons = replay_on(wishes.dask, replay_part, wishes, tree, watch)
    else:
        tally, comparisons = _replay(wishes, archive, versions, tree, plan, watch)
    cells = [cell for version in versions for cell in version.cells]
    order = {version.name: place for place, version in enumerate(versions)}
    return AllReplayed(tree, plan, tally, time.monotonic() - began, sum(cell.seconds for cell in cells),
                       sum(cell.cpu_seconds for cell in cells),
                       sorted(comparisons, key=lambda each: order[each.version]))


def replay_part(wishes: Wishes, names: list[str]) -> tuple[Tally, list[Comparison]]:
    """Replay some versions of an archive as a tree of their own; a task of a cluster."""
    archive, versions = load_versions(wishes.archive)
    versions = [version for version in versions if version.name in names]
    tree = merge(versions)
    plan = make_plan(tree.execution, wishes.budget_bytes, wishes.algorithm)
    tally, comparisons = _replay(wishes, archive, versions, tree, plan, Silence())
    return replace(tally, results={}), comparisons


def _replay(wishes: Wishes, archive: Archive, versions: list[Version], tree: VersionTree, plan: Plan,
            watch: Watch) -> tuple[Tally, list[Comparison]]:
    orders = Orders(archive, versions)
    with LiveLab(archive, orders, wishes.outdir, wishes.is_sandboxed) as lab:
        if wishes.workers == 1:
            tally = Replayer(tree, orders, lab, watch, wishes.budget_bytes).run(plan.sequence.ops)
        else:
            tally = ParallelReplayer(tree, orders, lab, watch, wishes.budget_bytes, wishes.workers).run()
    for note in lab.notes:
        tally.note(note)
    return tally, [_leave(version, tree, tally, orders, wishes) for version in versions]


def _leave(version: Version, tree: VersionTree, tally: Tally, orders: Orders, wishes: Wishes) -> Comparison:
    """Write a version's executed notebook, and compare it with its recording."""
    path = tree.path(tree.ends[version.name])
    results = with_updates([tally.results[name] for name in path if name in tally.results])
    with open(os.path.join(wishes.outdir, f"{version.name}.ipynb"), "w", encoding="utf-8") as file:
        file.write(notebook(version, results))
    lost = next((name for name in path if name in tally.failed), None)
    comparison = compare_cells(version, results, wishes.rules)
    if lost:
        comparison.failed = f"cell {path.index(lost) + 1} could not be run: {tally.failed[lost]}"
    else:
        comparison.files = compare_outputs(orders.manifest(version.name), os.path.join(wishes.outdir, version.name))
    return comparison
