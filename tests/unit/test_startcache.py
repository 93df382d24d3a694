"""Modules that come from the cache are those of the sources as they are now."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = """
import sys
from rex import startcache
startcache.install()
import _json, _queue, _socket, array, fcntl, math, resource, zlib   # extensions of most Pythons
import box
from box import one, two, three, four
print(one.VALUE, type(one.__loader__).__name__, one.__file__ == box.__path__[0] + "/one.py")
startcache.keep()
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "cache").mkdir(mode=0o700)
    (tmp_path / "box").mkdir()
    for name in ("__init__", "one", "two", "three", "four"):
        (tmp_path / "box" / f"{name}.py").write_text("VALUE = 1\n", encoding="utf-8")
    return tmp_path


def said(place: Path) -> str:
    done = subprocess.run([sys.executable, "-S", "-c", CODE], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": f"{ROOT}:{place}", "REX_CACHE": str(place / "cache")})
    return done.stdout


def test_modules_come_from_the_file_until_their_source_changes(place: Path) -> None:
    assert said(place) == "1 SourceFileLoader True\n"
    [file] = (place / "cache" / "modules-3").iterdir()
    written = file.stat()
    assert said(place) == "1 _KeptLoader True\n"
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns)   # as all was in it
    (place / "box" / "one.py").write_text("VALUE = 22\n", encoding="utf-8")
    assert said(place) == "22 SourceFileLoader True\n"


def test_a_damaged_file_is_passed_over_and_one_of_others_too(place: Path) -> None:
    said(place)
    [file] = (place / "cache" / "modules-3").iterdir()
    whole = file.read_bytes()
    for damaged in (b"", whole[:100], whole[:-1000]):
        file.write_bytes(damaged)
        assert said(place).startswith("1 ")
    file.write_bytes(whole)
    file.parent.chmod(0o777)
    assert said(place) == "1 SourceFileLoader True\n"


def test_a_module_that_calls_itself_by_another_name_is_kept_under_its_own(place: Path) -> None:
    (place / "box" / "two.py").write_text("__name__ = 'box.one'\nVALUE = 2\n", encoding="utf-8")
    assert said(place).startswith("1 ") and said(place) == "1 _KeptLoader True\n"
