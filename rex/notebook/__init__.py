"""Notebook time travel: `%load_ext rex.notebook`, then `%rex help` (docs/notebook.md)."""

from __future__ import annotations

import atexit
import os
import sys
from typing import TYPE_CHECKING, Any

from rex.errors import RexError, UsageError
from rex.extras import install_line
from rex.types import parse_size

if TYPE_CHECKING:
    from rex.notebook.session import Options, Session

_MAGIC = "rex"


class Extension:
    """What a kernel has of Rex: a session, or none while it is off."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.session: "Session | None" = None
        self._pid = os.getpid()
        shell.register_magic_function(self.magic, "line", _MAGIC)
        atexit.register(self.end)

    def magic(self, line: str) -> Any:
        """The `%rex` command; see `%rex help`."""
        from IPython.core.error import UsageError as ShownError

        from rex.notebook.magic import run
        try:
            return run(line, self.session, self._switch)
        except RexError as error:
            raise ShownError(f"rex: {error}") from None

    def begin(self, options: "Options") -> None:
        """Follow the kernel's cells."""
        from rex.notebook.session import Session
        self.session = Session(self.shell, options, self._warn)
        self.session.start()

    def end(self) -> str:
        """Finish the session's experiment, if there is one; its name."""
        session, self.session = self.session, None
        if session is None or os.getpid() != self._pid:
            return ""
        return session.stop()

    def _warn(self, text: str) -> None:
        stream = sys.stderr
        stream.write(f"rex: {text}\n")

    def _switch(self, given: Any) -> Any:
        from rex.notebook.display import Shown
        archive = self.session.options.archive if self.session else ""
        if given.command == "off":
            name = self.end()
            return Shown(f"off; kept as {archive}:{name}" if name else "off")
        options = options_from(os.environ, given)
        if self.session is not None and self.session.graph.nodes:
            raise UsageError("a session is on", f"it is kept in {archive}", "end it with: %rex off")
        self.end()
        self.begin(options)
        return Shown(f"on; cells are kept in {options.archive}")


def options_from(environment: Any, given: Any = None) -> "Options":
    """Where to keep a session: as given, or as REX_NOTEBOOK_ARCHIVE and REX_NOTEBOOK_MAX_SIZE say.

    Raises:
        UsageError: the size is none.
    """
    from rex.notebook.session import Options
    size = (given and given.max_size) or environment.get("REX_NOTEBOOK_MAX_SIZE")
    try:
        limit = parse_size(size) if size else None
    except ValueError as error:
        raise UsageError(str(error)) from error
    archive = (given and given.archive) or environment.get("REX_NOTEBOOK_ARCHIVE") or "__default"
    return Options(os.path.expanduser(archive), given and given.name, limit)


_extensions: dict[int, Extension] = {}


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext rex.notebook` calls."""
    try:
        import cloudpickle  # noqa: F401
        import xxhash  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{error}; install with: {install_line('notebook')}") from None
    extension = _extensions.get(id(shell)) or _extensions.setdefault(id(shell), Extension(shell))
    if extension.session is None:
        extension.begin(options_from(os.environ))


def unload_ipython_extension(shell: Any) -> None:
    """What `%unload_ext rex.notebook` calls."""
    if extension := _extensions.pop(id(shell), None):
        extension.end()
        atexit.unregister(extension.end)
        shell.magics_manager.magics["line"].pop(_MAGIC, None)
