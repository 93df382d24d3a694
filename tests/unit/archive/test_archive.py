"""Making, opening and naming: what an archive is to its users."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Callable

import pytest

from rex.archive import Archive, Content, Experiment, Manifest
from rex.archive.check import check
from rex.archive.gc import collect
from rex.errors import Damaged, Locked, NotFound, TooNew, UsageError

Record = Callable[..., Experiment]


def test_the_first_file_tells_the_format(archive: Archive) -> None:
    assert json.loads(Path(archive.path, "rex-archive.json").read_text())["format"] == 1
    assert Archive.create(archive.path).path == Archive.open(archive.path).path


def test_created_by_two_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, listdir = tmp_path / "A", os.listdir
    path.mkdir()

    def another_comes_first(where: str) -> list[str]:
        monkeypatch.setattr(os, "listdir", listdir)
        with Archive.create(path).begin():
            return listdir(where)

    monkeypatch.setattr(os, "listdir", another_comes_first)
    assert [e.name for e in Archive.create(path).experiments()] == ["exp0"]


def test_what_is_no_archive(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        Archive.open(tmp_path / "none")
    (tmp_path / "file").write_text("")
    for bad in (tmp_path, tmp_path / "file"):
        with pytest.raises(UsageError):
            Archive.create(bad)
        with pytest.raises(NotFound):
            Archive.open(bad)
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("text, error", [
    ('{"format": 2}', TooNew), ('{"format": 0}', Damaged), ('{"format": "1"}', Damaged),
    ("[]", Damaged), ("{", Damaged), ("", Damaged), ("[" * 5000, Damaged)])
def test_a_first_file_from_elsewhere(archive: Archive, text: str, error: type) -> None:
    Path(archive.path, "rex-archive.json").write_text(text)
    with pytest.raises(error):
        Archive.open(archive.path)


def test_names_count_up_and_sort_naturally(archive: Archive, record: Record) -> None:
    for _ in range(11):
        record({})
    record({}, "baseline")
    assert [e.name for e in archive.experiments()] == ["baseline"] + [f"exp{n}" for n in range(11)]
    with pytest.raises(UsageError):
        archive.begin("baseline")
    for bad in ("", "../x", "a/b", ".hidden", "x" * 101, "a b", "a\n"):
        with pytest.raises(UsageError):
            archive.begin(bad)
        with pytest.raises(NotFound):
            archive.experiment(bad)


def test_the_default_is_the_newest_finished_unless_set(archive: Archive, record: Record) -> None:
    with pytest.raises(NotFound):
        archive.experiment()
    record({})
    record({})
    archive.begin().abandon()
    assert archive.experiment().name == "exp1"
    archive.set_default("exp0")
    record({})
    assert archive.experiment().name == "exp0"
    archive.remove("exp0")
    assert archive.experiment().name == "exp3"
    with pytest.raises(NotFound):
        archive.set_default("exp0")


def test_empty_folders_may_be_missing(archive: Archive, record: Record) -> None:
    for name in ("packs", "experiments"):
        os.rmdir(os.path.join(archive.path, name))
    opened = Archive.open(archive.path)
    assert opened.experiments() == [] and opened.store.packs() == [] and check(opened) == []
    assert collect(opened).freed_bytes == 0
    assert record({"/a": b"x"}).name == "exp0"


def test_remove_spares_what_others_record_and_write(archive: Archive, record: Record) -> None:
    with archive.begin("mine") as recording:
        with pytest.raises(Locked):
            archive.remove("mine")
    archive.remove("mine")
    foreign = Path(record({}).directory, "notes.txt")
    foreign.write_text("not Rex's")
    with pytest.raises(OSError):
        archive.remove("exp0")
    assert foreign.exists() and recording.name == "mine"


def test_a_copied_read_only_archive_reads(archive: Archive, record: Record,
                                          tmp_path: Path) -> None:
    data = os.urandom(300_000)
    record({"/in": data})
    copy = tmp_path / "copy"
    shutil.copytree(archive.path, copy)
    for folder, _, files in os.walk(copy):
        for name in files:
            os.chmod(os.path.join(folder, name), 0o444)
        os.chmod(folder, 0o555)
    opened = Archive.open(copy)
    [content] = opened.experiment().manifest.files["/in"].contents()
    assert opened.read(content) == data
    for folder, _, _ in os.walk(copy):
        os.chmod(folder, 0o755)


def test_extract_makes_new_files_only(archive: Archive, tmp_path: Path) -> None:
    with archive.begin() as recording:
        content = recording.add_bytes(b"data")
        recording.finish(Manifest(("x",)))
    target = tmp_path / "out"
    archive.extract(content, target, 0o751)
    assert target.read_bytes() == b"data" and target.stat().st_mode & 0o777 == 0o751
    with pytest.raises(FileExistsError):
        archive.extract(content, target)
    (tmp_path / "link").symlink_to("elsewhere")
    with pytest.raises(FileExistsError):
        archive.extract(content, tmp_path / "link")
    with pytest.raises(Damaged):
        archive.extract(Content("0" * 64, 4), tmp_path / "bad")
    assert not (tmp_path / "bad").exists() and not (tmp_path / "elsewhere").exists()
    with pytest.raises(UsageError):
        archive.read(content, limit_bytes=3)
