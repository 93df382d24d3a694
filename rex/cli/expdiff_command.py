"""rex expdiff"""

from __future__ import annotations

import json
import traceback
from typing import TYPE_CHECKING, Any

import click

from rex.cli.given_rules import GivenRules, rules_for
from rex.contents.rules import words_of
from rex.cli.options import named_by_options
from rex.cli.table import clean, command_text, guarded, open_ref, parse_ref, print_json, quietable
from rex.cli.tolerance import tolerance_options
from rex.errors import RexError

if TYPE_CHECKING:
    from rex.contents.rules import Rules
    from rex.expdiff.calls import ProcessCalls, Skipped
    from rex.expdiff.difference import Comparison, Difference

_TROUBLE = 2
_SHOWN = 40           # differences of one component; --json has all
_VALUE_CHARS = 200
_SHOWN_PROCESSES, _SHOWN_STRETCHES = 20, 10   # of the calls
_COLOURS = {"-": "red", "+": "green", "@": "cyan"}


def styled(text: str, style: str | None) -> str:
    """The text in a style of rich, as far as standard output shows any."""
    if not style:
        return text
    from rich.console import Console
    from rich.style import Style
    console = Console()
    system = {"standard": 1, "256": 2, "truecolor": 3, "windows": 4}.get(console.color_system or "")
    if system is None or console.no_color:
        return text
    from rich.color import ColorSystem
    return Style.parse(style).render(text, color_system=ColorSystem(system))


def compare_refs(refs: tuple[str, str], depth: int, rules: "Rules | None") -> "Comparison":
    """The comparison of two experiments by name; rules: what outputs may differ in."""
    from rex.contents.rules import Rules
    from rex.expdiff.compare import Side, compare
    return compare(Side(*open_ref(refs[0])), Side(*open_ref(refs[1])), depth, rules or Rules())


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
                click.echo(styled(f"    {sign} {value_text(difference.item, value)}", _COLOURS[sign]))
    print_bytes(difference.details)


def print_bytes(details: dict[str, Any]) -> None:
    """Which bytes differ, and the diff of texts."""
    if "ranges" in details:
        ranges = ", ".join(str(begin) if end == begin + 1 else f"{begin}-{end - 1}"
                           for begin, end in details["ranges"])
        more = details["ranges_count"] - len(details["ranges"])
        count = details["differing_bytes"]
        click.echo(f"    {count} byte{'' if count == 1 else 's'} differ{'s' if count == 1 else ''}: at {ranges}"
                   + (f", and {more} more ranges" if more else ""))
    for line in details.get("diff", ()):
        click.echo(styled("    " + "\t".join(map(clean, line.split("\t"))), _COLOURS.get(line[:1])))


def sentence_of(difference: "Difference") -> str:
    """What the comparison by meaning says of a difference that does not count."""
    return str(difference.details["verdict"]["sentence"])


def print_answer(refs: tuple[str, str], found: "Comparison") -> None:
    """The answer, one line per component, and why the outputs differ."""
    answer = "are the same" if found.is_same else "differ"
    click.echo(styled(f"{clean(refs[0])} and {clean(refs[1])} {answer}", "bold"))
    rows = [(name, len(differences)) for name, differences in found.components.items()]
    width = max(len(name) for name, _ in rows)
    for name, count in rows:
        text = f"{count} differ{'s' if count == 1 else ''}" if count else "same"
        click.echo(f"  {name.ljust(width)}  " + styled(text, "red" if count else "green"))
    if found.calls:
        count = len(found.calls.processes)
        text = "same" if not count else (f"{count} process{'' if count == 1 else 'es'} differ{'s' if count == 1 else ''}; "
                                         "how a program gets at its inputs is not counted")
        click.echo(f"  {'calls'.ljust(width)}  " + styled(text, "yellow" if count else "green"))
    for each in found.within:
        click.echo(f"  {'not counted'.ljust(width)}  {clean(each.item)}: {clean(sentence_of(each))}")
    if found.by_nature:
        names = ", ".join(clean(each.item) for each in found.by_nature)
        click.echo(f"  {'always differs'.ljust(width)}  {len(found.by_nature)} not counted: {names}")
    if found.causes:
        click.echo()
        click.echo(styled("why", "bold"))
    for cause in found.causes[:_SHOWN]:
        click.echo(f"  {clean(cause.sentence)}")
    if len(found.causes) > _SHOWN:
        click.echo(f"  and {len(found.causes) - _SHOWN} more (--json has all)")


