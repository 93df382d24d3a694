"""rex runnew"""

from __future__ import annotations

import json
import os
import shlex
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Iterator

import click
from click.core import ParameterSource

from rex import limits
from rex.cli.ending import Report, end_like
from rex.cli.refs import either, is_archive_ref
from rex.cli.serving import PORT, open_pages
from rex.errors import UsageError
from rex.text import clean, quoted_ref
from rex.types import format_duration, format_size

if TYPE_CHECKING:
    from rex.archive import Experiment
    from rex.runnew import Changes, LiveUse, Run, RunOutcome, RunPlan

_OF_PAGE = ("archive", "experiment", "port", "no_browser", "sandbox")
_NAMED = 4      # of one kind, in the last line; --json names all


def pairs(texts: tuple[str, ...], option: str) -> dict[str, str]:
    """LEFT=RIGHT texts as a dictionary.

    Raises:
        UsageError: one has no =, or LEFT is there twice.
    """
    found: dict[str, str] = {}
    for text in texts:
        left, equals, right = text.partition("=")
        if not equals or not left:
            raise UsageError(f"{option} {text} makes no sense", "it has no =" if not equals else
                             "nothing stands before =", "see: rex runnew --help")
        if left in found:
            raise UsageError(f"{option} {left} is given twice")
        found[left] = right
    return found


def new_command(experiment: "Experiment", arguments: str | None, command: tuple[str, ...]) -> tuple[str, ...] | None:
    """The command that --args or the words behind -- ask for; None leaves it.

    Raises:
        UsageError: both are given, or a quotation is not closed.
    """
    if arguments is None:
        return command or None
    if command:
        raise UsageError("--args and a command make no sense together", "", "give one of them")
    try:
        return (experiment.manifest.command[0], *shlex.split(arguments))
    except ValueError as error:
        raise UsageError(f"--args {arguments!r} cannot be split into words", str(error),
                         "close the quotation, or escape it") from None


def plan_json(plan: "RunPlan") -> dict[str, Any]:
    """What would run, for machines."""
    return {"archive": plan.archive.path, "from": plan.experiment.name, "command": list(plan.command),
            "program": plan.program, "cwd": plan.cwd, "environment": plan.environment,
            "outdir": plan.outdir, "record": plan.is_recorded, "changes": plan.describe(),
            "sources": [vars(source) for source in plan.sources]}


def print_plan(plan: "RunPlan") -> None:
    """What would run, and where each file is from."""
    from rex.cli.table import print_columns
    click.echo(f"would run {shlex.join(plan.command)}")
    click.echo(f"in        {plan.cwd}")
    for line in plan.describe() or ["nothing is changed"]:
        click.echo(f"change    {line}")
    click.echo()
    rows = [(source.origin, source.role, format_size(source.size), source.path, source.local)
            for source in sorted(plan.sources, key=lambda s: (s.origin == "archive", s.role != "program", s.path))]
    print_columns(rows, ("from", "role", "size", "path", "local file"), right=(2,))


