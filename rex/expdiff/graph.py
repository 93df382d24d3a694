"""Processes and files of one experiment as a graph: who started, read and wrote what."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rex.expdiff.canonical import read_trace
from rex.expdiff.shapes import READ
from rex.expdiff.trace import END, Trace
from rex.picture import FILE, PROCESS, READS, STARTED, STREAM, WRITES, Edge, Graph, Node

if TYPE_CHECKING:
    from rex.archive import Experiment


def read_graph(experiment: "Experiment") -> Graph:
    """The graph of an experiment, from its log.

    Raises:
        NotFound: it is unfinished or has no log.
        Damaged, TooNew: the log cannot be read.
    """
    trace = read_trace(experiment.open_log(), experiment.manifest.cwd)
    trace.close()
    return build_graph(trace)


def build_graph(trace: Trace) -> Graph:
    """The graph of a trace.

    A file that the experiment changed is two nodes, as it was before the first
    change and as it is after: so that the graph has no cycle that time does not have.
    """
    graph = Graph()
    for task in trace.tasks.values():
        if task.is_thread:
            continue
        command = shlex.join(task.execs[-1].command) if task.execs else task.inherited
        graph.nodes[f"p{task.number}"] = Node(f"p{task.number}", PROCESS, command, task=task.number, event=task.start)
        if task.parent is not None and task.parent in trace.tasks:
            graph.edges.append(Edge(STARTED, f"p{trace.tasks[task.parent].leader}", f"p{task.number}", task.start))
    _add_files(graph, trace)
    numbers: dict[str, str] = {}
    for (process, direction, name), flow in trace.flows.items():
        key = numbers.setdefault(f"{direction} {name}", f"s{len(numbers)}")
        graph.nodes.setdefault(key, Node(key, STREAM, name, event=flow.event))
        ends = (key, f"p{process}") if direction == READ else (f"p{process}", key)
        graph.edges.append(Edge(READS if direction == READ else WRITES, *ends, flow.event))
    graph.edges = sorted((edge for edge in graph.edges if edge.begin in graph.nodes and edge.end in graph.nodes),
                         key=lambda edge: edge.event)
    return graph


def _add_files(graph: Graph, trace: Trace) -> None:
    written: dict[str, int] = {}
    for (_, path), event in trace.writes.items():
        written[path] = min(event, written.get(path, END))
    keys: dict[tuple[str, bool], str] = {}

    def node(path: str, event: int) -> str:
        state = (path, event >= written.get(path, END))
        if state not in keys:
            key = keys[state] = f"f{len(keys)}"
            graph.nodes[key] = Node(key, FILE, trace.logical(path), path, state[1], event=event)
        return keys[state]

    for (process, path), event in sorted(trace.reads.items(), key=lambda use: use[1]):
        if trace.writes.get((process, path)) == event:   # opened for both: it changes what was there
            event -= 1
        graph.edges.append(Edge(READS, node(path, event), f"p{process}", event))
    for (process, path), event in trace.writes.items():
        graph.edges.append(Edge(WRITES, f"p{process}", node(path, event), event))
