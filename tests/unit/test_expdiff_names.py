"""Names that differ between runs by their nature."""

from __future__ import annotations

import pytest

from rex.expdiff.names import Names, random_part


@pytest.mark.parametrize("name,part", [
    (b"tmp.a8Bf93", b"a8Bf93"), (b"sedQx81Zz", b"sedQx81Zz"), (b"x.pyc.139872341", b"139872341"), (b"config.yaml", b""),
    (b"results", b""), (b"README", b""), (b"2026", b""), (b"Makefile.in", b"")])
def test_names_that_look_drawn_at_random(name: bytes, part: bytes) -> None:
    span = random_part(name)
    assert (name[slice(*span)] if span else b"") == part


def test_below_the_working_directory() -> None:
    names = Names(b"/home/a")
    assert [names.logical(path) for path in (b"/home/a", b"/home/a/x", b"/home/ab", b"/etc")] == [
        b".", b"./x", b"/home/ab", b"/etc"]
    assert names.argument(b"--in=/home/a/x") == b"--in=./x" and names.argument(b"/home/a/x") == b"./x"
    assert names.argument(b"home/a") == b"home/a"
    assert Names(b"/").logical(b"/x") == b"/x"


def test_temporary_names_and_what_is_below_them() -> None:
    names = Names(b"/tmp/run/w")
    names.made(b"/tmp/d.x81Qz3")
    names.made(b"/tmp/d.x81Qz3/f.y81Qz3")
    names.made(b"/tmp/plain")       # where everybody's temporary files are
    names.made(b"/tmp/run/w/out")   # a name that means something
    names.made(b"/tmp/run")         # on the way to the working directory
    assert names.logical(b"/tmp/d.x81Qz3/f.y81Qz3/g") == b"/tmp/d.<temporary>/f.<temporary>/g"
    assert names.logical(b"/tmp/plain") == b"/tmp/<temporary>"
    assert names.logical(b"/tmp/run/w/out") == b"./out" and names.logical(b"/tmp/run/x") == b"/tmp/run/x"


def test_folders_of_processes() -> None:
    names = Names(b"/w")
    assert names.logical(b"/proc/12/task/13/stat") == b"/proc/<process>/stat"
    assert names.logical(b"/proc/cpuinfo") == b"/proc/cpuinfo"
