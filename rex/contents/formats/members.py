"""Archives and compressed files: compared member by member, each in its own format."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from typing import IO, Callable

from rex.contents.parts import Leaves, Part, Parts
from rex.contents.reading import Reading, Unreadable

ReadMember = Callable[[str, bytes, Reading], Parts]
_BLOCK = 1 << 20
_MEMBER_BYTES = 2000
_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, NotImplementedError, OSError, EOFError, RuntimeError, ValueError, OverflowError)


def read_zip(data: bytes, reading: Reading, read_member: ReadMember) -> Parts:
    """The members of a zip file; their times do not count."""
    found: Parts = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                reading.take(_MEMBER_BYTES, 1)
                if info.is_dir():
                    found[info.filename] = Leaves({"": "directory"})
                    continue
                with archive.open(info) as file:
                    _add(found, info.filename, _bounded(file, reading), reading, read_member)
    except _DAMAGED as error:
        raise Unreadable(str(error)) from None
    return found


def read_tar(data: bytes, reading: Reading, read_member: ReadMember) -> Parts:
    """The members of a tar file; their times and owners do not count."""
    found: Parts = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for member in archive:
                reading.take(_MEMBER_BYTES, 1)
                file = archive.extractfile(member) if member.isreg() else None
                if file is None:
                    found[member.name] = Leaves({"": f"type {member.type!r} {member.linkname}".strip()})
                else:
                    _add(found, member.name, _bounded(file, reading), reading, read_member)
    except _DAMAGED as error:
        raise Unreadable(str(error)) from None
    return found


def read_gzip(data: bytes, reading: Reading, read_member: ReadMember) -> Parts:
    """What a gzip file unpacks to; the name and the time in its header do not count."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            inner = _bounded(file, reading)
    except _DAMAGED as error:
        raise Unreadable(str(error)) from None
    return read_member("", inner, reading.descend())


def _bounded(file: IO[bytes] | gzip.GzipFile, reading: Reading) -> bytes:
    """All bytes of a file, counted as they come."""
    blocks = []
    while block := file.read(_BLOCK):
        reading.take(2 * len(block))
        blocks.append(block)
    return b"".join(blocks)


def _add(found: Parts, name: str, data: bytes, reading: Reading, read_member: ReadMember) -> None:
    """Add the parts of a member; one of two members of a name gets a number."""
    inner: dict[str, Part] = read_member(name, data, reading.descend())
    label, number = name, 2
    while label in found or f"{label}:" in found:
        label, number = f"{name} ({number})", number + 1
    found[f"{label}:"] = Leaves()
    for part_name, part in inner.items():
        found[f"{label}: {part_name}" if part_name else label] = part
