"""rex expdiff"""

from __future__ import annotations

import json
import traceback
from typing import TYPE_CHECKING, Any

import click

from rex.cli.table import clean, command_text, guarded, open_ref, print_columns, print_json
from rex.errors import RexError, UsageError

if TYPE_CHECKING:
    from rex.expdiff.difference import Comparison, Difference

_TROUBLE = 2
_SHOWN = 40           # differences of one component; --json has all
_VALUE_CHARS = 200
_COLOURS = {"-": "red", "+": "green", "@": "cyan"}


def compare_refs(refs: tuple[str, str], depth: int) -> "Comparison":
    """The comparison of two experiments by name."""
    from rex.expdiff.compare import Side, compare
    if depth > 2:
        raise UsageError("expdiff -d 3 is not there yet", "calls are not compared", "use -d 2")
    return compare(Side(*open_ref(refs[0])), Side(*open_ref(refs[1])), depth)


def trouble(error: RexError, as_json: bool) -> int:
    """Tell why there is no answer; never with the status that means `different`."""
    if as_json:
        click.echo(json.dumps(error.as_json()))
    click.echo(f"rex: {clean(str(error))}", err=True)
    return _TROUBLE


def value_text(item: str, value: Any) -> str:
    """A value in one line."""
    if isinstance(value, list):
        text = command_text(map(str, value)) if item.startswith("argument") else ", ".join(map(str, value))
    elif value is None:
        text = "(withheld)"
    else:
        text = str(value)
    text = clean(text)
    return text if len(text) <= _VALUE_CHARS else text[:_VALUE_CHARS] + "…"


def print_difference(difference: "Difference") -> None:
    """One difference: its item, then both values or what is known about its file."""
    is_file = isinstance(difference.left or difference.right, dict)
    where = {"only_left": ": only in the first", "only_right": ": only in the second"}.get(
        difference.kind, "")
    notes = [clean(note) for note in difference.notes]
    first = f": {notes.pop(0)}" if notes else ""
    click.echo(f"  {clean(difference.item)}{where}{first}")
    for note in notes:
        click.echo(f"    {note}")
    if not is_file:
        for sign, kind, value in (("-", "only_right", difference.left), ("+", "only_left", difference.right)):
            if difference.kind != kind:
                click.echo(click.style(f"    {sign} {value_text(difference.item, value)}", _COLOURS[sign]))
    print_bytes(difference.details)


def print_bytes(details: dict[str, Any]) -> None:
    """Which bytes differ, and the diff of texts."""
    if not details:
        return
    ranges = ", ".join(str(begin) if end == begin + 1 else f"{begin}-{end - 1}"
                       for begin, end in details["ranges"])
    more = details["ranges_count"] - len(details["ranges"])
    count = details["differing_bytes"]
    click.echo(f"    {count} byte{'' if count == 1 else 's'} differ{'s' if count == 1 else ''}: at {ranges}"
               + (f", and {more} more ranges" if more else ""))
    for line in details.get("diff", ()):
        click.echo(click.style("    " + "\t".join(map(clean, line.split("\t"))), _COLOURS.get(line[:1])))


def print_comparison(refs: tuple[str, str], found: "Comparison") -> None:
    """The answer, one line per component, then the details."""
    answer = "are the same" if found.is_same else "differ"
    click.echo(click.style(f"{clean(refs[0])} and {clean(refs[1])} {answer}", bold=True))
    rows = []
    for name, differences in found.components.items():
        count = len(differences)
        text = f"{count} differ{'s' if count == 1 else ''}" if count else "same"
        rows.append([name, text])
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        click.echo(f"  {name.ljust(width)}  " + click.style(text, "green" if text == "same" else "red"))
    if found.by_nature:
        names = ", ".join(clean(each.item) for each in found.by_nature)
        click.echo(f"  {'by nature'.ljust(width)}  {len(found.by_nature)} not counted: {names}")
    for name, differences in found.components.items():
        if differences:
            click.echo()
            click.echo(click.style(name, bold=True))
        for difference in differences[:_SHOWN]:
            print_difference(difference)
        if len(differences) > _SHOWN:
            click.echo(f"  and {len(differences) - _SHOWN} more (--json has all)")


@click.command("expdiff", epilog="Example: rex expdiff EXP:exp0 EXP:exp1   "
               "Exit: 0 same, 1 different, 2 trouble.")
@click.argument("left", metavar="ARCHIVE:EXP")
@click.argument("right", metavar="ARCHIVE:EXP")
@click.option("-d", "--depth", type=click.IntRange(1, 3), default=1, show_default=True,
              help="1: components and files that differ; 2: also their bytes; 3: also the calls (not there yet).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@guarded
def command(left: str, right: str, depth: int, as_json: bool) -> int:
    """Say what differs between two experiments: command, environment, machine,
    programs and libraries, inputs, outputs. Times and process ids never count.

    Files below working directories that differ are matched by their path from there."""
    try:
        found = compare_refs((left, right), depth)
    except RexError as error:
        return trouble(error, as_json)
    except OSError as error:
        return trouble(RexError("cannot read an archive", str(error)), as_json)
    except Exception:   # our own bug: its traceback must not end with the status of `different`
        traceback.print_exc()
        return _TROUBLE
    if as_json:
        print_json({"left": left, "right": right, **found.as_json()})
    else:
        print_comparison((left, right), found)
    return 0 if found.is_same else 1
