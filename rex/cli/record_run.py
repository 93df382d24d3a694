"""What `rex record` does, once its words were read."""

from __future__ import annotations

import contextlib
import os
import sys
import threading

from rex.cli.ending import Report, end_like, say
from rex.errors import UsageError
from rex.hints import TYPE_CHECKING, Any, Callable, Iterator
from rex.text import clean, quoted
from rex.types import format_duration, format_size

if TYPE_CHECKING:
    from rex.archive import Recording
    from rex.recorder import Outcome

_SILENT_S, _LOOK_S = 1.0, 0.1   # after the program's end; between looks at what was kept


@contextlib.contextmanager
def cells_file(named: str) -> Iterator[str]:
    """The notebook or script itself; of a notebook session ARCHIVE:EXP, its cells in a file meanwhile."""
    archive, _, name = named.rpartition(":")
    if os.path.exists(named) or not name or not os.path.isdir(archive):
        yield named
        return
    import tempfile
    from rex.archive import Archive, Content
    from rex.notebook import document
    from rex.notebook.index import read_graph
    opened = Archive.open(archive)
    graph = read_graph(opened.experiment(name))
    found = document.build(graph, graph.head, lambda ref: opened.read(Content(*ref)))
    with tempfile.TemporaryDirectory(prefix="rex-") as folder:
        path = os.path.join(folder, f"{name}.ipynb")
        document.write(document.without_magics(found), path)
        yield path


