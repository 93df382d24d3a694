"""The page of a training run: its values as curves, its checkpoints, its script, and a box for new log statements."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from rex.hindsight.replay.shown import describe_run, find_run
from rex.hindsight.trace.records import Run, content_of
from rex.text import clean
from rex.web.curves import Point, curve
from rex.web.site import Site, page

_SCRIPT = "__main__"
_MAX_CURVES = 40
_MAX_VALUES = 200


@page
async def training(site: Site, request: Request) -> Response:
    """One training run, or one of its replays."""
    return await run_in_threadpool(training_page, site, request.path_params["name"])


def training_page(site: Site, name: str) -> Response:
    """The page of a run."""
    archive = site.catalog.archive
    run = find_run(archive, name)
    told = describe_run(archive, name, run)
    marks = sorted({number for each in run.checkpoints if (number := iteration_of(each.position)) is not None})
    curves, texts = curves_of(told["values"], marks)
    return site.page("training.html", section="archive", experiment=name, facts=told["facts"], checkpoints=told["checkpoints"],
                     curves=curves, texts=texts[:_MAX_VALUES], source=_source(site, run), of=str(run.head.get("of", "")),
                     why_none=clean(str(run.end.get("why_none") or "")))


def iteration_of(position: str) -> int | None:
    """The iteration of the outermost loop that a position lies in; None at an end."""
    text = position.split("/")[0].rpartition(":")[2]
    return int(text) if text.isascii() and text.isdecimal() else None


def curves_of(values: list[dict[str, Any]], marks: list[int]) -> tuple[list[tuple[str, str]], list[dict[str, Any]]]:
    """By name of a value its curve, a line for each experiment; and the values that are no numbers."""
    lines: dict[str, dict[str, list[Point]]] = {}
    texts = []
    for value in values:
        number, at = value["value"], value["iteration"]
        if isinstance(number, (int, float)) and isinstance(at, (int, float)) and abs(number) <= 1e300:
            lines.setdefault(str(value["name"]), {}).setdefault(value["experiment"], []).append((at, float(number)))
        else:
            texts.append(value)
    drawn = [(name, curve(name, list(each.items()), marks)) for name, each in list(lines.items())[:_MAX_CURVES]]
    return [each for each in drawn if each[1]], texts


def _source(site: Site, run: Run) -> str:
    module = run.modules.get(_SCRIPT)
    if module is None:
        return ""
    return site.catalog.archive.read(content_of(module["source"])).decode("utf-8", "surrogateescape")
