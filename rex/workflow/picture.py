"""A workflow as a graph to draw: tasks, and the files that pass between them."""

from __future__ import annotations

from dataclasses import replace

from rex.picture import FILE, PROCESS, READS, STARTED, WRITES, Edge, Graph, Node
from rex.types import format_size
from rex.workflow.graph import Workflow


def as_graph(workflow: Workflow) -> Graph:
    """Tasks with their seconds, results, and files that others read with their sizes."""
    graph = Graph()
    for place, task in enumerate(workflow.tasks):
        key = f"p{place}"
        graph.nodes[key] = Node(key, PROCESS, f"{task.seconds:.2f} s  {task.command}", event=place)
        for pred, paths in task.preds.items():
            if not paths:
                graph.edges.append(Edge(STARTED, f"p{pred}", key, place))
            for path in paths:
                graph.edges.append(Edge(READS, _file(graph, workflow, pred, path), key, place))
        for path in task.results:
            _file(graph, workflow, place, path)
    _number(graph)
    graph.edges.sort(key=lambda edge: (edge.event, edge.kind == WRITES))
    return graph


def _number(graph: Graph) -> None:
    """Give files keys that any tool takes."""
    names = {key: f"f{number}" if node.kind == FILE else key for number, (key, node) in enumerate(graph.nodes.items())}
    graph.nodes = {names[key]: replace(node, key=names[key]) for key, node in graph.nodes.items()}
    graph.edges = [Edge(edge.kind, names[edge.begin], names[edge.end], edge.event) for edge in graph.edges]


def _file(graph: Graph, workflow: Workflow, place: int, path: str) -> str:
    """The node of a file as one task left it; of what the frame wrote no sizes are known."""
    key = f"f{place}_{path}"
    if key not in graph.nodes:
        task = workflow.tasks[place]
        size = task.outputs.get(path, task.results.get(path))
        label = workflow.shown(path) + ("" if size is None else f"  {format_size(size)}")
        graph.nodes[key] = Node(key, FILE, label, path, event=place)
        graph.edges.append(Edge(WRITES, f"p{place}", key, place))
    return key
