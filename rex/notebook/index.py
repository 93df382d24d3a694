"""The SQLite index of a session: its graph without the pieces of its states, for quick questions.

It is derived from the log and can be made again from it at any time. The tables
`cell` and `variable` are for people with SQL; `entry` is what the graph is read from.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sqlite3
from typing import Any, BinaryIO, Iterator

from rex.archive import COMPLETE, Experiment
from rex.errors import Damaged, NotFound, RexError
from rex.notebook.entries import apply_entry, entry_of, set_facts
from rex.notebook.graph import Graph, Node
from rex.notebook.source import head_of
from rex.notebook.views import view_text

FORMAT = 1
NAME = "index.sqlite"
_MAX_LINE_BYTES = 256 << 20
_TABLES = (
    "CREATE TABLE entry (seq INTEGER PRIMARY KEY, json TEXT NOT NULL)",
    "CREATE TABLE cell (node INTEGER PRIMARY KEY, parent INTEGER, count INTEGER, branch TEXT, "
    "start_ns INTEGER, cell_s REAL, track_s REAL, is_complete INTEGER, error TEXT, code TEXT)",
    "CREATE TABLE variable (node INTEGER, name TEXT, version INTEGER, bytes INTEGER, view TEXT, "
    "PRIMARY KEY (node, name))",
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER)")


class Index:
    """Follows a log that grows, or was finished."""

    def __init__(self, path: str = ":memory:") -> None:
        """Open the index at a path, made again if it is not what it should be."""
        self._path = path
        self._database = self._open()

    def _open(self) -> sqlite3.Connection:
        for attempt in range(2):
            database = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False,
                                       timeout=1.0)
            try:
                # Derived data: a crash of the machine may cost it.
                database.execute("PRAGMA synchronous=OFF")
                database.execute("PRAGMA journal_mode=TRUNCATE")
                database.execute("PRAGMA trusted_schema=OFF")
                if not _is_ours(database):
                    if database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                        raise sqlite3.DatabaseError("another schema")
                    with _transaction(database):
                        for table in _TABLES:
                            database.execute(table)
                        database.execute("INSERT INTO meta VALUES ('format', ?), ('offset', 0)",
                                         (FORMAT,))
                return database
            except sqlite3.DatabaseError:
                database.close()
                if attempt or self._path == ":memory:":
                    raise
                for ending in ("", "-journal"):
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(self._path + ending)
        raise AssertionError("unreachable")

    @property
    def offset(self) -> int:
        """The bytes of the log that it has seen."""
        return int(self._database.execute(
            "SELECT value FROM meta WHERE key = 'offset'").fetchone()[0])

    def catch_up(self, log: BinaryIO) -> None:
        """Take in the whole lines of a log from where it was left; the log stands there.

        Raises:
            Damaged: a line makes no sense.
        """
        offset, log = self.offset, _whole(log)
        with _transaction(self._database):
            while (line := log.readline(_MAX_LINE_BYTES)).endswith(b"\n"):
                entry = entry_of(line)
                offset += len(line)
                self._database.execute("INSERT INTO entry (json) VALUES (?)", (json.dumps(entry),))
                if "note" not in entry:
                    self._add_cell(entry)
            self._database.execute("UPDATE meta SET value = ? WHERE key = 'offset'", (offset,))

    def _add_cell(self, entry: dict[str, Any]) -> None:
        node = Node(entry["node"], entry["parent"])
        set_facts(node, entry["facts"], entry["code"])
        self._database.execute(
            "INSERT OR REPLACE INTO cell VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (node.number, node.parent, node.count, _text(node.branch), node.start_ns, entry["cell_s"], entry["track_s"],
             entry["is_complete"], _text(node.error), _text(node.code)))
        self._database.executemany(
            "INSERT OR REPLACE INTO variable VALUES (?, ?, ?, ?, ?)",
            [(node.number, _text(name), version, entry["sizes"].get(version),
              _text(view_text(node.views[name])) if name in node.views else None)
             for name, version in entry["changed"].items()])

    def graph(self) -> Graph:
        """The graph.

        Raises:
            Damaged: the entries do not hold together.
        """
        return _graph_in(self._database)

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _text(text: str) -> str:
    """A text as SQLite takes it: it refuses halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode()


@contextlib.contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def _is_ours(database: sqlite3.Connection) -> bool:
    """Whether it has our tables and nothing else: strangers' triggers and views never run."""
    found = {row[0] for row in database.execute(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
    return found == set(_TABLES) and database.execute(
        "SELECT value FROM meta WHERE key = 'format'").fetchone() == (FORMAT,)


def _graph_in(database: sqlite3.Connection) -> Graph:
    graph = Graph()
    try:
        for (text,) in database.execute("SELECT json FROM entry ORDER BY seq"):
            apply_entry(graph, json.loads(text))
    except (ValueError, TypeError, RecursionError) as error:
        raise Damaged("the index of a notebook is damaged", str(error)) from error
    return graph


def read_graph(experiment: Experiment) -> Graph:
    """The graph of a session, finished or not, live or not; of an unfinished one from its index where that is up to date.

    Nothing is written and nothing is unpickled.

    Raises:
        NotFound: it is no notebook session.
        Damaged: its record does not hold together.
    """
    check_is_session(experiment)
    with contextlib.suppress(sqlite3.Error, Damaged, OSError):
        if graph := _from_index(experiment):
            return graph
    index = Index()
    try:
        with experiment.open_log() as log:
            index.catch_up(log)
        return index.graph()
    finally:
        index.close()


def _from_index(experiment: Experiment) -> Graph | None:
    if experiment.state == COMPLETE:   # its log has a hash, its index none
        return None
    path = os.path.join(experiment.directory, NAME)
    for name in filter(experiment.folder.has, (NAME, NAME + "-journal")):
        os.close(experiment.folder.descriptor(name))   # no link and no pipe
    uri = f"file:{path.replace('%', '%25').replace('?', '%3f').replace('#', '%23')}?mode=ro"
    with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=1.0)) as database:
        database.execute("PRAGMA trusted_schema=OFF")
        database.execute("PRAGMA query_only=ON")
        database.execute("PRAGMA cell_size_check=ON")
        database.execute("BEGIN")
        if not _is_ours(database):
            return None
        offset = database.execute("SELECT value FROM meta WHERE key = 'offset'").fetchone()[0]
        if offset != _log_bytes(experiment):
            return None
        return _graph_in(database)


def _log_bytes(experiment: Experiment) -> int:
    """Bytes of the log's whole lines, as far as that is known without reading it."""
    with experiment.open_log() as log:
        size = log.seek(0, os.SEEK_END)
        if not size:
            return 0
        log.seek(size - 1)
        return size if log.read(1) == b"\n" else -1


def _whole(log: BinaryIO) -> BinaryIO:
    """A log's bytes, up to where they can be read."""
    blocks = []
    with contextlib.suppress(OSError, RexError):
        while block := log.read(1 << 20):
            blocks.append(block)
    return io.BytesIO(b"".join(blocks))


def check_is_session(experiment: Experiment) -> None:
    """Refuse other experiments.

    Raises:
        NotFound: it is none.
    """
    if not experiment.is_session:
        raise NotFound(f"{experiment.name} is no notebook session", "it was recorded otherwise",
                       "see: rex ls")
