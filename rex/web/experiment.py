"""The pages of one experiment: what it was, its processes in time, its files, its log."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any, Iterable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from rex.archive import Experiment, FileState, Manifest
from rex.archive.about import labels_of, note_of, verified_of
from rex.archive.lineage import ancestor, changes
from rex.archive.processtree import process_tree
from rex.errors import NotFound
from rex.expdiff.graph import read_graph
from rex.expdiff.output import STDERR, STDOUT, output_pieces
from rex.expdiff.prov import as_prov
from rex.hindsight.trace.records import ENGINE as HINDSIGHT
from rex.multiversion.versions import ATTACHMENT as CELLS
from rex.text import clean, command_text, date_text
from rex.trees.sweep import SWEPT
from rex.types import format_duration, format_size
from rex.web import preview
from rex.web.drawing import draw
from rex.web.logview import BLOCK_ROWS, Filter
from rex.web.pages import disposition, first_bytes
from rex.web.site import Site, exit_words, json_response, page
from rex.web.sweeps import found_sweeps
from rex.web.wish import path_of

MAX_ROWS = 20_000          # of files, and of processes, in one page
STREAMS = {"stdout": ("standard output", STDOUT), "stderr": ("standard error", STDERR)}


@page
async def experiment(site: Site, request: Request) -> Response:
    """Everything about one experiment."""
    return await run_in_threadpool(experiment_page, site, request.path_params["name"])


def experiment_page(site: Site, name: str) -> Response:
    """The page of a finished experiment."""
    found = site.catalog.experiment(name)
    manifest = found.manifest
    parent = ancestor(manifest.extra)
    files = _file_rows(site, found)
    return site.page(
        "experiment.html", section="archive", experiment=found, manifest=manifest, labels=labels_of(manifest), note=note_of(manifest),
        verified=verified_of(manifest), parent=parent, is_parent_here=site.catalog.is_usable(parent), changes=changes(manifest),
        date=date_text(manifest.start_ns), command=command_text(manifest.command), is_default=site.catalog.default() == name,
        files=files[:MAX_ROWS], left_files=max(0, len(files) - MAX_ROWS), processes=process_rows(manifest)[:MAX_ROWS],
        variables=sorted(manifest.environment.items()), machine=_facts(manifest.machine), is_session=found.is_session, is_training=found.begun.get("engine") == HINDSIGHT,
        is_replayable=is_replayable(found), diverged_at=_event_in(str(verified_of(manifest).get("reason", ""))),
        events=manifest.counts.get("events"), sweep=_sweep(site, name, labels_of(manifest)), is_version=CELLS in manifest.attachments)


def _event_in(reason: str) -> str:
    """The number of the event that the reason of a divergence names; "" for none."""
    found = re.search(r"\bevent (\d{1,12})\b", reason, re.ASCII)
    return found[1] if found else ""


def _sweep(site: Site, name: str, labels: dict[str, str]) -> str:
    """The experiment whose sweep this one belongs to, or began; "" for none."""
    found = found_sweeps(site.catalog.known_cards())
    return name if name in found else labels[SWEPT] if labels.get(SWEPT, "") in found else ""


def is_replayable(found: Experiment) -> bool:
    """Whether it has a log of system calls, which a replay follows."""
    return not found.is_session and found.begun.get("engine") != HINDSIGHT and found.manifest.log is not None


def _facts(facts: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in sorted(facts.items()) if value != "")


def _file_rows(site: Site, found: Experiment) -> list[dict[str, Any]]:
    """The files of all roles, as the script takes them; what was written to the standard streams first."""
    name, links = found.name, site.links
    rows: list[dict[str, Any]] = [] if not is_replayable(found) else [
        {"place": text, "role": "output", "size": "", "href": links.preview(name, stream, "")} for stream, (text, _) in STREAMS.items()]
    for row in site.catalog.all_files(name):
        rows.append({"place": clean(row.place), "role": row.role, "bytes": row.size, "size": format_size(row.size), "change": row.change,
                     "href": links.preview(name, row.role, row.path) if row.has_content else ""})
    return rows


def process_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """The processes as a tree, with their place on the time line in thousandths of the whole."""
    whole = max([manifest.duration_s, *(process.end_s or process.start_s for process in manifest.processes)]) or 1.0
    rows = []
    for branch, process in process_tree(manifest.processes):
        end = whole if process.end_s is None else process.end_s
        rows.append({
            "branch": branch, "command": command_text(process.command) or clean(process.executable), "task": process.task,
            "from": _thousandths(process.start_s, whole), "to": _thousandths(end, whole),
            "start": f"+{process.start_s:.3f} s", "duration": format_duration(end - process.start_s) if process.end_s is not None else "–",
            "cpu": f"{process.cpu_s:.2f} s", "ending": exit_words(process.exit_status), "is_good": process.exit_status == 0})
    return rows


def _thousandths(seconds: float, whole: float) -> int:
    return max(0, min(1000, round(1000 * seconds / whole)))


# -- files


@page
async def file(site: Site, request: Request) -> Response:
    """One file: what is known of it, and a preview."""
    name, query = request.path_params["name"], request.query_params
    return await run_in_threadpool(file_page, site, name, query.get("role", ""), path_of(query.get("path", "")))


def file_page(site: Site, name: str, role: str, path: str) -> Response:
    """The page of a file in a role, or of a standard stream."""
    found = site.catalog.experiment(name)
    if role in STREAMS:
        data = joined(data for stream, data in output_pieces(found) if stream == STREAMS[role][1])
        return _file_page(site, found, role, STREAMS[role][0], data[0], data[1], None)
    state, content = site.catalog.content(name, path, role)
    begin = first_bytes(site.catalog.archive, content, preview.wanted_bytes(path))
    return _file_page(site, found, role, path, begin, content.size, state)


def joined(pieces: Iterable[bytes], limit_bytes: int = preview.SHOWN_BYTES) -> tuple[bytes, int]:
    """The first bytes of pieces, a little more than shown, and how many there are in all."""
    found, size = bytearray(), 0
    for piece in pieces:
        size += len(piece)
        if len(found) <= limit_bytes:
            found += piece
    return bytes(found[:limit_bytes + 1]), size


def _file_page(site: Site, found: Experiment, role: str, path: str, begin: bytes, size: int, state: FileState | None) -> Response:
    shown = preview.preview(begin, size, path)
    return site.page("file.html", section="archive", experiment=found.name, role=role, path=path, size=size, state=state,
                     shown=shown, lines=shown.text.count("\n") + 1, date=date_text(state.mtime_ns) if state else "")


@page
async def stream(site: Site, request: Request) -> Response:
    """All that was written to a standard stream, as a file."""
    name, kind = request.path_params["name"], request.path_params["stream"]
    found = await run_in_threadpool(site.catalog.experiment, name)
    if kind not in STREAMS:
        raise NotFound("there is no such stream")
    pieces = (data for number, data in output_pieces(found) if number == STREAMS[kind][1])
    first = await run_in_threadpool(next, pieces, b"")   # damage is reported before the answer begins
    return StreamingResponse(itertools.chain([first], pieces), media_type="application/octet-stream",
                             headers={"content-disposition": disposition(f"{name}-{kind}.txt", False)})


# -- the log


@page
async def log(site: Site, request: Request) -> Response:
    """The page of the log; the events come in blocks."""
    return await run_in_threadpool(log_page, site, request.path_params["name"])


def log_page(site: Site, name: str) -> Response:
    """The page, with the number of events only where nobody can be asked for it."""
    found = site.catalog.experiment(name)
    count = site.logs.view(found, Filter()).count() if site.links.is_static else 0
    return site.page("log.html", section="archive", experiment=name, block_rows=BLOCK_ROWS, count=count,
                     chunks=site.links.log_chunks(name, count))


@page
async def events(site: Site, request: Request) -> Response:
    """A block of the events that a filter leaves, as JSON; with `find` the row of an event."""
    return json_response(await run_in_threadpool(_events, site, request.path_params["name"], dict(request.query_params)))


def _number(text: str, otherwise: int | None) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else otherwise


def _events(site: Site, name: str, query: dict[str, str]) -> dict[str, Any]:
    wanted = Filter(query.get("calls", "").strip(), query.get("path", "").strip(), _number(query.get("task", ""), None))
    view = site.logs.view(site.catalog.experiment(name), wanted)
    told = {"count": view.count(), "total": view.total}
    if "find" in query:
        return {**told, "row": view.place_of(_number(query["find"], 0) or 0)}
    return {**told, "rows": view.block(_number(query.get("block", ""), 0) or 0)}


# -- provenance


@page
async def graph(site: Site, request: Request) -> Response:
    """Processes and files as a picture."""
    return await run_in_threadpool(graph_page, site, request.path_params["name"])


def graph_page(site: Site, name: str) -> Response:
    """The page of the picture; raises NotFound if it is too large to be of use."""
    return site.page("graph.html", section="archive", experiment=name, drawing=draw(read_graph(site.catalog.experiment(name)).without_system()))


@page
async def prov(site: Site, request: Request) -> Response:
    """The same as W3C PROV-JSON, to keep."""
    found = await run_in_threadpool(site.catalog.experiment, request.path_params["name"])
    return Response(await run_in_threadpool(prov_json, found), media_type="application/json",
                    headers={"content-disposition": disposition(f"{found.name}-prov.json", False)})


def prov_json(found: Experiment) -> bytes:
    """The provenance of an experiment as W3C PROV-JSON."""
    return json.dumps(as_prov(read_graph(found), found.manifest)).encode()
