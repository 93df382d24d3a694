"""A step tree for machines and as a picture."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import Any

from rex.picture import FILE, PROCESS, READS, STARTED, WRITES, Edge, Graph
from rex.picture import Node as Drawn
from rex.trees.merge import Node, StepTree
from rex.types import format_duration

_MOST_NAMED = 2


def as_json(tree: StepTree) -> dict[str, Any]:
    """Steps and runs; seconds."""
    steps = [{"id": node.id, "command": node.step.command, "seconds": node.seconds, "key": node.step.key,
              "result": node.step.result if node.step.is_known else None, "runs": node.runs,
              "needs": sorted(node.needs, key=lambda name: int(name[1:])), "status": node.step.status,
              "outputs": {each.path: each.value for each in node.step.left}, "sources": list(node.step.sources),
              "nondeterministic": node.is_random, "against": list(node.step.against),
              "variant_of": node.variant_of or None, "differs": node.reasons} for node in tree.nodes.values()]
    return {"steps": steps, "runs": {name: {"steps": ids, "seconds": tree.seconds[name]} for name, ids in tree.runs.items()},
            "one_by_one": tree.alone_s, "each_once": tree.shared_s}


def as_graph(tree: StepTree) -> Graph:
    """Steps, in an order in which they can run, and the files that pass between them."""
    graph = Graph()
    writers: dict[tuple[str, str], str] = {}
    order = _order(tree)
    for name, place in order.items():
        node = tree.nodes[name]
        graph.nodes[name] = Drawn(name, PROCESS, f"{node.id} [{_runs(node, tree)}] {format_duration(node.seconds)}  {node.step.command}", event=place)
        given = {each.path for each in node.step.given}
        for need in sorted(node.needs):
            paths = sorted(given & tree.nodes[need].step.writes)
            for path in paths:
                graph.edges.append(Edge(READS, _file(graph, writers, need, path, order[need]), name, place))
            if not paths:
                graph.edges.append(Edge(STARTED, need, name, place))
    return graph


def _order(tree: StepTree) -> dict[str, int]:
    """Each step behind those that it needs: one that was met early may get the same from another in a later run. In a circle: as they were met."""
    try:
        names = list(TopologicalSorter({node.id: sorted(node.needs) for node in tree.nodes.values()}).static_order())
    except CycleError:
        names = list(tree.nodes)
    return {name: place for place, name in enumerate(names)}


def _runs(node: Node, tree: StepTree) -> str:
    if len(node.runs) == len(tree.runs) > 1:
        return "all runs"
    return ", ".join(node.runs) if len(node.runs) <= _MOST_NAMED else f"{len(node.runs)} of {len(tree.runs)} runs"


def _file(graph: Graph, writers: dict[tuple[str, str], str], node: str, path: str, place: int) -> str:
    key = writers.get((node, path))
    if key is None:
        key = writers[node, path] = f"f{len(writers)}"
        graph.nodes[key] = Drawn(key, FILE, path.rpartition("/")[2], path, event=place)
        graph.edges.append(Edge(WRITES, node, key, place))
    return key
