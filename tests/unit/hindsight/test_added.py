"""Which files of a worker are of added statements, and which part of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterator

import pytest

from rex.errors import UsageError
from rex.hindsight.replay.added import AddedFiles, flush_all


class View:
    """Stands for overlays: all below one folder is written there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def cover_place_of(self, path: str) -> bool:
        return path.startswith(str(self.folder))

    def changed(self) -> Iterator[tuple[str, str, os.stat_result]]:
        for path in self.folder.iterdir():
            yield str(path), str(path), os.lstat(path)


@pytest.fixture
def added(tmp_path: Path) -> AddedFiles:
    view: Any = View(tmp_path)
    return AddedFiles(view, {f"{tmp_path}/of_the_run"})


def parts(added: AddedFiles) -> dict[str, int]:
    return {os.path.basename(facts["path"]): facts["after"] for facts in added.told()}


def test_what_the_run_writes_is_not_told_unless_an_added_statement_opened_it(added: AddedFiles, tmp_path: Path) -> None:
    (tmp_path / "of_the_run").write_text("x")
    (tmp_path / "new").write_text("x")
    assert parts(added) == {"new": 0}
    assert not added.will_write(f"{tmp_path}/of_the_run", False, True)
    assert parts(added) == {"new": 0, "of_the_run": 0}


def test_a_recorded_name_with_other_numbers_is_the_recorded_file(added: AddedFiles, tmp_path: Path) -> None:
    files = AddedFiles(added._view, {f"{tmp_path}/events.17.of.4"})
    (tmp_path / "events.23.of.9").write_text("x")
    (tmp_path / "other").write_text("x")
    opened = {f"{tmp_path}/events.23.of.9", f"{tmp_path}/other"}
    assert [os.path.basename(facts["path"]) for facts in files.told(opened)] == ["other"]
    assert len(list(files.told())) == 2     # an added statement opened both
    (tmp_path / "events.23.of.10").write_text("x")
    assert len(list(files.told(opened))) == 3     # which of them is the recorded one, nobody knows


def test_a_worker_tells_what_came_since_its_piece_began(added: AddedFiles, tmp_path: Path) -> None:
    grows, stays, anew = tmp_path / "grows", tmp_path / "stays", tmp_path / "anew"
    for path in (grows, stays, anew):
        path.write_text("four")
    added.begin()
    grows.write_text("four and more")
    added.will_write(str(anew), True, True)
    assert parts(added) == {"grows": 4, "anew": -1}


def test_files_of_iterations_that_nobody_asked_for_are_not_told(added: AddedFiles, tmp_path: Path) -> None:
    path = tmp_path / "picture"
    added.will_write(str(path), True, False)
    path.write_text("x")
    assert parts(added) == {}
    added.will_write(str(path), True, True)
    assert parts(added) == {"picture": -1}


def test_what_objects_hold_back_is_written(added: AddedFiles, tmp_path: Path) -> None:
    with open(tmp_path / "held", "w", encoding="utf-8") as held:
        held.write("x")
        assert parts(added) == {"held": 0} and (tmp_path / "held").read_text() == "x"


class Cache:
    """Not of output: it cannot be closed."""

    flushed = 0

    def flush(self) -> None:
        Cache.flushed += 1


class Writer(Cache):
    def close(self) -> None:
        pass


@pytest.mark.parametrize("kind, times", [(Cache, 0), (Writer, 1)])
def test_only_what_can_be_closed_holds_output_back(kind: type[Cache], times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cache, "flushed", 0)
    kept = kind()
    flush_all()
    assert kept.flushed == times


def test_what_cannot_be_kept_apart_is_refused(added: AddedFiles) -> None:
    with pytest.raises(UsageError, match="/elsewhere/file"):
        added.will_write("/elsewhere/file", True, True)
