"""How a process for the user's script is started."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from typing import Any, Sequence

import rex

# Not with -m: the runner would be __main__, which is the script's name.
RUN = "from rex.hindsight.runner import main; main()"


class Process:
    """One that has imported what its kind of job takes, when it is given the job."""

    def __init__(self, kind: str, environment: dict[str, str], fds: Sequence[int] = (), **options: Any) -> None:
        """Start it.

        Args:
            kind: record or replay.
            environment: of the script; in it this Rex is found too.
            fds: descriptors that it has as we do.
            options: of `subprocess.Popen`.
        """
        read_end, self._pipe = os.pipe()
        self.popen = subprocess.Popen([sys.executable, "-c", RUN, kind, str(read_end)], pass_fds=[read_end, *fds],
                                      env={**environment, "PYTHONPATH": _python_path(environment)}, **options)
        os.close(read_end)

    def give(self, job: dict[str, Any]) -> None:
        """Let it do a job."""
        with contextlib.suppress(BrokenPipeError), open(self._pipe, "wb") as pipe:     # it may have ended: who waits for it learns that
            pipe.write(json.dumps(job).encode())


def _python_path(environment: dict[str, str]) -> str:
    """A search path on which this Rex is found too."""
    top = os.path.dirname(os.path.dirname(os.path.abspath(rex.__file__)))
    known = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    return os.pathsep.join([*known, *([] if top in known else [top])])
