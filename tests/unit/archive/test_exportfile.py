"""The export file as bytes."""

from __future__ import annotations

import hashlib
import io

import pytest

from rex.archive.content import Content
from rex.archive.exportfile import (DONE, HEAD, HEADER, MAGIC, META, NAME, OBJECTS, ROOT, ExportReader,
                                    ExportWriter, Facts, grouped, read_objects)
from rex.archive.sealed import unseal_content
from rex.codec import sha256
from rex.errors import Damaged, TooNew

PIECES = [(sha256(data), data) for data in (b"one", b"two" * 1000, b"three")]


MANIFEST = Content(sha256(b"one").hex(), 3)


def written() -> bytes:
    stream = io.BytesIO()
    writer = ExportWriter(stream, Facts(("exp0",), "exp0"))
    writer.add_objects(PIECES)
    writer.add_experiment("exp0", MANIFEST)
    writer.finish()
    assert writer.size_bytes == len(stream.getvalue())
    return stream.getvalue()


def test_round_trip() -> None:
    reader = ExportReader(io.BytesIO(written()))
    assert reader.facts == Facts(("exp0",), "exp0")
    found = list(reader.sections())
    assert [kind for kind, _ in found] == [OBJECTS, NAME, ROOT]
    assert list(read_objects(found[0][1])) == PIECES
    assert found[1][1] == b"exp0" and unseal_content(found[2][1], "") == MANIFEST


def test_every_cut_is_noticed() -> None:
    data = written()
    for end in range(len(data)):
        with pytest.raises(Damaged):
            for kind, section in ExportReader(io.BytesIO(data[:end])).sections():
                if kind == OBJECTS:
                    list(read_objects(section))


def test_every_flip_is_noticed() -> None:
    data = written()
    for at in range(len(data)):
        hurt = bytearray(data)
        hurt[at] ^= 1
        with pytest.raises((Damaged, TooNew)):
            list(ExportReader(io.BytesIO(bytes(hurt))).sections())


def test_more_after_the_end() -> None:
    with pytest.raises(Damaged, match="hash"):
        list(ExportReader(io.BytesIO(written() + b"x")).sections())


def test_newer_versions_are_refused_by_number() -> None:
    with pytest.raises(TooNew, match="version 7"):
        ExportReader(io.BytesIO(HEADER.pack(MAGIC, 7, 0)))
    with pytest.raises(Damaged, match="version 0"):
        ExportReader(io.BytesIO(HEADER.pack(MAGIC, 0, 0)))


@pytest.mark.parametrize("facts", [b"[]", b"{}", b"{", b'{"experiments":["../x"]}', b'{"experiments":[1]}',
                                   b'{"experiments":["a"],"default":"b"}', b"[" * 100_000])
def test_facts_that_make_no_sense(facts: bytes) -> None:
    with pytest.raises(Damaged):
        ExportReader(io.BytesIO(HEADER.pack(MAGIC, 1, 0) + HEAD.pack(META, 0, len(facts)) + facts))


def test_sizes_are_limits() -> None:
    start = HEADER.pack(MAGIC, 1, 0) + HEAD.pack(META, 0, 18) + b'{"experiments":[]}'
    for kind, size in ((ROOT, 1 << 40), (b"????", 1), (OBJECTS, 1 << 30), (DONE, 33)):
        with pytest.raises(Damaged, match="a section"):
            list(ExportReader(io.BytesIO(start + HEAD.pack(kind, 0, size))).sections())
    with pytest.raises(Damaged, match="end is missing"):   # no memory for what is not there
        list(ExportReader(io.BytesIO(start + HEAD.pack(OBJECTS, 0, 60 << 20))).sections())


@pytest.mark.parametrize("table", [b"", bytes(8), b"\1\0\0\0\0\0\0\0", b"\xff" * 8])
def test_tables_that_lie(table: bytes) -> None:
    with pytest.raises(Damaged):
        list(read_objects(table))


def test_an_object_with_another_hash() -> None:
    stream = io.BytesIO()
    ExportWriter(stream, Facts(())).add_objects([(hashlib.sha256(b"a").digest(), b"b")])
    reader = ExportReader(io.BytesIO(stream.getvalue()))
    _, data = next(reader.sections())
    with pytest.raises(Damaged, match="this hash"):
        list(read_objects(data))


def test_grouped() -> None:
    assert [len(group) for group in grouped(PIECES, 3000)] == [2, 1]
    assert list(grouped([], 10)) == []
