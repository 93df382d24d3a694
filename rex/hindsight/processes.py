"""How a process for the user's script is started."""

from __future__ import annotations

import os

# Not with -m: the runner would be __main__, which is the script's name.
RUN = "from rex.hindsight.runner import main; main()"


def python_path(environment: dict[str, str]) -> str:
    """A search path on which this Rex is found too."""
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    known = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    return os.pathsep.join([*known, *([] if top in known else [top])])
