"""Credentials in the arguments of a command, and placeholders for them."""

from __future__ import annotations

import re

from rex.credentials import rules
from rex.credentials.names import BY_NAME, may_name, names_credential
from rex.credentials.text import Finding, find, is_template, may_hold
from rex.hints import Iterator, Sequence
from rex.values import dataclass

_PLACEHOLDER = "REDACTED"


@dataclass(frozen=True, slots=True)
class Argument:
    """A credential in an argument: which argument, counted from the program as 0, and where in it."""

    index: int
    finding: Finding


def find_in_arguments(words: Sequence[str]) -> list[Argument]:
    """The credentials in a command's arguments, by their options' and variables' names and by what they look like."""
    found: list[Argument] = []
    has_name, program = _has_name(words), _password_program(words)
    if not has_name and program is None and not may_hold("\0".join(words)):
        return found
    for index, word in enumerate(words):
        findings = find(word) if may_hold(word) else []
        if has_name:
            findings = _apart([*findings, *_by_names(words[index - 1] if index else "", word)])
        if program is not None and index > program:
            findings = _apart([*findings, *_behind_p(words, index)])
        found += [Argument(index, finding) for finding in findings]
    return found


def _password_program(words: Sequence[str]) -> int | None:
    """Where a program that takes a password behind -p stands: first, or behind one that starts others."""
    for at, word in enumerate(words[:8]):
        if word.rpartition("/")[2] in rules.PASSWORD_PROGRAMS and (not at or words[at - 1] in rules.STARTERS):
            return at
    return None


def _behind_p(words: Sequence[str], index: int) -> Iterator[Finding]:
    """What an argument has for the option -p of a program that takes a password there."""
    word = words[index]
    begin = 0 if words[index - 1] == "-p" and words[index - 2].endswith("sshpass") else 2 if word.startswith("-p") and len(word) > 2 else -1
    if begin >= 0 and not is_template(word[begin:]):
        yield Finding("a password behind -p", begin, len(word))


def _has_name(words: Sequence[str]) -> bool:
    """Whether any word may name a credential, or be an option for user and password."""
    return may_name("\0".join(words)) or any([word.startswith(rules.USER_OPTIONS) for word in words]) or any([" -u" in word for word in words])


def _apart(findings: list[Finding]) -> list[Finding]:
    kept: list[Finding] = []
    for each in findings:
        if all(each.end <= other.begin or each.begin >= other.end for other in kept):
            kept.append(each)
    return sorted(kept, key=lambda each: each.begin)


def _by_names(before: str, word: str) -> Iterator[Finding]:
    """Of one argument: the value of the option before it, of its own option or variable, or of those in a shell's script."""
    if not any(c.isspace() for c in word):
        yield from _value_of(before, word, 0)
    else:
        if before.startswith("--") and names_credential(before.lstrip("-"), word):
            yield Finding(BY_NAME, 0, len(word))
            return
        last = ""
        for match in re.finditer(r"[^\s;|&()]+", word):
            yield from _value_of(last, match.group(), match.start())
            last = match.group()


def _value_of(before: str, word: str, at: int) -> Iterator[Finding]:
    """What stands behind `--name=` or `NAME=` in a word, or is the value of the option before it; at: where the word begins."""
    name, equals, value = word.partition("=")
    begin = at + len(name) + 1
    if not equals or not re.fullmatch(r"-{0,2}[A-Za-z_][\w.-]*", name):
        name, value, begin = before, word, at
        if not before.startswith("-") or "=" in before or word.startswith("-"):
            return
    begin += len(value) - len(value.lstrip("\"'"))
    value = value.strip("\"'")
    if name in rules.USER_OPTIONS:
        user, colon, secret = value.partition(":")
        if colon and user and _is_password(user, secret):
            yield Finding("a password behind a user's name", begin + len(user) + 1, begin + len(value))
    elif value and not is_template(value) and (name.startswith("--") or not name.startswith("-")) and names_credential(name.lstrip("-"), value):
        yield Finding(BY_NAME, begin, begin + len(value))


def _is_password(user: str, secret: str) -> bool:
    """Whether USER:SECRET is no pair of numbers, names of a user and a group, or the like."""
    return bool(secret) and not secret.isdigit() and secret != user and not secret.startswith("/") and not is_template(secret)


def placeholder_for(secret: str) -> str:
    """What stands for a credential: as many bytes, of a word that says so."""
    size = len(secret.encode("utf-8", "surrogateescape"))
    return (_PLACEHOLDER * (size // len(_PLACEHOLDER) + 1))[:size]


def redacted(words: Sequence[str]) -> list[str]:
    """A command with placeholders for the credentials in its arguments; of each as many bytes as before."""
    new = list(words)
    for each in reversed(find_in_arguments(words)):   # from the back: places in front stay
        word, begin, end = new[each.index], each.finding.begin, each.finding.end
        new[each.index] = word[:begin] + placeholder_for(word[begin:end]) + word[end:]
    return new
