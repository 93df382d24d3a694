"""What commands show, once: as HTML in a notebook, with rich in a terminal, as plain text elsewhere."""

from __future__ import annotations

import html
import io
import sys
from dataclasses import dataclass, field
from typing import Any, Sequence

from rex.errors import NotFound
from rex.notebook.graph import Graph, Node, VariableChange
from rex.notebook.outputs import Output, text_of
from rex.notebook.session import CheckedOut
from rex.notebook.views import changes_between, view_text
from rex.text import clean, date_text
from rex.types import format_duration, format_size

# Styles by name: of rich, and as CSS.
_CSS = {"bold": "font-weight:bold", "dim": "opacity:0.6", "red": "color:#c62828",
        "green": "color:#2e7d32", "yellow": "color:#b26a00", "cyan": "color:#00838f",
        "magenta": "color:#8e24aa", "": ""}
_NAMES_SHOWN = 8

Cell = tuple[str, str]   # text and style


@dataclass
class Shown:
    """A title, a table, and lines below; text of strangers is made harmless when it is shown."""

    title: str = ""
    rows: list[list[Cell]] = field(default_factory=list)
    lines: list[Cell] = field(default_factory=list)
    right: tuple[int, ...] = ()   # columns of numbers

    def text(self) -> str:
        """As plain text."""
        widths = self._widths()
        found = [self.title] if self.title else []
        for row in self.rows:
            cells = [clean(text).rjust(width) if at in self.right else clean(text).ljust(width)
                     for at, ((text, _), width) in enumerate(zip(row, widths))]
            found.append("  ".join(cells).rstrip())
        return "\n".join(found + [clean(text) for text, _ in self.lines])

    def _widths(self) -> list[int]:
        columns = max((len(row) for row in self.rows), default=0)
        return [max((len(clean(row[at][0])) for row in self.rows if at < len(row)), default=0)
                for at in range(columns)]

    def coloured(self, width: int) -> str:
        """For a terminal of so many columns."""
        from rich.console import Console
        from rich.text import Text
        file = io.StringIO()
        console = Console(file=file, force_terminal=True, width=width, highlight=False)
        if self.title:
            console.print(Text(self.title, "bold"), soft_wrap=True)
        widths = self._widths()
        for row in self.rows:
            line = Text()
            for at, ((text, style), room) in enumerate(zip(row, widths)):
                plain = clean(text)
                line.append(plain.rjust(room) if at in self.right else plain.ljust(room), style)
                line.append("  ")
            line.rstrip()
            line.truncate(width, overflow="ellipsis")
            console.print(line, soft_wrap=True)
        for text, style in self.lines:
            console.print(Text(clean(text), style), soft_wrap=True)
        return file.getvalue().rstrip("\n")

    def __repr__(self) -> str:
        return self.text()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        is_terminal = "ipykernel" not in sys.modules and sys.stdout.isatty()
        if is_terminal:
            import shutil
            printer.text(self.coloured(shutil.get_terminal_size().columns))
        else:
            printer.text(self.text())

    def _repr_html_(self) -> str:
        def cell(text: str, style: str, at: int) -> str:
            align = "right" if at in self.right else "left"
            return (f'<td style="text-align:{align};white-space:pre;padding:1px 8px;'
                    f'{_CSS.get(style, "")}">{html.escape(clean(text))}</td>')

        rows = "".join("<tr>" + "".join(cell(text, style, at) for at, (text, style)
                                        in enumerate(row)) + "</tr>" for row in self.rows)
        lines = "".join(f'<div style="white-space:pre-wrap;{_CSS.get(style, "")}">'
                        f"{html.escape(clean(text))}</div>" for text, style in self.lines)
        title = f"<div><b>{html.escape(clean(self.title))}</b></div>" if self.title else ""
        return (f'<div style="font-family:monospace;font-size:0.9em;overflow-x:auto">{title}'
                f'<table style="border:none;margin:0">{rows}</table>{lines}</div>')


def names_text(names: Sequence[str], shown: int = _NAMES_SHOWN) -> str:
    """The first few names, and how many more."""
    more = f" +{len(names) - shown}" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def show_log(graph: Graph, title: str = "", limit: int | None = None) -> Shown:
    """The graph, newest cell first."""
    shown = Shown(title, right=(3,))
    names = graph.names_at()
    rows = graph.rows()
    for drawing, node in rows[:limit]:
        if node is None:
            shown.rows.append([(drawing, "cyan")])
            continue
        is_head = node.number == graph.head
        labels = ["HEAD"] * is_head + names.get(node.number, [])
        changes = [*node.variables, *(f"-{name}" for name in sorted(node.removed))]
        shown.rows.append([
            (drawing, "cyan"), (str(node.number), "bold" if is_head else ""),
            ("" if node.is_complete else "raised", "red"), (format_duration(node.cell_s), "dim"),
            (node.head, "bold" if is_head else ""), (names_text(changes, 5), "green"),
            (f"({', '.join(labels)})" if labels else "", "yellow")])
    if limit is not None and len(rows) > limit:
        shown.lines.append((f"… {len(rows) - limit} more (-n shows more)", "dim"))
    if not rows:
        shown.lines.append(("no cells yet", "dim"))
    return shown


