"""Replays runs on a Dask cluster: each task takes some of them, and shares steps among these.

Workers must see the archive and OUTDIR under the same paths, and have Rex installed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rex import cluster
from rex.trees.keeping import plan_kept
from rex.trees.merge import StepTree


def share_out(tree: StepTree, count: int) -> list[list[str]]:
    """Runs in up to `count` groups; the longest one is cut in two between neighbours, as long as that helps."""
    return cluster.share_out(list(tree.runs), count, partial(cost_s, tree), partial(_halve, tree))


def cost_s(tree: StepTree, group: list[str]) -> float:
    """Seconds to replay these runs with every step once that others may stand for."""
    return plan_kept(tree.only(set(group)), None).cost_s


def _halve(tree: StepTree, group: list[str]) -> list[list[str]]:
    """Two groups of neighbours that take about as long; none of a single run."""
    cuts = [[group[:at], group[at:]] for at in range(1, len(group))]
    return min(cuts, key=lambda halves: max(cost_s(tree, half) for half in halves), default=[])


def replay_on(address: str, part: Callable[[list[str]], Any], tree: StepTree) -> list[Any]:
    """What a function gave for each group of runs.

    Raises:
        UsageError: there is no such cluster, or Dask is not installed.
        OwnFailure: it lost its workers.
    """
    with cluster.connect(address) as client:
        groups = share_out(tree, cluster.worker_count(client) * cluster.TASKS_PER_WORKER)
        return [found for _, found in cluster.ended(client, part, groups)]
