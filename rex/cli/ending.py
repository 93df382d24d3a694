"""How commands speak and end."""

from __future__ import annotations

import os
import sys


def say(text: str) -> None:
    """Say a line on standard error, if there is any."""
    if sys.stderr:
        print(text, file=sys.stderr, flush=True)


def words_before_program(argv: list[str]) -> list[str]:
    """Our own words: what stands behind -- belongs to the program."""
    return argv[: argv.index("--")] if "--" in argv else argv


def exit_code(code: int, argv: list[str]) -> int:
    """What we end with for a failure of ours with this code.

    Where the program's own status is handed on, ours must not be taken for it.
    """
    own = words_before_program(argv)
    name, after = [*[word for word in own if not word.startswith("-")][:2], "", ""][:2]
    hands_on = name in ("record", "runnew") or (name == "replay" and "--check" not in own) or (
        name == "hindsight" and after == "record")
    return 125 if hands_on and code not in (126, 127) else code


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
