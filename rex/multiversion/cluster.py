"""Replays the versions of an archive on a Dask cluster: each task takes some of them, as a tree of their own.

Workers must see the archive and OUTDIR under the same paths, and have Rex installed.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rex import cluster
from rex.multiversion.execute import Tally, Watch
from rex.multiversion.merge import VersionTree


def share_out(tree: VersionTree, count: int) -> list[list[str]]:
    """Versions in up to `count` groups; the longest one is split in two where its versions part, as long as that helps."""
    return cluster.share_out(list(tree.ends), count, partial(cost_s, tree), partial(_halve, tree))


def cost_s(tree: VersionTree, group: list[str]) -> float:
    """Seconds to run these versions with every cell once."""
    needed = {name for version in group for name in tree.path(tree.ends[version])}
    return sum(tree.nodes[name].seconds for name in needed)


def _halve(tree: VersionTree, group: list[str]) -> list[list[str]]:
    """Two groups that part at the first branching; none if these versions never part."""
    paths = {version: tree.path(tree.ends[version]) for version in group}
    for depth in range(max(map(len, paths.values()))):
        branches: dict[str, list[str]] = {}
        for version, path in paths.items():
            branches.setdefault(path[depth] if depth < len(path) else "", []).append(version)
        if len(branches) > 1:
            halves: list[list[str]] = [[], []]
            for branch in sorted(branches.values(), key=lambda each: -cost_s(tree, each)):
                min(halves, key=lambda half: cost_s(tree, half)).extend(branch)
            return halves
    return []


def replay_on(address: str, part: Any, wishes: Any, tree: VersionTree, watch: Watch) -> tuple[Tally, list[Any]]:
    """Hand the versions to a cluster; what all tasks did, and their comparisons.

    Args:
        part: the function that replays some versions, see replayall.py.
    Raises:
        UsageError: there is no such cluster, or Dask is not installed.
        OwnFailure: it lost its workers.
    """
    with cluster.connect(address) as client:
        groups = share_out(tree, cluster.worker_count(client) * cluster.TASKS_PER_WORKER)
        tally, comparisons = Tally(), []
        for number, (told, compared) in cluster.ended(client, partial(part, wishes), groups):
            add(tally, told)
            comparisons += compared
            watch.finished(groups[number])
    return tally, comparisons


def add(tally: Tally, other: Tally) -> None:
    """Add what another replay did."""
    tally.compute_s += other.compute_s
    tally.cpu_s += other.cpu_s
    tally.recomputed_s += other.recomputed_s
    tally.checkpoints += other.checkpoints
    tally.restores += other.restores
    tally.peak_bytes = max(tally.peak_bytes, other.peak_bytes)
    tally.failed.update(other.failed)
    for note in other.notes:
        tally.note(note)
