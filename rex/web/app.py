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

from rex.web import actions, experiment, exporting, history, many, pages, runpages, session, sweeps, table, training, versions, workflow
from rex.web.catalog import Catalog
from rex.web.guard import Guard
from rex.web.keys import Keys
from rex.web.runs import Runs
from rex.web.services import Services
from rex.web.site import HERE, Site, action


Handler = Callable[[Site, Request], Awaitable[Response]]

# What is asked for by GET changes nothing: a read-only server answers nothing else.
_PAGES: dict[str, Handler] = {
    "/": pages.new,
    "/archive": table.archive,
    "/archive/rows": table.archive_rows,
    "/history": history.history,
    "/history/steps": history.steps,
    "/sweep": sweeps.sweep,
    "/versions": versions.versions,
    "/compare": pages.compare_two,
    "/compare/many": many.compare_many,
    "/compare/picture": pages.compare_picture,
    "/export": exporting.export_file,
    "/experiments/{name}": experiment.experiment,
    "/experiments/{name}/file": experiment.file,
    "/experiments/{name}/streams/{stream}": experiment.stream,
    "/experiments/{name}/log": experiment.log,
    "/experiments/{name}/events": experiment.events,
    "/experiments/{name}/workflow": workflow.workflow,
    "/experiments/{name}/session": session.session,
    "/experiments/{name}/training": training.training,
    "/experiments/{name}/graph": experiment.graph,
    "/experiments/{name}/prov.json": experiment.prov,
    "/experiments/{name}/files": pages.files,
    "/experiments/{name}/packages": pages.packages,
    "/experiments/{name}/content": pages.content,
    "/runs": runpages.all_runs,
    "/runs/{key}": runpages.one_run,
    "/runs/{key}/events": runpages.events,
    "/runs/{key}/output": runpages.output_file,
    "/runs/{key}/streams/{stream}": runpages.stream,
}
_ACTIONS: dict[str, Handler] = {
    "/runs/{key}/cancel": runpages.cancel,
    "/runs": action(actions.begin),
    "/api/check": action(actions.check),
    "/api/bisect": action(actions.bisect),
    "/api/rules": action(actions.set_rules),
    "/api/answer": action(actions.answer),
    "/api/describe": action(table.describe),
    "/api/default": action(table.set_default),
    "/api/remove": action(table.remove),
    "/api/preview": action(actions.preview),
    "/api/command": action(actions.check_command),
    "/api/path": action(actions.check_path),
    "/api/complete": action(actions.complete_path),
}


async def _icon(_request: Request) -> Response:
    return FileResponse(os.path.join(HERE, "static", "icon.svg"), media_type="image/svg+xml")


def _routes(site: Site) -> list[BaseRoute]:
    return [
        *(Route(path, functools.partial(handler, site), methods=["GET"]) for path, handler in _PAGES.items()),
        *(Route(path, functools.partial(handler, site), methods=["POST"]) for path, handler in _ACTIONS.items()),
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
    site = Site(Catalog(archive), services, Runs(services), is_read_only, services.is_sandboxed)

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
