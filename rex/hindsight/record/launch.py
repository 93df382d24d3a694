"""Record a training script: run it in a process of its own, which writes into the archive."""

from __future__ import annotations

import dataclasses
import os
import platform
import signal
import tempfile
from dataclasses import dataclass
from typing import Any

from rex import codec
from rex.archive import Archive
from rex.archive.topfiles import check_is_name
from rex.errors import CommandNotFound, NotFound, OwnFailure, UsageError
from rex.hindsight.policy.borders import OVERHEAD, RESTORE_FACTOR
from rex.hindsight.run.processes import Process
from rex.hindsight.trace.records import ENGINE
from rex.recorder import begun_facts, new_manifest, withheld_names

GRANULARITY_S = 0.050
_KEPT = ("command", "cwd", "environment", "withheld", "user", "host", "limits", "terminal", "machine",
         "engine", "rex", "start_ns")


@dataclass
class Options:
    """What the user asked of a recording.

    Attributes:
        overhead: share of the run's time that checkpoints may take.
        budget_bytes: of checkpoints; None for no limit.
        granularity_s: loops with shorter bodies have no borders inside.
        resume: an unfinished run to go on with.
    """

    script: str
    arguments: tuple[str, ...] = ()
    archive: str = "__default"
    name: str | None = None
    overhead: float = OVERHEAD
    budget_bytes: int | None = None
    granularity_s: float = GRANULARITY_S
    resume: str | None = None


@dataclass
class Outcome:
    """A recording that ended."""

    experiment: str
    status: int            # wait status of the script's process
    facts: dict[str, Any]  # of a finished run, else empty


def record(options: Options) -> Outcome:
    """Run a script and keep what replaying it needs.

    Raises:
        CommandNotFound: there is no such script.
        OwnFailure: Rex itself failed before the script began.
    """
    check_is_name(options.name)
    with Archive.made(options.archive) as archive:
        return _record(archive, options)


def _record(archive: Archive, options: Options) -> Outcome:
    former = _former(archive, options) if options.resume else {}
    if not os.path.isfile(options.script):
        raise CommandNotFound(f"no such script: {options.script}", "", "check the spelling")
    with tempfile.TemporaryDirectory(prefix="rex-") as work:
        job = _job(options, archive, os.path.join(work, "report"), former)
        status = _run(job, job.pop("environment"))
        try:
            with open(job["report"], encoding="utf-8") as file:
                name = file.read()
        except FileNotFoundError:
            raise OwnFailure("the script did not begin", "see the message above") from None
    experiment = archive.experiment(name)
    facts = experiment.manifest.extra["hindsight"] if experiment.state == "complete" else {}
    return Outcome(name, status, facts)


def _run(job: dict[str, Any], environment: dict[str, str]) -> int:
    """Run a job in a process of its own with our standard streams; its wait status."""
    process = Process("record", environment)
    before = {number: signal.signal(number, _pass_on(process)) for number in
              (signal.SIGTERM, signal.SIGHUP)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)   # it has its own
    try:
        process.give(job)
        code = process.popen.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return -code if code < 0 else code << 8


def _pass_on(process: Process) -> Any:
    return lambda number, frame: process.popen.send_signal(number)


def _former(archive: Archive, options: Options) -> dict[str, Any]:
    """Facts of the run to go on with; the script and its arguments are taken from it.

    Raises:
        NotFound: there is no such run, it finished, or has nothing to go on from.
        UsageError: a module is not what it was.
    """
    from rex.hindsight.trace.records import check_head, content_of, last_checkpoint, read_run
    experiment = archive.experiment(options.resume)
    run = read_run(archive, experiment)
    if run.end and run.end.get("status") == 0:
        raise NotFound(f"{options.resume} ended by itself", "", "there is nothing to go on with")
    check_head(run, experiment.name)
    last_checkpoint(run, experiment.name)
    options.script, options.arguments = run.head["script"], tuple(run.head["arguments"])
    for name, facts in run.modules.items():
        with open(facts["path"], "rb") as file:
            if file.read() != archive.read(content_of(facts["source"])):
                raise UsageError(f"{facts['path']} was changed since", "",
                                 "put it back, or record again")
    return run.head


def _job(options: Options, archive: Archive, report: str, former: dict[str, Any]) -> dict[str, Any]:
    from rex.hindsight.policy.factor import observed_factor
    from rex.state.declared import from_config
    withheld = sorted({*withheld_names(os.environ), *former.get("withheld", ())})
    command = ["python", options.script, *options.arguments]
    begun = begun_facts(command, codec.text(os.getcwdb()))
    kept = former.get("environment") or {codec.text(k): codec.text(v) for k, v in os.environb.items()
                                         if os.fsdecode(k) not in withheld}
    manifest = dataclasses.asdict(new_manifest(begun, kept, withheld, ENGINE))
    manifest["machine"]["python"] = platform.python_version()
    environment = {**kept, **{name: os.environ[name] for name in withheld if name in os.environ}}
    unset = [name for name in ("PYTHONHASHSEED", "PYTHONPATH") if name not in environment]
    seed = former.get("hash_seed") or str(int.from_bytes(os.urandom(4), "little"))
    hash_seed = environment.setdefault("PYTHONHASHSEED", seed)
    head = {"script": options.script, "path": os.path.realpath(options.script),
            "arguments": list(options.arguments), "entropy": former.get("entropy") or os.urandom(32).hex(),
            "hash_seed": hash_seed, "unset": unset, "python": platform.python_version(),
            "start_ns": begun["start_ns"], "cwd": os.getcwd(), "withheld": withheld,
            "classes": former["classes"] if "classes" in former else from_config(),
            "granularity_s": options.granularity_s, "environment": kept}
    return {"archive": archive.path, "name": options.name, "report": report,
            "begun": begun, "script": options.script,
            "arguments": list(options.arguments), "overhead": options.overhead,
            "restore_factor": observed_factor(archive) or RESTORE_FACTOR, "budget_bytes": options.budget_bytes,
            "granularity_s": options.granularity_s, "head": head,
            "manifest": {name: manifest[name] for name in _KEPT},
            "unset": unset,
            "environment": environment, "resume": options.resume}
