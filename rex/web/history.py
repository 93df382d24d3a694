"""The page of an archive's history: who was made from whom, and which steps the runs share."""

from __future__ import annotations

from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from rex.archive import Archive, Experiment
from rex.errors import RexError
from rex.multiversion.drawing import draw_svg
from rex.multiversion.merge import merge
from rex.multiversion.versions import load_versions
from rex.trees.cut import load_runs, plain_runs
from rex.trees.describe import as_graph
from rex.trees.merge import StepTree, merge_steps
from rex.web import ancestry
from rex.web.drawing import MAX_NODES, draw
from rex.web.links import Links
from rex.web.site import Site, page
from rex.web.sweeps import found_sweeps

_MAX_RUNS = 40      # in one execution tree: the newest


@dataclass
class Shared:
    """What the runs of an archive share.

    Attributes:
        left_runs: older runs that are left out.
        drawing: the execution tree as a picture; "" where it is too large or there are no steps.
        cells: the tree of the versions that were recorded cell by cell; "" where there are none.
    """

    tree: StepTree
    left_runs: int = 0
    notes: list[str] = field(default_factory=list)
    drawing: str = ""
    cells: str = ""


@page
async def history(site: Site, _request: Request) -> Response:
    """Ancestry of all experiments; what they share follows, with `steps`."""
    return await run_in_threadpool(history_page, site)


def history_page(site: Site) -> Response:
    """The page; whole where nobody can be asked for the rest."""
    shared = read_shared(site.catalog.archive, site.links) if site.links.is_static else None
    cards = site.catalog.cards()
    return site.page("history.html", section="history", tree=ancestry.draw(cards, site.links), shared=shared, sweeps=found_sweeps(cards))


@page
async def steps(site: Site, _request: Request) -> Response:
    """What the runs share, which takes a while: every log is read once."""
    shared = await run_in_threadpool(read_shared, site.catalog.archive, site.links)
    return site.page("steps.html", section="history", shared=shared)


def read_shared(archive: Archive, links: Links) -> Shared:
    """The execution tree of the newest runs, and that of all versions."""
    notes: list[str] = []
    runs: list[Experiment] = []
    for found in archive.experiments():
        try:
            runs += plain_runs([found])
        except RexError as error:       # one that is damaged hides no other
            notes.append(f"{found.name} is left out: {error}")
    runs.sort(key=lambda each: each.manifest.start_ns)
    tree = merge_steps(load_runs(runs[-_MAX_RUNS:], notes))
    graph = as_graph(tree)
    drawing = draw(graph) if 0 < len(graph.nodes) <= MAX_NODES else ""
    return Shared(tree, max(0, len(runs) - _MAX_RUNS), notes, drawing, _cells(archive, links))


def _cells(archive: Archive, links: Links) -> str:
    try:
        return draw_svg(merge(load_versions(archive.path)[1]), f"{links.versions()}#cell-")
    except RexError:
        return ""
