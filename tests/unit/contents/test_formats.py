"""Two contents compared by meaning, format by format."""

from __future__ import annotations

import io
import json
import zipfile

import numpy
import pytest

from content_files import MAKERS, csv, npy, verdict
from rex.contents.tally import DIFFERENT, SAME, WITHIN

VALUES = [float(value) for value in range(1, 41)]
FORMATS = pytest.mark.parametrize("path", MAKERS)


def made(path: str, values: list[float]) -> bytes:
    make, library = MAKERS[path]
    if library:
        pytest.importorskip(library)
    return make(values)


@FORMATS
def test_a_number_that_differs_is_counted_and_measured(path: str) -> None:
    other = [*VALUES]
    other[13] *= 1.004
    found = verdict(path, made(path, VALUES), made(path, other))
    assert found.outcome == DIFFERENT
    assert "1 of 40 differ, largest relative 0.4 %" in found.sentence


@FORMATS
def test_a_difference_within_tolerance_is_counted_and_placed(path: str) -> None:
    other = [*VALUES]
    other[13] += 1e-9
    found = verdict(path, made(path, VALUES), made(path, other), atol=1e-8)
    assert found.outcome == WITHIN
    assert found.sentence.startswith("same within tolerance (1 of 40 differ, largest 1e-09 at ")
    assert found.counts["within"] == 1 and found.counts["differing"] == 0


@FORMATS
def test_more_values_are_another_result(path: str) -> None:
    assert verdict(path, made(path, VALUES), made(path, [*VALUES, 1.0]), rtol=1.0).outcome == DIFFERENT


def test_the_place_of_a_table_is_row_and_column() -> None:
    found = verdict("a.csv", csv(VALUES), csv([*VALUES[:13], VALUES[13] + 3e-12, *VALUES[14:]]), atol=1e-9)
    assert found.sentence == "same within tolerance (1 of 40 differ, largest 3e-12 at row 14, column p)"


@pytest.mark.parametrize("left, right", [
    ("p = 1.50 at 2024-01-02", "p  =  1.5 at 2024-01-02"), ("a 1e3", "a 1000"), ("+1.0 -0.0", "1 0"), ("1.d3", "1000.0"), ("nan 3", "nan 3.0")])
def test_one_number_written_in_two_ways_is_the_same(left: str, right: str) -> None:
    assert verdict("log.txt", left.encode(), right.encode()).outcome == SAME


@pytest.mark.parametrize("left, right", [
    ("2024-01-02", "2024-01-03"), ("12:30:01", "12:30:02"), ("version 1.2.3", "version 1.2.4"), ("3f2a", "4f2a"), ("x1", "x2"),
    ("1e400", "1e500"), ("nan", "1.0"), ("inf", "-inf"), ("yes 1", "no 1"), ("1 2", "1")])
def test_what_is_no_number_has_no_tolerance(left: str, right: str) -> None:
    assert verdict("log.txt", left.encode(), right.encode(), rtol=0.9, atol=0.5).outcome == DIFFERENT


def test_digits_that_a_double_has_no_room_for_count() -> None:
    one, two = b"0.12345678901234567890\n", b"0.12345678901234567891\n"
    assert verdict("log.txt", one, two).outcome == DIFFERENT
    assert verdict("log.txt", one, two, atol=1e-15).outcome == WITHIN


def test_lines_are_aligned_by_their_words() -> None:
    one = "".join(f"step {at} loss {at * 0.1!r}\n" for at in range(9))
    found = verdict("log.txt", f"warning: slow\n{one}".encode(), one.replace("0.4", "0.41").encode())
    assert found.sentence == "numbers: 1 of 18 differ, largest relative 2.4 % at line 6; only in the first: line 1"


def test_ignored_text_is_counted() -> None:
    one, two = b"date: Monday\np 1\n", b"date: Friday\np 1\n"
    assert verdict("log.txt", one, two).outcome == DIFFERENT
    found = verdict("log.txt", one, two, ignore=["date: .*"])
    assert (found.outcome, found.sentence) == (WITHIN, "same within tolerance (1 ignored)")


