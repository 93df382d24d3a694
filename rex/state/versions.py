"""What a captured state consists of: chunks, parts, versions of co-variables, the history."""

from __future__ import annotations

import pickle
from typing import Any, Callable, Iterable, Iterator, Mapping, Protocol

from rex.archive import Content
from rex.errors import NotFound
from rex.values import dataclass, field

CHUNK_BYTES = 128 << 10   # one object of the archive
SEGMENT_ITEMS = 4096

Reader = Callable[[Content], bytes]


class Chunk:
    """Some bytes of a part: in memory until they are stored, then by their content.

    `source` is bytes, text, or a list of plain values, which is encoded only
    when somebody wants the bytes. `is_kept`: its content survives this process.
    """

    __slots__ = ("digest", "size_bytes", "source", "content", "is_kept", "__weakref__")

    def __init__(self, source: bytes | str | list[Any] | None, digest: bytes = b"",
                 content: Content | None = None) -> None:
        self.source = source
        self.digest = digest
        self.content = content
        self.is_kept = content is not None
        self.size_bytes = content.size if content else _estimate(source)

    @property
    def is_lost(self) -> bool:
        """Whether its bytes are neither here nor stored."""
        return self.source is None and self.content is None

    def encoded(self, read: Reader | None = None) -> bytes:
        """The bytes, from memory or through `read`.

        Raises:
            NotFound: they are neither.
            Damaged: from `read`.
        """
        source = self.source
        if isinstance(source, bytes):
            return source
        if isinstance(source, str):
            return source.encode("utf-8", "surrogatepass")
        if source is not None:
            return encode_items(source)
        if self.content is None or read is None:
            raise NotFound("a piece of a state is neither in memory nor in an archive")
        return read(self.content)


_TEXTS = b"T"   # pickles begin otherwise


def encode_items(items: list[Any]) -> bytes:
    """Plain values as bytes: texts in one piece, five times as fast as a pickle, or a pickle."""
    # A pickle knows the same text when it comes again, and texts that are often the same must stay so.
    if items and set(map(type, items)) == {str} and 2 * len(set(map(id, items))) > len(items):
        text = "\0".join(items)
        if text.count("\0") == len(items) - 1:
            return _TEXTS + text.encode("utf-8", "surrogatepass")
    return pickle.dumps(items, protocol=5)


def decode_items(data: bytes) -> list[Any]:
    """What `encode_items` encoded; runs code if it is a pickle."""
    if data[:1] == _TEXTS:
        return data[1:].decode("utf-8", "surrogatepass").split("\0")
    return pickle.loads(data)


def _estimate(source: bytes | str | list[Any] | None) -> int:
    if source is None:
        return 0
    return len(source) * 64 if isinstance(source, list) else len(source)


@dataclass(slots=True)
class Part:
    """A large leaf of a co-variable that is stored beside the pickle.

    Attributes:
        kind: memory (raw bytes), items (lists of plain values), text, bytes.
        size: bytes or items.
        pid: which object it was, of those of one session and the ones that go on with it; 0 for none.
    """

    kind: str
    size: int
    chunks: tuple[Chunk, ...]
    pid: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Version:
    """A co-variable as it was after one cell. Two versions are compared by identity.

    Attributes:
        names: the variables, sorted; they share reachable objects.
        stream: the pickles of their values, in order, sharing one memo.
        parts: leaves that the stream refers to by number.
        out_of_band: parts that are the stream's protocol-5 buffers, as (part, is_readonly).
        engine: pickler that wrote the stream: cloudpickle or dill.
        node: the history's node (cell) that made it.
        broken: why it cannot be loaded; "" if it can.
        load_s: seconds that capturing took, a bound for what loading takes.
    """

    names: tuple[str, ...]
    stream: Chunk | None
    parts: tuple[Part, ...] = ()
    out_of_band: tuple[tuple[int, bool], ...] = ()
    engine: str = "cloudpickle"
    node: int = 0
    broken: str = ""
    load_s: float = 0.0
    doubts: list[str] = field(default_factory=list)   # what the twin found, later

    @property
    def why_not(self) -> str:
        """Why it must be recomputed; "" if it can be loaded."""
        return self.broken or (self.doubts[0] if self.doubts else "")

    def chunks(self) -> Iterator[Chunk]:
        """Every chunk, the stream first."""
        if self.stream is not None:
            yield self.stream
        for part in self.parts:
            yield from part.chunks


@dataclass(frozen=True, slots=True)
class Delta:
    """What one cell did to the state.

    Attributes:
        node, parent: its place in the history; the first node's parent is 0.
        changed: new versions by variable; a co-variable's variables have the same one.
        removed: variables that are gone.
        touched: variables that the cell could have reached; all that it could have read.
        code: the cell's source.
        cell_s, track_s: seconds of the cell, and of finding what it changed.
        is_complete: whether the cell ended without an exception.
        facts: what another module keeps about the cell, as JSON.
        read: identities of the files, modules and so on that it read (`Reads.end`), and under `sets` the
            dotted names of what it set in modules, as JSON; under `begun` a pickle of what it found of the environment that no
            state before it tells.
    """

    node: int
    parent: int
    changed: dict[str, Version]
    removed: frozenset[str]
    touched: frozenset[str]
    code: str = ""
    cell_s: float = 0.0
    track_s: float = 0.0
    is_complete: bool = True
    facts: dict[str, Any] = field(default_factory=dict)
    read: dict[str, Any] = field(default_factory=dict)

    @property
    def versions(self) -> list[Version]:
        """The new versions, each once."""
        return list(dict.fromkeys(self.changed.values()))


class _HasParent(Protocol):
    @property
    def parent(self) -> int: ...


def path_up(nodes: Mapping[int, _HasParent], node: int) -> list[int]:
    """The numbers from a node of a tree up to the first, the empty state (0) left out.

    Raises:
        NotFound: there is no such node.
    """
    found = []
    while node:
        if node not in nodes:
            raise NotFound(f"no cell {node}")
        found.append(node)
        node = nodes[node].parent
    return found


class History:
    """Deltas as a tree; node 0 is the empty state before the first one.

    Attributes:
        notes: what other modules kept between the cells, as JSON, in order.
    """

    def __init__(self, deltas: Iterable[Delta] = ()) -> None:
        self.deltas: dict[int, Delta] = {}
        self.notes: list[dict[str, Any]] = []
        for delta in deltas:
            self.add(delta)

    def add(self, delta: Delta) -> None:
        """Add a delta whose parent is known (or 0)."""
        assert delta.parent == 0 or delta.parent in self.deltas
        self.deltas[delta.node] = delta

    @property
    def next_node(self) -> int:
        """A number that no node has."""
        return max(self.deltas, default=0) + 1

    def path(self, node: int) -> list[int]:
        """From the node up to the first; NotFound if there is no such node."""
        return path_up(self.deltas, node)

    def state(self, node: int) -> dict[str, Version]:
        """The versions of all variables after a node.

        Raises:
            NotFound: there is no such node.
        """
        found: dict[str, Version] = {}
        for step in reversed(self.path(node)):
            delta = self.deltas[step]
            for name in delta.removed:
                found.pop(name, None)
            found.update(delta.changed)
        return found

    def difference(self, one: int, other: int) -> dict[str, tuple[Version | None, Version | None]]:
        """The variables whose versions differ between two nodes, with both versions."""
        before, after = self.state(one), self.state(other)
        return {name: (before.get(name), after.get(name))
                for name in sorted(before.keys() | after.keys())
                if before.get(name) is not after.get(name)}
