"""What a run left in its output directory."""

from __future__ import annotations

import os
import stat

from rex import codec, longnames
from rex.runnew.plan import RunPlan


def find_outputs(plan: RunPlan) -> tuple[tuple[str, str], ...]:
    """Files and links that the run made or changed: path in the experiment, path here.

    A file that was opened for writing but not written is no output: its copy is removed.
    """
    top = os.path.realpath(plan.outdir)
    found = []
    for name in longnames.below(codec.raw(top)):
        file = codec.text(name)
        path = file[len(top):]
        with longnames.reachable(name) as reached:
            info = os.lstat(reached)
            if stat.S_ISDIR(info.st_mode):
                continue
            if _is_untouched(plan, path, info):
                os.unlink(reached)
            else:
                found.append((path, file))
    return tuple(sorted(found))


def _is_untouched(plan: RunPlan, path: str, info: os.stat_result) -> bool:
    entry = plan.experiment.manifest.files.get(path)
    local = plan.files.get(path)
    if not stat.S_ISREG(info.st_mode) or info.st_nlink != 1:
        return False
    if local:
        was = os.stat(codec.raw(local))
        return (was.st_size, was.st_mtime_ns, was.st_mode) == (info.st_size, info.st_mtime_ns, info.st_mode)
    state = entry.initial if entry else None
    return bool(state and (state.size, state.mtime_ns, state.mode) ==
                (info.st_size, info.st_mtime_ns, stat.S_IMODE(info.st_mode)))
