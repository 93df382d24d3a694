"""A step tree for machines and as a picture."""

from __future__ import annotations

from typing import Any

from rex.picture import FILE, PROCESS, READS, STARTED, WRITES, Edge, Graph
from rex.picture import Node as Drawn
from rex.trees.merge import StepTree
from rex.types import format_duration


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
    for place, node in enumerate(tree.nodes.values()):
        runs = "all runs" if len(node.runs) == len(tree.runs) and len(tree.runs) > 1 else ", ".join(node.runs)
        graph.nodes[f"p{place}"] = Drawn(f"p{place}", PROCESS, f"{node.id} [{runs}] {format_duration(node.seconds)}  {node.step.command}",
                                         event=place)
        given = {each.path for each in node.step.given}
        for need in sorted(node.needs):
            paths = sorted(given & tree.nodes[need].step.writes)
            for path in paths:
                graph.edges.append(Edge(READS, _file(graph, writers, need, path), f"p{place}", place))
            if not paths:
                graph.edges.append(Edge(STARTED, _key(need), f"p{place}", place))
    return graph


def _key(node: str) -> str:
    return f"p{int(node[1:]) - 1}"


def _file(graph: Graph, writers: dict[tuple[str, str], str], node: str, path: str) -> str:
    key = writers.get((node, path))
    if key is None:
        key = writers[node, path] = f"f{len(writers)}"
        place = int(node[1:]) - 1
        graph.nodes[key] = Drawn(key, FILE, path.rpartition("/")[2], path, event=place)
        graph.edges.append(Edge(WRITES, f"p{place}", key, place))
    return key
