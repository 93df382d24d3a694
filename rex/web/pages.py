"""The pages about the archive: a new experiment, all experiments, comparisons, archived files."""

from __future__ import annotations

import os
import shlex
from typing import Any, Iterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from rex.archive import Archive, Content
from rex.expdiff.compare import Side, compare
from rex.text import clean, date_text
from rex.web import ancestry, comparison
from rex.web.catalog import FileRow
from rex.web.site import Site, json_response, page
from rex.web.wish import key_of, path_of

_ROWS = 50              # files shown at once
_TEXT_BYTES = 1 << 20   # of a file that is shown and not downloaded
_ZEROS = 1 << 20


@page
async def new(site: Site, request: Request) -> Response:
    """The form of a new experiment, made from one that the address names, or the default one."""
    return await run_in_threadpool(_new, site, request.query_params.get("from", ""))


def _new(site: Site, name: str) -> Response:
    cards = site.catalog.cards()
    name = name or site.catalog.default()
    if not name:
        return site.page("empty.html", section="new")
    experiment = site.catalog.experiment(name)
    manifest = experiment.manifest
    files = site.catalog.files(name)
    return site.page(
        "new.html", section="new", cards=[card for card in cards if card.is_usable],
        card=next(card for card in cards if card.name == name), manifest=manifest,
        date=date_text(manifest.start_ns)[:16], command=shlex.join(manifest.command),
        is_command_plain="".join(manifest.command).replace("\n", "").replace("\t", "").isprintable(),
        apparatus=site.catalog.apparatus(name),
        variables=sorted(manifest.environment.items()), counts=_counts(files), **_page_of(files, "", "", 0),
        outdir=free_directory(site.cwd, name), cwd=site.cwd,
        may_record=os.access(site.catalog.archive.path, os.W_OK), next_name=_next_name(site))


def _counts(files: list[FileRow]) -> dict[str, int]:
    return {role: sum(row.role == role for row in files) for role in ("input", "output")}


def free_directory(cwd: str, name: str) -> str:
    """An output directory that nobody uses yet, for who has no other wish."""
    number = 0
    while os.path.lexists(os.path.join(cwd, f"new-{name}" + (f"-{number}" if number else ""))):
        number += 1
    return os.path.join(cwd, f"new-{name}" + (f"-{number}" if number else ""))


def _next_name(site: Site) -> str:
    names = {experiment.name for experiment in site.catalog.archive.experiments()}
    numbers = [int(name[3:]) for name in names if name[:3] == "exp" and name[3:].isdecimal()]
    return f"exp{max(numbers, default=-1) + 1}"


def _page_of(files: list[FileRow], query: str, role: str, start: int) -> dict[str, Any]:
    """The rows that a search finds, some at a time; without a search first those of the working directory."""
    wanted = query.casefold().split()
    found = [row for row in files if (not role or row.role == role)
             and all(word in row.path.casefold() for word in wanted)]
    own = sum(row.is_own for row in found)
    end = own if not wanted and start < own < start + _ROWS else min(len(found), start + _ROWS)
    return {"rows": found[start:end], "found": len(found), "next": end, "left": len(found) - end,
            "are_others": end == own}


@page
async def files(site: Site, request: Request) -> Response:
    """Rows of the table of files."""
    name, query = request.path_params["name"], request.query_params
    start = query.get("start", "0")
    rows = await run_in_threadpool(site.catalog.files, name)
    return site.page("files.html", experiment=name, **_page_of(
        rows, query.get("query", ""), query.get("role", ""), int(start) if start.isdecimal() and len(start) < 9 else 0))


@page
async def packages(site: Site, request: Request) -> Response:
    """Packages of the apparatus by key of path; asked for later, because asking takes a moment."""
    found = await run_in_threadpool(site.catalog.packages, request.path_params["name"])
    return json_response({key_of(path): clean(package) for path, package in found.items()})


@page
async def archive(site: Site, request: Request) -> Response:
    """All experiments, with their ancestry and sizes; sizes that are not known yet only when asked for."""
    return await run_in_threadpool(_archive, site, "sizes" in request.query_params)


def _archive(site: Site, is_measured: bool) -> Response:
    cards = site.catalog.cards()
    known = site.catalog.usages() if is_measured else site.catalog.known_usages()
    usages = known or {}
    largest = max((usage.unique for usage in usages.values()), default=1)
    return site.page("archive.html", section="archive", cards=cards, is_measured=known is not None, tree=ancestry.draw(cards), usages=usages,
                     largest=max(1, largest), disk=site.catalog.disk_bytes(),
                     logical=sum(usage.logical for usage in usages.values()),
                     default=site.catalog.default(), usable=[card for card in cards if card.is_usable])


@page
async def compare_two(site: Site, request: Request) -> Response:
    """The comparison of two experiments; with `part` only what is inside the page."""
    query = request.query_params
    left, right = query.get("left", ""), query.get("right", "")
    shown = await run_in_threadpool(_compare, site, left, right)
    return site.page("differences.html" if "part" in query else "compare.html", section="archive",
                     left=left, right=right, shown=shown)


def _compare(site: Site, left: str, right: str) -> comparison.Page:
    sides = [Side(site.catalog.archive, site.catalog.experiment(name)) for name in (left, right)]
    return comparison.show(compare(sides[0], sides[1], depth=2), (left, right), sides[0].manifest.cwd)


@page
async def content(site: Site, request: Request) -> Response:
    """An archived file: a short text to look at, anything else to keep."""
    name, query = request.path_params["name"], request.query_params
    path = path_of(query.get("path", ""))
    state, found = await run_in_threadpool(site.catalog.content, name, path, query.get("role", ""))
    return await run_in_threadpool(_content, site.catalog.archive, found, os.path.basename(path))


def _content(archive: Archive, content: Content, name: str) -> Response:
    if content.size <= _TEXT_BYTES:
        return file_response(archive.read(content, _TEXT_BYTES), name)
    pieces = _pieces(archive, content)
    first = next(pieces)   # damage is reported before the answer begins
    return StreamingResponse(_after(first, pieces), media_type="application/octet-stream",
                             headers={"content-disposition": disposition(name, False),
                                      "content-length": str(content.size)})


def _after(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _pieces(archive: Archive, content: Content) -> Iterator[bytes]:
    for data, length in archive.store.read_pieces(content):
        if data is not None:
            yield data
            continue
        for at in range(0, length, _ZEROS):   # a hole may be of any size
            yield bytes(min(_ZEROS, length - at))


def is_text(data: bytes) -> bool:
    """Whether it reads as text."""
    try:
        return b"\0" not in data and bool(data.decode() or True)
    except UnicodeDecodeError:
        return False


def disposition(name: str, is_shown: bool) -> str:
    """A Content-Disposition that no name can break out of."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._-+") else "_" for c in name) or "file"
    return f'{"inline" if is_shown else "attachment"}; filename="{plain}"'


def file_response(data: bytes, name: str) -> Response:
    """Bytes that a stranger made: text is shown as text whatever it says, the rest is downloaded."""
    is_shown = is_text(data)
    return Response(data, media_type="text/plain; charset=utf-8" if is_shown else "application/octet-stream",
                    headers={"content-disposition": disposition(name, is_shown),
                             "content-security-policy": "default-src 'none'; sandbox"})