def named(texts: list[str]) -> str:
    """A few of many, and how many more."""
    more = len(texts) - _NAMED
    return ", ".join(texts[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def summary(plan: "RunPlan", outcome: "RunOutcome", archive: str) -> str:
    """The last line: what was changed, what came of it, what of this machine was used."""
    changes = len(plan.describe())
    parts = [f"ran {archive}:{plan.experiment.name} with {changes or 'no'} change{'' if changes == 1 else 's'} in "
             f"{format_duration(outcome.duration_s)}"]
    outputs = [path for path, _ in outcome.outputs]
    parts.append(f"{len(outputs)} output{'' if len(outputs) == 1 else 's'} in {plan.outdir}: {named(outputs)}" if outputs else "it wrote no files")
    parts.append("of this machine: " + (live_text(outcome.live_uses) or "nothing"))
    if outcome.is_cancelled:
        parts.append("cancelled" + (", not recorded" if plan.is_recorded else ""))
    if outcome.experiment:
        parts.append(f"recorded as {archive}:{outcome.experiment}; compare with: "
                     f"rex expdiff {quoted_ref(archive, plan.experiment.name)} {quoted_ref(archive, outcome.experiment)}")
    return clean("; ".join(parts))


def live_text(uses: "tuple[LiveUse, ...]") -> str:
    """The uses of the live system, by kind."""
    by_kind: dict[str, list[str]] = {}
    for use in uses:
        by_kind.setdefault(use.kind, []).append(use.what)
    return ", ".join(" ".join(filter(None, (kind, named(sorted(filter(None, whats)))))) for kind, whats in by_kind.items())


def outcome_json(plan: "RunPlan", outcome: "RunOutcome") -> dict[str, Any]:
    """What came of it, for machines."""
    return {"archive": plan.archive.path, "from": plan.experiment.name, "experiment": outcome.experiment,
            "outdir": plan.outdir, "exit_status": os.waitstatus_to_exitcode(outcome.status),
            "is_cancelled": outcome.is_cancelled, "duration_s": outcome.duration_s, "changes": plan.describe(),
            "outputs": [{"path": path, "file": file} for path, file in outcome.outputs],
            "live_uses": [{"kind": use.kind, "what": use.what} for use in outcome.live_uses],
            "notes": list(outcome.notes)}


def refuse_options_of_headless(command: tuple[str, ...]) -> None:
    """Refuse what the page would pass over in silence.

    Raises:
        UsageError: an option was given that only --headless knows.
    """
    context = click.get_current_context()
    given = [parameter.opts[-1] if parameter.opts[-1].startswith("-") else "a command"
             for parameter in context.command.params
             if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
             and parameter.name not in _OF_PAGE and (parameter.name != "command" or command)]
    if given:
        raise UsageError(f"{' and '.join(given)} without --headless", "the page asks for it itself",
                         "add --headless, or leave it out")


@contextmanager
def signals_given_to(end: Callable[[], None]) -> Iterator[None]:
    """Whoever interrupts or ends us ends the run instead, in order."""
    saved = {number: signal.signal(number, lambda _number, _frame: end())
             for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
             if signal.getsignal(number) is not signal.SIG_IGN}
    try:
        yield
    finally:
        for number, handler in saved.items():
            signal.signal(number, handler)


def run_headless(plan: "RunPlan", archive: str, is_sandboxed: bool, told: Report, as_json: bool, quiet: bool, reuse: str | None = None, explains: bool = False) -> int:
    """Run the plan on our standard streams; the exit status to end with."""
    from contextlib import ExitStack
    from rex.cli.reuse_summary import run_gate, run_summary
    from rex.runnew import start
    asked: list[bool] = []
    running: "list[Run]" = []

    def end() -> None:
        asked.append(True)
        for each in running:
            each.cancel()

    with ExitStack() as stack:
        gate = stack.enter_context(run_gate(plan.archive, reuse == "strict", explains)) if reuse else None
        with signals_given_to(end):
            running.append(start(plan, is_sandboxed=is_sandboxed, gate=gate))
            if asked:                        # while it started
                running[0].cancel()
            outcome = running[0].wait()
        reused = run_summary(gate, plan.archive, outcome.experiment) if gate else None
    facts = {**outcome_json(plan, outcome), **({"reuse": reused.as_json()} if reused else {})}
    told.write(facts)
    if as_json:
        click.echo(json.dumps(facts))
    if not quiet:
        for note in outcome.notes:
            click.echo(f"rex: {note}", err=True)
        if reused:
            for line in [*(reused.reasons() if explains else ()), reused.describe()]:
                click.echo(f"rex: {clean(line)}", err=True)
        click.echo(f"rex: {summary(plan, outcome, archive)}", err=True)
    return 130 if outcome.is_cancelled else end_like(outcome.status)


@click.command(context_settings={"allow_interspersed_args": True},
               epilog="Example: rex runnew -l EXP --headless --args 'in.seq in.db blastp' --app blastp=/opt/new/blastp "
                      "-o out --record   Exit: the program's; 125 Rex failed or refused, 126 not executable, "
                      "127 not found, 130 cancelled.")
@click.option("-l", "--archive", default="__default", show_default=True, help="The archive.")
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(1, 65535),
              help="Port of the page; the next free one if it is taken.")
@click.option("--no-browser", is_flag=True, help="Print an address, good once, instead of opening a browser.")
@click.option("--headless", is_flag=True, help="Run here and now, without the page; all options below but -e and --sandbox are for this.")
@click.option("-e", "--experiment", metavar="EXP", help="Which experiment to start from (the default one).")
@click.option("-o", "--outdir", help="Where output goes, each file at its absolute path below; must be empty.")
@click.option("--args", "arguments", metavar="WORDS", help="New arguments for the program, instead of all that it had; "
              "split as a shell does, but no shell runs. For another program: -- COMMAND...")
@click.option("--cwd", metavar="DIR", help="Another working directory, as a path of the experiment.")
@click.option("--env", multiple=True, metavar="K=V", help="Set a variable.")
@click.option("--unset", multiple=True, metavar="K", help="Remove a variable.")
@click.option("--file", "files", multiple=True, metavar="ORIG=NEW", help="Read NEW, a file or folder here, where the experiment read ORIG.")
@click.option("--app", "apps", multiple=True, metavar="ORIG=NEW",
              help="Take program or library ORIG from NEW, a file here; a program's bare name will do for ORIG.")
@click.option("--add", "added", multiple=True, metavar="PATH=NEW", help="Add NEW, a file or folder here, as PATH.")
@click.option("--sandbox", is_flag=True,
              help="Let the programs see nothing of this machine but their own files, those given here, and OUTDIR; refused where the "
                   "kernel does not let users make namespaces.")
@click.option("--record", is_flag=False, flag_value="", metavar="[NAME]",
              help="Add the run to the archive, as NAME or the next free name.")
@click.option("--reuse", is_flag=False, flag_value="yes", metavar="[=strict]", type=click.Choice(["yes", "strict"]),
              help="Do not run what the archive has and nothing has changed for, as `rex record --reuse`.")
@click.option("--explain", is_flag=True, help="With --reuse: tell why each program that ran was not put back.")
@click.option("--plan", "plan_only", is_flag=True, help="Print what would run and from where, and stop.")
@click.option("--report", metavar="FILE", help="Write a report as JSON to FILE, apart from the program's own streams.")
@click.option("--json", "as_json", is_flag=True, help="Print a report as JSON (last on standard output).")
@click.option("-q", "--quiet", is_flag=True, help="No summary line.")
@click.argument("command", metavar="[ARCHIVE[:EXP]] [-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
def command(archive: str, port: int, no_browser: bool, headless: bool, experiment: str | None, outdir: str | None,
            arguments: str | None, cwd: str | None, sandbox: bool, record: str | None, reuse: str | None, explain: bool, plan_only: bool, report: str | None,
            as_json: bool, quiet: bool, command: tuple[str, ...], **given: tuple[str, ...]) -> int:
    """Run a new experiment: an archived one with changes.

    Without --headless this opens a page in the browser. Everything that is not changed comes from the archive;
    where it has no answer (time, randomness, files that it lacks), this machine is used, and the last line names
    each such use. Nothing outside OUTDIR changes.

    This runs the programs of the archive with your rights: run only what you trust, or use --sandbox."""
    if command and is_archive_ref(command[0]):   # no program has such a name
        (archive, experiment), command = either(command[0], archive, experiment), command[1:]
    if not headless and not plan_only:
        refuse_options_of_headless(command)
        return open_pages(archive, port, no_browser, experiment, sandbox)
    if not outdir and not plan_only:
        raise UsageError("--headless needs an output directory", "", "add: -o OUTDIR")
    if explain and not reuse:
        raise UsageError("--explain without --reuse", "then every program runs", "leave it out, or add --reuse")
    if reuse and sandbox:
        raise UsageError("--reuse does not go with --sandbox", "steps are put back from outside the sandbox", "leave one of them out")
    from rex.archive import Archive
    from rex.runnew import plan_run
    with limits.counting(), Report(report) as told:
        source = Archive.open(archive)
        chosen = source.experiment(experiment)
        plan = plan_run(source, chosen, _changes(chosen, arguments, command, cwd, given), outdir or "",
                        is_recorded=record is not None, name=record or None)
        if plan_only:
            told.write(plan_json(plan))
            click.echo(json.dumps(plan_json(plan))) if as_json else print_plan(plan)
            return 0
        return run_headless(plan, archive, sandbox, told, as_json, quiet, reuse, explain)


def _changes(experiment: "Experiment", arguments: str | None, command: tuple[str, ...], cwd: str | None,
             given: dict[str, tuple[str, ...]]) -> "Changes":
    from rex.runnew import Changes
    return Changes(args=new_command(experiment, arguments, command), cwd=cwd, env_set=pairs(given["env"], "--env"),
                   env_unset=given["unset"], files=pairs(given["files"], "--file"),
                   apps=pairs(given["apps"], "--app"), added=pairs(given["added"], "--add"))
