"""Lets in only who holds the key, and only from this very page.

An address with a random token is good once: who opens it gets a cookie in exchange (see `keys`), and every
other request must show a cookie of an open session. Host is checked because a
stranger's name may point to 127.0.0.1 (DNS rebinding), Origin because cookies do not
know ports: a page of another server on this machine would send ours along.
"""

from __future__ import annotations

import html
import re
from typing import Awaitable, Callable, MutableMapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from rex.web.keys import Keys

Scope = MutableMapping[str, object]
Receive = Callable[[], Awaitable[MutableMapping[str, object]]]
Send = Callable[[MutableMapping[str, object]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_SAFE_METHODS = frozenset({"GET", "HEAD"})

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                               "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

# No redirect: after a click in another site's page (a terminal in a browser) a SameSite=Strict cookie
# would not go along with it. What this page itself opens is same-site again.
_WELCOME = ('<!doctype html><html lang="en"><meta charset="utf-8"><title>Rex</title>'
            '<link rel="icon" href="/static/icon.svg">'
            '<meta http-equiv="refresh" content="0;url={0}"><p><a href="{0}">Open the archive</a></p></html>')
_OWN_PAGE = re.compile(r"/([A-Za-z0-9._+-][A-Za-z0-9._+/-]*)?(\?[A-Za-z0-9._+=&%-]*)?")   # no other site's, no markup
_CLOSED = ("This page needs its key.\n\nAn address with a token is good once. Open the file that rex named in the terminal: "
           "it leads to the next one.\n")
_READ_ONLY = "This archive is shown read-only: nothing is changed or run.\n"
_LATER = "Pages are not prepared before somebody opens them: an address with a token is good once.\n"


class Guard:
    """Wraps the application; nothing behind it is reached without the key, and where it is read-only, nothing is changed."""

    def __init__(self, app: App, keys: Keys, is_read_only: bool = False) -> None:
        self._app = app
        self._keys = keys
        self._is_read_only = is_read_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":   # no WebSocket is ours
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_hardened(message: MutableMapping[str, object]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._answer(scope)
        await (answer or self._app)(scope, receive, send_hardened)

    def _answer(self, scope: Scope) -> Response | None:
        """What to say instead of what was asked for; None: let it in."""
        headers = Headers(scope=scope)
        refusal = check_place(headers, str(scope["method"]))
        if refusal:
            return PlainTextResponse(refusal, 403)
        is_known = self._keys.is_open(cookie_parser(headers.get("cookie", "")).get(self._keys.cookie, ""))
        query = QueryParams(scope["query_string"])   # type: ignore[arg-type]
        if scope["path"] == "/" and "token" in query and scope["method"] == "GET":
            return self._let_in(query, is_known, headers)
        if not is_known:
            return PlainTextResponse(_CLOSED, 403)
        return PlainTextResponse(_READ_ONLY, 403) if self._is_read_only and scope["method"] not in _SAFE_METHODS else None

    def _let_in(self, query: QueryParams, is_known: bool, headers: Headers) -> Response:
        """Open a session for a token; who has one already needs none."""
        if "sec-purpose" in headers or "purpose" in headers:   # a browser that guesses what comes next uses up no token
            return PlainTextResponse(_LATER, 403)
        session = None if is_known else self._keys.open_session(query["token"])
        if not is_known and session is None:
            return PlainTextResponse(_CLOSED, 403)
        to = query.get("to", "")
        response = HTMLResponse(_WELCOME.format(html.escape(to) if _OWN_PAGE.fullmatch(to) else "/"))
        if session is not None:
            response.set_cookie(self._keys.cookie, session, httponly=True, samesite="strict", path="/")
        return response


def check_place(headers: Headers, method: str) -> str:
    """Why a request is not from our own page; "" if it may be."""
    host = headers.get("host", "")
    if _name_of(host) not in LOOPBACK_NAMES:
        return "This server answers only to the name localhost.\n"
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return "This request comes from another page.\n"
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not _is_visit(headers, method):
        return "This request comes from another page.\n"
    if method not in _SAFE_METHODS:
        if origin is None:
            return "This request does not say which page it comes from.\n"
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return "This request is not of our own page's kind.\n"
    return ""


def _is_visit(headers: Headers, method: str) -> bool:
    """Whether somebody follows a link: it shows a page, and to nobody but the user."""
    return method == "GET" and headers.get("sec-fetch-mode") == "navigate" and headers.get(
        "sec-fetch-dest") == "document"


def _name_of(host: str) -> str:
    """The name in a Host header, without its port; "" if it makes no sense."""
    try:
        return (urlsplit(f"//{host}").hostname or "") if not set(host) & set("/?#@\\") else ""
    except ValueError:
        return ""
