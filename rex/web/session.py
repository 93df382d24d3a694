"""The page of a notebook session: its graph of cells, and what each cell changed. Nothing is unpickled, nothing runs."""

from __future__ import annotations

from itertools import islice
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from rex.archive import Content
from rex.errors import RexError
from rex.notebook.graph import Graph, Node
from rex.notebook.index import read_graph
from rex.notebook.outputs import text_of, unpack
from rex.notebook.views import changes_between, view_text
from rex.text import date_text
from rex.web.site import Site, page

MAX_CELLS = 2000
_OUTPUT_CHARS = 4000
_MARKS = {"added": "+", "removed": "−", "changed": "~"}


@page
async def session(site: Site, request: Request) -> Response:
    """The cells of one session."""
    return await run_in_threadpool(session_page, site, request.path_params["name"])


def session_page(site: Site, name: str) -> Response:
    """The page of a session, the newest cells first."""
    graph = read_graph(site.catalog.experiment(name))
    names, changes = graph.names_at(), changes_of(graph)
    rows: list[dict[str, Any]] = []
    for drawing, node in islice(graph.rows(), 2 * MAX_CELLS):
        rows.append({"drawing": drawing, "node": node, "is_head": node is not None and node.number == graph.head,
                     **(_cell(site, node, changes[node.number]) if node else {}), "names": names.get(node.number, []) if node else []})
    return site.page("session.html", section="archive", experiment=name, rows=rows, cells=len(graph.nodes),
                     branches=graph.branches, tags=graph.tags, left=max(0, len(graph.nodes) - sum(row["node"] is not None for row in rows)))


def _cell(site: Site, node: Node, changes: list[dict[str, Any]]) -> dict[str, Any]:
    """What is shown of a cell that is opened."""
    return {"changes": changes, "output": _output_text(site, node), "date": date_text(node.start_ns)}


def changes_of(graph: Graph) -> dict[int, list[dict[str, Any]]]:
    """By node, what its cell did to each variable: mark, name, view, bytes, and details against the view before."""
    found: dict[int, list[dict[str, Any]]] = {}
    views: dict[str, Any] = {}     # by variable, after the node `at`
    at = 0
    for number, node in sorted(graph.nodes.items()):
        if node.parent != at:      # another branch goes on here
            views = {name: graph.nodes[maker].views.get(name) for name, (_, maker) in graph.state(node.parent).items()} if node.parent else {}
        found[number] = [_change(node, name, name in views, views.get(name)) for name in node.variables] + [
            {"mark": _MARKS["removed"], "name": name, "view": "", "bytes": None, "details": []}
            for name in sorted(node.removed) if not name.startswith("<")]
        for name in node.removed:
            views.pop(name, None)
        views |= {name: node.views.get(name) for name in node.variables}
        at = number
    return found


def _change(node: Node, name: str, is_known: bool, before: Any) -> dict[str, Any]:
    view = node.views.get(name)
    return {"mark": _MARKS["changed" if is_known else "added"], "name": name, "view": view_text(view),
            "bytes": node.sizes.get(node.changed[name]), "details": changes_between(before, view) if is_known else []}


def _output_text(site: Site, node: Node) -> str:
    """What the cell showed, as text; of other kinds their names."""
    archive = site.catalog.archive
    try:
        outputs = unpack(node.outputs, lambda ref: archive.read(Content(*ref)))
    except RexError as error:
        return f"(its output cannot be read: {error})"
    text = "\n".join(text_of(output).rstrip("\n") for output in outputs)
    return text if len(text) <= _OUTPUT_CHARS else text[:_OUTPUT_CHARS] + "…"