def test_an_ignored_key_does_not_count() -> None:
    one, two = ({"date": date, "host": {"pid": pid}, "p": 1} for date, pid in (("Monday", 7), ("Friday", 8)))
    left, right = (json.dumps(each).encode() for each in (one, two))
    assert verdict("a.json", left, right, ignore=[r"date: .*"]).outcome == DIFFERENT
    assert verdict("a.json", left, right, ignore=[r"date: .*", r"host\.pid: \d+"]).counts["ignored"] == 2


def test_keys_and_columns_have_no_order() -> None:
    assert verdict("a.json", b'{"a": 1, "b": [1, 2]}', b'{"b": [1, 2],\n "a": 1.0}').outcome == SAME
    assert verdict("a.csv", b"a,b\n1,2\n", b"b,a\n2,1\n").outcome == SAME


def test_rows_and_items_have_an_order_unless_told_otherwise() -> None:
    for path, left, right in (("a.csv", b"n,p\nx,1\ny,2\n", b"n,p\ny,2.0001\nx,1\n"), ("a.csv", b"n,p\n1.5,1\n2.5,2\n", b"n,p\n2.5,2.0001\n1.5,1\n"),
                              ("a.json", b'[{"p": 1, "n": "x"}, {"p": 2, "n": "y"}]', b'[{"n": "y", "p": 2.0001}, {"n": "x", "p": 1}]')):
        assert verdict(path, left, right, atol=0.01).outcome == DIFFERENT
        assert verdict(path, left, right, atol=0.01, any_order=True).outcome == WITHIN


@pytest.mark.parametrize("left, right", [
    ('{"a.b": 1}', '{"a": {"b": 1}}'), ('{"a": [1]}', '{"a[0]": 1}'), ('{"a": 1}', '{"a": true}'), ('{"a": 1}', '{"a": "1"}'),
    ('{"a": []}', '{"a": {}}'), ('{"a": 1, "a": 2}', '{"a": 3, "a": 2}'), ("1e400", "1e500"), ("[]", "[[]]")])
def test_other_trees_are_never_the_same(left: str, right: str) -> None:
    assert verdict("a.json", left.encode(), right.encode(), rtol=0.9, atol=9.0).outcome == DIFFERENT


def test_a_missing_row_is_named_and_the_others_compared() -> None:
    found = verdict("a.csv", b"n,p\nx,1\ny,2\nz,3\n", b"n,p\nx,1\nz,4\n")
    assert found.sentence == "p: 1 of 2 differ, largest relative 25 % at row 3; only in the first: row 2"


def test_a_rule_names_the_format() -> None:
    left, right = b"n;p\nx;1\ny;2\n", b"p;n\n1;x\n2;y\n"
    assert verdict("results.txt", left, right).outcome == DIFFERENT
    assert verdict("out/results.txt", left, right, formats=["results.*=csv"]).outcome == SAME
    assert verdict("a.json", b"{ }", b"{}", formats=["*.json=bytes"]).outcome == DIFFERENT


def test_ulps_are_of_the_values_own_kind() -> None:
    for kind in ("f4", "f8"):
        one = numpy.linspace(1, 2, 5, dtype=kind)
        two = numpy.nextafter(one, numpy.array(9, kind))
        files = []
        for values in (one, two):
            file = io.BytesIO()
            numpy.save(file, values)
            files.append(file.getvalue())
        assert verdict("a.npy", *files, ulps=1).outcome == WITHIN
        assert verdict("a.npy", *files).outcome == DIFFERENT
    assert verdict("log.txt", b"0.1", b"0.10000000000000002", ulps=1).outcome == WITHIN
    assert verdict("log.txt", b"0.1", b"0.10000000000000003", ulps=1).outcome == DIFFERENT


def test_large_whole_numbers_are_compared_exactly() -> None:
    file, other = io.BytesIO(), io.BytesIO()
    numpy.save(file, numpy.array([2**62, -2**63], "i8"))
    numpy.save(other, numpy.array([2**62 + 1, 2**63 - 1], "i8"))
    assert verdict("a.npy", file.getvalue(), other.getvalue()).counts["differing"] == 2
    assert verdict("a.json", b"[9007199254740993]", b"[9007199254740992]").outcome == DIFFERENT


