"""Shapes whose best schedule is known exactly: chains, forks, joins."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from rex.workflow.dag import Dag, Failures, Schedule
from rex.workflow.dense import numpy_module

# All sets of checkpoints of a join are tried up to this many sources.
_JOIN_SOURCES = 16


def classify(dag: Dag) -> str | None:
    """"chain", "fork" or "join"; None for every other graph."""
    widest_in = max(map(len, dag.preds))
    widest_out = max(map(len, dag.succs))
    sources = sum(not preds for preds in dag.preds)
    if widest_in <= 1 and widest_out <= 1:
        return "chain" if sources == 1 else None
    if sources == 1 and sources + len(dag.exits) == len(dag):
        return "fork"
    if len(dag.exits) == 1 and sources + 1 == len(dag):
        return "join"
    return None


def solve_special(dag: Dag, failures: Failures) -> Schedule | None:
    """The best schedule of a chain, a fork or a join; None where no exact one is known.

    Joins are solved up to 16 sources.
    """
    if dag.unpersistable:
        return None
    kind = classify(dag)
    if kind == "chain":
        return solve_chain(dag, failures)
    if kind == "fork":
        return solve_fork(dag, failures)
    if kind == "join":
        return solve_join(dag, failures)
    return None


def solve_chain(dag: Dag, failures: Failures) -> Schedule:
    """The best checkpoints of a chain, by dynamic programming over the last one.

    In logarithms, so that nothing overflows. O(n^2).
    Source: Toueg and Babaoglu, SIAM J. Comput. 13(3), 1984; Aupy et al., IJNC 6(1), 2016,
    do not solve chains but refer to their reference 13.
    """
    np = numpy_module()
    order, rate, count = dag.topological_order, failures.rate, len(dag)
    if rate == 0:
        return Schedule(order, frozenset())
    done = np.concatenate(([0.0], np.cumsum([dag.weights[task] for task in order])))
    # Entry j: the first j tasks are done and the j-th is checkpointed (j = 0: the start).
    recovery = np.array([0.0, *(dag.recovery_costs[task] for task in order)])
    best = np.full(count + 1, -math.inf)
    source = [0] * (count + 1)
    for j in range(1, count + 1):
        cost = dag.checkpoint_costs[order[j - 1]] if j < count else 0.0
        work = rate * np.maximum(done[j] - done[:j] + cost, 0.0)
        with np.errstate(divide="ignore"):
            segment = rate * recovery[:j] + work + np.log(-np.expm1(-work))
        totals = np.logaddexp(best[:j], segment)
        source[j] = int(np.argmin(totals))
        best[j] = totals[source[j]]
    kept, j = [], source[count]
    while j:
        kept.append(order[j - 1])
        j = source[j]
    return Schedule(order, frozenset(kept))


def solve_fork(dag: Dag, failures: Failures) -> Schedule:
    """Whether the one source of a fork is worth a checkpoint; the order does not matter.

    With S the sum of e^(rate w) - 1 over the sinks, a checkpoint saves
    S (e^(rate w) - e^(rate r)) and costs e^(rate (w + c)) - e^(rate w). Linear time.
    Source: Aupy et al., IJNC 6(1), 2016, Theorem 1.
    """
    order, rate = dag.topological_order, failures.rate
    source = order[0]
    saved = rate * (dag.weights[source] - dag.recovery_costs[source])
    if rate == 0 or saved <= 0:
        return Schedule(order, frozenset())
    sinks = _log_sum([_log_expm1(rate * dag.weights[task]) for task in order[1:]])
    gain = sinks + math.log(-math.expm1(-saved))
    is_worth = _log_expm1(rate * dag.checkpoint_costs[source]) < gain
    return Schedule(order, frozenset([source] if is_worth else []))


def join_order(dag: Dag, failures: Failures, checkpointed: Collection[int]) -> tuple[int, ...]:
    """The best order of a join for given checkpoints: non-decreasing h.

    h(i) = (1 - e^(-rate r_i)) / (1 - e^(-rate (w_i + c_i))) for checkpointed
    sources. For the others cost and recovery are both the weight: h = 1.

    Source: Aupy et al., IJNC 6(1), 2016, Lemma 2, corrected. Its g(i) stems from a
    slip in the proof: the swap gives x_j y_i - x_i y_j, not x_j y_j - x_i y_i,
    with x = e^(-rate (w + c)) and y = e^(-rate r). Orders by g are up to 45 %
    worse where some r exceed w. Its equation (2) lacks a -1 in the first sum.
    """
    (last,) = dag.exits
    keys = {task: _join_key(dag, failures.rate, task, task in checkpointed)
            for task in range(len(dag)) if task != last}
    return (*sorted(keys, key=lambda task: (keys[task], task)), last)


def _join_key(dag: Dag, rate: float, task: int, is_kept: bool) -> float:
    if not is_kept:
        return 1.0
    lost = -math.expm1(-rate * dag.recovery_costs[task])
    own = -math.expm1(-rate * (dag.weights[task] + dag.checkpoint_costs[task]))
    if own == 0:
        return math.inf if lost else 0.0
    return lost / own


def solve_join(dag: Dag, failures: Failures) -> Schedule | None:
    """The best checkpoints of a join and their best order; None above 16 sources.

    Choosing the set is NP-complete in general, so all sets are tried.
    Source: Aupy et al., IJNC 6(1), 2016, section 4.2; order as in `join_order`.
    """
    np = numpy_module()
    (last,) = dag.exits
    sources = [task for task in range(len(dag)) if task != last]
    if failures.rate == 0:
        return Schedule(join_order(dag, failures, ()), frozenset())
    if len(sources) > _JOIN_SOURCES:
        return None
    masks = np.arange(2 ** len(sources))
    sets = [masks >> rank & 1 == 1 for rank in range(len(sources))]
    sums = _join_sums(np, dag, failures.rate, sources, sets)
    pick = int(np.argmin(sums))
    if not math.isfinite(sums[pick]):
        return None
    kept = frozenset(task for task, flags in zip(sources, sets) if flags[pick])
    return Schedule(join_order(dag, failures, kept), kept)


def _join_sums(np: Any, dag: Dag, rate: float, sources: Sequence[int], sets: Sequence[Any]) -> Any:
    """Expected makespans of many sets at once, in units of 1/rate + downtime.

    `unlucky` is 1 - T and `wiped` is 1 - Y, where over the sources run so far
    T <- T x + (1 - x) Y and Y <- Y y, with x = e^(-rate own) and y = e^(-rate cost).
    """
    (last,) = dag.exits
    items = sorted(((_join_key(dag, rate, task, is_kept), task, rank, is_kept)
                    for rank, task in enumerate(sources) for is_kept in (True, False)),
                   key=lambda item: item[:2])
    total = np.zeros(len(sets[0]))
    unlucky, costs = total.copy(), total.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        for _, task, rank, is_kept in items:
            chosen = sets[rank] == is_kept
            own = rate * (dag.weights[task] + (dag.checkpoint_costs[task] if is_kept else 0.0))
            cost = rate * (dag.recovery_costs[task] if is_kept else dag.weights[task])
            total[chosen] += np.expm1(own)
            wiped = -np.expm1(-costs[chosen])
            unlucky[chosen] = unlucky[chosen] * math.exp(-own) - math.expm1(-own) * wiped
            costs[chosen] += cost
        own = rate * dag.weights[last]
        struck = -math.expm1(-own) + math.exp(-own) * unlucky
        sums = total + np.exp(own + costs) * struck
    return np.where(np.isnan(sums), math.inf, sums)


def _log_expm1(x: float) -> float:
    return x + math.log(-math.expm1(-x)) if x > 0 else -math.inf


def _log_sum(logs: Sequence[float]) -> float:
    most = max(logs)
    if math.isinf(most):
        return most
    return most + math.log(math.fsum(math.exp(value - most) for value in logs))
