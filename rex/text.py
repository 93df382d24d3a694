"""What archives hold, as text for people: archives come from strangers, and nothing they name may steer a terminal."""

from __future__ import annotations

from rex.hints import Iterable



def clean(text: str) -> str:
    """The text with control characters and undecodable bytes escaped.

    Archives come from strangers: what they name must not steer a terminal.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else
                   f"\\x{ord(c) - 0xDC00:02x}" if 0xDC80 <= ord(c) <= 0xDCFF else
                   c.encode("unicode_escape").decode() for c in text)


_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./-_")


def quoted(word: str) -> str:
    """A word as one types it in a shell, on one line: quoted where need be, as $'...' where it has control characters.

    Undecodable bytes, which are lone surrogates, come as bytes: bash, ksh and zsh read them back.
    """
    if word and _PLAIN.issuperset(word):
        return word
    if word.isprintable():
        return "'" + word.replace("'", "'\"'\"'") + "'"
    return "$'" + "".join("\\" + c if c in "\\'" else c if c.isprintable() else _escaped(c) for c in word) + "'"


def quoted_ref(archive: str, experiment: str) -> str:
    """ARCHIVE:EXP as one types it in a shell."""
    return quoted(f"{archive}:{experiment}")


def _escaped(c: str) -> str:
    """A character that is not printable, as shells read it between $' and '."""
    if 0xDC80 <= ord(c) <= 0xDCFF:
        return f"\\x{ord(c) - 0xDC00:02x}"
    return f"\\u{ord(c):04x}" if 0x7F < ord(c) <= 0xFFFF else c.encode("unicode_escape").decode()


def command_text(command: Iterable[str]) -> str:
    """An argument vector as one would type it."""
    return " ".join(map(quoted, command))


def date_text(start_ns: int) -> str:
    """Local date and time, with its zone; a dash for none."""
    import time   # hints need none
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(start_ns // 10**9)) if start_ns else "-"
    except (OverflowError, ValueError, OSError):
        return "-"


def status_text(status: int | None) -> str:
    """An exit status for people; the signal's name where one ended the program."""
    if status is None:
        return "-"
    if status >= 0:
        return str(status)
    import signal
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