def show_diff(graph: Graph, one: int, other: int, changes: list[VariableChange]) -> Shown:
    """Variables that differ, with what is known about how."""
    shown = Shown(f"{one} -> {other}")
    marks = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow")}
    visible = [change for change in changes if not change.name.startswith("<")]
    for change in visible:
        view = change.new if change.new is not None else change.old
        size = change.new_bytes if change.new is not None else change.old_bytes
        mark, style = marks[change.kind]
        shown.rows.append([(mark, style), (change.name, "bold"), (view_text(view), ""),
                           (format_size(size) if size is not None else "", "dim")])
        if change.kind == "changed":
            for text in changes_between(change.old, change.new):
                shown.rows.append([("", ""), ("", ""), (f"  {text}", style)])
    around = [change.name.strip("<>") for change in changes if change.name.startswith("<")]
    if around:
        shown.lines.append((f"also: {', '.join(around)}", "dim"))
    if not changes:
        shown.lines.append(("no variable differs", "dim"))
    return shown


def show_checkout(done: CheckedOut) -> Shown:
    """What a checkout restored, and what it could not."""
    restored = done.restored
    where = f" on {done.branch}" if done.branch else ""
    title = f"at {done.node}{where}: {done.head}" if done.node else "at the empty state"
    shown = Shown(f"{title} ({format_duration(done.seconds)})")
    if restored.loaded:
        shown.lines.append((f"loaded: {names_text(sorted(restored.loaded), 12)}", ""))
    if restored.removed:
        shown.lines.append((f"removed: {names_text(sorted(restored.removed), 12)}", ""))
    for name, why in sorted(restored.recomputed.items()):
        shown.lines.append((f"computed again: {name} ({why})", "yellow"))
    for name in sorted(restored.inexact):
        shown.lines.append((f"shares objects otherwise than it did: {name}", "yellow"))
    for name, why in sorted(restored.failed.items()):
        shown.lines.append((f"could not be restored: {name}: {why}", "red"))
    if restored.outside:
        shown.lines.append((f"set by cells, not restored: {names_text(restored.outside, 12)}", "yellow"))
    if done.file:
        shown.lines.append((f"cells written to {done.file}" + (f"; what was there is in {done.kept}" if done.kept else ""), ""))
    return shown


def show_names(graph: Graph, kind: str) -> Shown:
    """Branches or tags."""
    names = graph.tags if kind == "tag" else graph.branches
    shown = Shown(right=(2,))
    for name, node in sorted(names.items()):
        is_current = kind == "branch" and name == graph.branch
        head = graph.nodes[node].head if node in graph.nodes else ""
        shown.rows.append([("*" if is_current else "", "green"), (name, "bold"), (str(node), ""),
                           (head, "dim")])
    if not names:
        shown.lines.append((f"no {kind} yet" if kind == "tag" else "no branches yet", "dim"))
    return shown


def show_node(graph: Graph, node: Node, outputs: list[Output]) -> Shown:
    """One cell: its code, what it showed, what it changed."""
    shown = Shown(f"cell {node.number}, after {node.parent or 'nothing'}, on {node.branch}")
    start = date_text(node.start_ns)
    shown.rows.append([("run", "dim"), (f"{start}, {format_duration(node.cell_s)}, checkpoint "
                                        f"{format_duration(node.track_s)}", "")])
    shown.rows += [[("code" if at == 0 else "", "dim"), (line, "")]
                   for at, line in enumerate(node.code.splitlines())]
    for output in outputs:
        shown.rows += [[("output" if at == 0 else "", "dim"), (line, "")]
                       for at, line in enumerate(text_of(output).splitlines()[:40])]
    for name in node.variables:
        size = node.sizes.get(node.changed[name])
        text = view_text(node.views.get(name)) + (f" ({format_size(size)})" if size else "")
        shown.rows.append([("changed", "dim"), (f"{name} = {text}", "green")])
    shown.rows += [[("removed", "dim"), (name, "red")] for name in sorted(node.removed)]
    return shown


def show_variable(graph: Graph, node: int, name: str) -> tuple[Shown, dict[str, Any]]:
    """What is known of a variable after a cell without loading it; for people and for machines.

    Raises:
        NotFound: there is no such variable.
    """
    state = graph.state(node)
    if name not in state:
        raise NotFound(f"cell {node} has no variable {name}", "", f"see: rex notebook show ... {node}")
    version, made_at = state[name]
    maker = graph.nodes[made_at]
    view, size = maker.views.get(name), maker.sizes.get(version)
    shown = Shown(f"{name} after {node}", [[(view_text(view), "")]])
    if isinstance(view, dict):
        columns = view.get("columns")
        shown.rows += [[(f"  {column[0]}: {column[1]}", "dim")] for column in
                       (columns if isinstance(columns, list) else [])
                       if isinstance(column, list) and len(column) == 2]
    shown.lines.append((f"as cell {made_at} left it: {maker.head}", "dim"))
    return shown, {"name": name, "node": node, "made_at": made_at, "view": view, "bytes": size}
