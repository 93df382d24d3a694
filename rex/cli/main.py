"""The `rex` command."""

from __future__ import annotations

import errno
import gc
import os
import sys

from rex.cli import quick
from rex.cli.ending import exit_code, say, words_before_program
from rex.errors import RexError


def report(error: RexError, argv: list[str]) -> int:
    """Print one line (and with --json an object) for a foreseen failure; its exit code."""
    if "--json" in words_before_program(argv):
        import json   # few ask
        print(json.dumps(error.as_json()))
    say(f"rex: {error}")
    return exit_code(error.code, argv)


def from_system(error: OSError) -> RexError:
    """A failure of the operating system in one line."""
    advice = {errno.ENOSPC: "free some space", errno.EDQUOT: "free some space",
              errno.EROFS: "the file system is read-only"}.get(error.errno or 0, "")
    where = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else ""
    return RexError(f"cannot use {where}" if where else "the system refused",
                    error.strerror or str(error), advice)


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
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        if "--debug" in argv[:1]:
            raise
        return report(from_system(error), argv)


# Of commands that end soon otherwise: with these the work begins when the command line was read.
_LASTING = {"--cells", "--all", "--persist"}


def leaves_at_once(argv: list[str]) -> bool:
    """Whether a command ends soon, with nothing open: Python need not look for garbage, nor take itself apart in the end."""
    own = words_before_program(argv)
    is_short = own[:1] in (["record"], ["replay"]) or own[:2] == ["hindsight", "replay"]
    return is_short and _LASTING.isdisjoint(word.partition("=")[0] for word in own)


def main() -> None:
    """The entry point of the `rex` script."""
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
        os._exit(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
