"""The page of versions that were recorded cell by cell: their execution tree, and the lines in which they part."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from rex.multiversion.drawing import draw_svg
from rex.multiversion.merge import CellNode, VersionTree, merge, reasons
from rex.multiversion.versions import load_versions
from rex.text import clean
from rex.web.comparison import Row, side_by_side
from rex.web.site import Site, page

MAX_PARTINGS, MAX_CELLS = 200, 2000
_CONTEXT_LINES = 2


@dataclass(frozen=True)
class Branch:
    """A cell that is another one than its first sibling.

    Attributes:
        versions: those that go on with it.
        reasons: why it is another one, where its code is not.
        rows: the code of both, side by side, where it differs.
    """

    cell: str
    versions: list[str]
    reasons: list[str]
    rows: list[Row]


@dataclass(frozen=True)
class Parting:
    """Where versions part: after a cell (""; at the start), the first one that goes on from there, and the others."""

    after: str
    first: str
    versions: list[str]
    branches: list[Branch]


@page
async def versions(site: Site, _request: Request) -> Response:
    """All versions of the archive."""
    return await run_in_threadpool(versions_page, site)


def versions_page(site: Site) -> Response:
    """The page; raises NotFound where nothing was recorded cell by cell."""
    tree = merge(load_versions(site.catalog.archive.path)[1])
    execution = tree.execution
    found = partings(tree)
    return site.page("versions.html", section="history", drawing=draw_svg(tree, "#cell-"), versions=tree.ends, cells=list(tree.nodes.values())[:MAX_CELLS],
                     count=len(tree.nodes), recorded=sum(len(tree.path(end)) for end in tree.ends.values()),
                     alone_s=execution.sequential_s, shared_s=execution.total_s,
                     partings=found[:MAX_PARTINGS], left=max(0, len(found) - MAX_PARTINGS), names=names)


def names(node: CellNode) -> list[str]:
    """The versions that have a cell."""
    return [clean(version.name) for version, _ in node.members]


def partings(tree: VersionTree) -> list[Parting]:
    """Every place where versions part, from the start on."""
    found = []
    for parent in (None, *tree.nodes):
        first, *others = tree.children(parent) or [None]
        if first and others:
            found.append(Parting(parent or "", first.id, names(first), [_branch(each, first) for each in others]))
    return found


def _branch(node: CellNode, first: CellNode) -> Branch:
    if node.cell.source == first.cell.source:
        return Branch(node.id, names(node), [clean(each) for each in reasons(node, first)], [])
    _old, _new, *lines = difflib.unified_diff(first.cell.source.splitlines(), node.cell.source.splitlines(), n=_CONTEXT_LINES, lineterm="")
    return Branch(node.id, names(node), [], side_by_side(lines))
