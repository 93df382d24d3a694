"""Every error that a user can meet: its text, its advice and its exit code.

The class docstring says when the error occurs; an instance carries what
happened, why, and what to do, and prints as one line.
"""

from __future__ import annotations


class RexError(Exception):
    """A failure that Rex foresaw and can explain in one line."""

    code = 2

    def __init__(self, what: str, why: str = "", advice: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.advice = advice

    def __str__(self) -> str:
        text = self.what
        if self.why:
            text += f": {self.why}"
        if self.advice:
            text += f"; {self.advice}"
        return text.replace("\n", " ")

    def as_json(self) -> dict[str, object]:
        """The error as `--json` prints it."""
        return {"error": type(self).__name__, "code": self.code, "what": self.what,
                "why": self.why, "advice": self.advice}


class UsageError(RexError):
    """The request itself makes no sense: bad options, bad input files."""

    code = 2


class Conflicts(UsageError):
    """A new experiment cannot be run as asked."""

    code = 2

    def __init__(self, conflicts: list[str], code: int = 2) -> None:
        """conflicts: what makes no sense, one thing each; code: 126 or 127 if it is only the program."""
        super().__init__("the run was not started", "; ".join(conflicts))
        self.conflicts = conflicts
        self.code = code

    def as_json(self) -> dict[str, object]:
        """The error as a JSON object, with the list of conflicts."""
        return {**super().as_json(), "conflicts": self.conflicts}


class NotFound(RexError):
    """There is no such archive or experiment."""

    code = 10


class Locked(RexError):
    """Another process holds the archive."""

    code = 11


class TooNew(RexError):
    """The file was written by a newer format version than this Rex reads."""

    code = 12


class Damaged(RexError):
    """Stored data is not what its hash or its format says."""

    code = 13


class TooLarge(RexError):
    """What the archive says would take more memory or time than a command may."""

    code = 14


class Diverged(RexError):
    """The replay did not follow the log."""

    code = 20


class Unsupported(RexError):
    """The experiment needs a call or a kind of program that Rex refuses."""

    code = 21


class NotPermitted(RexError):
    """The kernel does not let us trace here."""

    code = 22


class OwnFailure(RexError):
    """Rex itself failed while running a program (record, replay, runnew)."""

    code = 125


class NotExecutable(RexError):
    """The program to run is not executable."""

    code = 126


class CommandNotFound(RexError):
    """The program to run does not exist."""

    code = 127
