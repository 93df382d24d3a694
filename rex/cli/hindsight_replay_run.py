"""What `rex hindsight replay` does, once its words were read."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

from rex.cli.ending import say
from rex.errors import OwnFailure, UsageError
from rex.types import format_duration

if TYPE_CHECKING:
    from rex.hindsight.choice import Options
    from rex.hindsight.plan import Plan
    from rex.hindsight.replay import Findings
    from rex.hindsight.workers import Cluster, Workers


def require() -> None:
    """Say what is missing that the commands need.

    Raises:
        UsageError: something is.
    """
    missing = [name for name in ("cloudpickle", "numpy", "xxhash") if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"rex hindsight needs {', '.join(missing)}", "not installed beside Rex",
                         "install it with: pip install 'rex[hindsight]'")


def run(archive: str = "__default", experiment: str | None = None, jobs: int | None = None, dask: str = "", epochs: str | None = None,
        verify: int = 0, no_skip: bool = False, allow_changes: bool = False, allow_divergence: bool = False, yes: bool = False,
        script: str | None = None) -> int:
    """Answer the statements that were added; the exit status."""
    require()
    from rex.hindsight.choice import Options
    options = Options(script, archive, experiment, jobs, parse_epochs(epochs), allow_changes, not no_skip, verify, dask)
    try:
        return plan_and_replay(options, allow_divergence, yes)
    except (UsageError, OwnFailure) as error:
        for note in getattr(error, "__notes__", ()):
            print(note, file=sys.stderr, end="", flush=True)
        raise


def count(number: int, word: str) -> str:
    """So many of these, in words."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def plan_text(plan: "Plan") -> str:
    """What a replay will do, in one line."""
    workers = len(plan.pieces)
    kind = "inner probe" if plan.is_inner else "outer probe" if plan.probes else \
        "nothing was added to the script, so this only checks"
    parts = [f"{kind}: "]
    if plan.skips:
        parts.append(f"{count(plan.skips, 'inner loop')} skipped, ")
    parts.append(f"{count(workers, 'worker')}, about "
                 f"{format_duration(max([piece.run_s for piece in plan.pieces], default=0.0))}")
    return "".join(parts)


def print_event(event: dict[str, Any]) -> None:
    """Show what a probe printed or logged."""
    if event["e"] == "value":
        print(f"{event['name']} {event['value']}", flush=True)
        return
    stream = sys.stdout if event["fd"] == 1 else sys.stderr
    stream.flush()
    stream.buffer.write(event["text"].encode("utf-8", "surrogateescape"))
    stream.flush()


def plan_and_replay(options: "Options", allow_divergence: bool, yes: bool) -> int:
    """Say what will be done, do it, keep it, and give the verdict; the exit status."""
    from rex.hindsight.choice import find_recorded
    from rex.hindsight.workers import begin
    recorded = find_recorded(options)
    with begin(options, recorded) as workers:
        from rex.hindsight.plan import make_plan     # a worker imports meanwhile
        plan = make_plan(options, recorded, options.jobs or workers.count)
        say(f"rex: {options.archive}:{plan.experiment.name}: {plan_text(plan)}")
        if plan.expected_s > 60 and sys.stdin.isatty() and not yes:
            import click     # few runs are so long
            try:
                click.confirm("rex: go on?", abort=True, err=True)
            except click.Abort:
                raise KeyboardInterrupt from None
        findings, name = replay_and_keep(plan, options, workers)
    return verdict(findings, f"{options.archive}:{name}", allow_divergence)


def replay_and_keep(plan: "Plan", options: "Options", workers: "Workers | Cluster") -> tuple["Findings", str]:
    """Do what was planned; what was found, and the name under which that is kept."""
    import time
    from rex.archive import Archive
    from rex.hindsight.kept import KeptReplay
    from rex.hindsight.replay import run_plan
    kept, begun_s = KeptReplay(Archive.open(options.archive), plan, plan.sources), time.monotonic()

    def take(event: dict[str, Any]) -> None:
        kept.add(event)
        print_event(event)

    try:
        findings = run_plan(plan, options, workers, take)
    except BaseException:
        kept.abandon()
        raise
    kept.finish(findings, time.monotonic() - begun_s)
    return findings, kept.name


def verdict(findings: "Findings", where: str, is_allowed: bool) -> int:
    """Say what the check found; the exit status."""
    for note in findings.notes.values():
        say(f"rex: {note}")
    if not findings.diverged:
        say(f"rex: as recorded: output equal, state equal at {count(findings.checked, 'checkpoint')}, "
            f"{count(findings.skipped, 'loop')} skipped; kept as {where}")
        return 0
    first = findings.diverged[0]
    what = first["names"][0] if first["what"] == "state" else "output"
    when = f"in iteration {first['iteration']}" if first["iteration"] >= 0 else "outside the main loop"
    say(f"rex: {what} differs from the recording {when} (seen at {first['position']})")
    if first["what"] == "output":
        say(f"rex: recorded: {first['recorded']!r}\nrex: now:      {first['now']!r}")
    return 0 if is_allowed else 20


def parse_epochs(text: str | None) -> tuple[int, int] | None:
    """From and until of A:B; either may be left out, and A alone is one.

    Raises:
        UsageError: it is no range.
    """
    if text is None:
        return None
    low, colon, high = text.partition(":")
    try:
        start = int(low or 0)
        stop = int(high) if high else 1 << 60
    except ValueError:
        raise UsageError(f"not a range of iterations: {text}", "", "write 40:60") from None
    return (start, stop) if colon else (start, start + 1)
