"""Defaults that users set."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rex import config
from rex.errors import UsageError


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a folder below, which is the current one, and a home without files."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("REX_ARCHIVE", raising=False)
    (tmp_path / "project" / "below").mkdir(parents=True)
    (tmp_path / "home" / "rex").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project" / "below")
    return tmp_path


def project(place: Path, text: str) -> None:
    (place / "project" / ".rex.toml").write_text(text, encoding="utf-8")


def user(place: Path, text: str) -> None:
    (place / "home" / "rex" / "config.toml").write_text(text, encoding="utf-8")


def held() -> dict[str, object]:
    return {f"{each.command} {each.option}".strip(): each.value for each in config.settings()}


def test_without_any_rex_has_its_own() -> None:
    assert config.settings() == [config.Setting("", "archive", "__default", "")] and config.files() == []


def test_the_nearer_one_counts(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user(place, 'archive = "~/runs"\n[record]\nexclude = ["*.tmp"]\nkeep-env = ["A"]\n[ls]\nsort = "date"\n')
    assert config.default_archive() == os.path.expanduser("~/runs")
    project(place, 'archive = "EXP"\n[ls]\nsort = "size"\n')
    assert held() == {"archive": str(place / "project" / "EXP"), "record exclude": ["*.tmp"], "record keep-env": ["A"], "ls sort": "size"}
    monkeypatch.setenv("REX_ARCHIVE", "other")
    assert config.default_archive() == "other"
    assert [each.source for each in config.settings() if each.option == "archive"] == ["REX_ARCHIVE"]
    monkeypatch.setenv("REX_ARCHIVE", "")
    assert config.default_archive() == str(place / "project" / "EXP")


@pytest.mark.parametrize("text, why", [
    ("archive = ", "cannot read"), ("other = 1\n", "only archive"), ('[record]\nkeep-env = ["*"]\n', "credentials")])
def test_a_file_that_makes_no_sense(place: Path, text: str, why: str) -> None:
    project(place, text)
    with pytest.raises(UsageError, match=why) as found:
        config.settings()
    assert ".rex.toml" in str(found.value) and found.value.advice


def test_a_strangers_file_does_not_count(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(place, 'archive = "EXP"\n')
    real = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: real + 1)
    if real:
        assert config.project_file() is None
    else:
        os.chown(place / "project" / ".rex.toml", 12345, -1)
        assert config.project_file() is None


def test_a_directory_that_is_gone_has_no_file(place: Path) -> None:
    (place / "project" / "below").rmdir()
    assert config.project_file() is None
