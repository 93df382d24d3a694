"""The pages about experiments: a new one, comparisons, archived files."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Any, Iterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from rex.archive import OUTPUT, Archive, Content
from rex.contents.client import Comparer
from rex.contents.picture import SVG, Picture
from rex.contents.rules import Rules
from rex.errors import UsageError
from rex.expdiff.compare import Side, compare
from rex.expdiff.pictures import draw_pair
from rex.text import clean, command_text, date_text
from rex.types import format_size
from rex.web import comparison, preview
from rex.web.catalog import FileRow
from rex.web.site import Site, json_response, page
from rex.web.tolerance import Tolerance
from rex.web.wish import key_of, path_of

_ROWS = 50              # files shown at once
_TEXT_BYTES = 1 << 20   # of a file that is shown and not downloaded
_ZEROS = 1 << 20
# A stranger's page or picture: no script, no address of ours or of others, even where it is opened by itself.
_FRAMED = ("default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'self'; sandbox")


@page
async def new(site: Site, request: Request) -> Response:
    """The form of a new experiment, made from one that the address names, or the default one."""
    if site.is_read_only:
        return RedirectResponse(site.links.archive())
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
async def compare_two(site: Site, request: Request) -> Response:
    """The comparison of two experiments; with `part` only what is inside the page."""
    query = request.query_params
    left, right = query.get("left", ""), query.get("right", "")
    return await run_in_threadpool(compare_page, site, left, right, Tolerance.of(query), "differences.html" if "part" in query else "compare.html")


def compare_page(site: Site, left: str, right: str, tolerance: Tolerance = Tolerance(), template: str = "compare.html") -> Response:
    """The page of a comparison.

    Raises:
        UsageError: the tolerance makes no sense.
    """
    sides = [Side(site.catalog.archive, site.catalog.experiment(name)) for name in (left, right)]
    rules = tolerance.with_those_of(site.catalog.archive)
    shown = comparison.show(compare(sides[0], sides[1], depth=2, rules=rules), (left, right), site.links, sides[0].manifest.cwd)
    return site.page(template, section="archive", left=left, right=right, shown=shown, tolerance=tolerance, rules=clean(command_text(tolerance.words(rules))))


@page
async def compare_picture(site: Site, request: Request) -> Response:
    """A picture of how outputs of two experiments differ that are pictures."""
    query = request.query_params
    return await run_in_threadpool(_picture, site, *([(query.get(side, ""), path_of(query.get(f"{side}_path", ""))) for side in ("left", "right")]))


def _picture(site: Site, left: tuple[str, str], right: tuple[str, str]) -> Response:
    with Comparer(Rules()) as comparer:
        found = draw_outputs(site, left, right, comparer)
    if isinstance(found, str):
        raise UsageError("there is no picture of this difference", found)
    return Response(found.data, media_type="image/svg+xml" if found.suffix == SVG else "image/png", headers={"content-security-policy": _FRAMED})


def draw_outputs(site: Site, left: tuple[str, str], right: tuple[str, str], comparer: Comparer, most_bytes: int = sys.maxsize) -> Picture | str:
    """The picture of how two outputs differ, or why there is none.

    Args:
        left, right: an experiment, and a path.
        most_bytes: of an output.
    """
    contents = [site.catalog.content(name, path, OUTPUT)[1] for name, path in (left, right)]
    if max(content.size for content in contents) > most_bytes:
        return f"larger than {format_size(most_bytes)}"
    writers = [lambda path, each=each: site.catalog.archive.extract(each, path) for each in contents]   # type: ignore[misc]
    return draw_pair(os.path.basename(left[1]), (writers[0], writers[1]), comparer)


@page
async def content(site: Site, request: Request) -> Response:
    """An archived file: a short text to look at, anything else to keep; `as` asks for one of these, for an image, or for what a frame
    shows."""
    name, query = request.path_params["name"], request.query_params
    path = path_of(query.get("path", ""))
    state, found = await run_in_threadpool(site.catalog.content, name, path, query.get("role", ""))
    return await run_in_threadpool(_content, site.catalog.archive, found, os.path.basename(path), query.get("as", ""))


def _content(archive: Archive, content: Content, name: str, form: str) -> Response:
    if form == "image" and (kind := preview.image_type(first_bytes(archive, content, preview.SHOWN_BYTES), name)):
        return Response(archive.read(content, preview.IMAGE_BYTES), media_type=kind, headers={"content-security-policy": _FRAMED})
    if form == "frame" and (shown := preview.page_of(archive.read(content, preview.PAGE_BYTES), name)) is not None:
        return Response(shown.encode("utf-8", "replace"), media_type="text/html; charset=utf-8",
                        headers={"content-security-policy": _FRAMED, "x-frame-options": "SAMEORIGIN"})
    if content.size <= _TEXT_BYTES and form != "file":
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


def first_bytes(archive: Archive, content: Content, limit_bytes: int) -> bytes:
    """The beginning of a content, one byte more than the limit if there is more."""
    found = bytearray()
    for piece in _pieces(archive, content):
        found += piece[:limit_bytes + 1 - len(found)]
        if len(found) > limit_bytes:
            break
    return bytes(found)


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


