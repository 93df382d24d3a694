"""What every request handler shares: the archive, the runs, and how answers are made."""

from __future__ import annotations

import functools
import json
import os
import re
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable

import jinja2
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from rex.errors import RexError
from rex.text import clean, command_text, status_text
from rex.types import format_duration, format_size
from rex.web.catalog import Catalog
from rex.web.links import Links
from rex.web.logview import LogViews
from rex.web.runs import Runs
from rex.web.services import Services
from rex.web.wish import key_of

HERE = os.path.dirname(os.path.abspath(__file__))
MAX_BODY_BYTES = 4 << 20
_NOT_FOUND = 10   # code of NotFound

Handler = Callable[[Request], Awaitable[Response]]


def exit_words(code: int | None) -> str:
    """An exit status for people who never saw one."""
    if code is None:
        return "did not end"
    if code < 0:
        return f"ended by signal {status_text(code)}"
    return "exit status 0" if code == 0 else f"exit status {code}"


def clean_lines(text: str) -> str:
    """A text of several lines, with all else that is no print escaped."""
    return re.sub(r"[^\n\t]+", lambda found: clean(found.group()), text.replace("\r\n", "\n"))


def environment() -> jinja2.Environment:
    """What makes pages of templates."""
    made = jinja2.Environment(loader=jinja2.FileSystemLoader(os.path.join(HERE, "templates")), autoescape=True,
                              undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters.update(lines=clean_lines, clean=clean, size=format_size, duration=format_duration, key=key_of, command=command_text,
                        exit=exit_words, base=lambda path: os.path.basename(path) or path,
                        folder=lambda path: os.path.dirname(path).rstrip("/") + "/")
    return made


@dataclass
class Site:
    """One archive, served to one user.

    Attributes:
        is_read_only: whether nothing may be changed, and nothing run.
        is_sandboxed: whether all that it runs of the archive runs in a sandbox, or not at all.
        cwd: where paths that are not absolute go out from.
    """

    catalog: Catalog
    services: Services
    runs: Runs
    is_read_only: bool = False
    is_sandboxed: bool = False
    links: Links = field(default_factory=Links)
    logs: LogViews = field(default_factory=LogViews)
    cwd: str = field(default_factory=os.getcwd)
    _jinja: jinja2.Environment = field(default_factory=environment)

    def page(self, name: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page from its template."""
        text = self._jinja.get_template(name).render(
            archive=self.catalog.archive.path, links=self.links, is_read_only=self.is_read_only, is_sandboxed=self.is_sandboxed,
            active_runs=sum(not run.is_over for run in self.runs.all()), **values)
        # A lone surrogate in what a stranger named must not break the answer.
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def trouble(self, what: str, status: int) -> HTMLResponse:
        """A page that says what is wrong."""
        return self.page("trouble.html", status, section="", what=clean(what))


def page(handler: Callable[[Site, Request], Awaitable[Response]]) -> Callable[[Site, Request], Awaitable[Response]]:
    """Make a handler of pages explain foreseen failures on a page."""
    @functools.wraps(handler)
    async def wrapper(site: Site, request: Request) -> Response:
        try:
            return await handler(site, request)
        except RexError as error:
            return site.trouble(str(error), 404 if error.code == _NOT_FOUND else 400)
        except OSError as error:
            return site.trouble(f"the system refused: {error.strerror or error}", 500)
    return wrapper


def action(handler: Callable[[Site, Any], Any]) -> Callable[[Site, Request], Awaitable[Response]]:
    """Make a function from JSON to JSON, which may block, a handler that explains foreseen failures."""
    @functools.wraps(handler)
    async def wrapper(site: Site, request: Request) -> Response:
        try:
            data = await _json(request)
            return json_response(await run_in_threadpool(handler, site, data))
        except RexError as error:
            problems = getattr(error, "conflicts", None) or [str(error)]
            return json_response({"problems": [clean(each) for each in problems]}, 400)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            return json_response({"problems": [clean(f"{where}{error.strerror or error}")]}, 400)
    return wrapper


def json_response(value: Any, status: int = 200) -> Response:
    """The value as JSON in ASCII: names may hold bytes that are no text."""
    return Response(json.dumps(value), status, media_type="application/json")


async def _json(request: Request) -> Any:
    data = bytearray()
    async for block in request.stream():
        data += block
        if len(data) > MAX_BODY_BYTES:
            raise RexError("the request is too large")
    try:
        return json.loads(bytes(data))
    except (ValueError, RecursionError):
        raise RexError("the request makes no sense", "it is no JSON") from None
