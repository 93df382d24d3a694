"""The page of an archive's history: who was made from whom, and what the runs share."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from rex.web import ancestry
from rex.web.site import Site, page


@page
async def history(site: Site, _request: Request) -> Response:
    """Ancestry and execution tree of all experiments."""
    return await run_in_threadpool(history_page, site)


def history_page(site: Site) -> Response:
    """The page."""
    return site.page("history.html", section="history", tree=ancestry.draw(site.catalog.cards(), site.links))
