"""Experiments as one file to take along, as `rex export` writes it."""

from __future__ import annotations

import tempfile
from typing import IO, Iterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from rex.archive.exporting import export
from rex.errors import UsageError
from rex.web.pages import disposition
from rex.web.site import Site, page

_PIECE_BYTES = 1 << 20


@page
async def export_file(site: Site, request: Request) -> Response:
    """A file with the experiments that the address names."""
    names = request.query_params.getlist("name")
    if not names:
        raise UsageError("no experiment is named", "", "select some in the table")
    file = await run_in_threadpool(_written, site, names)
    size = file.seek(0, 2)
    shown = names[0] if len(names) == 1 else f"{len(names)}-experiments"
    return StreamingResponse(_pieces(file), media_type="application/octet-stream",
                             headers={"content-disposition": disposition(f"{shown}.rex", False), "content-length": str(size)})


def _written(site: Site, names: list[str]) -> IO[bytes]:
    """The file, whole before the answer begins, so that damage still gives a page with the error."""
    file = tempfile.TemporaryFile(dir=site.runs.folder)
    try:
        export(site.catalog.archive, file, names)
    except BaseException:
        file.close()
        raise
    return file


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while data := file.read(_PIECE_BYTES):
            yield data
