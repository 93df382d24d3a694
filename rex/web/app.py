"""The application: every address, and the guard before all of them."""

from __future__ import annotations

import contextlib
import functools
import os
from typing import AsyncIterator, Awaitable, Callable

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from rex.web import actions, experiment, history, pages, runpages, table, workflow
from rex.web.catalog import Catalog
from rex.web.guard import Guard
from rex.web.keys import Keys
from rex.web.runs import Runs
from rex.web.services import Services
from rex.web.site import HERE, Site, action


async def _icon(_request: Request) -> Response:
    return FileResponse(os.path.join(HERE, "static", "icon.svg"), media_type="image/svg+xml")


def _routes(site: Site) -> list[BaseRoute]:
    def get(path: str, handler: Callable[[Site, Request], Awaitable[Response]]) -> Route:
        return Route(path, functools.partial(handler, site), methods=["GET"])

    def post(path: str, handler: Callable[[Site, Request], Awaitable[Response]]) -> Route:
        return Route(path, functools.partial(handler, site), methods=["POST"])

    return [
        get("/", pages.new),
        get("/archive", table.archive),
        get("/archive/rows", table.archive_rows),
        get("/history", history.history),
        get("/history/steps", history.steps),
        get("/compare", pages.compare_two),
        get("/experiments/{name}", experiment.experiment),
        get("/experiments/{name}/file", experiment.file),
        get("/experiments/{name}/streams/{stream}", experiment.stream),
        get("/experiments/{name}/log", experiment.log),
        get("/experiments/{name}/events", experiment.events),
        get("/experiments/{name}/workflow", workflow.workflow),
        get("/experiments/{name}/graph", experiment.graph),
        get("/experiments/{name}/prov.json", experiment.prov),
        get("/experiments/{name}/files", pages.files),
        get("/experiments/{name}/packages", pages.packages),
        get("/experiments/{name}/content", pages.content),
        get("/runs", runpages.all_runs),
        get("/runs/{key}", runpages.one_run),
        get("/runs/{key}/events", runpages.events),
        get("/runs/{key}/output", runpages.output_file),
        get("/runs/{key}/streams/{stream}", runpages.stream),
        post("/runs/{key}/cancel", runpages.cancel),
        post("/runs", action(actions.begin)),
        post("/api/describe", action(table.describe)),
        post("/api/default", action(table.set_default)),
        post("/api/remove", action(table.remove)),
        post("/api/preview", action(actions.preview)),
        post("/api/command", action(actions.check_command)),
        post("/api/path", action(actions.check_path)),
        post("/api/complete", action(actions.complete_path)),
        Route("/favicon.ico", _icon, methods=["GET"]),   # asked for by itself beside files that are no pages
        Mount("/static", StaticFiles(directory=os.path.join(HERE, "static"))),
    ]


def make_app(archive: str, services: Services, keys: Keys, is_read_only: bool = False) -> Starlette:
    """The pages of one archive, for whoever has a session.

    Args:
        is_read_only: refuse all changes, and new experiments too.
    Raises:
        NotFound, TooNew, Damaged: the archive cannot be read.
    """
    site = Site(Catalog(archive), services, Runs(services), is_read_only)

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(site.runs.close)   # programs do not outlive the server

    async def nothing(_request: Request, _error: Exception) -> Response:
        return site.trouble("there is nothing at this address", 404)

    app = Starlette(routes=_routes(site), middleware=[Middleware(Guard, keys=keys, is_read_only=is_read_only)], lifespan=lifespan,
                    exception_handlers={404: nothing})
    app.state.site = site
    return app
