"""The execution tree as an SVG picture, with nothing but text."""

from __future__ import annotations

from html import escape

from rex.multiversion.merge import CellNode, VersionTree
from rex.types import format_duration

_X, _Y, _R = 46, 26, 9
_LEFT, _TOP = 30, 30
_SHARED, _END, _OTHER = "#4a7ebb", "#5aa469", "#9aa5b1"


def draw_svg(tree: VersionTree, link: str = "") -> str:
    """Cells from left to right, versions from top to bottom; shared cells are blue, the last green.

    A circle's area grows with the seconds; pointing at it shows its code.

    Args:
        link: a circle leads to this address with its cell behind it; "": nowhere.
    """
    rows = _rows(tree)
    depth = {name: len(tree.path(name)) - 1 for name in tree.nodes}
    width = _LEFT + _X * (max(depth.values()) + 1) + 200
    height = 2 * _TOP + _Y * max(rows.values())
    longest = max((node.seconds for node in tree.nodes.values()), default=1.0) or 1.0
    lines, circles = [], []
    for name, node in tree.nodes.items():
        x, y = _LEFT + _X * depth[name], _TOP + _Y * rows[name]
        if node.parent is not None:
            px, py = x - _X, _TOP + _Y * rows[node.parent]
            lines.append(f'<path d="M{px} {py} C{px + _X / 2} {py} {px + _X / 2} {y} {x} {y}"/>')
        circle = _circle(tree, node, x, y, longest)
        circles.append(f'<a href="{escape(link + name)}">{circle}</a>' if link else circle)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        '<g fill="none" stroke="#9aa5b1" stroke-width="1.5">', *lines, "</g>", *circles, "</svg>"])


def _circle(tree: VersionTree, node: CellNode, x: float, y: float, longest: float) -> str:
    ends = tree.versions_at(node.id)
    colour = _END if ends else _SHARED if len(node.members) > 1 else _OTHER
    radius = 3 + (_R - 3) * (node.seconds / longest) ** 0.5
    hint = escape(f"{node.id}  {format_duration(node.seconds)}\n{node.cell.source.strip()}")
    text = f'<circle cx="{x}" cy="{y}" r="{radius:.1f}" fill="{colour}"><title>{hint}</title></circle>'
    if ends:
        text += f'<text x="{x + _R + 5}" y="{y + 4}">{escape(", ".join(ends))}</text>'
    return text


def _rows(tree: VersionTree) -> dict[str, float]:
    """A leaf has a row of its own; the others stand in the middle of those below."""
    execution = tree.execution
    rows: dict[str, float] = {}
    free = 0
    for name in execution.order:
        if not execution.children[name]:
            rows[name] = free
            free += 1
    for name in reversed(execution.order):
        below = execution.children[name]
        if below:
            rows[name] = (rows[below[0]] + rows[below[-1]]) / 2
    return rows
