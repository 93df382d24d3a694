"""The `rex` command."""

from __future__ import annotations

import gc
import io
import os
import sys

from rex import startcache

startcache.install()   # before most is imported

from rex.cli import quick
from rex.cli.ending import exit_code, from_system, say, words_before_program
from rex.errors import RexError, TooLarge
from rex.standard import hold_closed
from rex.text import clean


def report(error: RexError, argv: list[str], is_of_system: bool = False) -> int:
    """Print one line (and with --json an object) for a foreseen failure; its exit code."""
    if "--json" in words_before_program(argv):
        import json   # few ask
        print(json.dumps(error.as_json()))
    say(f"rex: {clean(str(error))}")
    return exit_code(error.code, argv, is_of_system)


def from_limits(error: MemoryError | RecursionError) -> RexError:
    """What an archive holds is too large, or nested too deeply."""
    from rex import limits
    if isinstance(error, MemoryError):
        return limits.too_much_memory("this")
    return TooLarge("what the archive holds is nested too deeply", "", "see: rex check")


def run(argv: list[str]) -> int:
    """Run the command line; the exit status."""
    try:
        if (status := quick.run(argv)) is not None:
            return status
        from rex.cli import group
        return group.run(argv)
    except RexError as error:
        if "--debug" in argv[:1]:
            raise
        return report(error, argv)
    except ModuleNotFoundError as error:
        from rex.extras import extra_with, missing
        extra = extra_with(error.name or "", argv[:1])
        if not extra or "--debug" in argv[:1]:
            raise
        return report(missing(extra, f"rex {argv[0]} needs its extra {extra}"), argv)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (MemoryError, RecursionError) as error:
        if "--debug" in argv[:1]:
            raise
        return report(from_limits(error), argv)
    except OSError as error:
        if "--debug" in argv[:1]:
            raise
        return report(from_system(error), argv, is_of_system=True)


# Of commands that end soon otherwise: with these the work begins when the command line was read.
_LASTING = {"--cells", "--all", "--persist"}


def leaves_at_once(argv: list[str]) -> bool:
    """Whether a command ends soon, with nothing open: Python need not look for garbage, nor take itself apart in the end."""
    own = words_before_program(argv)
    is_short = own[:1] in (["record"], ["replay"]) or own[:2] == ["hindsight", "replay"]
    return is_short and _LASTING.isdisjoint(word.partition("=")[0] for word in own)


_STREAMS = "rex_streams"   # an option -X of ours, for the interpreter that takes over


def speak_utf8() -> None:
    """Run in Python's UTF-8 mode, as archives name files, and write in the user's encoding, with escapes for what it lacks.

    A Python of another encoding is replaced by one in that mode, which the program to record does not notice.
    """
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode:
        encoding = sys.stdout.encoding if sys.stdout else ""
        with open("/proc/self/cmdline", "rb") as file:   # sys.orig_argv may have lost bytes
            given = file.read().split(b"\0")[1:-1]
        options = ["-X", "utf8", *(["-X", f"{_STREAMS}={encoding}"] if encoding else [])]
        os.execv(sys.executable, [sys.executable, *options, *given])
    encoding = sys._xoptions.get(_STREAMS)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=encoding if isinstance(encoding, str) else None, errors="backslashreplace")


def forget_coerced_locale() -> None:
    """Remove the LC_CTYPE that Python sets in the C locale (PEP 538): programs that we run are to see what we were given."""
    if os.environ.get("LC_CTYPE") in ("C.UTF-8", "C.utf8", "UTF-8"):
        with open("/proc/self/environ", "rb") as file:
            if b"\0LC_CTYPE=" not in b"\0" + file.read():
                del os.environ["LC_CTYPE"]


def main() -> None:
    """The entry point of the `rex` script."""
    hold_closed()
    speak_utf8()
    forget_coerced_locale()
    if sys.stdout is None:   # it was closed: nobody reads what is written
        sys.stdout = io.StringIO()
    is_quick = leaves_at_once(sys.argv[1:])
    if is_quick:
        gc.disable()
    status = run(sys.argv[1:])
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream:
                stream.flush()
    except OSError:
        sys.exit(status)   # Python says why
    if is_quick:
        startcache.keep()
        os._exit(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
