"""A graph of processes and files as Graphviz dot, SVG, or W3C PROV-JSON."""

from __future__ import annotations

import html
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from rex.expdiff.graph import FILE, PROCESS, STARTED, STREAM, WRITES, Graph, Node, short

if TYPE_CHECKING:
    from rex.archive import FileState, Manifest

_SHAPES = {PROCESS: "box", FILE: "ellipse", STREAM: "cds"}
_FILLS = {PROCESS: "#dbe9f6", FILE: "#eef4e0", STREAM: "#f6ecd5"}
_ROW, _COLUMN_GAP, _HEIGHT, _CHAR, _MARGIN = 44, 60, 28, 7, 16


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


def as_prov(graph: Graph, manifest: "Manifest") -> dict[str, Any]:
    """The graph as W3C PROV-JSON: processes are activities, files and streams entities.

    Source: https://www.w3.org/submissions/prov-json/
    """
    told: dict[str, Any] = {"prefix": {"rex": "urn:rex:"}, "agent": {"rex:user": {"prov:label": manifest.user}},
                            "activity": {}, "entity": {}, "used": {}, "wasGeneratedBy": {}, "wasStartedBy": {},
                            "wasAssociatedWith": {}}
    processes = {process.task: process for process in manifest.processes}
    for node in graph.nodes.values():
        facts: dict[str, Any] = {"prov:label": node.label}
        if node.kind == PROCESS:
            process = processes.get(node.task)
            if process:
                facts["prov:startTime"] = _time(manifest.start_ns, process.start_s)
                if process.end_s is not None:
                    facts["prov:endTime"] = _time(manifest.start_ns, process.end_s)
            told["activity"][f"rex:{node.key}"] = {**facts, "rex:task": node.task}
        else:
            told["entity"][f"rex:{node.key}"] = {**facts, **_entity(node, manifest)}
    for number, edge in enumerate(graph.edges):
        name, begin, end = f"_:{number}", f"rex:{edge.begin}", f"rex:{edge.end}"
        if edge.kind == STARTED:
            told["wasStartedBy"][name] = {"prov:activity": end, "prov:starter": begin}
        elif edge.kind == WRITES:
            told["wasGeneratedBy"][name] = {"prov:entity": end, "prov:activity": begin}
        else:
            told["used"][name] = {"prov:activity": end, "prov:entity": begin}
    roots = set(told["activity"]) - {each["prov:activity"] for each in told["wasStartedBy"].values()}
    for root in sorted(roots):
        told["wasAssociatedWith"][f"_:{root[4:]}"] = {"prov:activity": root, "prov:agent": "rex:user"}
    return told


def _entity(node: Node, manifest: "Manifest") -> dict[str, Any]:
    if node.kind == STREAM:
        return {"prov:type": "rex:stream"}
    entry = manifest.files.get(node.path)
    state: "FileState | None" = None
    if entry:
        state = entry.final if node.is_final and entry.is_changed else entry.initial
    facts: dict[str, Any] = {"prov:type": "rex:file", "rex:path": node.path}
    if state and state.content:
        facts["rex:sha256"] = state.content.sha256
        facts["rex:size"] = state.content.size
    return {**facts, **({"rex:roles": list(entry.roles)} if entry and entry.roles else {})}


def _time(start_ns: int, seconds: float) -> str:
    """A moment as xsd:dateTime."""
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=start_ns // 1000 + seconds * 1e6)
    return moment.isoformat()
