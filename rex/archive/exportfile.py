"""The export file: experiments with everything they need, as one stream.

    header   magic "REXFILE\\n", u32 version, u32 0
    section  4 bytes kind, u32 0, u64 size of the data; then the data
    ...
    DONE     sha256 of all bytes before this section's head

Sections come in this order: META, OBJS..., then NAME, perhaps INFO, and ROOT for each experiment, DONE.
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass
from typing import Any, BinaryIO, Iterable, Iterator

from rex import codec
from rex.archive.amendments import MAX_ABOUT_BYTES
from rex.archive.topfiles import is_name
from rex.archive.content import Content
from rex.archive.experiment import MAX_IDENTITY_BYTES
from rex.archive.jsonform import read_json
from rex.archive.packs import MAX_FRAME_BYTES
from rex.archive.sealed import seal_content
from rex.errors import Damaged, TooNew

VERSION = 1
HEADER = struct.Struct("<8sII")
HEAD = struct.Struct("<4sIQ")
COUNT = struct.Struct("<II")
OBJECT = struct.Struct("<32sII")
MAGIC = b"REXFILE\n"
META, OBJECTS, NAME, INFO, ROOT, DONE = b"META", b"OBJS", b"NAME", b"INFO", b"ROOT", b"DONE"

FRAME_BYTES = 8 << 20     # raw bytes of objects that are compressed together
LEVEL = 9
_BLOCK_BYTES = 1 << 20
# What a section may be at most, so that a lying size costs no memory.
_LIMITS = {META: 1 << 20, OBJECTS: 64 << 20, NAME: 100, INFO: MAX_ABOUT_BYTES, ROOT: MAX_IDENTITY_BYTES, DONE: 32}

Object = tuple[bytes, bytes]   # sha256, bytes


@dataclass(frozen=True)
class Facts:
    """What the file says of itself first.

    Attributes:
        experiments: their names, in the order in which they come.
        default: the archive's default among them, if it was set.
        rules: what comparisons of the archive's outputs allow to differ, if that was set.
    """

    experiments: tuple[str, ...]
    default: str | None = None
    rules: dict[str, Any] | None = None


class ExportWriter:
    """Writes an export file to a stream; the same calls give the same bytes."""

    def __init__(self, stream: BinaryIO, facts: Facts) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self.size_bytes = 0
        self._write(HEADER.pack(MAGIC, VERSION, 0))
        told: dict[str, Any] = {"experiments": list(facts.experiments)}
        if facts.default:
            told["default"] = facts.default
        if facts.rules is not None:
            told["rules"] = facts.rules
        self._section(META, json.dumps(told, sort_keys=True).encode())

    def _write(self, data: bytes) -> None:
        self._stream.write(data)
        self._digest.update(data)
        self.size_bytes += len(data)

    def _section(self, kind: bytes, data: bytes) -> None:
        self._write(HEAD.pack(kind, 0, len(data)))
        self._write(data)

    def add_objects(self, objects: Iterable[Object]) -> None:
        """Write objects, as many to a section as compress well together."""
        for group in grouped(objects, FRAME_BYTES):
            table = b"".join([OBJECT.pack(digest, len(data), 0) for digest, data in group])
            frame = codec.compress(b"".join([data for _, data in group]), LEVEL)
            self._section(OBJECTS, COUNT.pack(len(group), 0) + table + frame)

    def add_experiment(self, name: str, root: Content, about_line: bytes = b"") -> None:
        """Write an experiment whose objects are all written, its manifest's too, and what people changed of it."""
        self._section(NAME, name.encode())
        if about_line:
            self._section(INFO, about_line)
        self._section(ROOT, seal_content(root))

    def finish(self) -> None:
        """Write the end: without it the file counts as cut short."""
        self._section(DONE, self._digest.digest())


