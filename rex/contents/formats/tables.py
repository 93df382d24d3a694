"""Tables: columns are compared by name, rows by their place, their key, or, on request, in any order."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any, Callable

from rex.contents.closeness import number_in
from rex.contents.formats.text import decode
from rex.contents.judge import Judge
from rex.contents.parts import Part, Parts
from rex.contents.reading import Reading, Unreadable

_CELL_BYTES = 120        # that a cell takes in memory
_MAX_CELL_CHARS = 1 << 24
Row = tuple[Any, ...]


def reader_of(delimiter: str) -> Callable[[bytes, Reading], Parts]:
    """What reads a text with rows of cells between delimiters; "": the one that its first line has."""
    return lambda data, reading: {"": read_table(data, reading, delimiter)}


def read_table(data: bytes, reading: Reading, delimiter: str) -> "Table":
    """The table in a text.

    Raises:
        Unreadable: it is none.
    """
    reading.take(2 * len(data))
    text = decode(data)
    if not delimiter:
        first = text.partition("\n")[0]
        delimiter = max(",;\t", key=first.count)
    csv.field_size_limit(_MAX_CELL_CHARS)
    rows: list[Row] = []
    try:
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            reading.take(_CELL_BYTES * len(cells), len(cells))
            if cells:
                rows.append(tuple(cell.strip() for cell in cells))
    except csv.Error as error:
        raise Unreadable(str(error)) from None
    header: list[str] = []
    if rows and all(cell and number_in(cell) is None for cell in rows[0]) and len(set(rows[0])) == len(rows[0]):
        header, rows = [str(cell) for cell in rows[0]], rows[1:]
    width = max(map(len, rows), default=len(header))
    header += [str(at + 1) for at in range(len(header), width)]
    return Table(header, [row + (None,) * (len(header) - len(row)) for row in rows])


@dataclass
class Table(Part):
    """Rows under named columns."""

    columns: list[str]
    rows: list[Row]

    def compare(self, other: "Table", name: str, judge: Judge) -> None:
        shared = [column for column in self.columns if column in other.columns]
        if shared != [column for column in other.columns if column in self.columns]:
            shared.sort()
        for side, (ours, theirs) in enumerate(((self, other), (other, self))):
            for column in ours.columns:
                if column not in theirs.columns:
                    judge.tally.miss(f"column {_named(name, column)}", side)
        places = [[table.columns.index(column) for column in shared] for table in (self, other)]
        rows = [[tuple(row[at] for at in where) for row in table.rows] for table, where in zip((self, other), places)]
        groups = [judge.tally.group(_named(name, column), label=f"column {_named(name, column)}") for column in shared]
        for i, j in _paired(rows[0], rows[1], judge.rules.any_order):
            if i is None or j is None:
                judge.tally.miss(f"{_named(name, '')}row {(i if i is not None else j) + 1}", int(i is None))   # type: ignore[operator]
                continue
            for group, one, two in zip(groups, rows[0][i], rows[1][j]):
                if one is two or one == two and type(one) is type(two):
                    group.compared += 1
                else:
                    judge.compare(group, one, two, lambda i=i: f"row {i + 1}")   # type: ignore[misc]


def _named(table: str, column: str) -> str:
    return f"{table}.{column}" if table and column else f"{table} " if table else column


def _paired(ours: list[Row], theirs: list[Row], any_order: bool) -> list[tuple[int | None, int | None]]:
    """Which rows belong together, whatever the tolerance is: by place, by the key in their first column, or sorted."""
    if len(ours) != len(theirs) or any_order:
        keys = _keys(ours), _keys(theirs)
        if keys[0] and keys[1]:
            found: list[tuple[int | None, int | None]] = [(at, keys[1].get(key)) for key, at in keys[0].items()]
            return found + [(None, at) for key, at in keys[1].items() if key not in keys[0]]
    orders = [sorted(range(len(rows)), key=lambda at: _sort_key(rows[at])) if any_order else list(range(len(rows))) for rows in (ours, theirs)]
    longest = max(map(len, orders))
    return [(orders[0][at] if at < len(ours) else None, orders[1][at] if at < len(theirs) else None) for at in range(longest)]


def _keys(rows: list[Row]) -> dict[str, int]:
    """The rows by their first cells, where these are names or whole numbers, each once; else nothing."""
    found: dict[str, int] = {}
    for at, row in enumerate(rows):
        key = row[0] if len(row) > 1 else None
        if isinstance(key, int):
            key = str(key)
        if not isinstance(key, str) or key in found or isinstance(number_in(key), float):
            return {}
        found[key] = at
    return found


def _sort_key(row: Row) -> tuple[Any, ...]:
    """Names before numbers, so that numbers that are a little apart do not change the order of rows with other names."""
    names, numbers = [], []
    for cell in row:
        number = number_in(cell) if isinstance(cell, str) else cell if isinstance(cell, (int, float)) else None
        if number is None or number != number:
            names.append(repr(cell))
        else:
            numbers.append(number)
    return names, numbers
