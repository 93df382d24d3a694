"""Contents of strangers: whatever they are, the answer is one line, in bounded memory and time."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from content_files import MAKERS, MORE, npy, npz
from pace import first
from rex.contents.client import Comparer
from rex.contents.compare import Verdict
from rex.contents.rules import Rules, make
from rex.contents.tally import DIFFERENT, WITHIN

MEMORY_BYTES = 1 << 30
VALUES = [1.5, 2.5, 3.5]


@pytest.fixture(scope="module")
def comparer() -> Iterator[Comparer]:
    with Comparer(make(0.5, 0.5, 0, (), (), True), memory_bytes=MEMORY_BYTES) as made:
        yield made


def compared(comparer: Comparer, folder: Path, path: str, left: bytes, right: bytes) -> Verdict:
    for name, data in (("left", left), ("right", right)):
        (folder / name).write_bytes(data)
    found = comparer.compare(path, str(folder / "left"), str(folder / "right"))
    assert "\n" not in found.sentence and len(found.sentence) < 400
    return found


def zip_of(data: bytes, name: str = "a.txt") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return file.getvalue()


def png_of(width: int, height: int) -> bytes:
    """A picture of one colour, as large as one likes."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(bytes(1000)))
            + chunk(b"IEND", b""))


def nested_zip(depth: int) -> bytes:
    data = b"end"
    for _ in range(depth):
        data = zip_of(data, "inner.zip")
    return data


def entity_bomb() -> bytes:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10)}]" for at in range(1, 12)]
    return "\n".join(lines).encode()


def recursive_tar() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for kind, target in ((tarfile.LNKTYPE, "../../etc/passwd"), (tarfile.SYMTYPE, "/etc/passwd")):
            info = tarfile.TarInfo("/etc/passwd")
            info.type, info.linkname = kind, target
            archive.addfile(info)
    return file.getvalue()


def sparse_hdf5() -> bytes:
    """A data set of a terabyte, of which nothing is there."""
    h5py = pytest.importorskip("h5py")
    file = io.BytesIO()
    with h5py.File(file, "w") as made:
        made.create_dataset("p", shape=(10 ** 11,), dtype="f8", chunks=(10 ** 6,), compression="gzip")
    return file.getvalue()


def pdf_bomb() -> bytes:
    """A page whose drawing unpacks to 200 MB."""
    stream = zlib.compress(b"0 " * (100 << 20), 9)
    return MORE["p.pdf"][0](VALUES).replace(b"<< /Length", b"<< /Filter /FlateDecode /Length", 1).replace(
        b"BT /F1", b"BT /F1", 1).partition(b"stream\n")[0] + b"stream\n" + stream + b"\nendstream\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"


BOMBS = {
    "gzip.gz": lambda: gzip.compress(bytes(100 << 20)),
    "nested.zip": lambda: nested_zip(50),
    "deep.json": lambda: b"[" * 100_000 + b"]" * 100_000,
    "deep.yaml": lambda: b"[" * 20_000 + b"]" * 20_000,
    "huge.png": lambda: png_of(60_000, 60_000),
    "short.npy": lambda: npy(VALUES)[:100].replace(b"(3,)", b"(9999999999999,)"),
    "object.npy": lambda: npy(VALUES).replace(b"'<f8'", b"'|O' "),
    "links.tar": recursive_tar,
    "zip.zip": lambda: zip_of(bytes(100 << 20)),
    "aliases.yaml": entity_bomb,
    "flow.json": lambda: b"[" + b"[]," * 2_000_000 + b"1]",
    "wide.csv": lambda: b"," * 5_000_000,
    "sparse.h5": lambda: sparse_hdf5(),
    "stream.pdf": lambda: pdf_bomb(),
    "zeros.npz": lambda: npz([0.0] * 20_000_000),
    "zeros.parquet": lambda: MAKERS["p.parquet"][0]([0.0] * 3_000_000),
}


@pytest.mark.parametrize("path", first(8, BOMBS))
def test_a_bomb_is_one_line(comparer: Comparer, tmp_path: Path, path: str) -> None:
    data = BOMBS[path]()
    assert compared(comparer, tmp_path, path, data, data + b" ").outcome == DIFFERENT or path in ("links.tar", "nested.zip")
    assert compared(comparer, tmp_path, path, data, b"x" + data).outcome == DIFFERENT
    good = MAKERS["scores.csv"][0](VALUES)   # the same process, or a new one, goes on
    assert compared(comparer, tmp_path, "a.csv", good, good.replace(b"1.5", b"1.6")).outcome == WITHIN


@pytest.mark.parametrize("path", {**MAKERS, **MORE})
def test_a_cut_or_damaged_content_is_one_line(comparer: Comparer, tmp_path: Path, path: str) -> None:
    make_content, library = {**MAKERS, **MORE}[path]
    if library:
        pytest.importorskip(library)
    data = make_content(VALUES)
    for left in (data[:len(data) // 2], data[:16], data[:len(data) // 3] + bytes(99) + data[len(data) // 3 + 99:], b""):
        compared(comparer, tmp_path, path, left, data)


def test_an_expression_that_never_ends_is_ended(tmp_path: Path) -> None:
    with Comparer(make(0, 0, 0, ["(a+)+$"], (), False), pair_seconds=1, memory_bytes=MEMORY_BYTES) as comparer:
        found = compared(comparer, tmp_path, "a.txt", b"a" * 60 + b"b\n", b"a" * 61 + b"b\n")
        assert found.outcome == DIFFERENT and found.sentence.startswith("not compared by meaning: ")
        assert compared(comparer, tmp_path, "a.txt", b"p 1\n", b"p 1.0\n").is_same


def test_a_content_above_the_limit_is_not_read(tmp_path: Path) -> None:
    with Comparer(Rules(), memory_bytes=MEMORY_BYTES) as comparer:
        for name in ("left", "right"):
            with open(tmp_path / name, "wb") as file:
                file.truncate(comparer.limit_bytes + 1)
        assert "larger than" in comparer.compare("a.csv", str(tmp_path / "left"), str(tmp_path / "right")).sentence


def test_no_program_of_a_content_runs(comparer: Comparer, tmp_path: Path) -> None:
    import pickle
    import sqlite3

    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            import os
            return os.system, (f"touch {tmp_path}/evil",)
    data = pickle.dumps(Evil())
    compared(comparer, tmp_path, "a.pkl", data, data + b".")
    database = sqlite3.connect(":memory:")
    database.executescript("CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT load_extension('x');")
    one = database.serialize()
    database.execute("UPDATE t SET a = 2")
    database.commit()
    assert compared(comparer, tmp_path, "a.db", one, database.serialize()).sentence == \
        "same within tolerance (1 of 1 differ, largest 1 at row 1, column t.a)"
    text = f"!!python/object/apply:os.system ['touch {tmp_path}/evil']".encode()
    assert "not read as yaml" in compared(comparer, tmp_path, "a.yaml", text, text + b" ").sentence
    assert not (tmp_path / "evil").exists()
