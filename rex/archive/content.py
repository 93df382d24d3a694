"""What the bytes of one file are in the store: an object, or a tree of lists of objects."""

from __future__ import annotations

import struct

from rex.errors import Damaged
from rex.hints import Any, Iterable, Iterator
from rex.values import dataclass

# An entry of a list object: hash of an object (or, one level up, of a list)
# and the number of the file's bytes that it stands for. All zeros: a hole.
ENTRY = struct.Struct("<32sQ")
HOLE = bytes(32)
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
MAX_DEPTH = 6
_MIN_ENTRIES, _MAX_ENTRIES = 16, 1024

Entry = tuple[bytes, int]


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file, by name.

    Attributes:
        sha256: hash of all the bytes, hexadecimal; holes read as zeros.
        size: number of bytes.
        depth: 0 when the object `sha256` is the content itself (none is stored
            for size 0); otherwise how many levels of lists stand above the objects.
        tree: the topmost list object, hexadecimal; "" for depth 0.
    """

    sha256: str
    size: int
    depth: int = 0
    tree: str = ""

    @property
    def root(self) -> Entry:
        """The one entry that leads to everything else."""
        return bytes.fromhex(self.tree or self.sha256), self.size

    def to_json(self) -> list[Any]:
        """As a short list."""
        return [self.sha256, self.size] if self.depth == 0 else [self.sha256, self.size, self.depth, self.tree]


def check_content(content: Content) -> None:
    """Make sure that a content which a stranger named can be one.

    Raises:
        ValueError: it cannot.
    """
    for name in (content.sha256, content.tree):
        if name and (len(name) != 64 or not set(name) <= set("0123456789abcdef")):
            raise ValueError(f"not a hash: {name!r:.80}")
    if not content.sha256 or content.size < 0 or bool(content.tree) != bool(content.depth) or not 0 <= content.depth <= MAX_DEPTH:
        raise ValueError("a content does not hold together")


def split_list(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Cut a level of a tree into lists where the hashes say so.

    One changed object changes the one list that holds it, and not where the
    other lists begin.
    """
    group: list[Entry] = []
    for entry in entries:
        group.append(entry)
        ends = entry[0][31] & 0x7F == 0x7F and len(group) >= _MIN_ENTRIES
        if ends or len(group) == _MAX_ENTRIES:
            yield group
            group = []
    if group:
        yield group


def encode_list(entries: list[Entry]) -> bytes:
    """The bytes of a list object."""
    return b"".join([ENTRY.pack(*entry) for entry in entries])


def decode_list(data: bytes, size: int) -> list[Entry]:
    """The entries of a list that stands for size bytes.

    Raises:
        Damaged: the bytes are no such list.
    """
    if len(data) % ENTRY.size:
        raise Damaged("a list of objects is damaged", f"it has {len(data)} bytes")
    entries = list(ENTRY.iter_unpack(data))
    # Without empty entries the number of objects is bounded by the declared size.
    if any(length == 0 for _, length in entries) or sum(n for _, n in entries) != size:
        raise Damaged("a list of objects is damaged", "the sizes do not add up")
    return entries
