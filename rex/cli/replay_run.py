"""What `rex replay` does, once its words were read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rex.cli.ending import end_like, say
from rex.errors import UsageError

if TYPE_CHECKING:
    from rex.replay import Outcome

_STREAMS = {2: "standard output", 3: "standard error"}
_RACE = "; what its threads do may depend on their order: record it with --serialize"


def verdict(outcome: "Outcome") -> tuple[int, str]:
    """The exit code of `--check` and the reason in words."""
    if not outcome.is_identical:
        parts = [f"{path}: {why}" for path, why in sorted(outcome.differing.items())]
        if outcome.difference:
            parts.append(difference_text(outcome))
        if not outcome.is_same_status:
            parts.append("the exit status differs")
        return (20 if outcome.divergences else 1), "; ".join(parts)
    if outcome.divergences:
        return 20, "the output is identical, but the log was not followed"
    return 0, "identical"


def difference_text(outcome: "Outcome") -> str:
    """The first output that is another one; a divergence, which is told of as well, has said why."""
    first = outcome.difference
    if not first:
        return ""
    race = _RACE if first.may_race and not outcome.divergence else ""
    return f"{_STREAMS.get(first.stream, 'output')} differs at event {first.event}{race}"


def divergence_text(outcome: "Outcome", archive: str) -> str:
    """The first divergence in one line."""
    first = outcome.divergence
    if not first:
        return ""
    return (f"replay diverged at event {first.event} ({first.why}): log has {first.logged}, "
            f"program asked for {first.asked}; see: rex log {archive}:{outcome.experiment.name} "
            f"--around {first.event}{_RACE if first.may_race else ''}")


def withheld_text(outcome: "Outcome") -> str:
    """What the program had when recorded and does not have now, where that may be why the replay is another one."""
    names = outcome.experiment.manifest.withheld
    if not names or not (outcome.divergence or outcome.difference or not outcome.is_same_status):
        return ""
    return f"withheld as it was recorded: {', '.join(names)}; where the program uses that, record it with --keep-env"


def as_json(outcome: "Outcome", archive: str) -> dict[str, Any]:
    """The outcome for machines."""
    code, reason = verdict(outcome)
    return {"archive": archive, "experiment": outcome.experiment.name, "outdir": outcome.outdir,
            "exit_status": outcome.experiment.manifest.exit_status if outcome.is_same_status
            else outcome.status, "check": code, "verdict": reason,
            "divergences": outcome.divergences,
            "divergence": vars(outcome.divergence) if outcome.divergence else None,
            "differing": outcome.differing, "problems": outcome.problems}


def run(archive: str = "__default", experiment: str | None = None, outdir: str = "__out_default", check: bool = False,
        sandbox: bool = False, all_versions: bool = False, cache: str | None = None, jobs: int = 1, dask: str = "",
        checkpoint: str = "fork", algorithm: str = "best", tolerance: float = 0.0, plan_path: str | None = None,
        store_url: str | None = None, resume: bool = False, complete: bool = False, json_wanted: bool = False,
        quiet: bool = False) -> int:
    """Replay, say what came of it; the exit status."""
    from rex.replay import replay
    if plan_path or store_url or resume or complete:
        from pathlib import Path
        from rex.cli.persist import run_plan
        if sandbox or all_versions or not plan_path or not store_url:
            raise UsageError("--persist and --store go together", "and without --sandbox and --all", "give both")
        return run_plan(archive, experiment, Path(plan_path), store_url, outdir, is_resumed=resume, is_complete=complete,
                        is_checked=check, is_quiet=quiet, as_json=json_wanted)
    if all_versions:
        from rex.cli.allversions import replay_versions
        if sandbox:
            raise UsageError("--all cannot run in a sandbox yet", "", "leave --sandbox out")
        if checkpoint != "fork":
            raise UsageError("checkpoints by CRIU are not possible", "CRIU must trace what it saves, a process has one "
                             "tracer, and that is Rex", "leave --checkpoint out: states are kept as forked processes")
        if experiment:
            raise UsageError("--all replays every version", f"-e names only {experiment}", "leave one of them out")
        return replay_versions(archive, outdir, cache, jobs, algorithm, tolerance, dask, check, json_wanted, quiet)
    outcome = replay(archive, experiment, outdir, is_quiet=check, is_checked=check or json_wanted,
                     is_sandboxed=sandbox)
    code, reason = verdict(outcome)
    if json_wanted:
        import json
        print(json.dumps(as_json(outcome, archive)))
    if outcome.divergence:
        say(f"rex: {divergence_text(outcome, archive)}")
    elif outcome.difference and not check:
        say(f"rex: {difference_text(outcome)}")
    for problem in filter(None, (withheld_text(outcome), *outcome.problems)):
        from rex.text import clean   # most have none
        say(f"rex: {clean(problem)}")
    if check:
        if not quiet:
            say(f"rex: {archive}:{outcome.experiment.name}: {reason}")
        return code
    if not quiet:
        say(f"rex: replayed {archive}:{outcome.experiment.name}; outputs in {outdir}")
    return end_like(outcome.status)
