"""What a run left in its output directory."""

from __future__ import annotations

import os
import stat

from rex import codec
from rex.runnew.plan import RunPlan


def find_outputs(plan: RunPlan) -> tuple[tuple[str, str], ...]:
    """Files and links that the run made or changed: path in the experiment, path here.

    A file that was opened for writing but not written is no output: its copy is removed.
    """
    top = os.path.realpath(plan.outdir)
    found = []
    for base, dirs, files in os.walk(codec.raw(top)):
        for name in files + [d for d in dirs if os.path.islink(os.path.join(base, d))]:
            file = codec.text(os.path.join(base, name))
            path = file[len(top):]
            if _is_untouched(plan, path, file):
                os.unlink(codec.raw(file))
            else:
                found.append((path, file))
    return tuple(sorted(found))


def _is_untouched(plan: RunPlan, path: str, file: str) -> bool:
    entry = plan.experiment.manifest.files.get(path)
    local = plan.files.get(path)
    info = os.lstat(codec.raw(file))
    if not stat.S_ISREG(info.st_mode) or info.st_nlink != 1:
        return False
    if local:
        was = os.stat(codec.raw(local))
        return (was.st_size, was.st_mtime_ns, was.st_mode) == (info.st_size, info.st_mtime_ns, info.st_mode)
    state = entry.initial if entry else None
    return bool(state and (state.size, state.mtime_ns, state.mode) ==
                (info.st_size, info.st_mtime_ns, stat.S_IMODE(info.st_mode)))
