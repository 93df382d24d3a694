"""What `rex replay` does, once its words were read."""

from __future__ import annotations

import contextlib
import os

from rex import limits
from rex.cli.ending import Report, end_like, say
from rex.cli.given_rules import GivenRules, rules_for
from rex.cli.refs import either
from rex.errors import Diverged, UsageError
from rex.hints import TYPE_CHECKING, Any, Iterator, Mapping
from rex.text import clean, command_text, quoted_ref

if TYPE_CHECKING:
    from rex.contents.rules import Rules
    from rex.replayer import Outcome

DIVERGED = Diverged.code
DEFAULT_OUTDIR = "__out_default"
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
        return (DIVERGED if outcome.divergences else 1), "; ".join(parts)
    if outcome.divergences:
        return DIVERGED, "the output is identical, but the log was not followed"
    return 0, within_text(outcome.within)


def within_text(within: Mapping[str, str]) -> str:
    """What is said of outputs of which none differs more than the user allowed."""
    return "; ".join(["identical" if not within else "identical within tolerance", *(f"{name}: {said}" for name, said in sorted(within.items()))])


def difference_text(outcome: "Outcome") -> str:
    """The first output that differs; a divergence is reported as well, and says why."""
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
            f"program asked for {first.asked}; see: rex log {quoted_ref(archive, outcome.experiment.name)} "
            f"--around {first.event}{_RACE if first.may_race else ''}")


def withheld_text(outcome: "Outcome") -> str:
    """What the program had when recorded and does not have now, where that may be why the replay is another one."""
    names = outcome.experiment.manifest.withheld
    if not names or not (outcome.divergence or outcome.difference or not outcome.is_same_status):
        return ""
    return f"withheld as it was recorded: {', '.join(names)}; where the program uses that, record it with --keep-env"


def explain_to_user(outcome: "Outcome", archive: str) -> None:
    """What the rules did, where that was wanted, a line each."""
    if not outcome.explanation:
        return
    if outcome.divergence_rule:
        say(f"rex: at the divergence: {outcome.divergence_rule}")
    for line in outcome.explanation.lines(f"{archive}:{outcome.experiment.name}"):
        say(f"rex: {line}")


def as_json(outcome: "Outcome", archive: str, is_kept: bool) -> dict[str, Any]:
    """The outcome for machines; is_kept: the output directory stays."""
    code, reason = verdict(outcome)
    return {"archive": archive, "experiment": outcome.experiment.name, "outdir": outcome.outdir if is_kept else None,
            "exit_status": outcome.experiment.manifest.exit_status if outcome.is_same_status
            else outcome.status, "check": code, "verdict": reason,
            "divergences": outcome.divergences,
            "divergence": vars(outcome.divergence) if outcome.divergence else None,
            "rule": outcome.divergence_rule,
            **({"explanation": outcome.explanation.as_json()} if outcome.explanation else {}),
            "differing": outcome.differing, **({"within_tolerance": outcome.within} if outcome.within else {}), "problems": outcome.problems}


@contextlib.contextmanager
def output_directory(given: str | None, is_checked: bool, is_shared: bool) -> Iterator[str]:
    """Where outputs go; a check without -o has a directory that is removed in the end.

    Args:
        is_shared: other machines write there too, which see the current directory.
    """
    if given is not None or not is_checked:
        yield given or DEFAULT_OUTDIR
        return
    if is_shared:
        import tempfile   # few ask
        with tempfile.TemporaryDirectory(prefix=".rex-check-", dir=".") as path:
            yield path
        return
    from rex.cacheplace import cache_root
    from rex.archive.unpacked import WorkDirectory
    with contextlib.closing(WorkDirectory(cache_root())) as work:
        yield os.path.join(work.path, "out")


