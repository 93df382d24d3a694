"""Load the extension in each new kernel and ipython: a small file in the profile's startup folder."""

from __future__ import annotations

import os
from pathlib import Path

from rex.errors import UsageError

NAME = "50-rex-notebook.py"
_TEXT = """\
# Written by `rex notebook enable`; `rex notebook disable` removes it.
# A kernel of another Python may not have Rex: it starts without.
def _load_rex():
    import importlib.util
    if importlib.util.find_spec("rex") and importlib.util.find_spec("rex.notebook"):
        get_ipython().run_line_magic("load_ext", "rex.notebook")


try:
    _load_rex()
finally:
    del _load_rex
"""


def startup_file() -> Path:
    """Where the file is, or would be: in the default profile of $IPYTHONDIR, else of ~/.ipython."""
    folder = os.environ.get("IPYTHONDIR") or os.path.expanduser("~/.ipython")
    return Path(folder) / "profile_default" / "startup" / NAME


def enable() -> Path:
    """Write the file.

    Raises:
        UsageError: it cannot be written.
    """
    path = startup_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_TEXT)
    except OSError as error:
        raise UsageError(f"cannot write {path}", error.strerror or str(error)) from error
    return path


def disable() -> bool:
    """Remove the file; whether there was one.

    Raises:
        UsageError: it cannot be removed.
    """
    path = startup_file()
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UsageError(f"cannot remove {path}", error.strerror or str(error)) from error
    return True
