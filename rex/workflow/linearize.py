"""Orders in which the tasks of a graph may run one after another."""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Sequence

from rex.workflow.dag import Dag


def successor_weights(dag: Dag) -> list[float]:
    """For each task, the summed weight of the tasks that read its output.

    Source: Aupy et al., IJNC 6(1), 2016, section 6.
    """
    return [math.fsum(dag.weights[succ] for succ in succs) for succs in dag.succs]


def descendant_weights(dag: Dag) -> list[float]:
    """For each task, the summed weight of its distinct descendants, itself not counted."""
    return _reachable_weights(dag, dag.succs, reversed(dag.topological_order))


def ancestor_weights(dag: Dag) -> list[float]:
    """For each task, the summed weight of its distinct ancestors, itself not counted."""
    return _reachable_weights(dag, dag.preds, dag.topological_order)


def _reachable_weights(dag: Dag, links: Sequence[Sequence[int]], order: Sequence[int]) -> list[float]:
    from rex.workflow.dense import bit_positions, numpy_module
    np = numpy_module()
    weights = np.array(dag.weights)
    reach = [0] * len(dag)
    sums = [0.0] * len(dag)
    for task in order:
        bits = 0
        for other in links[task]:
            bits |= reach[other] | 1 << other
        reach[task] = bits
        if bits:
            sums[task] = float(weights[bit_positions(np, bits)].sum())
    return sums


def depth_first(dag: Dag, priority: Sequence[float]) -> tuple[int, ...]:
    """Follow what was just computed: the latest task to become ready runs next.

    Among tasks that became ready together the larger priority goes first.
    Source: Aupy et al., IJNC 6(1), 2016, section 6 (DF).
    """
    ready: list[int] = []
    return _visit(dag, priority, ready, ready.pop, reverse=False)


def breadth_first(dag: Dag, priority: Sequence[float]) -> tuple[int, ...]:
    """Serve first what became ready first, the larger priority first among equals.

    Source: Aupy et al., IJNC 6(1), 2016, section 6 (BF).
    """
    ready: deque[int] = deque()
    return _visit(dag, priority, ready, ready.popleft, reverse=True)


def _visit(dag: Dag, priority: Sequence[float], ready: deque[int] | list[int],
           take: Callable[[], int], reverse: bool) -> tuple[int, ...]:
    waiting = [len(preds) for preds in dag.preds]

    def add(tasks: Sequence[int]) -> None:
        ready.extend(sorted(tasks, key=lambda task: (priority[task], -task), reverse=reverse))

    add([task for task, count in enumerate(waiting) if not count])
    order = []
    while ready:
        task = take()
        order.append(task)
        freed = []
        for succ in dag.succs[task]:
            waiting[succ] -= 1
            if not waiting[succ]:
                freed.append(succ)
        add(freed)
    return tuple(order)


def random_first(dag: Dag, seed: int) -> tuple[int, ...]:
    """Any ready task next, drawn at random.

    Source: Aupy et al., IJNC 6(1), 2016, section 6 (RF).
    """
    draw = random.Random(seed)
    waiting = [len(preds) for preds in dag.preds]
    ready = [task for task, count in enumerate(waiting) if not count]
    order = []
    while ready:
        pick = draw.randrange(len(ready))
        ready[pick], ready[-1] = ready[-1], ready[pick]
        task = ready.pop()
        order.append(task)
        for succ in dag.succs[task]:
            waiting[succ] -= 1
            if not waiting[succ]:
                ready.append(succ)
    return tuple(order)


def post_order(dag: Dag, exit_key: Sequence[float], pred_key: Sequence[float]) -> tuple[int, ...]:
    """Finish all ancestors of one exit before those of the next.

    Args:
        exit_key: exits with smaller keys come first.
        pred_key: of a task's predecessors, those with smaller keys come first.
    Source: the idea of Aupy et al., section 4.3, which their experiments do not use.
    """
    order: list[int] = []
    done = [False] * len(dag)
    opened = [False] * len(dag)
    for root in sorted(dag.exits, key=lambda task: (exit_key[task], task)):
        stack = [root]
        while stack:
            task = stack[-1]
            if opened[task]:
                stack.pop()
                if not done[task]:
                    done[task] = True
                    order.append(task)
                continue
            opened[task] = True
            # Reversed: the stack serves its end first.
            stack.extend(sorted((pred for pred in dag.preds[task] if not opened[pred]),
                                key=lambda pred: (pred_key[pred], pred), reverse=True))
    return tuple(order)


def post_orders(dag: Dag) -> dict[str, tuple[int, ...]]:
    """Four post-orders: small or large exits first, light or heavy ancestries first."""
    above = ancestor_weights(dag)
    heavy = [-weight for weight in above]
    return {"PO-light-light": post_order(dag, above, above),
            "PO-light-heavy": post_order(dag, above, heavy),
            "PO-heavy-light": post_order(dag, heavy, above),
            "PO-heavy-heavy": post_order(dag, heavy, heavy)}


def linearize(dag: Dag, name: str, seed: int = 0) -> tuple[int, ...]:
    """The order called DF, BF or RF; DFall and BFall count all descendants, not only direct successors."""
    if name == "RF":
        return random_first(dag, seed)
    priority = descendant_weights(dag) if name.endswith("all") else successor_weights(dag)
    return depth_first(dag, priority) if name.startswith("DF") else breadth_first(dag, priority)