def test_pixels_differ_by_a_part_of_the_range() -> None:
    image = pytest.importorskip("PIL.Image")
    files = []
    for blue in (10, 12):
        picture = image.new("RGB", (8, 4), (200, 100, 10))
        picture.putpixel((5, 2), (200, 100, blue))
        file = io.BytesIO()
        picture.save(file, "PNG")
        files.append(file.getvalue())
    found = verdict("a.png", *files)
    assert found.sentence.startswith("pixels: 1 of 128 differ") and found.sentence.endswith("at x 5, y 2")
    assert verdict("a.png", *files, atol=0.01).outcome == WITHIN
    assert verdict("a.png", *files, atol=0.007).outcome == DIFFERENT


def test_members_differ_each_in_its_format_and_times_do_not_count() -> None:
    files = []
    for year, value in ((1990, 1.0), (2000, 1.5)):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, data in (("p.npy", npy([value, 2.0])), ("a.bin", b"\0\1")):
                archive.writestr(zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0)), data)
        files.append(file.getvalue())
    assert verdict("all.zip", *files).sentence == "p.npy: 1 of 2 differ, largest relative 33 % at [0]"
    assert verdict("all.zip", *files, rtol=0.5).outcome == WITHIN


def test_a_notebook_is_its_cells_and_outputs_not_its_counters() -> None:
    cells = [{"cell_type": "code", "source": "f()", "execution_count": number, "metadata": {}, "outputs": [
        {"output_type": "execute_result", "data": {"text/plain": f"loss {0.5 + number * 1e-9}"}, "metadata": {}}]} for number in (1, 7)]
    left, right = (json.dumps({"nbformat": 4, "cells": [cell]}).encode() for cell in cells)
    assert verdict("a.ipynb", left, right).sentence.startswith("cell 1 output 1 (text/plain): numbers: 1 of 1 differ")
    assert verdict("a.ipynb", left, right, rtol=1e-7).outcome == WITHIN


def test_hdf5_written_in_another_order_is_the_same() -> None:
    h5py = pytest.importorskip("h5py")
    files = []
    for names in (("a", "b"), ("b", "a")):
        file = io.BytesIO()
        with h5py.File(file, "w") as made_file:
            for name in names:
                made_file.create_dataset(name, data=[1.0, 2.0])
                made_file[name].attrs["of"] = name
        files.append(file.getvalue())
    assert files[0] != files[1] and verdict("a.h5", *files).outcome == SAME


def pdf(word: str, at: int) -> bytes:
    """A page with one word."""
    stream = f"BT /F1 12 Tf {at} 700 Td ({word}) Tj ET".encode()
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
               b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream), b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    data = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + b"xref\n0 6\n0000000000 65535 f \n" + table + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(data)


def test_pdf_is_text_and_drawing() -> None:
    pytest.importorskip("pypdf")
    assert "page 1" in verdict("a.pdf", pdf("one", 72), pdf("two", 72)).sentence
    assert verdict("a.pdf", pdf("one", 72), pdf("one", 90)).outcome == DIFFERENT
    assert verdict("a.pdf", pdf("one", 72), pdf("one", 73), atol=1.0).outcome == WITHIN
    assert verdict("a.pdf", pdf("one", 72), pdf("one", 72) + b"% said by another tool\n").outcome == SAME


def test_empty_and_single_arrays_are_compared() -> None:
    for one, two in ((numpy.array(1.0), numpy.array(2.0)), (numpy.zeros((0, 3)), numpy.zeros((3, 0)))):
        files = []
        for values in (one, two):
            file = io.BytesIO()
            numpy.save(file, values)
            files.append(file.getvalue())
        assert verdict("a.npy", *files).outcome == DIFFERENT
        assert verdict("a.npy", files[0], files[0] + b" ").outcome == SAME


def test_numbers_of_newer_yaml_are_numbers() -> None:
    pytest.importorskip("yaml")
    for one, two in (("1e-5", "1.1e-5"), ("1e300", "1.1e+300"), (".5e3", "501.0")):
        assert verdict("a.yaml", f"p: {one}\n".encode(), f"p: {two}\n".encode(), rtol=0.2).outcome == WITHIN
    assert verdict("a.yaml", b"p: 1e5\n", b"p: '1e5'\n").outcome == DIFFERENT       # a number and a text
