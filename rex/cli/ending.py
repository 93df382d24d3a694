"""How commands print and end."""

from __future__ import annotations

import errno
import os
import sys

from rex.errors import RexError
from rex.hostfailure import advice


_LONGEST_WORD, _LEFT_AT_ENDS = 400, 120


def cut_long_words(text: str) -> str:
    """The text where paths of kilobytes have their ends only."""
    return " ".join(word if len(word) <= _LONGEST_WORD else f"{word[:_LEFT_AT_ENDS]}[...]{word[-_LEFT_AT_ENDS:]}"
                    for word in text.split(" "))


def say(text: str) -> None:
    """Say a line on standard error, if there is any."""
    if sys.stderr:
        print(cut_long_words(text), file=sys.stderr, flush=True)


class Report:
    """The file of `--report`: JSON apart from the program's streams; opened before anything runs, so that a wrong path is reported at once.

    As a context manager it holds the error, if one ends the block.
    """

    def __init__(self, path: str | None) -> None:
        """path: None for no report."""
        self.is_wanted = path is not None
        self._file = open(path, "w", encoding="utf-8") if path is not None else None

    def write(self, value: object) -> None:
        """Write the report, once."""
        if self._file:
            import json   # few ask
            self._file.write(json.dumps(value, indent=1) + "\n")
            self._file.flush()

    def __enter__(self) -> Report:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, RexError):
            self.write(error.as_json())
        if self._file:
            self._file.close()


_TAKE_VALUES = ("--max-memory", "--max-read")   # in front of a command's name


def words_before_program(argv: list[str]) -> list[str]:
    """Our own words: what stands behind -- belongs to the program."""
    return argv[: argv.index("--")] if "--" in argv else argv


def exit_code(code: int, argv: list[str], is_of_system: bool = False) -> int:
    """What we end with for a failure of ours with this code, or of the operating system.

    Where the program's own status is handed on, ours must not be taken for it.
    """
    own = words_before_program(argv)
    words = [word for before, word in zip(["", *own], own) if not word.startswith("-") and before not in _TAKE_VALUES]
    name, after = [*words[:2], "", ""][:2]
    hands_on = name in ("record", "runnew", "run") or (name == "replay" and (is_of_system or "--check" not in own)) or (
        name == "hindsight" and after == "record")
    return 125 if hands_on and code not in (126, 127) else code


def from_system(error: OSError) -> RexError:
    """A failure of the operating system in one line."""
    if error.errno == errno.ENOENT and not error.filename and _is_in_removed_directory():
        return RexError("the current directory was removed", "", "cd to another one")
    what = "check the spelling" if error.errno == errno.ENOENT else advice(error.errno) or "check the permissions and the disk"
    where = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else ""
    return RexError(f"cannot use {where}" if where else "the system refused", error.strerror or str(error), what)


def _is_in_removed_directory() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def end_like(status: int) -> int:
    """The exit status for a wait status; ends us by the signal that ended the program."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return code
    sys.stdout.flush()
    sys.stderr.flush()
    import resource   # few programs end so
    import signal
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [-code])
        os.kill(os.getpid(), -code)
    except (OSError, ValueError):   # the C library keeps some signals for itself
        pass
    return 128 - code
