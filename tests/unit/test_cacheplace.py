"""Where the cache is."""

from __future__ import annotations

import os
import pwd
import tempfile
from argparse import Namespace
from pathlib import Path

import pytest

from rex import cacheplace
from rex.cacheplace import cache_root, make_cache, why_unusable
from rex.errors import OwnFailure


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The cache where nothing else will do."""
    monkeypatch.delenv("REX_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return str(tmp_path / f"rex-cache-{os.geteuid()}")


def _flags(monkeypatch: pytest.MonkeyPatch, below: Path, flag: int) -> None:
    """Let all below a directory be on a file system with this flag."""
    monkeypatch.setattr(os, "statvfs", lambda path: Namespace(f_flag=flag if path.startswith(str(below)) else 0))


def test_the_user_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REX_CACHE", "/c")
    assert cache_root() == "/c"
    monkeypatch.delenv("REX_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache_root() == str(tmp_path / "x/rex")


def test_without_home_and_without_an_entry_in_passwd(monkeypatch: pytest.MonkeyPatch, temporary: str) -> None:
    def no_entry(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", no_entry)
    assert cache_root() == temporary


@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME"])
def test_a_relative_path_is_none(monkeypatch: pytest.MonkeyPatch, temporary: str, variable: str) -> None:
    monkeypatch.setenv("HOME", "/dev/null/none")
    monkeypatch.setenv(variable, "~")
    assert cache_root() == temporary


def test_a_home_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, temporary: str, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", "/dev/null/none")
    assert cache_root() == temporary
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    assert cache_root() == str(home / ".cache/rex")
    for flag in (os.ST_RDONLY, os.ST_NOEXEC):
        home.mkdir(exist_ok=True)
        _flags(monkeypatch, home, flag)
        assert cache_root() == temporary


def test_nothing_replays_from_where_programs_cannot_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _flags(monkeypatch, tmp_path, os.ST_NOEXEC)
    with pytest.raises(OwnFailure, match="noexec; set REX_CACHE to"):
        make_cache(str(tmp_path / "cache"))
    assert os.listdir(tmp_path) == []


def test_a_file_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "is not a directory" in why_unusable(str(tmp_path / "file/cache"))


def test_a_temporary_cache_is_nobody_elses(monkeypatch: pytest.MonkeyPatch, temporary: str) -> None:
    make_cache(temporary)
    assert os.stat(temporary).st_mode & 0o777 == 0o700 and not why_unusable(temporary)
    os.chmod(temporary, 0o777)
    assert why_unusable(temporary) == "it is not this user's alone"
    assert cacheplace.ADVICE.startswith("set REX_CACHE")
