"""A workflow as a graph to draw: tasks, and the files that pass between them."""

from __future__ import annotations

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
    graph.edges.sort(key=lambda edge: (edge.event, edge.kind != WRITES))
    return graph


def _file(graph: Graph, workflow: Workflow, place: int, path: str) -> str:
    """The node of a file as one task left it."""
    key = f"f{place}_{list({**workflow.tasks[place].outputs, **workflow.tasks[place].results}).index(path)}"
    if key not in graph.nodes:
        task = workflow.tasks[place]
        size = task.outputs.get(path, task.results.get(path, 0))
        graph.nodes[key] = Node(key, FILE, f"{workflow.shown(path)}  {format_size(size)}", path, event=place)
        graph.edges.append(Edge(WRITES, f"p{place}", key, place))
    return key
