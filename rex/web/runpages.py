"""The pages of runs: live output, its end, the files that it made."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from typing import Any, AsyncIterator, Iterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from rex import codec
from rex.errors import NotFound
from rex.text import clean
from rex.web.pages import disposition, file_response
from rex.web.runs import STDERR, STDOUT, NewRun
from rex.web.site import Site, json_response, page
from rex.web.wish import path_of

_SHOWN_FILE_BYTES = 1 << 20
_READ_BYTES = 1 << 20
_PAUSE_S = 0.05       # between two messages: many small writes become one
_KEEP_ALIVE_S = 15.0
_BEHIND_BYTES = 4 << 20    # a reader that is further behind goes on near the end:
_CAUGHT_UP_BYTES = 1 << 20  # a page cannot show more than somebody can read
_STREAMS = {"stdout": STDOUT, "stderr": STDERR}


def _run(site: Site, request: Request) -> NewRun:
    run = site.runs.get(request.path_params["key"])
    if run is None:
        raise NotFound("this run is not known", "runs are kept as long as the server goes on",
                       "recorded ones are in the archive")
    return run


@page
async def all_runs(site: Site, _request: Request) -> Response:
    """Every run of this server."""
    return site.page("runs.html", section="runs", runs=site.runs.all())


@page
async def one_run(site: Site, request: Request) -> Response:
    """One run, as it is now; the rest comes live."""
    run = _run(site, request)
    part = "result.html" if "part" in request.query_params else "run.html"
    return site.page(part, section="runs", run=run, files=await run_in_threadpool(outputs, run))


def outputs(run: NewRun) -> list[dict[str, Any]]:
    """The files that a run left, with their sizes; `place` is relative to its working directory."""
    found, top = [], run.plan.cwd.rstrip("/") + "/"
    for path, file in run.outcome.outputs if run.outcome else ():
        try:
            info = os.lstat(codec.raw(file))
        except OSError:   # somebody took it away
            continue
        found.append({"path": path, "place": path.removeprefix(top), "size": info.st_size,
                      "is_plain": stat.S_ISREG(info.st_mode)})
    return found


@page
async def cancel(site: Site, request: Request) -> Response:
    """End the program and all its descendants."""
    run = _run(site, request)
    await run_in_threadpool(run.cancel)
    return json_response({"state": run.state})


@page
async def events(site: Site, request: Request) -> Response:
    """Server-sent events: output from a position on, and changes of state. A reader that comes back
    tells with Last-Event-ID how far it was."""
    run = _run(site, request)
    start = request.headers.get("last-event-id") or request.query_params.get("after", "0")
    position = int(start) if start.isdecimal() and len(start) < 19 else 0
    return StreamingResponse(_events(run, position), media_type="text/event-stream")


async def _events(run: NewRun, position: int) -> AsyncIterator[str]:
    news = run.listen()
    told = ""
    try:
        while True:
            news.clear()
            is_over = run.is_over   # before reading: what came until then is not missed
            if run.spool.end - position > _BEHIND_BYTES:
                left_out, position = position, run.spool.tail(_CAUGHT_UP_BYTES)
                yield _message("output", [[STDOUT, "", position - left_out]], position)
            pieces, position = await run_in_threadpool(run.spool.read, position)
            if pieces:
                yield _message("output", _joined(pieces), position)
                await asyncio.sleep(_PAUSE_S)
                continue
            if told != run.state:
                told = run.state
                yield _message("state", {"state": told, "elapsed_s": run.elapsed_s}, position)
            if is_over:
                return
            try:
                await asyncio.wait_for(news.wait(), _KEEP_ALIVE_S)
            except TimeoutError:
                yield ": still here\n\n"
    finally:
        run.forget(news)


def _joined(pieces: list[Any]) -> list[list[Any]]:
    """Stream, text and lost bytes of each stretch of output by one stream."""
    found: list[list[Any]] = []
    for piece in pieces:
        text = piece.data.decode("utf-8", "replace")
        if found and found[-1][0] == piece.stream and not piece.lost_bytes:
            found[-1][1] += text
        else:
            found.append([piece.stream, text, piece.lost_bytes])
    return found


def _message(kind: str, data: Any, position: int) -> str:
    return f"id: {position}\nevent: {kind}\ndata: {json.dumps(data)}\n\n"


@page
async def stream(site: Site, request: Request) -> Response:
    """All that is kept of standard output or error, as a file."""
    run, name = _run(site, request), request.path_params["stream"]
    if name not in _STREAMS:
        raise NotFound("there is no such stream")

    def data() -> Iterator[bytes]:
        position, end = 0, run.spool.end
        while position < end:
            pieces, position = run.spool.read(position)
            for piece in pieces:
                if piece.lost_bytes:
                    yield f"\n[{piece.lost_bytes} bytes were not kept]\n".encode()
                if piece.stream == _STREAMS[name]:
                    yield piece.data
    return StreamingResponse(data(), media_type="application/octet-stream",
                             headers={"content-disposition": disposition(f"{name}.txt", False)})


@page
async def output_file(site: Site, request: Request) -> Response:
    """A file that the run made. Only those that its end reported are served, and no link is followed."""
    run, path = _run(site, request), path_of(request.query_params.get("path", ""))
    file = dict(run.outcome.outputs).get(path) if run.outcome else None
    if file is None:
        raise NotFound(f"{clean(path)} is no output of this run")
    return await run_in_threadpool(_send, codec.raw(file), codec.raw(run.plan.outdir), os.path.basename(path))


def _send(path: bytes, outdir: bytes, name: str) -> Response:
    folder = os.path.realpath(os.path.dirname(path))
    top = os.path.realpath(outdir)
    if folder != top and not folder.startswith(top + b"/"):   # the program may have put a link in the way
        raise NotFound("this output leads out of the output directory")
    fd = os.open(os.path.join(folder, os.path.basename(path)), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    info = os.fstat(fd)
    if not stat.S_ISREG(info.st_mode):
        os.close(fd)
        raise NotFound("this output is no plain file")
    if info.st_size <= _SHOWN_FILE_BYTES:
        with open(fd, "rb") as file:
            return file_response(file.read(_SHOWN_FILE_BYTES), name)

    def data() -> Iterator[bytes]:
        with open(fd, "rb") as file:
            while block := file.read(_READ_BYTES):
                yield block
    return StreamingResponse(data(), media_type="application/octet-stream",
                             headers={"content-disposition": disposition(name, False)})
