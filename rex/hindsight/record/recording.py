"""The recording of a run, in the process of the script."""

from __future__ import annotations

import json
import types
from typing import Any, Callable

from rex.archive import COMPLETE, Archive, Experiment, Manifest, Recording
from rex.hindsight.instrument.prepare import trainer_preparer
from rex.hindsight.instrument.rewrite import empty_plan, plan_module, rewrite
from rex.hindsight.policy.borders import Policy
from rex.hindsight.policy.thinning import Thinner
from rex.hindsight.record.recorder import Recorder
from rex.hindsight.run.files import undo
from rex.hindsight.trace import current
from rex.hindsight.trace.records import checkpoint_to_json, last_checkpoint, read_run

LEVEL = -1   # of zstd: floats hardly compress, and the training pays
RunScript = Callable[[str, list[str], Any, Any, Any], int]


def record(job: dict[str, Any], run_script: RunScript) -> int:
    """Record a run; the exit status of the script."""
    archive = Archive.open(job["archive"])
    facts = {**job["begun"], "engine": job["manifest"]["engine"]}
    with archive.begin(job["name"], facts, LEVEL, is_light=True) as recording:
        with open(job["report"], "w", encoding="utf-8") as file:
            file.write(recording.name)
        policy = Policy(job["overhead"], job["restore_factor"])
        recorder = Recorder(archive, recording, job["head"], policy, job["granularity_s"])
        if job["budget_bytes"]:
            recorder.writer.thinner = Thinner(archive, recording, job["budget_bytes"])
        if job["resume"]:
            resume(archive, archive.experiment(job["resume"]), recorder)
        recorder.withheld = frozenset(job["manifest"]["withheld"])
        prepare = _preparer(recorder)
        current.session = recorder
        recorder.install()
        status = run_script(job["script"], job["arguments"], prepare, trainer_preparer(recorder), recorder.libraries())
        _finish(job, recorder, recording, status)
    return status


def resume(archive: Archive, former: Experiment, recorder: Recorder) -> None:
    """Let a recorder go on where a run broke off."""
    run = read_run(archive, former)
    place = last_checkpoint(run, former.name)
    border = run.borders[place]
    last = border.checkpoint.number if border.checkpoint else 0
    with former.open_log() as log:
        lines = log.read().splitlines(keepends=True)
    written: set[str] = set()
    for line in lines[1:]:
        recorder.log.copy(line)
        told = json.loads(line)
        if told.get("k") == "file":
            written.add(told["path"])
        if told.get("position") == border.position:
            break   # what came after it is run again
    for path in sorted(run.files.keys() - written, reverse=True):   # folders behind what is in them
        undo(archive, path, run.files.pop(path))
    kept = [c for c in run.checkpoints if c.number <= last]
    for checkpoint in kept:
        recorder.log.write("checkpoint", **checkpoint_to_json(checkpoint))
    contents = former.kept() if former.state != COMPLETE else list(
        former.manifest.attachments.values())
    recorder.writer.take_over(archive, kept, contents)
    recorder.begin_from(run, place)


def _preparer(recorder: Recorder) -> Callable[[str, str, types.ModuleType], types.CodeType]:
    def prepare(name: str, path: str, module: types.ModuleType) -> types.CodeType:
        with open(path, "rb") as file:
            source = file.read()
        plain: types.CodeType = compile(source, path, "exec", dont_inherit=True)
        try:
            plan, why_plain = plan_module(source, name, path), ""
            code = rewrite(plan, path)
        except Exception as error:     # whatever it is, the script works without
            plan, code, why_plain = empty_plan(), plain, f"{type(error).__name__}: {error}"
        recorder.note_module(name, path, source, why_plain)
        recorder.add_module(plan, module, code, plain)
        return code

    return prepare


def _finish(job: dict[str, Any], recorder: Recorder, recording: Recording, status: int) -> None:
    facts = recorder.finish(status)
    kept = {name: tuple(value) if isinstance(value, list) else value
            for name, value in job["manifest"].items()}
    recording.finish(Manifest(
        **kept, exit_status=status, duration_s=facts["took_s"],
        counts={"checkpoints": facts["checkpoints"]},
        warnings=(facts["failure"],) if facts["failure"] else (),
        attachments=recorder.writer.contents,
        extra={"hindsight": {"kind": "run", **facts}}))
