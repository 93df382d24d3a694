"""Command lines as people type them: split by a shell's rules of quoting, and nothing else of a shell."""

from __future__ import annotations

import shlex

from rex.errors import UsageError

_SPACE = " \t\r\n"


def split(text: str) -> list[str]:
    """The argument vector of a command line; `static/words.js` follows the same rules.

    Raises:
        UsageError: a quotation mark stays open, a backslash has nothing behind it, a NUL
            is in it, or there is no word at all.
    """
    if "\0" in text:
        raise UsageError("the command line holds a character that no program can be given")
    try:
        words = shlex.split(text)
    except ValueError:
        raise UsageError(_problem(text), "", "add it, or remove the other one") from None
    if not words or not words[0]:
        raise UsageError("the command line is empty", "", "it must begin with a program")
    return words


def _problem(text: str) -> str:
    """What shlex stumbled over, and where: it does not tell."""
    quote, opened, at = "", 0, 0
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'":
            if at + 1 == len(text):
                return "the backslash at the end of the command line has nothing to stand before"
            at += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote, opened = char, at
        at += 1
    word = text[opened:].split(maxsplit=1)[0]
    return f"the quotation mark {quote} before {word[1:13] or 'the end'} has no partner"


def has_shell_signs(words: list[str]) -> bool:
    """Whether somebody seems to hope for a shell, which is not there."""
    return any(word in ("|", ">", ">>", "<", "&&", "||", ";", "&", "2>&1") for word in words)
