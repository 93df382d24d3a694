"""Contents of every format, made of named numbers."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable, Sequence

import numpy

from rex.contents.compare import Verdict, compare_data
from rex.contents.rules import make

LIMIT_BYTES = 64 << 20


def verdict(path: str, left: bytes, right: bytes, rtol: float = 0.0, atol: float = 0.0, ulps: int = 0, ignore: Sequence[str] = (),
            formats: Sequence[str] = (), any_order: bool = False) -> Verdict:
    """The verdict on two contents; the other way round it must be the same."""
    rules = make(rtol, atol, ulps, ignore, formats, any_order)
    found, mirrored = compare_data(path, left, right, rules, LIMIT_BYTES), compare_data(path, right, left, rules, LIMIT_BYTES)
    assert found.outcome == mirrored.outcome
    assert {name: found.counts.get(name) for name in ("differing", "within", "compared", "only_one_has")} == {
        name: mirrored.counts.get(name) for name in ("differing", "within", "compared", "only_one_has")}
    return found


def text(values: Sequence[float]) -> bytes:
    return "".join(f"score of n{at}: {value!r} bits\n" for at, value in enumerate(values)).encode()


def csv(values: Sequence[float]) -> bytes:
    return ("name,p\n" + "".join(f"n{at},{value!r}\n" for at, value in enumerate(values))).encode()


def as_json(values: Sequence[float]) -> bytes:
    return json.dumps({"made": "by us", "rows": [{"p": value} for value in values]}).encode()


def yaml(values: Sequence[float]) -> bytes:
    return ("rows:\n" + "".join(f"- {{p: {value!r}}}\n" for value in values)).encode()


def npy(values: Sequence[float]) -> bytes:
    file = io.BytesIO()
    numpy.save(file, numpy.array(values, dtype=float))
    return file.getvalue()


def npz(values: Sequence[float]) -> bytes:
    file = io.BytesIO()
    numpy.savez_compressed(file, p=numpy.array(values, dtype=float))
    return file.getvalue()


def sqlite(values: Sequence[float]) -> bytes:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE scores (name TEXT, p REAL)")
    database.executemany("INSERT INTO scores VALUES (?, ?)", [(f"n{at}", value) for at, value in enumerate(values)])
    database.commit()
    data = database.serialize()
    database.close()
    return data


def zipped(values: Sequence[float]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("inner/scores.csv", csv(values))
    return file.getvalue()


def tarred(values: Sequence[float]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        info = tarfile.TarInfo("scores.csv")
        info.size = len(csv(values))
        archive.addfile(info, io.BytesIO(csv(values)))
    return file.getvalue()


def gzipped(values: Sequence[float]) -> bytes:
    return gzip.compress(text(values))


def notebook(values: Sequence[float]) -> bytes:
    cells = [{"cell_type": "code", "source": ["fit()"], "metadata": {}, "execution_count": 1,
              "outputs": [{"output_type": "stream", "name": "stdout", "text": [text(values).decode()]}]}]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def hdf5(values: Sequence[float]) -> bytes:
    import h5py
    file = io.BytesIO()
    with h5py.File(file, "w") as made:
        made.create_dataset("group/p", data=numpy.array(values, dtype=float))
        made.attrs["unit"] = "mm"
    return file.getvalue()


def parquet(values: Sequence[float]) -> bytes:
    import pyarrow
    import pyarrow.parquet
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"name": [f"n{at}" for at in range(len(values))], "p": [float(value) for value in values]}), file)
    return file.getvalue()


def tsv(values: Sequence[float]) -> bytes:
    return csv(values).replace(b",", b"\t")


def pdf(values: Sequence[float]) -> bytes:
    """A page with a line for each value."""
    stream = b"BT /F1 12 Tf 72 700 Td 14 TL " + b"".join(b"(p is %s) Tj T* " % repr(float(value)).encode() for value in values) + b"ET"
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
               b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream), b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + b"xref\n0 6\n0000000000 65535 f \n" + table + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(data)


def picture(values: Sequence[float]) -> bytes:
    """A pixel for each value, which is from 0 to 255."""
    from PIL import Image
    file = io.BytesIO()
    Image.frombytes("L", (max(1, len(values)), 1), bytes(int(value) for value in values) or b"\0").save(file, "PNG")
    return file.getvalue()


# Their names, what makes them, and the library that reads them, if it is no part of Python.
MAKERS: dict[str, tuple[Callable[[Sequence[float]], bytes], str]] = {
    "log.txt": (text, ""), "scores.csv": (csv, ""), "rows.json": (as_json, ""), "rows.yaml": (yaml, "yaml"), "p.npy": (npy, "numpy"),
    "p.npz": (npz, "numpy"), "scores.db": (sqlite, ""), "all.zip": (zipped, ""), "all.tar": (tarred, ""), "log.gz": (gzipped, ""),
    "fit.ipynb": (notebook, ""), "p.h5": (hdf5, "h5py"), "p.parquet": (parquet, "pyarrow"), "scores.tsv": (tsv, "")}
# A change of these is counted more than once, or holds only some numbers.
MORE: dict[str, tuple[Callable[[Sequence[float]], bytes], str]] = {"p.pdf": (pdf, "pypdf"), "p.png": (picture, "PIL")}
