"""Graphs of processes and files as pictures: Graphviz dot, and SVG laid out here."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

PROCESS, FILE, STREAM = "process", "file", "stream"
STARTED, READS, WRITES = "started", "read", "wrote"

# Programs, libraries and settings of the system: what everything uses explains nothing in a picture.
_SYSTEM = ("/usr/", "/lib/", "/lib64/", "/bin/", "/sbin/", "/etc/", "/proc/", "/sys/", "/dev/", "/opt/")
_LABEL_CHARS = 60
_SHAPES = {PROCESS: "box", FILE: "ellipse", STREAM: "cds"}
_FILLS = {PROCESS: "#dbe9f6", FILE: "#eef4e0", STREAM: "#f6ecd5"}
_ROW, _COLUMN_GAP, _HEIGHT, _CHAR, _MARGIN = 44, 60, 28, 7, 16


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


def short(label: str) -> str:
    """A label that fits a box: the end of a path, the beginning of a command."""
    if len(label) <= _LABEL_CHARS:
        return label
    if label.startswith("/"):
        return "…" + label[1 - _LABEL_CHARS:]
    return label[:_LABEL_CHARS - 1] + "…"


def _plain(text: str) -> str:
    """Text without what could steer a terminal or is no XML: names come from strangers."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def as_dot(graph: Graph) -> str:
    """The graph in Graphviz's language."""
    def quoted(text: str) -> str:
        return '"' + _plain(text).replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = ["digraph experiment {", "  rankdir=LR;", '  node [fontname="sans-serif", fontsize=11, style=filled];']
    for node in graph.nodes.values():
        lines.append(f"  {node.key} [label={quoted(short(node.label))}, shape={_SHAPES[node.kind]}, "
                     f"fillcolor={quoted(_FILLS[node.kind])}, tooltip={quoted(node.label)}];")
    for edge in graph.edges:
        style = " [style=dashed]" if edge.kind == STARTED else ""
        lines.append(f"  {edge.begin} -> {edge.end}{style};")
    return "\n".join([*lines, "}"]) + "\n"


def _columns(graph: Graph) -> dict[str, int]:
    """A column for every node, behind those of all that led to it; edges come in the order of time."""
    columns = dict.fromkeys(graph.nodes, 0)
    for edge in graph.edges:
        if edge.begin != edge.end:
            columns[edge.end] = max(columns[edge.end], min(columns[edge.begin] + 1, len(columns)))
    return columns


def _places(graph: Graph) -> tuple[dict[str, tuple[int, int, int]], int, int]:
    """Left, top and width of every box, then width and height of it all."""
    by_column: dict[int, list[Node]] = {}
    for key, column in _columns(graph).items():
        by_column.setdefault(column, []).append(graph.nodes[key])
    places, left, bottom = {}, _MARGIN, 0
    for _, nodes in sorted(by_column.items()):
        width = max(len(short(node.label)) for node in nodes) * _CHAR + 16
        for row, node in enumerate(sorted(nodes, key=lambda node: (node.event, node.key))):
            places[node.key] = (left, _MARGIN + row * _ROW, width)
            bottom = max(bottom, _MARGIN + (row + 1) * _ROW)
        left += width + _COLUMN_GAP
    return places, left - _COLUMN_GAP + _MARGIN, bottom + _MARGIN


def as_svg(graph: Graph) -> str:
    """The graph as a picture, laid out here: time runs from left to right, and no tool is needed."""
    places, width, height = _places(graph)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{max(width, 2 * _MARGIN)}" height="{height}" '
             'font-family="sans-serif" font-size="11">',
             '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="3" orient="auto">'
             '<path d="M0,0 L7,3 L0,6 z" fill="#555"/></marker></defs>']
    for edge in graph.edges:
        (x1, y1, wide), (x2, y2, _) = places[edge.begin], places[edge.end]
        begin, end, middle = (x1 + wide, y1 + _HEIGHT // 2), (x2, y2 + _HEIGHT // 2), _COLUMN_GAP // 2
        dash = ' stroke-dasharray="4 3"' if edge.kind == STARTED else ""
        parts.append(f'<path d="M{begin[0]},{begin[1]} C{begin[0] + middle},{begin[1]} {end[0] - middle},{end[1]} '
                     f'{end[0]},{end[1]}" fill="none" stroke="#555" marker-end="url(#tip)"{dash}/>')
    for key, (left, top, wide) in places.items():
        node = graph.nodes[key]
        corner = 3 if node.kind == PROCESS else _HEIGHT // 2
        parts.append(f'<g><title>{html.escape(_plain(node.label))}</title>'
                     f'<rect x="{left}" y="{top}" width="{wide}" height="{_HEIGHT}" rx="{corner}" '
                     f'fill="{_FILLS[node.kind]}" stroke="#555"/>'
                     f'<text x="{left + wide // 2}" y="{top + _HEIGHT // 2 + 4}" text-anchor="middle">'
                     f'{html.escape(_plain(short(node.label)))}</text></g>')
    return "\n".join([*parts, "</svg>"]) + "\n"
