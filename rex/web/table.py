"""The table of experiments: its rows as the page's script takes them, and what may be changed from there."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from rex.archive import COMPLETE, about
from rex.archive.usage import Usage
from rex.errors import UsageError
from rex.text import clean
from rex.types import format_duration, format_size
from rex.web.cards import DAMAGED, UNFINISHED, Card
from rex.web.links import Links
from rex.web.site import Site, exit_words, json_response, page

_LABEL_CHARS = 200
_NS_IN_MS = 1_000_000


def rows(site: Site) -> list[dict[str, Any]]:
    """Every experiment, the newest first."""
    cards = site.catalog.cards()
    default, usages = site.catalog.default(), site.catalog.known_usages() or {}
    return [_row(card, site.links, card.name == default, usages.get(card.name)) for card in cards]


def _row(card: Card, links: Links, is_default: bool, usage: Usage | None) -> dict[str, Any]:
    is_plain = all(text.isprintable() for text in [*card.labels, *card.labels.values(), *card.note.splitlines()])
    return {
        "name": card.name, "href": links.experiment(card.name) if card.is_usable else "", "is_default": is_default,
        "labels": {clean(key): clean(value) for key, value in card.labels.items()}, "note": card.note if is_plain else clean(card.note),
        "is_plain": is_plain,   # a field of a form can hold them as they are
        "command": card.command_text, "status": card.status, "ending": _ending(card),
        "start": card.start_ns // _NS_IN_MS, "date": card.date, "seconds": card.duration_s,
        "duration": "" if card.duration_s is None else format_duration(card.duration_s),
        "parent": clean(card.made_from), "verified": card.is_verified, **({} if usage is None else sizes(usage))}


def _ending(card: Card) -> str:
    if card.status == DAMAGED:
        return "damaged"
    return card.state if card.status == UNFINISHED else exit_words(card.exit_status)


def sizes(usage: Usage) -> dict[str, Any]:
    """What an experiment weighs: all its contents, and what removing it would give back."""
    return {"bytes": usage.logical, "size": format_size(usage.logical), "alone": format_size(usage.unique)}


@page
async def archive(site: Site, _request: Request) -> Response:
    """The page of all experiments; its rows follow, with `archive_rows`."""
    return await run_in_threadpool(archive_page, site)


def archive_page(site: Site) -> Response:
    """The page of the table; whole where nobody can be asked for the rows."""
    return site.page("archive.html", section="archive", told=_rows(site, False) if site.links.is_static else None)


@page
async def archive_rows(site: Site, request: Request) -> Response:
    """The rows; with `sizes` those too, which takes a while where they are not known: every manifest is read."""
    return json_response(await run_in_threadpool(_rows, site, "sizes" in request.query_params))


def _rows(site: Site, is_measured: bool) -> dict[str, Any]:
    """Rows, and what the archive takes on the disk; "" where sizes are not known."""
    if is_measured:
        site.catalog.usages()
    found = rows(site)
    return {"rows": found, "disk": "" if site.catalog.known_usages() is None else format_size(site.catalog.disk_bytes())}


def _text(data: Any, key: str) -> str:
    value = data.get(key) if isinstance(data, dict) else None
    if not isinstance(value, str):
        raise UsageError("the request makes no sense", f"{key} is no text")
    return value


def describe(site: Site, data: Any) -> dict[str, Any]:
    """Give an experiment its labels, its note and its name; what is not in the request stays."""
    name, archive = _text(data, "experiment"), site.catalog.archive
    new = _text(data, "name").strip() if "name" in data else name
    if new != name:
        archive.check_name(new)   # before anything is changed
    labels = _labels(_text(data, "labels")) if "labels" in data else None
    note = _text(data, "note").strip() if "note" in data else None
    if labels is not None:
        about.set_labels(archive, name, {**dict.fromkeys(about.labels_of(archive.experiment(name).manifest)), **labels})
    if note is not None:
        about.set_note(archive, name, note)
    if new != name:
        about.rename(archive, name, new)
    return {"rows": rows(site)}


def _labels(given: str) -> dict[str, str | None]:
    """Labels as the form has them: one K=V on each line."""
    found: dict[str, str | None] = {}
    for line in filter(str.strip, given.splitlines()):
        key, equals, value = line.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{clean(line[:_LABEL_CHARS])} is no label", "it has no = with a name before it", "write K=V")
        found[key.strip()] = value.strip()
    return found


def set_default(site: Site, data: Any) -> dict[str, Any]:
    """Make an experiment the one that is meant when only the archive is named."""
    name = _text(data, "experiment")
    if site.catalog.archive.experiment(name).state != COMPLETE:
        raise UsageError(f"{name} cannot be the default", "it is not finished")
    site.catalog.archive.set_default(name)
    return {"rows": rows(site)}


def remove(site: Site, data: Any) -> dict[str, Any]:
    """Remove experiments; their contents stay until `rex gc`."""
    names = data.get("experiments") if isinstance(data, dict) else None
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise UsageError("the request makes no sense", "experiments are no list of names")
    for name in names:              # all must be there before the first one goes
        site.catalog.archive.experiment(name)
    for name in dict.fromkeys(names):
        site.catalog.archive.remove(name)
    return {"rows": rows(site)}
