"""The page of a recorded workflow: its steps, what each costs, and who needs whom."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from rex.web.drawing import MAX_NODES, draw
from rex.web.site import Site, page
from rex.workflow.graph import read_workflow
from rex.workflow.picture import as_graph


@page
async def workflow(site: Site, request: Request) -> Response:
    """The steps of one experiment."""
    return await run_in_threadpool(workflow_page, site, request.path_params["name"])


def workflow_page(site: Site, name: str) -> Response:
    """The page of the steps."""
    found = read_workflow(site.catalog.experiment(name))
    graph = as_graph(found)
    return site.page("workflow.html", section="archive", experiment=name, workflow=found,
                     steps=[task for task in found.tasks if not task.is_frame], ids=[task.id for task in found.tasks],
                     drawing=draw(graph) if 0 < len(graph.nodes) <= MAX_NODES else "")
