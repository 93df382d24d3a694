"""What a user allows two contents to differ in: tolerances, ignored text, formats of files."""

from __future__ import annotations

import fnmatch
import math
import os
import re
from dataclasses import dataclass, replace
from typing import Any, Collection

from rex.errors import UsageError

BYTES = "bytes"
FORMATS = ("bytes", "csv", "gzip", "hdf5", "image", "json", "notebook", "npy", "npz", "parquet", "pdf", "sqlite", "svg", "tar", "text", "tsv", "yaml", "zip")
_REGEX_CHARS = 1000


@dataclass(frozen=True)
class Rules:
    """The tolerance of a comparison.

    Attributes:
        rtol, atol, ulps: two numbers are the same if they differ by at most atol + rtol times the larger one, or by so many
            steps between neighbouring floating-point numbers.
        ignore: regular expressions; what they match does not count.
        formats: pairs of a pattern of file names and a format; the first that fits decides.
        any_order: rows of tables, and items of lists, have no order.
        by_meaning: the same values are the same, whatever their bytes; any of the others implies it.
    """

    rtol: float = 0.0
    atol: float = 0.0
    ulps: int = 0
    ignore: tuple[str, ...] = ()
    formats: tuple[tuple[str, str], ...] = ()
    any_order: bool = False
    by_meaning: bool = False

    @property
    def is_set(self) -> bool:
        """Whether anything is allowed at all."""
        return self != Rules()

    def format_of(self, path: str) -> str:
        """The format that a rule names for a path, by its pattern of a name or of the whole path; "" for none."""
        name = os.path.basename(path)
        return next((kind for pattern, kind in self.formats if fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(path, pattern)), "")

    def as_json(self) -> dict[str, Any]:
        """The rules for machines; what is not set is left out."""
        told = {"rtol": self.rtol, "atol": self.atol, "ulps": self.ulps, "ignore": list(self.ignore),
                "as": [f"{pattern}={kind}" for pattern, kind in self.formats], "any_order": self.any_order}
        return {name: value for name, value in told.items() if value} or ({"rtol": 0.0} if self.by_meaning else {})


def from_json(given: Any, where: str) -> Rules:
    """Rules that `as_json` made.

    Args:
        where: the file that they are of, for messages.
    Raises:
        UsageError: they are none.
    """
    names = {"rtol", "atol", "ulps", "ignore", "as", "any_order"}
    if not isinstance(given, dict) or not given.keys() <= names:
        raise UsageError(f"{where} has no rules of a comparison", f"known are {', '.join(sorted(names))}")
    lists = [given.get(name, []) for name in ("ignore", "as")]
    if not all(isinstance(texts, list) and all(isinstance(text, str) for text in texts) for texts in lists):
        raise UsageError(f"ignore and as in {where} are no lists of texts")
    if not isinstance(given.get("any_order", False), bool):
        raise UsageError(f"any_order in {where} is neither true nor false")
    found = make(given.get("rtol", 0.0), given.get("atol", 0.0), given.get("ulps", 0), *lists, given.get("any_order", False))
    return replace(found, by_meaning=bool(given))


def make(rtol: Any, atol: Any, ulps: Any, ignore: Any, formats: Any, any_order: bool) -> Rules:
    """Rules from what a user wrote.

    Args:
        formats: texts PATTERN=FORMAT.
    Raises:
        UsageError: a number is negative, an expression cannot be read, or a format is unknown.
    """
    for name, value in (("rtol", rtol), ("atol", atol), ("ulps", ulps)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
            raise UsageError(f"{name} is {value!r}", "it is no number from 0 on")
    if not isinstance(ulps, int):
        raise UsageError(f"ulps is {ulps!r}", "it is no whole number")
    for text in ignore:
        try:
            if len(text) > _REGEX_CHARS:
                raise UsageError("an expression to ignore is too long", f"it has more than {_REGEX_CHARS} characters")
            re.compile(text)
        except (re.error, RecursionError, OverflowError) as error:
            raise UsageError(f"{text!r} is no regular expression", str(error)) from None
    pairs = []
    for text in formats:
        pattern, equals, kind = text.rpartition("=")
        if not equals or not pattern or kind not in FORMATS:
            raise UsageError(f"{text!r} names no format", f"formats are {', '.join(FORMATS)}", "write results.txt=csv")
        pairs.append((pattern, kind))
    return Rules(float(rtol), float(atol), ulps, tuple(ignore), tuple(pairs), any_order)


def added(own: Rules, wanted: Rules, numbers: Collection[str]) -> Rules:
    """Rules of an archive together with what a user gave.

    Args:
        numbers: those of rtol, atol and ulps that were given, and replace the archive's.
    """
    return Rules(wanted.rtol if "rtol" in numbers else own.rtol, wanted.atol if "atol" in numbers else own.atol,
                 wanted.ulps if "ulps" in numbers else own.ulps, (*wanted.ignore, *own.ignore), (*wanted.formats, *own.formats),
                 own.any_order or wanted.any_order, own.by_meaning or bool(numbers) or wanted.is_set)


def words_of(rules: Rules) -> list[str]:
    """The rules as one types them."""
    numbers = [word for name in ("rtol", "atol", "ulps") if (value := getattr(rules, name)) for word in (f"--{name}", f"{value:g}")]
    texts = [word for text in rules.ignore for word in ("--ignore", text)]
    texts += [word for pattern, kind in rules.formats for word in ("--as", f"{pattern}={kind}")]
    return [*numbers, *texts, *(["--any-order"] if rules.any_order else [])] or (["--rtol", "0"] if rules.by_meaning else [])
