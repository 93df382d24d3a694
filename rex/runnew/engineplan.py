"""A run plan as the tracer takes it: every file by its path, and what stands for it."""

from __future__ import annotations

import os
import stat
from typing import Sequence

from rex import codec, rlimits
from rex.replayer import Stage
from rex.runnew.answers import Answers
from rex.runnew.names import Names
from rex.runnew.plan import RunPlan
from rex.tracer import Plan
from rex.tracer.plan import LIVE


def engine_plan(plan: RunPlan, stage: Stage, answers: Answers, log: str = "",
                withhold: Sequence[str] = (), is_sandboxed: bool = False,
                hidden: Sequence[bytes] = (), gate: int = -1) -> Plan:
    """The tracer's plan for a live run.

    Args:
        answers: what the archive knows of names only.
        log: where to write the log; "" without a recording.
        withhold: variables whose values the log must not hold.
        hidden: this machine's directories that the run does not have.
        is_sandboxed: let the run see nothing of this machine but what the plan names.
        gate: a socket to who says what is executed in a program's place; -1: nobody.
    """
    manifest = stage.manifest
    made = Plan(LIVE, log, codec.raw(plan.program), [codec.raw(word) for word in plan.command],
                [codec.raw(f"{k}={v}") for k, v in plan.environment.items()],
                report=os.path.join(stage.work, "report"), cwd=codec.raw(plan.cwd),
                limits=rlimits.by_number(rlimits.for_run(manifest.limits)[0]), umask=manifest.umask,
                outdir=codec.raw(os.path.realpath(plan.outdir)), work=codec.raw(stage.work),
                withhold=[codec.raw(name) for name in withhold], hidden=list(hidden),
                gate=gate, objects=codec.raw(stage.private or os.path.join(stage.root, "objects")))
    stage.add(plan.others)
    others = {path: entry for path, entry in plan.others.items() if not answers.denies(path)}
    for path, entry in {**others, **plan.archived}.items():
        name, state = codec.raw(path), entry.initial
        if not state:
            made.absent.append(name)
        elif state.type == "symlink":
            made.links[name] = codec.raw(state.target)
            made.times[name] = state.mtime_ns
        elif state.type == "dir":
            made.dirs[name] = state.mode
            made.times[name] = state.mtime_ns
        elif file := stage.file_of(path):
            made.files[name] = (state.mode, state.mtime_ns, codec.raw(file))
    for path, local in plan.files.items():
        info = os.stat(codec.raw(local))
        made.files[codec.raw(path)] = (info.st_mode & 0o7777, info.st_mtime_ns, codec.raw(local))
    _add_answers(made, answers.without(plan.files, plan.folders))
    for folder in plan.folders.values():
        made.listings.update({codec.raw(path): [codec.raw(name) for name in names] for path, names in folder.listings.items()})
    made.absent = [name for name in made.absent if name not in made.files]
    if not Names(plan.archived, plan.files).kind(plan.cwd):
        made.dirs[codec.raw(plan.cwd)] = 0o755
    made.programs = _programs(plan, stage)
    _add_loaders(made, plan)
    if is_sandboxed:
        made.sandbox = stage.sandbox(os.path.realpath(plan.outdir), sorted({os.fsdecode(codec.raw(local)) for local in plan.files.values()}))
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
            made.times[name] = look.mtime_ns
        elif stat.S_ISREG(look.mode):
            made.stubs[name] = (stat.S_IMODE(look.mode), look.mtime_ns, -1 if look.size is None else look.size)
    for path, target in answers.links.items():
        made.links.setdefault(codec.raw(path), codec.raw(target))
    made.refused = {(letter.encode(), codec.raw(path)): code for (letter, path), code in answers.refused.items()}
    for path, names in answers.listings.items():
        made.listings[codec.raw(path)] = [codec.raw(name) for name in names]


def _add_loaders(made: Plan, plan: RunPlan) -> None:
    """The names by which programs ask for their loaders: the kernel followed their links, which no program looked at."""
    manifest = plan.experiment.manifest
    names = Names(manifest.files, plan.files, has_machine=False)
    for path, loader in manifest.extra.get("record", {}).get("loaders", {}).items():
        entry = manifest.files.get(path)
        named = names.resolve(entry.elf.interpreter) if entry and entry.elf and entry.elf.interpreter else loader
        if named != loader and not names.kind(named):
            made.links.setdefault(codec.raw(named), codec.raw(loader))


def _programs(plan: RunPlan, stage: Stage) -> dict[bytes, bytes]:
    """Archived programs with archived loaders; the tracer prepares the others."""
    loaders = stage.manifest.extra.get("record", {}).get("loaders", {})
    taken = {path for path, loader in loaders.items()
             if path not in plan.files and loader not in plan.files}
    return {codec.raw(p): codec.raw(f) for p, f in stage.programs().items() if p in taken}
