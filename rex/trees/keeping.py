"""Which steps' outputs a replay of many runs keeps for later runs, under a budget of bytes."""

from __future__ import annotations

from dataclasses import dataclass

from rex.trees.merge import Node, StepTree

KEEP_NOTHING = -1     # a budget that not even an empty file fits


@dataclass
class KeepPlan:
    """What is kept, and what that comes to.

    Attributes:
        kept: ids of the steps whose outputs are kept from their first run to their last.
        cost_s: seconds in steps as they will run; bound_s: with every distinct step once.
        alone_s: one run after another.
        peak_bytes: of outputs kept at the same time.
    """

    kept: frozenset[str]
    cost_s: float
    bound_s: float
    alone_s: float
    peak_bytes: int


def size_of(node: Node) -> int:
    """Bytes of a step's outputs."""
    return sum(each.state.size for each in node.step.left if each.state and each.state.type == "file")


def may_be_left_out(node: Node) -> bool:
    """Whether a step's outputs can stand for it wherever it comes again."""
    return node.step.is_known and not any(step.against for _, step in node.members)


def plan_kept(tree: StepTree, budget_bytes: int | None) -> KeepPlan:
    """Choose the steps whose outputs are kept from their first run to their last.

    The most seconds saved per byte come first, as long as what is kept together fits. Without a budget all is kept.
    """
    order = {name: place for place, name in enumerate(tree.runs)}
    spans = {}
    for node in tree.nodes.values():
        places = [order[name] for name, _ in node.members]
        if len(places) > 1 and may_be_left_out(node):
            spans[node.id] = (places[0], places[-1])

    def saves_s(name: str) -> float:
        return sum(step.seconds for _, step in tree.nodes[name].members[1:])

    used = [0] * len(order)
    kept: set[str] = set()
    for name in sorted(spans, key=lambda name: (-saves_s(name) / (size_of(tree.nodes[name]) + 1), name)):
        begin, end = spans[name]
        size = size_of(tree.nodes[name])
        if budget_bytes is None or max(used[begin:end + 1]) + size <= budget_bytes:
            kept.add(name)
            for place in range(begin, end + 1):
                used[place] += size
    bound_s = tree.alone_s - sum(map(saves_s, spans))
    return KeepPlan(frozenset(kept), tree.alone_s - sum(map(saves_s, kept)), bound_s, tree.alone_s, max(used, default=0))
