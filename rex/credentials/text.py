"""Credentials in a text, by what they look like."""

from __future__ import annotations

import functools
import re

from rex.credentials import rules
from rex.credentials.rules import RULES, Rule
from rex.hints import Iterator
from rex.values import dataclass

# No key is shorter, nor has other characters: marks of keys are looked for in these parts of a text alone.
_KEY_CHARS, _LEAST_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~+/=%:-", 15
_SHAPE, _OF_KEY, _OTHER = bytes(120 if chr(c) in _KEY_CHARS else 32 for c in range(256)), b"x" * _LEAST_CHARS, b" "
_EXACT = tuple({mark for rule in RULES for mark in rule.marks if rule.is_exact})


def _by_sign(marks: set[str]) -> dict[str, tuple[str, ...]]:
    """Marks by a character that they have and few texts of words and numbers do; "" for marks without one."""
    sign_of = {mark: next((c for c in mark if not c.isalnum() and c not in " .-"), "") for mark in sorted(marks)}
    return {sign: tuple([mark for mark in sign_of if sign_of[mark] == sign]) for sign in set(sign_of.values())}


_IN_LOWER_CASE = _by_sign({mark for rule in RULES for mark in rule.marks if not rule.is_exact})


@dataclass(frozen=True, slots=True)
class Finding:
    """One credential in a text: its kind, and the characters that it takes, from begin to end."""

    kind: str
    begin: int
    end: int


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def is_template(value: str) -> bool:
    """Whether a value only stands for a credential: ${PASSWORD}, <token>, xxxx, a redaction."""
    return bool(_compiled(rules.TEMPLATE).fullmatch(value))


def is_example(value: str) -> bool:
    """Whether a value is one that documentation and templates have for a credential: your-password."""
    return is_template(value) or bool(_compiled(rules.EXAMPLE).fullmatch(value))


def _runs(text: str) -> str:
    """The parts of a text that a key may be in, a line each."""
    data = text.encode("latin-1", "replace")
    shape, found = data.translate(_SHAPE) + _OTHER, []
    at = shape.find(_OF_KEY)
    while at >= 0:                          # far faster than a split into words: few texts have many as long
        end = shape.find(_OTHER, at)
        if data[at:end].strip(b"0123456789.+-"):
            found.append(data[at:end])
        at = shape.find(_OF_KEY, end)
    return b"\n".join(found).decode("ascii")


def _marks_of(text: str, runs: str) -> set[str]:
    """The marks of rules that a text of these runs has: most texts are excluded by this, at little cost."""
    lower = text.lower()
    found = {mark for sign, marks in _IN_LOWER_CASE.items() if sign in lower for mark in marks if mark in lower}
    return found | {mark for mark in _EXACT if mark in runs} if runs else found


def may_hold(text: str) -> bool:
    """Whether any rule is worth a look."""
    return bool(_marks_of(text, _runs(text)))


def find(text: str, is_file: bool = False) -> list[Finding]:
    """The credentials in a text, in order, none within another.

    Args:
        is_file: what documentation has for a password is none; in a variable or an argument it may be one.
    """
    runs = _runs(text)
    marks = _marks_of(text, runs)
    if not marks:
        return []
    found = sorted((finding for rule in RULES if not marks.isdisjoint(rule.marks) and _may_match(rule, runs) for finding in _of(rule, text, is_file)),
                   key=lambda each: (each.begin, -each.end))
    apart: list[Finding] = []
    for each in found:
        if not apart or each.begin >= apart[-1].end:
            apart.append(each)
    return apart


def _may_match(rule: Rule, runs: str) -> bool:
    return not rule.is_exact or bool(_compiled(rule.pattern).search(runs))


def _of(rule: Rule, text: str, is_file: bool) -> Iterator[Finding]:
    for match in _compiled(rule.pattern).finditer(text):
        group = "secret" if "secret" in match.re.groupindex else 0
        secret = match.group(group)
        if rule.is_password and is_file and is_example(secret) or is_template(secret if rule.is_password else secret[-16:]):
            continue
        yield Finding(rule.kind, *match.span(group))
