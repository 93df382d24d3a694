"""rex compare"""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Any, Iterable

import click

from rex.cli.given_rules import GivenRules, rules_for
from rex.contents.rules import words_of
from rex.cli.options import named_by_options
from rex.cli.refs import is_archive_ref
from rex.cli.select import expand, has_label
from rex.cli.table import clean, guarded, named_ref, parse_ref, print_columns, print_json, quietable
from rex.cli.tolerance import tolerance_options
from rex.errors import UsageError
from rex.text import command_text

if TYPE_CHECKING:
    from rex.expdiff.many import Subject, Table
    from rex.expdiff.parted import Parted
    from rex.expdiff.pictures import Drawing
    from rex.expdiff.separating import Rule

_SHOWN = 8           # outputs in the table; the other ways of printing have all
_SHOWN_RULES = 40
_NAME_CHARS = 200
_SHOWN_NAMES = 6     # experiments that parted from the first alike


def chosen(refs: tuple[str, ...], where: tuple[str, ...]) -> "list[Subject]":
    """The experiments that are meant, in order: all finished ones of an archive, or those named, with these labels.

    Raises:
        UsageError: they are fewer than two.
    """
    from rex.archive import COMPLETE, Archive
    from rex.archive.about import labels_of
    from rex.expdiff.many import gather
    pairs: list[tuple[str, str]] = []
    for at, text in enumerate(refs):
        if at and ":" not in text and not is_archive_ref(text):
            pairs += expand((f"{parse_ref(refs[0]).archive}:{text}",))
        elif parse_ref(text).experiment:
            pairs += expand((text,))
        elif len(refs) == 1 or is_archive_ref(refs[min(at + 1, len(refs) - 1)]):
            path = parse_ref(text).archive
            pairs += [(path, each.name) for each in Archive.open(path).experiments() if each.state == COMPLETE and not each.is_session]
    archives = {path: Archive.open(path) for path, _ in pairs}
    found = []
    for path, name in dict.fromkeys(pairs):
        experiment = archives[path].experiment(name)
        if all(has_label(labels_of(experiment.manifest), text) for text in where):
            found.append(gather(archives[path], experiment, name if len(archives) == 1 else f"{path}:{name}"))
    if len(found) < 2:
        raise UsageError("there are fewer than two experiments to compare", "", f"see: rex ls {parse_ref(refs[0]).archive}")
    return found


def print_table(table: "Table", rules: "dict[str, Rule | None]") -> None:
    """Experiments by what they were given and what they gave, equal letters for equal contents; then a line for each output that differs."""
    from rex.expdiff.showing import NO_RULE, count_text, differing, given_groups, letter, same_text, within_texts
    names = differing(table)
    columns = {**given_groups(table), **{name: table.results[name] for name in names[:_SHOWN]}}
    print_columns([[subject.name, *(letter(groups[at]) for groups in columns.values())] for at, subject in enumerate(table.subjects)],
                  ["EXPERIMENT", *(clean(name) for name in columns)])
    click.echo()
    click.echo(same_text(table))
    for text in within_texts(table)[:_SHOWN_RULES]:
        click.echo(f"not counted: {clean(text)}")
    for name in names[:_SHOWN_RULES]:
        rule = rules[name]
        click.echo(f"{clean(name)}: {count_text(table.results[name])}")
        click.echo(f"  {clean(rule.sentence if rule else NO_RULE)}")
    if len(names) > _SHOWN_RULES:
        click.echo(f"and {len(names) - _SHOWN_RULES} more (--json has all)")


def print_parted(parted: "list[Parted]", first: str) -> None:
    """For experiments that parted from the first alike: where each process did, and why each output differs."""
    click.echo()
    click.echo(f"where they parted from {clean(first)}, which is the first of each two" if parted else "none of them was given anything else than the first")
    for each in parted:
        names = ", ".join(map(clean, each.names[:_SHOWN_NAMES]))
        click.echo(f"  {names}{f' and {len(each.names) - _SHOWN_NAMES} more' if len(each.names) > _SHOWN_NAMES else ''}")
        sentences = [parting.sentence for parting in each.partings], [cause.sentence for cause in each.causes]
        for some in sentences:
            for sentence in some[:_SHOWN]:
                click.echo(f"    {clean(sentence)}")
            if len(some) > _SHOWN:
                click.echo(f"    and {len(some) - _SHOWN} more (--json has all)")
        if not any(sentences):
            click.echo("    no log says where")


def print_matrix(table: "Table") -> None:
    """In how many outputs each two experiments differ."""
    names = [subject.name for subject in table.subjects]
    rows = [[name, *(str(sum(groups[at] != groups[other] for groups in table.results.values())) for other in range(len(names)))]
            for at, name in enumerate(names)]
    print_columns(rows, ["", *names], right=range(1, len(names) + 1))


