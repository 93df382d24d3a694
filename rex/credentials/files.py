"""Credentials in files: those whose names are known, and what stands in small texts."""

from __future__ import annotations

import functools
import re

from rex.credentials import rules
from rex.credentials.names import BY_NAME, may_name, names_credential
from rex.credentials.text import Finding, find, is_example
from rex.hints import Callable

SMALL_BYTES = 64 << 10   # larger files are data
KEY_FILE = "a key or a password"
_BINARY_BYTES, _LINE_CHARS = 4096, 4096   # longer lines are data
# NAME = VALUE, NAME: VALUE, "name": "value", in any language for settings.
_SETTING = (r"(?i)(?P<name>[a-z_][\w.-]{0,80})[\"']?[^\S\n]*[:=][^\S\n]*[\"']?"
            r"(?P<secret>[^\s\"',;#(){}\[\]<>]{6,})(?=[\"'\s,;}]|$)")


@functools.cache
def _any_of(*patterns: str) -> Callable[[str], object]:
    """Whether a path matches one of the patterns, at the price of one match; the first use takes a while."""
    import fnmatch   # few have such names
    return re.compile("|".join(map(fnmatch.translate, patterns))).match


_ENDS = tuple({pattern.rpartition("*")[2] for pattern in rules.KEY_FILES} - {""})
_PARTS = tuple({max(pattern.split("*"), key=len) for pattern in rules.KEY_FILES if pattern.endswith("*")})


def is_key_file(path: str) -> bool:
    """Whether files of this name hold credentials, by wide custom."""
    if not path.endswith(_ENDS) and not any([part in path for part in _PARTS]):   # most paths are excluded at little cost
        return False
    return bool(_any_of(*rules.KEY_FILES)(path)) and not _any_of(*rules.NOT_KEY_FILES)(path)


def is_of_a_system(path: str) -> bool:
    """Whether a file comes with a system or a package, where examples of credentials abound."""
    return path.startswith(rules.SYSTEM_FOLDERS) or any([folder in path for folder in rules.PACKAGE_FOLDERS])


def kind_of_file(path: str, data: Callable[[], bytes]) -> str:
    """What kind of credential a small file of this path holds; "" for none.

    Args:
        data: reads it; called only where its name leaves the question open.
    """
    if is_key_file(path):
        return KEY_FILE
    if is_of_a_system(path):
        return ""
    findings = find_in_data(data())
    return findings[0].kind if findings else ""


def find_in_data(data: bytes) -> list[Finding]:
    """The credentials in a file's bytes; none in what is no text. Places are those of bytes."""
    return [] if not data or b"\0" in data[:_BINARY_BYTES] else find_in_file(data.decode("latin-1"))


def find_in_file(text: str) -> list[Finding]:
    """The credentials in the text of a file, settings whose names say so among them."""
    found, at = find(text, is_file=True), 0
    if not ("=" in text or ":" in text) or not may_name(text):
        return found
    for line in text.split("\n"):
        if ("=" in line or ":" in line) and may_name(line) and any([digit in line for digit in "0123456789"]):   # of most lines this is all
            for match in _setting().finditer(line[:_LINE_CHARS]):
                begin, end = at + match.start("secret"), at + match.end("secret")
                if _is_set(match["name"], match["secret"]) and all(end <= each.begin or begin >= each.end for each in found):
                    found.append(Finding(BY_NAME, begin, end))
        at += len(line) + 1
    return sorted(found, key=lambda each: each.begin)


@functools.cache
def _setting() -> re.Pattern[str]:
    return re.compile(_SETTING)


def _is_set(name: str, value: str) -> bool:
    """Whether a setting has a credential: letters and digits, that no template has, and that are no other name."""
    return (any([c.isdigit() for c in value]) and any([c.isalpha() for c in value]) and names_credential(name, value)
            and not is_example(value) and not names_credential(value, "-" * 9) and "://" not in value)
