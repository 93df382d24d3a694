"""The page of a sweep: parameters against outputs, which parameter changes what, and numbers of the outputs as plots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from rex.contents.numbers import MAX_BYTES, numbers_of
from rex.errors import NotFound
from rex.expdiff.difference import STATUS, STDERR, STDOUT
from rex.expdiff.many import ABSENT, Subject, Table, gather, tabulate
from rex.expdiff.output import STDERR as STDERR_STREAM
from rex.expdiff.output import STDOUT as STDOUT_STREAM
from rex.expdiff.output import output_pieces
from rex.expdiff.showing import letter
from rex.text import clean
from rex.trees.sweep import SWEPT, Swept, effects, pairs
from rex.types import format_size
from rex.web.plots import Dot, plot
from rex.web.site import Site, exit_words, page
from rex.web.tolerance import Tolerance

if TYPE_CHECKING:
    from rex.contents.rules import Rules
    from rex.web.cards import Card

MAX_RUNS = 1000         # of a sweep: the newest
_MAX_NUMBERS = 16       # in the table
_MAX_PLOTS = 24
_STREAMS = {STDOUT: STDOUT_STREAM, STDERR: STDERR_STREAM}

Number = tuple[str, str]                     # output and name
Numbers = dict[Number, list[float | None]]   # one for each run


@dataclass(frozen=True)
class Shown:
    """All that the page tells.

    Attributes:
        parameters: their names.
        left_runs: older runs that are left out.
        matrix: of each output that is not the same in all runs: its name, and for each parameter what it does to it.
        same: outputs that are the same in all runs.
        table: columns and rows, as the script takes them.
        plots: by number of an output, a picture for each parameter that changes it.
    """

    parameters: list[str]
    runs: int
    left_runs: int
    matrix: list[tuple[str, list[str]]]
    same: list[str]
    table: dict[str, Any]
    plots: list[tuple[str, list[tuple[str, str]]]]


def found_sweeps(cards: "Iterable[Card]") -> dict[str, int]:
    """By experiment that was swept, how many runs there are."""
    found: dict[str, int] = {}
    for card in cards:
        if card.is_usable and (name := card.labels.get(SWEPT)):
            found[name] = found.get(name, 0) + 1
    return found


@page
async def sweep(site: Site, request: Request) -> Response:
    """The sweep of one experiment."""
    return await run_in_threadpool(sweep_page, site, request.query_params.get("of", ""))


def sweep_page(site: Site, name: str) -> Response:
    """The page of the runs that are labelled as a sweep of an experiment.

    Raises:
        NotFound: there are none.
    """
    cards = [card for card in site.catalog.cards() if card.is_usable and name and card.labels.get(SWEPT) == name]
    if not cards:
        raise NotFound(f"no run is labelled as a sweep of {clean(name)}", "", "see: rex sweep --help")
    chosen = sorted(cards[:MAX_RUNS], key=lambda card: card.start_ns)
    rules = Tolerance().with_those_of(site.catalog.archive)
    shown = site.catalog.once(("sweep", site.links.is_static, rules, *((card.name, card.start_ns, *card.labels.items()) for card in cards)),
                              lambda: _shown(site, chosen, len(cards) - len(chosen), rules))
    return site.page("sweep.html", section="history", of=name, is_there=site.catalog.is_usable(name), shown=shown, is_tolerant=rules.is_set)


def _shown(site: Site, cards: "list[Card]", left_runs: int, rules: "Rules") -> Shown:
    archive = site.catalog.archive
    subjects = [gather(archive, archive.experiment(card.name), card.name) for card in cards]
    parameters = list(dict.fromkeys(label for card in cards for label in card.labels if label != SWEPT))
    table = tabulate(subjects, rules)
    differing = [name for name, groups in table.results.items() if any(groups)]
    numbers = _numbers(subjects, [name for name in differing if name != STATUS])
    rows = _rows(cards, subjects, parameters, table, numbers)
    changes, known = effects(rows), pairs(rows)
    matrix = [(clean(name), ["changes" if name in changes[label] else "no change" if known[label] else "not known" for label in parameters])
              for name in differing]
    return Shown([clean(label) for label in parameters], len(cards), left_runs, matrix,
                 [clean(name) for name in table.results if name not in differing],
                 _table(site, cards, subjects, table, parameters, differing, numbers), _plots(cards, parameters, changes, numbers))


def _rows(cards: "list[Card]", subjects: list[Subject], parameters: list[str], table: Table, numbers: Numbers) -> list[Swept]:
    """The runs as `effects` takes them; numbers count as outputs of their own."""
    return [Swept({label: card.labels[label] for label in parameters if label in card.labels}, card.name,
                  outputs={**{name: (0, subject.results.get(name, ABSENT)) for name in table.results},
                           **{_key(each): (0, str(values[at])) for each, values in numbers.items()}},
                  groups={name: groups[at] for name, groups in table.results.items()})
            for at, (card, subject) in enumerate(zip(cards, subjects))]


# -- numbers


def _key(number: Number) -> str:
    return "\0".join(number)   # no output has such a name


def _numbers(subjects: list[Subject], names: list[str]) -> Numbers:
    """Numbers that are not the same in all runs."""
    found: Numbers = {}
    read: dict[tuple[str, str], dict[str, float]] = {}     # by output and digest
    for at, subject in enumerate(subjects):
        for name in names:
            key = name, subject.results.get(name, ABSENT)
            if key not in read:
                read[key] = numbers_of(name, _small(subject, name))
            for number, value in read[key].items():
                found.setdefault((name, number), [None] * len(subjects))[at] = value
    varying = [(key, values) for key, values in found.items() if len(set(values) - {None}) > 1]
    return dict(varying[:_MAX_NUMBERS])


def _small(subject: Subject, name: str) -> bytes:
    """An output, or its beginning where it is too large to be read for numbers."""
    if content := subject.contents.get(name):
        return subject.archive.read(content, MAX_BYTES) if content.size <= MAX_BYTES else bytes(MAX_BYTES + 1)
    found = bytearray()
    if name in _STREAMS and subject.experiment.manifest.log:
        for stream, data in output_pieces(subject.experiment):
            if stream == _STREAMS[name]:
                found += data
            if len(found) > MAX_BYTES:
                break
    return bytes(found)


def _as_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < 1e300 else None


# -- the table


def _table(site: Site, cards: "list[Card]", subjects: list[Subject], table: Table, parameters: list[str], differing: list[str],
           numbers: Numbers) -> dict[str, Any]:
    """Columns with their cells: what is shown, and what it is sorted by."""
    columns: list[dict[str, Any]] = []

    def add(title: str, cells: list[tuple[str, Any]], of: str = "", is_number: bool = True, **more: Any) -> None:
        columns.append({"title": title, "of": of, "cells": cells, "is_number": is_number, **more})

    add("Run", [(card.name, card.name) for card in cards], is_number=False, hrefs=[site.links.experiment(card.name) for card in cards])
    for label in parameters:
        texts = [card.labels.get(label, "") for card in cards]
        values = [_as_number(text) for text in texts]
        is_text = any(text and value is None for text, value in zip(texts, values))
        add(clean(label), [(clean(text), text if is_text else value) for text, value in zip(texts, values)], "parameter")
    if any(card.exit_status for card in cards):
        add("Status", [(exit_words(card.exit_status), card.exit_status) for card in cards], is_number=False)
    add("Seconds", [(f"{card.duration_s:.2f}", card.duration_s) if card.duration_s is not None else ("–", None) for card in cards])
    for name in differing:
        if name != STATUS:
            add("content", [_content(subject, name, table.results[name][at]) for at, subject in enumerate(subjects)], clean(name))
        for (of, number), found in numbers.items():
            if of == name:
                add(clean(number), [("–", None) if value is None else (f"{value:.6g}", value) for value in found], clean(name))
    return {"columns": columns, "rows": len(cards)}


def _content(subject: Subject, name: str, group: int) -> tuple[str, Any]:
    """An output in a cell: the letter of those that are the same, and its size."""
    if subject.results.get(name, ABSENT) == ABSENT:
        return "–", None
    content = subject.contents.get(name)
    return f"{letter(group)}{f' · {format_size(content.size)}' if content else ''}", group


# -- plots


def _plots(cards: "list[Card]", parameters: list[str], changes: dict[str, list[str]], numbers: Numbers) -> list[tuple[str, list[tuple[str, str]]]]:
    """By number, a picture for each parameter that changes it, unless the number is the parameter; all of one number have one scale."""
    plots, count = [], 0
    for (of, number), values in numbers.items():
        drawn = []
        for label in parameters:
            texts = [card.labels.get(label, "") for card in cards]
            is_given = all(value is None or value == _as_number(text) for value, text in zip(values, texts))
            if _key((of, number)) not in changes[label] or is_given or count == _MAX_PLOTS:
                continue
            dots = [Dot(text, value, _told(card, parameters)) for card, text, value in zip(cards, texts, values) if text and value is not None]
            drawn.append((clean(label), plot(f"{clean(number)} of {clean(of)} by {clean(label)}", dots)))
            count += 1
        if drawn:
            plots.append((f"{clean(number)} · {clean(of)}", drawn))
    return plots


def _told(card: "Card", parameters: list[str]) -> str:
    return f"{card.name}: " + ", ".join(f"{label}={card.labels[label]}" for label in parameters if label in card.labels)
