"""The numbers of a small output, each under the name that stands beside it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from typing import Any, Iterator

from rex.contents.formats.text import TOKEN

MAX_BYTES = 16 << 10      # of an output that is read for its numbers
_MOST = 64                # numbers of one output
_NAME_CHARS = 40
_LARGEST = 1e300          # sums of larger ones are no numbers
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_BREAKS = re.compile(r"[,;|]")
_TRIMMED = " \t:=\"'()[]{}#"

Named = tuple[str, float]


def numbers_of(path: str, data: bytes) -> dict[str, float]:
    """Numbers by name, in their order; none where the data is large, or no text.

    Names are paths of JSON (`fit.error`), headings of tables, and else the words beside a number on its line. What has the same name
    is counted: `loss`, `loss (2)`.
    """
    if len(data) > MAX_BYTES:
        return {}
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return {}
    found: dict[str, float] = {}
    for name, value in _named(path, text):
        name = base = name[:_NAME_CHARS] or "number"
        count = 1
        while name in found:
            count += 1
            name = f"{base} ({count})"
        if abs(value) < _LARGEST:
            found[name] = value
        if len(found) == _MOST:
            break
    return found


def _named(path: str, text: str) -> Iterator[Named]:
    if text.lstrip()[:1] in ("{", "["):
        try:
            return iter(list(_of_json(json.loads(text), "")))
        except (ValueError, RecursionError, OverflowError):
            pass
    delimiter = _DELIMITERS.get(os.path.splitext(path.lower())[1])
    return _of_table(text, delimiter) if delimiter else _of_lines(text)


def _of_json(value: Any, name: str) -> Iterator[Named]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _of_json(each, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from _of_json(each, f"{name}[{at}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield name, float(value)


def _of_table(text: str, delimiter: str) -> Iterator[Named]:
    """A table whose first row has the names; of several rows all but the first are counted."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return
    for number, row in enumerate(rows[1:], 2):
        for head, cell in zip(rows[0], row):
            if (value := _number(cell)) is not None:
                yield (head.strip() if len(rows) == 2 else f"{head.strip()}, row {number}"), value


def _of_lines(text: str) -> Iterator[Named]:
    for number, line in enumerate(text.splitlines(), 1):
        end = 0
        for match in TOKEN.finditer(line):
            if match["number"] is None or (value := _number(match["number"])) is None:
                continue
            before = _BREAKS.split(line[end:match.start()])[-1].strip(_TRIMMED)
            after = _BREAKS.split(line[match.end():])[0].strip(_TRIMMED)
            yield before or (after if not TOKEN.search(after) else "") or f"line {number}", value
            end = match.end()


def _number(text: str) -> float | None:
    try:
        return float(text.strip().replace("d", "e").replace("D", "e"))
    except ValueError:
        return None
