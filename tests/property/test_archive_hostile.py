"""Readers of bytes that strangers made: whatever these are, they are read or refused, never worse."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import struct
import tempfile
from pathlib import Path
from typing import Any, Callable

import pytest
from hypothesis import given, settings, strategies as st

from rex import codec
from rex.archive import Archive, Content, FileEntry, FileState, Manifest
from rex.archive import exportfile, manifest as manifests
from rex.archive.content import decode_list
from rex.archive.folder import Folder
from rex.archive.exporting import export, import_from
from rex.archive.manifest_checks import is_plain_path
from rex.archive.packs import PackReader
from rex.archive.sealed import seal, seal_content
from rex.errors import Damaged, NotFound, TooNew, UsageError
from rex.log import Event, LogReader, LogWriter

REFUSED = (Damaged, TooNew)
MODERATE = settings(max_examples=150, deadline=None)


def sample() -> tuple[bytes, bytes, bytes, bytes]:
    """A pack, a manifest, a log and an export file that are right."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive.create(folder + "/a")
        with archive.begin() as recording:
            with LogWriter(recording.log_path, start_ns=1) as log:
                for number in range(20):
                    log.append(Event(number, fields=((1, 2, b"data" * number),)))
            raw_log = Path(recording.log_path).read_bytes()
            big = recording.add_bytes(random.Random(1).randbytes(400_000))
            state = FileState("file", 0o644, size=big.size, content=big)
            recording.finish(Manifest(("x",), files={"/a": FileEntry(state, state), "/b": FileEntry(None, state, True)},
                                      attachments={"s": recording.add_bytes(b"small")}))
        stream = io.BytesIO()
        export(archive, stream)
        pack = max(Path(archive.store.directory).glob("*.pack"), key=lambda path: path.stat().st_size).read_bytes()
        return pack, archive.experiment().manifest_json(), raw_log, stream.getvalue()


PACK, MANIFEST, LOG, EXPORT = sample()
edits = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.one_of(
    st.binary(min_size=1, max_size=9), st.sampled_from([b"\xff" * 8, bytes(8), struct.pack("<Q", 1 << 40)]))),
    min_size=1, max_size=4)


def hurt(data: bytes, changes: list[tuple[float, bytes]], end: float) -> bytes:
    """The data with some bytes replaced, and cut short."""
    found = bytearray(data)
    for place, new in changes:
        at = int(place * len(found))
        found[at:at + len(new)] = new
    return bytes(found[:int(len(found) * end) + 1])


ends = st.one_of(st.just(1.0), st.floats(0, 1))


def read_pack(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".pack") as file:
        file.write(data)
        file.flush()
        pack = PackReader(Folder(os.path.dirname(file.name)), os.path.basename(file.name))
        for number in range(min(len(pack.frames), 50)):
            pack.read_frame(number)


def read_log(data: bytes) -> None:
    with LogReader(io.BytesIO(data)) as log:
        list(log)


def import_data(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        import_from(io.BytesIO(data), Archive.create(folder + "/a"))


def read_manifest(data: bytes) -> Manifest:
    table = json.dumps({"/t": {"initial": {"type": "file"}}}).encode()
    return manifests.decode(data, lambda content: table)


def accepts_or_refuses(read: Callable[[bytes], Any], data: bytes) -> None:
    try:
        read(data)
    except REFUSED as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("read", [read_pack, read_log, read_manifest, import_data])
def test_any_bytes(read: Callable[[bytes], Any]) -> None:
    @MODERATE
    @given(st.binary(max_size=300), st.sampled_from([b"", PACK[:16], LOG[:32], EXPORT[:16], b'{"format":1,']))
    def run(data: bytes, start: bytes) -> None:
        accepts_or_refuses(read, start + data)
    run()


@pytest.mark.parametrize("read, data", [(read_pack, PACK), (read_log, LOG), (read_manifest, MANIFEST),
                                        (import_data, EXPORT)], ids=["pack", "log", "manifest", "export"])
def test_hurt_files(read: Callable[[bytes], Any], data: bytes) -> None:
    @MODERATE
    @given(edits, ends)
    def run(changes: list[tuple[float, bytes]], end: float) -> None:
        accepts_or_refuses(read, hurt(data, changes, end))
    run()


@MODERATE
@given(edits, ends)
def test_an_index_that_lies(changes: list[tuple[float, bytes]], end: float) -> None:
    index = struct.unpack_from("<Q", PACK, len(PACK) - 24)[0]
    accepts_or_refuses(read_pack, PACK[:index] + hurt(PACK[index:-24], changes, 1.0)[:len(PACK) - 24 - index]
                       + PACK[-24:])


def sections(data: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], 16
    while at < len(data):
        kind, _, size = exportfile.HEAD.unpack_from(data, at)
        found.append((kind, data[at + 16:at + 16 + size]))
        at += 16 + size
    return found


@MODERATE
@given(st.lists(st.sampled_from(sections(EXPORT)[1:-1] + [(b"NAME", b"../x"), (b"NAME", b"exp0"), (b"ROOT", seal_content(Content("0" * 64, 5))),
                                                          (b"OBJS", b""), (b"META", b"{}"), (b"ROOT", b"")]),
                max_size=8))
def test_sections_in_any_order(chosen: list[tuple[bytes, bytes]]) -> None:
    data = EXPORT[:16]
    for kind, body in [sections(EXPORT)[0], *chosen]:
        data += exportfile.HEAD.pack(kind, 0, len(body)) + body
    data += exportfile.HEAD.pack(b"DONE", 0, 32) + hashlib.sha256(data).digest()
    accepts_or_refuses(import_data, data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("0" * 64),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["initial", "final", "content", "sha256", "size", "depth", "tree", "type", "/a", "/../b", "is_changed"]),
        inner, max_size=4), max_leaves=12)


