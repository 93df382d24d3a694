"""A run plan as the tracer takes it: every file by its path, and what stands for it."""

from __future__ import annotations

import os
import stat
from typing import Sequence

from rex import codec
from rex.replay import Stage
from rex.runnew.answers import Answers
from rex.runnew.names import Names
from rex.runnew.plan import RunPlan
from rex.tracer import Plan
from rex.tracer.plan import LIVE


def engine_plan(plan: RunPlan, stage: Stage, answers: Answers, log: str = "",
                withhold: Sequence[str] = ()) -> Plan:
    """The tracer's plan for a live run.

    Args:
        answers: what the archive knows of names only.
        log: where to write the log; "" without a recording.
        withhold: variables whose values the log must not hold.
    """
    manifest = stage.manifest
    made = Plan(LIVE, log, codec.raw(plan.program), [codec.raw(word) for word in plan.command],
                [codec.raw(f"{k}={v}") for k, v in plan.environment.items()],
                report=os.path.join(stage.work, "report"), cwd=codec.raw(plan.cwd),
                stack_limit=max(0, manifest.limits.get("stack", (0, 0))[0]), umask=manifest.umask,
                outdir=codec.raw(os.path.realpath(plan.outdir)), work=codec.raw(stage.work),
                withhold=[codec.raw(name) for name in withhold],
                objects=codec.raw(os.path.join(stage.root, "objects")))
    stage.add(plan.others)
    others = {path: entry for path, entry in plan.others.items() if not answers.denies(path)}
    for path, entry in {**others, **manifest.files}.items():
        name, state = codec.raw(path), entry.initial
        if not state:
            made.absent.append(name)
        elif state.type == "symlink":
            made.links[name] = codec.raw(state.target)
        elif state.type == "dir":
            made.dirs[name] = state.mode
            made.dir_times[name] = state.mtime_ns
        elif file := stage.file_of(path):
            made.files[name] = (state.mode, state.mtime_ns, codec.raw(file))
    for path, local in plan.files.items():
        info = os.stat(codec.raw(local))
        made.files[codec.raw(path)] = (info.st_mode & 0o7777, info.st_mtime_ns, codec.raw(local))
    _add_answers(made, answers)
    made.absent = [name for name in made.absent if name not in made.files]
    if not Names(manifest.files, plan.files).kind(plan.cwd):
        made.dirs[codec.raw(plan.cwd)] = 0o755
    made.programs = _programs(plan, stage)
    return made


def _add_answers(made: Plan, answers: Answers) -> None:
    """Names that the archive knows of without having their files."""
    made.absent += [codec.raw(path) for path in answers.absent]
    for path, look in answers.looks.items():
        name = codec.raw(path)
        if name in made.files or name in made.links or name in made.dirs:
            continue
        if stat.S_ISDIR(look.mode):
            made.dirs[name] = stat.S_IMODE(look.mode)
            made.dir_times[name] = look.mtime_ns
        elif stat.S_ISREG(look.mode):
            made.stubs[name] = (stat.S_IMODE(look.mode), look.mtime_ns, -1 if look.size is None else look.size)
    for path, target in answers.links.items():
        made.links.setdefault(codec.raw(path), codec.raw(target))
    for path, names in answers.listings.items():
        made.listings[codec.raw(path)] = [codec.raw(name) for name in names]


def _programs(plan: RunPlan, stage: Stage) -> dict[bytes, bytes]:
    """Archived programs with archived loaders; the tracer prepares the others."""
    loaders = stage.manifest.extra.get("record", {}).get("loaders", {})
    taken = {path for path, loader in loaders.items()
             if path not in plan.files and loader not in plan.files}
    return {codec.raw(p): codec.raw(f) for p, f in stage.programs().items() if p in taken}