class ExportReader:
    """Reads an export file from a stream, front to back; nothing in it is trusted.

    Attributes:
        facts: what the file says of itself.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """Read the beginning.

        Raises:
            Damaged: this is no export file.
            TooNew: a newer Rex made it.
        """
        self._stream = stream
        self._digest = hashlib.sha256()
        head = self._read(HEADER.size, is_start=True)
        if len(head) < HEADER.size or not head.startswith(MAGIC):
            raise Damaged("this is not an export file", "it does not begin with its magic bytes",
                          "make one with: rex export ARCHIVE -o FILE")
        version = HEADER.unpack(head)[1]
        if version > VERSION:
            raise TooNew(f"the export file has format version {version}",
                         f"this Rex reads up to {VERSION}", "use a newer Rex")
        if version < 1:
            raise Damaged("the export file is damaged", f"format version {version}")
        kind, size = self._head()
        self.facts = _facts(self._read(size) if kind == META else b"")

    def _read(self, size: int, is_start: bool = False) -> bytes:
        blocks = []
        while size > 0 and (block := self._stream.read(min(size, _BLOCK_BYTES))):
            blocks.append(block)
            self._digest.update(block)
            size -= len(block)
        if size and not is_start:
            raise Damaged("the export file is damaged", "its end is missing", "get it again")
        return b"".join(blocks)

    def _head(self) -> tuple[bytes, int]:
        kind, zero, size = HEAD.unpack(self._read(HEAD.size))
        if zero or size > _LIMITS.get(kind, 0):
            raise Damaged("the export file is damaged", f"a section {kind!r} of {size} bytes")
        return kind, size

    def sections(self) -> Iterator[tuple[bytes, bytes]]:
        """Every section after the first as (kind, data).

        Raises:
            Damaged: the file ends early, or its hash is wrong.
        """
        while True:
            before = self._digest.digest()
            kind, size = self._head()
            data = self._read(size)
            if kind == DONE:
                if data != before or self._stream.read(1):
                    raise Damaged("the export file is damaged", "it does not have the hash that "
                                  "it ends with", "get it again")
                return
            yield kind, data


def _facts(data: bytes) -> Facts:
    try:
        told = read_json(data, "the export file")
        names, default, rules = told["experiments"], told.get("default"), told.get("rules")
        if not isinstance(names, list) or not all(is_name(n) for n in names):
            raise ValueError("names")
        if default is not None and default not in names:
            raise ValueError("default")
        if rules is not None and not isinstance(rules, dict):
            raise ValueError("rules")
        return Facts(tuple(names), default, rules)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Damaged("the export file is damaged", f"its facts make no sense: {error}") from error


def read_objects(data: bytes) -> Iterator[Object]:
    """The objects of an OBJS section, each verified.

    Raises:
        Damaged: they are not what the section says.
    """
    count = COUNT.unpack_from(data)[0] if len(data) >= COUNT.size else 0
    end = COUNT.size + count * OBJECT.size
    if not count or len(data) < end:
        raise Damaged("the export file is damaged", "a table of objects is cut short")
    table = list(OBJECT.iter_unpack(data[COUNT.size:end]))
    raw = codec.decompress(data[end:], MAX_FRAME_BYTES)
    if sum(length for _, length, _ in table) != len(raw):
        raise Damaged("the export file is damaged", "the sizes of objects do not add up")
    offset = 0
    for digest, length, _ in table:
        piece = raw[offset:offset + length]
        if codec.sha256(piece) != digest:
            raise Damaged(f"object {digest.hex()[:16]} is damaged",
                          "its bytes do not have this hash", "get the file again")
        yield digest, piece
        offset += length


def grouped(objects: Iterable[Object], limit_bytes: int) -> Iterator[list[Object]]:
    """The objects in order, in groups of about this many bytes."""
    group: list[Object] = []
    size = 0
    for item in objects:
        group.append(item)
        size += len(item[1])
        if size >= limit_bytes:
            yield group
            group, size = [], 0
    if group:
        yield group
