"""The page of a recorded workflow: its steps, what each costs, and who needs whom."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from rex.web.drawing import MAX_NODES, draw
from rex.web.persisting import DEFAULT, PLACES, persisting
from rex.web.site import Site, page
from rex.workflow.graph import read_workflow
from rex.workflow.picture import as_graph


@page
async def workflow(site: Site, request: Request) -> Response:
    """The steps of one experiment."""
    place = request.query_params.get("failures", "")
    at = min(int(place), PLACES - 1) if place.isascii() and place.isdecimal() and len(place) < 4 else DEFAULT
    return await run_in_threadpool(workflow_page, site, request.path_params["name"], at)


def workflow_page(site: Site, name: str, place: int = DEFAULT) -> Response:
    """The page of the steps, with the plan for one place of the slider of failures."""
    found = read_workflow(site.catalog.experiment(name))
    graph = as_graph(found)
    return site.page("workflow.html", section="archive", experiment=name, workflow=found,
                     steps=[task for task in found.tasks if not task.is_frame], ids=[task.id for task in found.tasks],
                     plan=persisting(found, place), places=PLACES,
                     drawing=draw(graph) if 0 < len(graph.nodes) <= MAX_NODES else "")