def run(archive: str = "__default", experiment: str | None = None, outdir: str | None = None, check: bool = False,
        sandbox: bool = False, explain: bool = False, all_versions: bool = False, cache: str | None = None, jobs: int = 1, dask: str = "",
        checkpoint: str = "fork", algorithm: str = "best", rtol: float | None = None, atol: float | None = None,
        ulps: int | None = None, ignore: tuple[str, ...] = (), formats: tuple[str, ...] = (), any_order: bool = False, no_rules: bool = False, plan_path: str | None = None,
        store_url: str | None = None, resume: bool = False, complete: bool = False, report: str | None = None,
        json_wanted: bool = False, quiet: bool = False, lenient: bool = False, deadline_s: float | None = None, ref: str | None = None) -> int:
    """Replay, say what came of it; the exit status."""
    archive, experiment = either(ref, archive, experiment)
    rules = GivenRules(rtol, atol, ulps, ignore, formats, any_order, no_rules)
    if rules.is_given and (not check or plan_path):
        raise UsageError("--rtol, --ignore and the like go with --check", "without --persist", "add --check")
    wanted = rules_for(archive, rules) if check else None
    with limits.counting(), Report(report) as told, output_directory(outdir, check, bool(dask)) as where:
        if plan_path or store_url or resume or complete:
            from pathlib import Path
            from rex.cli.persist import run_plan
            if sandbox or all_versions or not plan_path or not store_url:
                raise UsageError("--persist and --store go together", "and without --sandbox and --all", "give both")
            return run_plan(archive, experiment, Path(plan_path), store_url, where, is_resumed=resume, is_complete=complete,
                            is_checked=check, is_quiet=quiet, as_json=json_wanted, is_lenient=lenient, told=told)
        if all_versions:
            from rex.cli.allversions import replay_versions
            if sandbox:
                from rex.replayer import require_sandbox
                require_sandbox()
            if checkpoint != "fork":
                raise UsageError("checkpoints by CRIU are not possible", "CRIU must trace what it saves, a process has one "
                                 "tracer, and that is Rex", "leave --checkpoint out: states are kept as forked processes")
            if dask and deadline_s is not None:
                raise UsageError("--deadline is for this machine alone", "nobody knows how soon a cluster's workers are free",
                                 "leave --dask out, or --deadline")
            from rex.cli.allruns import kept_bytes, replay_runs, runs_to_replay
            runs = runs_to_replay(archive, experiment)
            if runs is not None:
                from rex.trees.replayall import Wishes
                wishes = Wishes(archive, where, kept_bytes(cache), jobs, sandbox, dask, deadline_s)
                return replay_runs(wishes, runs, experiment, check, json_wanted, quiet, told, wanted)
            return replay_versions(archive, where, cache, jobs, algorithm, wanted, dask, deadline_s, sandbox, check, json_wanted, quiet, told)
        if deadline_s is not None:
            raise UsageError("--deadline chooses among many runs", "", "add --all")
        return _replay_one(told, archive, experiment, where, check, sandbox, explain, json_wanted, quiet, lenient,
                           is_kept=outdir is not None or not check, rules=wanted)


def _replay_one(told: Report, archive: str, experiment: str | None, outdir: str, check: bool, sandbox: bool, explain: bool, json_wanted: bool,
                quiet: bool, is_lenient: bool, is_kept: bool, rules: "Rules | None") -> int:
    from rex.replayer import replay
    with contextlib.ExitStack() as stack:
        streams = None
        if rules and rules.is_set:
            from rex.cli.meaning import printed
            streams = stack.enter_context(printed())
        outcome = replay(archive, experiment, outdir, is_quiet=check, is_checked=check or json_wanted or told.is_wanted,
                         is_sandboxed=sandbox, is_explained=explain, output=streams and (streams[2].fileno(), streams[3].fileno()))
        if check and not outcome.is_identical:
            from rex.cli.meaning import judge_outcome
            judge_outcome(outcome, archive, rules, streams)
    code, reason = verdict(outcome)
    if told.is_wanted:
        told.write(as_json(outcome, archive, is_kept))
    if json_wanted:
        import json
        print(json.dumps(as_json(outcome, archive, is_kept)))
    if outcome.divergence:
        say(f"rex: {clean(divergence_text(outcome, archive))}")
    elif outcome.difference and not check:
        say(f"rex: {difference_text(outcome)}")
    explain_to_user(outcome, archive)
    for problem in filter(None, (withheld_text(outcome), *outcome.problems)):
        say(f"rex: {clean(problem)}")
    if check:
        if not quiet:
            if rules and outcome.within:
                from rex.contents.rules import words_of
                say(f"rex: rules: {clean(command_text(words_of(rules)))}")
            say(f"rex: {clean(archive)}:{outcome.experiment.name}: {clean(reason)}")
        return code
    name = f"{archive}:{outcome.experiment.name}"
    if not quiet:
        where = f"outputs in {clean(outdir)}" if os.listdir(outcome.outdir) else "it wrote no files"
        say(f"rex: replay of {clean(name)} diverged, its output may be another one; {where}" if outcome.divergences else
            f"rex: replayed {clean(name)}; {where}")
    return DIVERGED if outcome.divergences and not is_lenient else end_like(outcome.status)
