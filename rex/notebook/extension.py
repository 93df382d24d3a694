"""What a kernel has of Rex: the `%rex` magic, its help, the open panels, and a session while it is on."""

from __future__ import annotations

import atexit
import os
import sys
from typing import Any, Callable

from IPython.core.error import UsageError as ShownError

from rex.errors import RexError, UsageError
from rex.notebook.assist import ask_for_help, completer
from rex.notebook.display import Shown
from rex.notebook.magic import HELP, OPTIONS, run
from rex.notebook.panel import Panels
from rex.notebook.session import Options, Session
from rex.types import parse_size

_MAGIC = "rex"


class Extension:
    """What a kernel has of Rex: a session, or none while it is off."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.session: Session | None = None
        self._pid = os.getpid()
        self._panels = Panels(shell, lambda: self.session)
        shell.register_magic_function(self._described_magic(), "line", _MAGIC)
        shell.set_hook("complete_command", completer(OPTIONS, lambda: self.session), str_key=f"%{_MAGIC}")
        shell.input_transformers_cleanup.append(ask_for_help)
        atexit.register(self.end)

    @property
    def archive(self) -> str:
        """Where cells are kept; "" while Rex is off."""
        return self.session.options.archive if self.session else ""

    def remove(self) -> None:
        """End the session, and take away what the kernel has of Rex."""
        self.end()
        self._panels.close()
        atexit.unregister(self.end)
        self.shell.input_transformers_cleanup.remove(ask_for_help)
        self.shell.magics_manager.magics["line"].pop(_MAGIC, None)

    def _described_magic(self) -> Callable[[str], Any]:
        def rex(line: str) -> Any:
            return self.magic(line)
        rex.__doc__ = HELP      # what %rex? shows
        return rex

    def magic(self, line: str) -> Any:
        """The `%rex` command; see `%rex help`."""
        try:
            return run(line, self.session, self._switch)
        except RexError as error:
            raise ShownError(f"rex: {error}") from None

    def begin(self, options: Options) -> None:
        """Follow the kernel's cells."""
        self.session = Session(self.shell, options, self._warn)
        self.session.start()
        self._panels.listen()

    def end(self) -> str:
        """Finish the session's experiment, if there is one; its name."""
        session, self.session = self.session, None
        if session is None or os.getpid() != self._pid:
            return ""
        self._panels.pause()
        return session.stop()

    def _warn(self, text: str) -> None:
        stream = sys.stderr
        stream.write(f"rex: {text}\n")

    def _switch(self, given: Any) -> Any:
        archive = self.archive
        if given.command == "off":
            name = self.end()
            self._panels.tell()
            return Shown(f"off; kept as {archive}:{name}" if name else "off")
        options = options_from(os.environ, given)
        if self.session is not None and self.session.graph.nodes:
            raise UsageError("a session is on", f"it is kept in {archive}", "end it with: %rex off")
        self.end()
        self.begin(options)
        return Shown(f"on; cells are kept in {options.archive}")


def options_from(environment: Any, given: Any = None) -> Options:
    """Where to keep a session: as given, or as REX_NOTEBOOK_ARCHIVE and REX_NOTEBOOK_MAX_SIZE say.

    Raises:
        UsageError: the size is none.
    """
    size = (given and given.max_size) or environment.get("REX_NOTEBOOK_MAX_SIZE")
    try:
        limit = parse_size(size) if size else None
    except ValueError as error:
        raise UsageError(str(error)) from error
    archive = (given and given.archive) or environment.get("REX_NOTEBOOK_ARCHIVE") or "__default"
    return Options(os.path.expanduser(archive), given and given.name, limit)
