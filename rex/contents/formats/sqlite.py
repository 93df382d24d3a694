"""SQLite databases: compared table by table. Their own code (views, triggers, virtual tables) never runs."""

from __future__ import annotations

import sqlite3
import time

from rex.contents.formats.tables import Table
from rex.contents.parts import Parts
from rex.contents.reading import Reading, Unreadable

_SECONDS = 60.0
_STEPS = 100_000      # of SQLite's machine between two looks at the clock
_CELL_BYTES = 120


def read(data: bytes, reading: Reading) -> Parts:
    """The tables of a database, by name."""
    reading.take(2 * len(data))
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(data)
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA cell_size_check = ON")
        database.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        deadline = time.monotonic() + _SECONDS
        database.set_progress_handler(lambda: int(time.monotonic() > deadline), _STEPS)
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' "
                                 "AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name").fetchall()
        return {name: _table(database, name, reading) for name, in names}
    except (sqlite3.Error, MemoryError, OverflowError, ValueError, TypeError) as error:
        raise Unreadable(str(error)) from None
    finally:
        database.close()


def _table(database: sqlite3.Connection, name: str, reading: Reading) -> Table:
    quoted = '"' + name.replace('"', '""') + '"'
    cursor = database.execute(f"SELECT * FROM {quoted}")
    columns = [column[0] for column in cursor.description]
    rows = []
    for row in cursor:
        reading.take(_CELL_BYTES * len(row) + sum(len(cell) for cell in row if isinstance(cell, (str, bytes))), len(row))
        rows.append(row)
    return Table(columns, rows)
