"""The files at the top of an archive, and the names that experiments can have."""

from __future__ import annotations

import json

from rex.archive.jsonform import read_json
from rex.archive.sealed import seal, unseal
from rex.errors import Damaged, TooNew, UsageError
from rex.hints import Collection

VERSION = 1
FIRST_FILE = "rex-archive.json"
EXPERIMENTS, PACKS, DEFAULT, LOCK, RULES = "experiments", "packs", "default", "lock", "rules"
FIRST_TEXT = json.dumps({"format": VERSION, "what": "a Rex archive of experiments"}).encode() + b"\n"
FIRST_BYTES, DEFAULT_BYTES, RULES_BYTES = 1 << 16, 200, 1 << 16   # more of these files is not read
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_IN_NAMES, _NAME_LENGTH = _LETTERS | frozenset(".+-"), 100


def check_first(data: bytes, where: str) -> None:
    """Make sure that an archive's first file is one, in the format that we read.

    Raises:
        TooNew: a newer Rex made it.
        Damaged: it makes no sense.
    """
    if data == FIRST_TEXT:
        return
    try:
        version = read_json(data, where)["format"]
    except (ValueError, TypeError, KeyError) as error:
        raise Damaged(f"{where}/{FIRST_FILE} is damaged", str(error)) from error
    if isinstance(version, int) and version > VERSION:
        raise TooNew(f"{where} has format version {version}",
                     f"this Rex reads up to {VERSION}", "use a newer Rex")
    raise Damaged(f"{where}/{FIRST_FILE} is damaged", "its text is another one")


def refuse_other_files(names: Collection[str], where: str) -> None:
    """Make sure that nothing but an archive is there, in the making or made by another process a moment ago.

    Raises:
        UsageError: something else is.
    """
    if FIRST_FILE not in names and any(n not in (EXPERIMENTS, PACKS) and not n.startswith(".tmp-") for n in names):
        raise UsageError(f"{where} is not an archive", "it holds other files", "choose another name")


def default_line(name: str) -> bytes:
    """What the file holds that names the default experiment."""
    return seal(name.encode())


def default_in(data: bytes, where: str) -> str:
    """The name in such a file.

    Raises:
        Damaged: it names none.
    """
    name = unseal(data, f"{where}/{DEFAULT}").decode("ascii", "replace")
    if not is_name(name):
        raise Damaged(f"{where}/{DEFAULT} is damaged", "it names no experiment", "see: rex default")
    return name


def is_name(name: object) -> bool:
    """Whether this can name an experiment."""
    return isinstance(name, str) and 0 < len(name) <= _NAME_LENGTH and name[0] in _LETTERS and _IN_NAMES.issuperset(name)


def check_is_name(name: str | None) -> None:
    """Make sure that an experiment can have this name in some archive (None: any); before an archive is made for it.

    Raises:
        UsageError: it cannot.
    """
    if name is not None and not is_name(name):
        raise UsageError(f"{name!r} cannot name an experiment", "", "use letters, digits and . _ + -")