def print_csv(table: "Table") -> None:
    """A row for each experiment: what it was given otherwise than others, and the group of each output."""
    from rex.expdiff.showing import letter
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["experiment", *(f"{kind} {name}" for kind, name in table.facts), *table.results])
    for at, subject in enumerate(table.subjects):
        row = [subject.name, *(values[at] for values in table.facts.values()), *(letter(groups[at]) for groups in table.results.values())]
        writer.writerow([clean(text) for text in row])


def write_pictures(drawings: "Iterable[Drawing]", folder: str) -> None:
    """Write pictures of how outputs differ, each by the names of the output and the two experiments.

    Raises:
        OSError: they cannot be written.
    """
    import os
    import re
    os.makedirs(folder, exist_ok=True)
    count = 0
    for each in drawings:
        if isinstance(each.picture, str):
            click.echo(f"rex: no picture of {clean(each.output)}: {clean(each.picture)}", err=True)
            continue
        name = re.sub(r"[^\w.+-]+", "_", f"{each.output}-{each.left}-{each.right}", flags=re.ASCII)[-_NAME_CHARS:]
        with open(os.path.join(folder, name + each.picture.suffix), "wb") as file:
            file.write(each.picture.data)
        count += 1
    click.echo(f"rex: {count} picture{'s' * (count != 1)} of what differs in {clean(folder)}", err=True)


def as_json(table: "Table", rules: "dict[str, Rule | None]", parted: "list[Parted] | None") -> dict[str, Any]:
    """The comparison for machines."""
    return {**({"parted": [each.as_json() for each in parted]} if parted is not None else {}), "same": table.is_same, "experiments": [subject.name for subject in table.subjects],
            "given": [{"kind": kind, "name": name, "values": values} for (kind, name), values in table.facts.items()],
            "outputs": [{"name": name, "distinct": len(set(groups)), "contents": table.contents.get(name, len(set(groups))), "groups": groups,
                         "rule": {"kind": rule.fact[0], "name": rule.fact[1], "unexplained": rule.wrong, "sentence": rule.sentence}
                         if (rule := rules.get(name)) else None} for name, groups in table.results.items()]}


@click.command("compare", epilog="Example: rex compare EXP --where model=small   Exit: 0 all gave the same, 1 different, 2 trouble.")
@click.argument("refs", metavar="ARCHIVE[:EXP] [EXP]...", nargs=-1)
@click.option("--where", multiple=True, metavar="K=V", help="Only experiments with this label; V may be a pattern. Also K!=V, and K alone.")
@click.option("--against", metavar="ARCHIVE:EXP", help="The first of the table, with which the others are compared.")
@click.option("--parted", "is_parted", is_flag=True, help="Say where each process was first given something else than in the first experiment; reads all logs.")
@click.option("--html", metavar="FILE", help="Write the comparison as a page to FILE, with pictures of how pictures differ.")
@click.option("--pictures", metavar="DIR", help="For outputs that are pictures or PDF write to DIR a picture of each difference.")
@click.option("--matrix", is_flag=True, help="Print in how many outputs each two experiments differ.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a row for each experiment as CSV.")
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")
@quietable
@tolerance_options
@named_by_options("refs", is_many=True)
@guarded
def command(refs: tuple[str, ...], where: tuple[str, ...], against: str | None, is_parted: bool, html: str | None, pictures: str | None, matrix: bool, as_csv: bool, is_json: bool, rules: GivenRules) -> int:
    """Compare many experiments: who was given the same, who gave the same,
    and which argument, input, library or variable separates the results of each output best.
    Equal letters stand for equal contents, A for what the first experiment has.

    Outputs that differ within --rtol, --atol and the like, or the rules of the first archive, are in one group with the first of it."""
    from rex.contents.rules import Rules
    from rex.expdiff.many import tabulate
    from rex.expdiff.parted import find_parted
    from rex.expdiff.separating import separate
    if against:
        named_ref(against)
        refs = (against, *(refs if len(refs) > 1 or parse_ref(refs[0]).experiment else (f"{refs[0]}:*",)))
    if is_parted and (matrix or as_csv) and html is None:
        raise UsageError("--parted has no place in a matrix or in CSV", "", "leave one of them out, or add --html FILE")
    subjects, wanted = chosen(refs, where), rules_for(parse_ref(refs[0]).archive, rules) or Rules()
    table = tabulate(subjects, wanted)
    found = {name: separate(name, groups, table) for name, groups in table.results.items()}
    parted = find_parted(subjects, wanted, found) if is_parted else None
    if pictures is not None or html is not None:
        from rex.expdiff.pictures import draw_differences
        drawings = list(draw_differences(table))
        if pictures is not None:
            write_pictures(drawings, pictures)
        if html is not None:
            from rex.web.many import write_page
            write_page(html, table, found, parted, drawings, words_of(wanted))
    if is_json:
        print_json(as_json(table, found, parted))
    elif as_csv:
        print_csv(table)
    elif matrix:
        print_matrix(table)
    else:
        if wanted.is_set:
            click.echo(f"rules: {clean(command_text(words_of(wanted)))}")
        print_table(table, found)
        if parted is not None:
            print_parted(parted, subjects[0].name)
    return 0 if table.is_same else 1