@MODERATE
@given(st.dictionaries(st.sampled_from([
    "command", "files", "table", "attachments", "log", "processes", "environment", "limits", "format", "extra", "content", "base"]),
    json_values, max_size=5))
def test_manifests_with_any_values(facts: dict[str, Any]) -> None:
    data = json.dumps({"format": 1, "command": ["x"], **facts}).encode()
    try:
        found = read_manifest(data)
    except REFUSED:
        return
    assert all(is_plain_path(path) for path in found.files)
    for content in found.contents():
        assert len(content.root[0]) == 32 and content.size >= 0


@MODERATE
@given(st.binary(max_size=120) | st.sampled_from([b'{"format": 1}', b'{"format": 9}', b"[" * 100_000, b'{"format": true}',
                                                  b'{"format": 1.5}', b"null"]))
def test_small_files(data: bytes) -> None:
    """The first file, those that name the default experiment and a manifest, begun, and what an unfinished experiment keeps."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive.create(folder + "/a")
        with archive.begin():
            pass
        where = Path(folder, "a", "experiments", "exp0")
        for text in (data, data.replace(b"\n", b" ")):
            line = text if text is data else seal(text)
            for name in ("begun", "kept.part", "identity", "../../default"):
                (where / name).write_bytes(line)
            accepts_or_refuses(lambda _: archive.experiment("exp0").begun, data)
            accepts_or_refuses(lambda _: archive.experiment("exp0").root, data)
            accepts_or_refuses(lambda _: archive.experiment("exp0").kept(), data)
            accepts_or_refuses(lambda _: archive.explicit_default(), data)
        Path(folder, "a", "rex-archive.json").write_bytes(data)
        accepts_or_refuses(lambda _: Archive.open(folder + "/a"), data)


@MODERATE
@given(edits, ends, st.binary(max_size=3000))
def test_logs_with_a_base(changes: list[tuple[float, bytes]], end: float, base: bytes) -> None:
    """A log that is stored as a difference, hurt, or with another base."""
    stored = io.BytesIO()
    codec.compress_blocks([LOG], stored, 3, LOG[:-50] + b"other")

    def read(_: bytes) -> None:
        codec.read_stream(codec.decompressed(io.BytesIO(hurt(stored.getvalue(), changes, end)), base), 1 << 20)
    accepts_or_refuses(read, b"")


@MODERATE
@given(st.binary(max_size=200), st.integers(-1, 1 << 64))
def test_lists(data: bytes, size: int) -> None:
    try:
        assert sum(length for _, length in decode_list(data, size)) == size
    except REFUSED:
        pass


@MODERATE
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1 << 62)), max_size=6), st.integers(0, 9),
       st.integers(0, 1 << 63))
def test_trees_of_lists(entries: list[tuple[int, int]], depth: int, size: int) -> None:
    """Lists that name objects of other kinds, themselves included, end in an error and in no long walk."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive.create(folder + "/a")
        with archive.begin() as recording:
            names = [recording.add_bytes(b"%d" % n * 40).root for n in range(4)]
            body = b"".join(struct.pack("<32sQ", (names + [(bytes(32), 0)])[min(n, 4)][0], length)
                            for n, length in entries)
            tree = recording.add_bytes(body or b"x")
            recording.flush()
        content = Content("0" * 64, size, depth, tree.sha256 if depth else "")
        for read in (archive.store.reach, lambda c: archive.read(c, 1 << 20)):
            try:
                read(content)
            except (*REFUSED, UsageError):
                pass


def test_lists_that_multiply_are_walked_once(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    with archive.begin() as recording:
        root = recording.add_bytes(b"x").root
        size = 1
        for _ in range(6):   # 500 to the 6th power bytes in 120 kB
            data = struct.pack("<32sQ", *root) * 500
            size *= 500
            root = (recording.add_bytes(data).root[0], size)
        recording.flush()
    assert len(archive.store.reach(Content("0" * 64, size, 6, root[0].hex()))) == 7


def test_no_bombs() -> None:
    frame = codec.compress(bytes(100 << 20), 19)
    with pytest.raises(Damaged, match="limit"):
        codec.decompress(frame, 16 << 20)
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive.create(folder + "/a")
        body = struct.pack("<II", 1, 0) + struct.pack("<32sII", bytes(32), 100 << 20, 0) + frame
        data = EXPORT[:16] + b"".join(exportfile.HEAD.pack(k, 0, len(b)) + b for k, b in [
            sections(EXPORT)[0], (b"OBJS", body)])
        with pytest.raises(Damaged, match="limit"):
            import_from(io.BytesIO(data), archive)


def test_refused_experiments_leave_the_archive_whole() -> None:
    from rex.archive.check import check
    from rex.archive.gc import collect
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive.create(folder + "/a")
        for end in range(0, len(EXPORT), max(1, len(EXPORT) // 40)):
            try:
                import_from(io.BytesIO(EXPORT[:end]), archive)
            except (*REFUSED, NotFound):
                pass
        assert [p for p in check(archive) if not p.is_harmless] == []
        collect(archive, may_be_none=True)
        assert check(archive) == []
