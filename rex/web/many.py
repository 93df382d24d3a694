"""The comparison of many experiments: a page of the server, or a file of its own."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from rex.errors import UsageError
from rex.expdiff.many import Table, gather, tabulate
from rex.expdiff.parted import Parted, find_parted
from rex.expdiff.pictures import Drawing, is_named_picture
from rex.expdiff.separating import Rule, separate
from rex.expdiff.showing import NO_RULE, count_text, differing, given_groups, letter, same_text, within_texts
from rex.text import clean, command_text
from rex.web.site import HERE, Site, environment, page
from rex.web.tolerance import Tolerance

if TYPE_CHECKING:
    from rex.web.links import Links

_COLUMNS = 12           # outputs in the table
_OUTPUTS = 100          # that are described below it
_SENTENCES = 30         # of runs that parted alike
_MOST = 400             # experiments
_TYPES = {".png": "image/png", ".svg": "image/svg+xml"}


@dataclass(frozen=True)
class Figure:
    """A picture of a difference; address: "" where `note` says why there is none."""

    caption: str
    address: str
    note: str = ""


@dataclass(frozen=True)
class Output:
    """An output of which there is more than one result."""

    name: str
    counts: str
    sentence: str
    figures: list[Figure] = field(default_factory=list)


@dataclass(frozen=True)
class Shown:
    """All that the page tells.

    Attributes:
        rows: of the table, the name of the experiment first, then its letters.
        rules: what outputs may differ in, as one types it.
        parted: names of experiments, and sentences; None: nobody looked.
    """

    first: str
    is_same: bool
    same: str
    within: list[str]
    columns: list[str]
    rows: list[list[str]]
    outputs: list[Output]
    more: int
    rules: str
    parted: list[tuple[str, list[str], list[str]]] | None


def show(table: Table, found: "Mapping[str, Rule | None]", parted: Iterable[Parted] | None, figures: Mapping[str, list[Figure]], rules: Sequence[str]) -> Shown:
    """A comparison, ready to be shown."""
    names = differing(table)
    columns = {**given_groups(table), **{name: table.results[name] for name in names[:_COLUMNS]}}
    rows = [[clean(subject.name), *(letter(groups[at]) for groups in columns.values())] for at, subject in enumerate(table.subjects)]
    outputs = []
    for name in names[:_OUTPUTS]:
        rule = found.get(name)
        outputs.append(Output(clean(name), count_text(table.results[name]), clean(rule.sentence if rule else NO_RULE), figures.get(name, [])))
    told = None if parted is None else [
        (", ".join(map(clean, each.names)), [clean(one.sentence) for one in each.partings[:_SENTENCES]], [clean(one.sentence) for one in each.causes[:_SENTENCES]])
        for each in parted]
    return Shown(clean(table.subjects[0].name), table.is_same, same_text(table), [clean(text) for text in within_texts(table)[:_OUTPUTS]], [clean(name) for name in columns], rows, outputs, max(0, len(names) - _OUTPUTS),
                 clean(command_text(rules)), told)


def write_page(path: str, table: Table, found: "Mapping[str, Rule | None]", parted: Iterable[Parted] | None, drawings: Iterable[Drawing],
               rules: Sequence[str]) -> None:
    """Write a comparison as one file, which needs no server and no other file.

    Raises:
        OSError: it cannot be written.
    """
    figures: dict[str, list[Figure]] = {}
    for each in drawings:
        caption = f"{clean(each.left)}, {clean(each.right)}, and what differs"
        figures.setdefault(each.output, []).append(
            Figure(caption, "", clean(each.picture)) if isinstance(each.picture, str) else
            Figure(caption, f"data:{_TYPES[each.picture.suffix]};base64,{base64.b64encode(each.picture.data).decode()}"))
    styles = []
    for name in ("style.css", "archive.css"):
        with open(os.path.join(HERE, "static", name), encoding="utf-8") as file:
            styles.append(file.read())
    text = environment().get_template("many_alone.html").render(shown=show(table, found, parted, figures, rules), links=None, styles="\n".join(styles))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@page
async def compare_many(site: Site, request: Request) -> Response:
    """The comparison of experiments that the address names, `name=` each; with `parted` also where they parted."""
    query = request.query_params
    return await run_in_threadpool(many_page, site, list(dict.fromkeys(query.getlist("name"))), Tolerance.of(query), "parted" in query)


def many_page(site: Site, names: Sequence[str], tolerance: Tolerance, is_parted: bool) -> Response:
    """The page of a comparison.

    Raises:
        UsageError: they are fewer than two, or very many.
    """
    if not 2 <= len(names) <= _MOST:
        raise UsageError(f"{len(names)} experiments are to be compared", f"this page compares 2 to {_MOST}", "select them in the archive")
    archive = site.catalog.archive
    subjects = [gather(archive, site.catalog.experiment(name), name) for name in names]
    rules = tolerance.with_those_of(archive)
    table = tabulate(subjects, rules)
    found = {name: separate(name, groups, table) for name, groups in table.results.items()}
    shown = show(table, found, find_parted(subjects, rules, found) if is_parted else None, _figures(table, site.links), tolerance.words(rules))
    return site.page("many.html", section="archive", shown=shown, names=names, tolerance=tolerance)


def _figures(table: Table, links: "Links") -> dict[str, list[Figure]]:
    """For outputs that are pictures the addresses of pictures of the difference between the first of the first group and of each other."""
    made: dict[str, list[Figure]] = {}
    for name in filter(is_named_picture, differing(table)):
        firsts: dict[int, Any] = {}
        for subject, group in zip(table.subjects, table.results[name]):
            if name in subject.contents:
                firsts.setdefault(group, subject)
        one, *others = firsts.values() or [None]
        made[name] = [Figure(f"{clean(one.name)}, {clean(other.name)}, and what differs", links.picture(one.name, other.name, one.paths[name], other.paths[name]))
                      for other in others[:_COLUMNS]]
    return made
