"""Processes and files of one experiment as a graph: who started, read and wrote what."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rex.expdiff.canonical import read_trace
from rex.expdiff.shapes import READ
from rex.expdiff.trace import END, Trace

if TYPE_CHECKING:
    from rex.archive import Experiment

PROCESS, FILE, STREAM = "process", "file", "stream"
STARTED, READS, WRITES = "started", "read", "wrote"

# Programs, libraries and settings of the system: what everything uses explains nothing in a picture.
_SYSTEM = ("/usr/", "/lib/", "/lib64/", "/bin/", "/sbin/", "/etc/", "/proc/", "/sys/", "/dev/", "/opt/")
_LABEL_CHARS = 60


@dataclass(frozen=True, slots=True)
class Node:
    """A process, a file at one time, or a stream.

    Attributes:
        key: unique in the graph; p, f or s and a number.
        label: command or name; of a file below the working directory its path from there.
        path: of a file, the absolute one.
        is_final: whether this is the file as the experiment left it; else as it found it.
        task: of a process.
        event: where it is first met.
    """

    key: str
    kind: str
    label: str
    path: str = ""
    is_final: bool = False
    task: int = -1
    event: int = 0

    @property
    def is_system(self) -> bool:
        """Whether it is a file of the system."""
        return self.kind != PROCESS and self.label.startswith(_SYSTEM)


@dataclass(frozen=True, slots=True)
class Edge:
    """From cause to effect: started, read (file to process), wrote (process to file)."""

    kind: str
    begin: str
    end: str
    event: int


@dataclass
class Graph:
    """Nodes by key, and edges in the order of events."""

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)

    def without_system(self) -> "Graph":
        """The part that a picture shows."""
        nodes = {key: node for key, node in self.nodes.items() if not node.is_system}
        return Graph(nodes, [edge for edge in self.edges if edge.begin in nodes and edge.end in nodes])


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


def short(label: str) -> str:
    """A label that fits a box: the end of a path, the beginning of a command."""
    if len(label) <= _LABEL_CHARS:
        return label
    if label.startswith("/"):
        return "…" + label[1 - _LABEL_CHARS:]
    return label[:_LABEL_CHARS - 1] + "…"
