"""Names that differ between runs by their nature."""

from __future__ import annotations

import pytest

from rex.expdiff.names import Names, random_part, uncounted, undated


@pytest.mark.parametrize("name,strict,lenient", [
    (b"tmp.a8Bf93", b"a8Bf93", b"a8Bf93"), (b"sedQx81Zz", b"sedQx81Zz", b"sedQx81Zz"), (b"ccfQtq1a.s", b"ccfQtq1a", b"ccfQtq1a"),
    (b"x.pyc.139872341", b"", b"139872341"), (b"mp-qmhscjv3", b"", b"qmhscjv3"), (b"tmpqmhscjv_", b"tmpqmhscjv_", b""),
    (b"sample01.txt", b"", b"sample01"), (b"Makefile.in", b"", b""), (b"README", b"", b""), (b"Results", b"", b""),
    (b"config.yaml", b"", b""), (b"20260101", b"", b"")])
def test_names_that_look_drawn_at_random(name: bytes, strict: bytes, lenient: bytes) -> None:
    spans = (random_part(name, True), random_part(name, False))
    assert tuple(name[slice(*span)] if span else b"" for span in spans) == (strict, lenient)


def test_below_the_working_directory() -> None:
    names = Names(b"/home/a")
    assert [names.logical(path) for path in (b"/home/a", b"/home/a/x", b"/home/ab", b"/etc")] == [
        b".", b"./x", b"/home/ab", b"/etc"]
    assert names.argument(b"--in=/home/a/x") == b"--in=./x" and names.argument(b"/home/a/x") == b"./x"
    assert names.argument(b"home/a") == b"home/a"
    assert Names(b"/").logical(b"/x") == b"/x"


def test_temporary_names_and_what_is_below_them() -> None:
    names = Names(b"/tmp/run81/w")
    for path in (b"/tmp/d.x81Qz3", b"/tmp/d.x81Qz3/sem123", b"/tmp/plain", b"/tmp/run81/w/sample01", b"/tmp/run81",
                 b"/tmp/sample01"):
        names.made(path)
    assert names.logical(b"/tmp/d.x81Qz3/sem123/g") == b"/tmp/d.<temporary>/<temporary>/g"
    assert names.logical(b"/tmp/plain") == b"/tmp/plain"
    assert names.logical(b"/tmp/run81/w/sample01") == b"./sample01" and names.logical(b"/tmp/run81/x") == b"/tmp/run81/x"
    assert names.logical(b"/tmp/sample01") == b"/tmp/<temporary>"
    assert names.certain_text("/tmp/sample01") == "/tmp/sample01"   # may be two names that mean something
    assert names.certain_text("/tmp/d.x81Qz3/a") == "/tmp/d.<temporary>/a"


def test_folders_of_processes() -> None:
    names = Names(b"/w")
    assert names.logical(b"/proc/12/task/13/stat") == b"/proc/<process>/stat"
    assert names.logical(b"/proc/cpuinfo") == b"/proc/cpuinfo"


@pytest.mark.parametrize("path, expected", [
    ("run_20260102T030405/metrics_01234567-89ab-cdef-0123-456789abcdef.json", "run_<date>/metrics_<uuid>.json"),
    ("log-2026-01-02_03-04-05.txt", "log-<date>.txt"), ("2026.01.02", "<date>"), ("a_1795906616.5.csv", "a_<seconds>.csv"),
    ("sample01", "sample01"), ("2026", "2026"), ("20261302", "20261302"), ("x12345678901234567", "x12345678901234567")])
def test_dates_and_uuids(path: str, expected: str) -> None:
    assert undated(path) == expected


def test_counters() -> None:
    assert uncounted("run_12/2026-01-02.csv") == "run_<number>/<date>.csv"
