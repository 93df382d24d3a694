"""Making, opening and naming: what an archive is to its users."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Callable

import pytest

from rex.archive import COMPLETE, Archive, Content, Experiment, Manifest
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


def test_an_identity_names_an_experiment(archive: Archive, record: Record) -> None:
    experiments = [record({"/a": bytes([n])}) for n in range(40)]
    identities = [e.identity for e in experiments]
    assert len(set(identities)) == 40
    for experiment in experiments[:3]:
        for digits in (6, 12, 64):
            assert archive.experiment(f"@{experiment.identity[:digits]}").name == experiment.name
    for bad in ("@", "@12345", f"@{identities[0][:5]}", "@12345g", f"@{identities[0]}0".upper()):
        with pytest.raises(UsageError, match="identity"):
            archive.experiment(bad)
    with pytest.raises(NotFound):
        archive.experiment("@" + "0" * 20)


def test_an_ambiguous_identity_is_refused(archive: Archive, record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = record({"/a": b"1"}), record({"/a": b"2"})
    monkeypatch.setattr("rex.archive.archive.IDENTITY_DIGITS", 0)
    with pytest.raises(UsageError, match="exp0, exp1"):
        archive.experiment("@")
    assert archive.experiment(f"@{first.identity}").name == "exp0" and archive.experiment(f"@{second.identity}").name == "exp1"


def test_a_recording_begins_without_a_look_at_each_experiment(archive: Archive, record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    record({})
    looked: list[str] = []
    monkeypatch.setattr(archive, "_experiment", looked.append)
    with archive.begin() as recording:
        assert recording.name == "exp1" and not looked


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


def test_the_default_is_the_oldest_finished_unless_set(archive: Archive, record: Record) -> None:
    with pytest.raises(NotFound):
        archive.experiment()
    archive.begin().abandon()
    record({})
    record({})
    assert archive.experiment().name == "exp1"
    archive.set_default("exp2")
    record({})
    assert archive.experiment().name == "exp2"
    archive.remove("exp2")
    assert archive.experiment().name == "exp1"
    with pytest.raises(NotFound):
        archive.set_default("exp2")


def test_a_run_made_from_another_is_never_the_default_by_itself(archive: Archive, record: Record) -> None:
    with archive.begin("run", {"start_ns": 0}) as recording:
        recording.finish(Manifest(("x",), extra={"runnew": {"from": "exp0"}}))
    with pytest.raises(NotFound, match="rex default .*:run"):
        archive.experiment()
    record({}, "exp0")
    assert archive.experiment().name == "exp0"
    archive.set_default("run")
    assert archive.experiment().name == "run"


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
    with pytest.raises(Damaged, match="notes.txt"):
        archive.remove("exp0")
    assert foreign.exists() and archive.experiment("exp0").state == COMPLETE and recording.name == "mine"


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


def test_a_new_archive_goes_again_where_nothing_came_of_it(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    Archive.create(tmp_path / "old")
    for name in ("new", "empty", "old"):
        with pytest.raises(UsageError), Archive.made(tmp_path / name) as archive:
            archive.begin("no name")
    assert sorted(os.listdir(tmp_path)) == ["empty", "old"] and os.listdir(tmp_path / "empty") == []
    Archive.open(tmp_path / "old")


def test_a_new_archive_stays_where_somebody_records(tmp_path: Path) -> None:
    with pytest.raises(KeyError), Archive.made(tmp_path / "new") as archive:
        with archive.begin("other"):
            raise KeyError
    with pytest.raises(KeyError), Archive.made(tmp_path / "taken") as archive:
        recording = Archive.open(tmp_path / "taken").begin("other")
        raise KeyError
    recording.abandon()
    assert [e.name for name in ("new", "taken") for e in Archive.open(tmp_path / name).experiments()] == ["other"] * 2


def test_an_archive_that_was_unmade_meanwhile_is_made_again(tmp_path: Path) -> None:
    with pytest.raises(KeyError), Archive.made(tmp_path / "empty" ) as archive:
        other = Archive.open(archive.path)
        raise KeyError
    (tmp_path / "empty").mkdir()
    other.begin("late").abandon()
    assert [e.name for e in Archive.open(archive.path).experiments()] == ["late"]