def print_comparison(refs: tuple[str, str], found: "Comparison") -> None:
    """The answer, then the details."""
    print_answer(refs, found)
    for name, differences in found.components.items():
        if differences:
            click.echo()
            click.echo(styled(name, "bold"))
        for difference in differences[:_SHOWN]:
            print_difference(difference)
        if len(differences) > _SHOWN:
            click.echo(f"  and {len(differences) - _SHOWN} more (--json has all)")
    if found.calls and found.calls.processes:
        click.echo()
        click.echo(styled("calls", "bold"))
        for process in found.calls.processes[:_SHOWN_PROCESSES]:
            print_calls(process, found.calls.texts)
        if len(found.calls.processes) > _SHOWN_PROCESSES:
            click.echo(f"  and {len(found.calls.processes) - _SHOWN_PROCESSES} more processes (--json has all)")


def print_calls(process: "ProcessCalls", texts: tuple[dict[int, str], dict[int, str]]) -> None:
    """One process: how much is in step, then where it is not."""
    name = clean(process.name) or "a process"
    if process.left is None or process.right is None:
        place, task = ("second", process.right) if process.left is None else ("first", process.left)
        click.echo(f"  {name} (task {task}): only in the {place}, "
                   f"{process.skipped_left + process.skipped_right} calls")
        return
    tasks = str(process.left) if process.left == process.right else f"{process.left} / {process.right}"
    click.echo(f"  {name} (task {tasks}): {process.in_step} calls in step, {process.changed} with another outcome, "
               f"skipped {process.skipped_left} of the first and {process.skipped_right} of the second")
    for stretch in process.stretches[:_SHOWN_STRETCHES]:
        click.echo(styled("    @@ another outcome @@" if stretch.is_changed else "    @@ skipped @@", "cyan"))
        for sign, side, known in (("-", stretch.left, texts[0]), ("+", stretch.right, texts[1])):
            print_skipped(sign, side, known)
    if process.stretches_count > _SHOWN_STRETCHES:
        click.echo(f"    and {process.stretches_count - _SHOWN_STRETCHES} more places (--json has more)")


def print_skipped(sign: str, side: "Skipped", texts: dict[int, str]) -> None:
    """The calls of one side of a place where two logs part."""
    for event in side.events:
        click.echo(styled(f"    {sign} {event} {clean(texts.get(event, ''))}", _COLOURS[sign]))
    if side.count > len(side.events):
        click.echo(styled(f"    {sign} and {side.count - len(side.events)} more, up to event {side.last}",
                          _COLOURS[sign]))


@click.command("expdiff", epilog="Example: rex expdiff EXP:exp0 EXP:exp1   "
               "Exit: 0 same, 1 different, 2 trouble.")
@click.argument("left", metavar="ARCHIVE:EXP", required=False)
@click.argument("right", metavar="ARCHIVE:EXP", required=False)
@click.option("-d", "--depth", type=click.IntRange(1, 3), default=1, show_default=True,
              help="1: components and files that differ; 2: also their bytes; 3: also the calls that were skipped.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@quietable
@tolerance_options
@named_by_options("left", "right")
@guarded
def command(left: str, right: str, depth: int, as_json: bool, rules: GivenRules) -> int:
    """Say what differs between two experiments: command, environment, machine,
    programs and libraries, inputs, outputs; and for each output that differs the
    most probable reason. Times and process ids never count.

    Outputs that differ within --rtol, --atol and the like, or the rules of the first archive (rex rules), are named, but do not count: with nothing else the exit status is 0.

    Files below working directories that differ are matched by their path from there."""
    try:
        wanted = rules_for(parse_ref(left).archive, rules)
        found = compare_refs((left, right), depth, wanted)
    except RexError as error:
        return trouble(error, as_json)
    except OSError as error:
        return trouble(RexError("cannot read an archive", str(error)), as_json)
    except Exception:   # our own bug: its traceback must not end with the status of `different`
        traceback.print_exc()
        return _TROUBLE
    if as_json:
        print_json({"left": left, "right": right, **({"rules": wanted.as_json()} if wanted else {}), **found.as_json()})
    else:
        if wanted and wanted.is_set:
            click.echo(f"rules: {clean(command_text(words_of(wanted)))}")
        print_comparison((left, right), found)
    return 0 if found.is_same else 1
