"""rex log"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Iterator

import click

from rex.cli.options import named_by_options
from rex.cli.table import guarded, open_ref
from rex.errors import UsageError
from rex.text import quoted

if TYPE_CHECKING:
    from rex.log import Event, LogReader
    from rex.log.choice import Choice

_BATCH_LINES = 512    # lines handed to the kernel at once


def event_json(number: int, event: "Event", pid: int | None) -> dict[str, Any]:
    """An event for machines; data is text in which bytes that are not UTF-8 are lone surrogates."""
    from rex import codec
    from rex.log.choice import call_name, paths_of
    from rex.log.records import FIELD_NAMES, NO_ARG
    from rex.syscalls.format import format_event
    return {"event": number, "task": event.task, "pid": pid, "call": call_name(event),
            "args": [f"{value:#x}" for value in event.args], "result": event.result,
            "time_s": event.time_ns / 1e9, "stream": event.stream,
            "paths": paths_of(event), "text": format_event(event),
            "fields": [{"arg": None if arg == NO_ARG else arg, "type": FIELD_NAMES.get(kind, str(kind)),
                        "data": codec.text(data)} for arg, kind, data in event.fields]}


def lines(reader: "LogReader", choice: "Choice", as_json: bool, times: bool,
          around: int | None) -> Iterator[str]:
    """What to print, line by line."""
    from rex.log.choice import chosen_events
    from rex.syscalls.format import format_event
    width = len(str(reader.count)) if reader.count else 7
    for number, event in chosen_events(reader, choice):
        if as_json:
            yield json.dumps(event_json(number, event, choice.pids.get(event.task)))
            continue
        mark = ">" if number == around else " " if around is not None else ""
        when = f"{event.time_ns / 1e9:.6f} " if times else ""
        yield f"{mark}{number:{width}} {event.task:3}  {when}{format_event(event)}"


def write_lines(found: Iterator[str]) -> None:
    """Write lines in batches: one write for each would cost more than to format it."""
    batch: list[str] = []
    for line in found:
        batch.append(line)
        if len(batch) >= _BATCH_LINES:
            sys.stdout.write("\n".join(batch) + "\n")
            batch.clear()
    if batch:
        sys.stdout.write("\n".join(batch) + "\n")


@click.command("log", epilog="Example: rex log EXP:exp0 --call %file --path '*.csv'   "
               "Exit: 0 done, 2 bad request, 10 no such experiment, 12 format too new, 13 log damaged.")
@click.argument("ref", metavar="[ARCHIVE[:EXP]]", default="__default")
@click.option("--task", type=click.IntRange(min=0), help="Only this task (thread), as the log numbers it.")
@click.option("--pid", type=click.IntRange(min=0), help="Only the process that had this process id.")
@click.option("--path", "pattern", metavar="GLOB",
              help="Only calls that name such a path, or use a stream that was opened by it.")
@click.option("--call", "names", multiple=True, metavar="NAME",
              help="Only these calls: openat, 'open*', %file, signal; may be repeated.")
@click.option("--around", type=click.IntRange(min=0), metavar="N",
              help="Event N and 20 on either side.")
@click.option("-t", "--times", is_flag=True, help="Also seconds since the start.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@named_by_options("ref")
@guarded
def command(ref: str, task: int | None, pid: int | None, pattern: str | None, names: tuple[str, ...],
            around: int | None, times: bool, as_json: bool) -> int:
    """Print the syscall log of an experiment in strace's notation: event
    number, task, call. Unfinished experiments have one too."""
    from rex.log import LogReader
    from rex.log.choice import Choice, find_calls
    _, experiment = open_ref(ref)
    if experiment.is_session:
        raise UsageError(f"{experiment.name} is a notebook session", "no system call was logged",
                         f"see: rex notebook log {quoted(ref)}")
    choice = Choice(find_calls(names), task, pid, pattern, around)
    with LogReader(experiment.open_log()) as reader:
        if around is not None and reader.is_finished and around >= reader.count:
            raise UsageError(f"there is no event {around}", f"the log has {reader.count} events")
        write_lines(lines(reader, choice, as_json, times, around))
        if not reader.is_finished:
            sys.stdout.flush()
            click.echo(f"rex: the log of {experiment.name} is unfinished: the experiment is "
                       f"{experiment.state}", err=True)
    return 0