@contextlib.contextmanager
def shown_after(is_quiet: bool) -> Iterator[Callable[[Recording], None] | None]:
    """What is to be called when the program has ended: if work lasts a second from then, a line on the terminal shows that."""
    if is_quiet or not sys.stderr or not sys.stderr.isatty():
        yield None
        return
    is_over, threads = threading.Event(), []

    def begin(recording: Recording) -> None:
        threads.append(threading.Thread(target=_show, args=(recording, is_over), daemon=True))
        threads[0].start()

    try:
        yield begin
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def _show(recording: Recording, is_over: threading.Event) -> None:
    if is_over.wait(_SILENT_S):
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn
    with Progress("{task.description}", SpinnerColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        while not is_over.wait(_LOOK_S):
            bar.update(task, description=f"rex: the program has ended, keeping its files: {format_size(recording.new_bytes)}")


def redacted_arguments(outcome: Outcome) -> list[int]:
    """The numbers of the arguments that stand in the archive as placeholders."""
    return outcome.manifest.extra.get("record", {}).get("redacted", [])


def verified(outcome: Outcome, archive: str) -> tuple[bool, str]:
    """Replay a recording at once and note in the archive what came of it: whether it is identical, and the reason in words."""
    import tempfile
    from rex.archive import Archive, about
    from rex.cli.replay_run import verdict
    from rex.replayer import replay
    name = outcome.experiment.name
    with tempfile.TemporaryDirectory(prefix="rex-verify-") as outdir:
        done = replay(archive, name, os.path.join(outdir, "out"), is_quiet=True, is_checked=True)
    code, reason = verdict(done)
    about.set_verified(Archive.open(archive), name, code == 0, reason, outcome.manifest.engine)
    return code == 0, reason


def verify_text(is_identical: bool, reason: str, has_left_out: bool, is_serialized: bool) -> str:
    """What a replay found, and what to do."""
    if is_identical:
        return "verified: a replay is identical"
    advice = ("record it without --exclude" if has_left_out else "see docs/known-issues.md" if is_serialized else
              "record it with --serialize")
    return f"NOT verified: a replay differs: {reason}; {advice}"


def facts_of(outcome: Outcome, archive: str, count_cells: int | None) -> dict[str, Any]:
    """What was recorded, for machines; the number of cells where it was by cells."""
    manifest = outcome.manifest
    return {"archive": archive, "experiment": outcome.experiment.name, "duration_s": manifest.duration_s,
            "exit_status": manifest.exit_status, **({} if count_cells is None else {"cells": count_cells}), **manifest.counts,
            "stored_bytes": outcome.stored_bytes, "withheld": list(manifest.withheld), "redacted": redacted_arguments(outcome),
            "excluded": outcome.excluded, "hidden": outcome.hidden, "warnings": outcome.warnings}


def summary(outcome: Outcome, archive: str, count_cells: int | None) -> str:
    """What was recorded, in one line, and what to type next."""
    manifest, name = outcome.manifest, outcome.experiment.name
    redacted = redacted_arguments(outcome)
    withheld = f"; withheld {', '.join(manifest.withheld)}" if manifest.withheld else ""
    withheld += f"; redacted argument{'s' if len(redacted) > 1 else ''} {', '.join(map(str, redacted))}" if redacted else ""
    withheld += f"; left out {', '.join(outcome.excluded)}" if outcome.excluded else ""
    withheld += f"; hid {', '.join(outcome.hidden)} from listings" if outcome.hidden else ""
    count = manifest.counts["processes"]
    next_step = (f"replay with: rex replay -l {quoted(archive)} -e {name}" if count_cells is None else
                 f"see: rex tree -l {quoted(archive)}")
    cells = "" if count_cells is None else f"{count_cells} cell{'s' if count_cells != 1 else ''}, "
    return (f"recorded {clean(archive)}:{name} in {format_duration(manifest.duration_s)}: "
            f"{cells}{count} process{'es' if count != 1 else ''}, {manifest.counts['files']} files, "
            f"{format_size(outcome.stored_bytes)} stored{clean(withheld)}; {next_step}")


def run(command: tuple[str, ...], archive: str = "__default", experiment: str | None = None, keep_env: tuple[str, ...] = (),
        drop_env: tuple[str, ...] = (), exclude: tuple[str, ...] = (), cells: bool = False, seed: int = 0,
        serialize: bool = False, redact: bool = False, label: tuple[str, ...] = (), note: str = "", verify: bool = False,
        reuse: str | None = None, recheck: int = 0, explain: bool = False, against: str | None = None, report: str | None = None, as_json: bool = False, quiet: bool = False) -> int:
    """Record, say what was recorded; the exit status."""
    from rex.recorder import Options, record
    options = Options(list(command), archive, experiment, keep_env, drop_env, exclude,
                      serialize=serialize, redact=redact)
    if label or note:
        from rex.archive import about
        from rex.cli.options import parse_labels
        options.extra = about.facts(parse_labels(label), note)
    if (reuse and (cells or redact or serialize)) or (recheck or explain) and not reuse:
        raise UsageError("--reuse does not go with --cells, --redact and --serialize, nor --recheck and --explain without it", "", "leave one of them out")
    if against:
        from rex.cli.record_against import compare_with, named, watch
        if cells or redact or reuse:
            raise UsageError("--against does not go with --cells, --redact and --reuse", "", "leave it out, and see: rex expdiff")
        earlier = named(against, archive)
        options.watch = watch(earlier, options)
    count_cells, reused = None, None
    with Report(report) as told:
        if cells:
            if redact:
                raise UsageError("--redact does not go with --cells", "cells are kept as they are", "leave one of them out")
            from rex.multiversion.recording import CellOptions, record_cells
            with cells_file(command[0]) as path:
                outcome, version = record_cells(CellOptions(path, list(command[1:]), seed), options)
            count_cells = len(version.cells)
        elif reuse:
            from rex.cli.reuse_summary import record_and_tell
            outcome, reused = record_and_tell(options, reuse == "strict", recheck, explain)
        else:
            with shown_after(quiet) as options.ended:
                outcome = record(options)
        found = verified(outcome, archive) if verify else None
        facts = {**facts_of(outcome, archive, count_cells), **({"reuse": reused.as_json()} if reused else {}), **({"verified": found[0], "verdict": found[1]} if found else {})}
        told.write(facts)
    if as_json:
        import json
        say(json.dumps(facts))
    elif not quiet:
        for warning in outcome.warnings:
            say(f"rex: {clean(warning)}")
        if found:
            say(f"rex: {clean(verify_text(*found, bool(outcome.excluded), serialize))}")
        if reused:
            for line in [*(reused.reasons() if explain else ()), reused.describe()]:
                say(f"rex: {clean(line)}")
        if against:
            say(f"rex: {clean(compare_with(earlier, archive, outcome.experiment.name))}")
        say(f"rex: {summary(outcome, archive, count_cells)}")
    return end_like(outcome.status)
