"""Variables, options and settings whose names say that their values are credentials."""

from __future__ import annotations

import functools

from rex.credentials import rules
from rex.credentials.text import find, may_hold
from rex.hints import Mapping

BY_NAME = "a credential by its name"
# No name is one of a credential without one of these.
_PARTS = ("PASS", "SECRET", "TOKEN", "KEY", "CREDENTIAL", "AUTH", "COOKIE", "DSN", "PW", "CREDS", "JWT", "BEARER", "MNEMONIC")
_MOST_DIGITS = 3   # of a number that is a setting; longer ones may be a PIN


def _words(name: str) -> list[str]:
    """DB_PASSWORD, db-password, db.password and dbPassword: DB, PASSWORD. Digits at a word's end are left out."""
    if not name.isupper():      # a capital begins a word
        name = "".join("_" + c if c.isupper() and before.islower() else c for before, c in zip(" " + name, name))
    plain = name.upper().replace("-", "_").replace(".", "_")
    return [word for word in (part.rstrip("0123456789") for part in plain.split("_")) if word]


def may_name(text: str) -> bool:
    """Whether a text may have a name of a credential in it: most are excluded by this."""
    upper = text.upper()
    return any([part in upper for part in _PARTS])


@functools.lru_cache(maxsize=4096)   # asked at each checkpoint of a state, for all of them
def names_credential(name: str, value: str) -> bool:
    """Whether a variable, option or setting of this name has a credential for its value."""
    if not may_name(name):
        return False
    words = _words(name)
    if not words or words[-1].endswith("FILE") or value.lower() in rules.PLAIN_VALUES:
        return False
    last, is_several = words[-1], len(words) > 1
    if last in rules.OTHER_LAST:
        return False
    if any([word.endswith(rules.STRONG_ENDS) for word in words]) or is_several and last in rules.STRONG_LAST:
        return True
    is_key = (is_several and last in rules.WEAK_LAST and words[-2] not in rules.PLAIN_KEYS) or ("PRIVATE" in words and "KEY" in words)
    is_weak = any([word.endswith(rules.WEAK_ENDS) and not word.endswith(rules.NO_ENDS) for word in words])
    return (is_key or is_weak) and not _is_plain(last, value)


def _is_plain(last: str, value: str) -> bool:
    """Whether a value is plainly no credential, of a name that is no proof."""
    number_digits = len(value) if last == "TOKENS" else _MOST_DIGITS
    if value.lower() in rules.PLAIN_WEAK_VALUES or (value.isdigit() and len(value) <= number_digits):
        return True
    if not any(c.isalnum() for c in value):
        return True
    is_place = value.startswith(("/", "~/", "./", "../")) or _has_ending(value)
    return is_place and all(c.isalnum() or c in "/._-+@~ " for c in value)


def _has_ending(value: str) -> bool:
    """Whether a value looks like the name of a file: id.pem."""
    stem, dot, ending = value.rpartition(".")
    return bool(stem and dot and ending.isalpha() and 1 < len(ending) <= 5 and ending.islower())


def credential_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables that look like credentials, by name or by value: name, kind.

    Only the name of a variable with `_FILE` and the like is no proof; its value is looked at all the same.
    """
    found = {name: BY_NAME for name, value in variables.items() if names_credential(name, value)}
    if may_hold("\0".join(variables.values())):
        for name, value in variables.items():
            if name not in found and (findings := find(value)):
                found[name] = findings[0].kind
    return found
