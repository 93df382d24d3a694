"""Experiments to a file and back."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Callable

import pytest

from rex.archive import Archive, Experiment
from rex.archive.check import check
from rex.archive.rulesfile import read_rules, write_rules
from rex.archive.exporting import check_file, choose, export, import_from, needed
from rex.errors import Damaged, NotFound

BIG = bytes(range(256)) * 3000
Record = Callable[..., Experiment]


def file_of(archive: Archive, *names: str, has_log: bool = True) -> bytes:
    stream = io.BytesIO()
    export(archive, stream, names, has_log)
    return stream.getvalue()


@pytest.fixture
def filled(archive: Archive, record: Record) -> Archive:
    record({"/a": b"a" * 1000, "/big": BIG})
    record({"/a": b"a" * 1000, "/b": b"", "/c": b"c"})
    return archive


def test_everything_comes_back(filled: Archive, tmp_path: Path) -> None:
    other = Archive.create(tmp_path / "other")
    landed = import_from(io.BytesIO(file_of(filled)), other)
    assert [(each.name, each.is_new) for each in landed] == [("exp0", True), ("exp1", True)]
    assert check(other) == []
    for mine, theirs in zip(filled.experiments(), other.experiments()):
        assert mine.manifest == theirs.manifest
        assert mine.open_log().read() == theirs.open_log().read()
    big = other.experiment("exp0").manifest.files["/big"].initial
    assert big and big.content and other.read(big.content) == BIG


def test_bytes_are_deterministic(filled: Archive, tmp_path: Path) -> None:
    data = file_of(filled)
    other = Archive.create(tmp_path / "other")
    import_from(io.BytesIO(data), other)
    assert file_of(filled) == file_of(other) == data


def test_one_of_them(filled: Archive, tmp_path: Path) -> None:
    data = file_of(filled, "exp1")
    assert len(data) < len(file_of(filled))
    other = Archive.create(tmp_path / "other")
    assert [each.name for each in import_from(io.BytesIO(data), other)] == ["exp1"]
    third = Archive.create(tmp_path / "third")
    assert [each.name for each in import_from(io.BytesIO(file_of(filled)), third, ["exp1"])] == ["exp1"]
    assert [e.name for e in third.experiments()] == ["exp1"]
    with pytest.raises(NotFound, match="exp7"):
        import_from(io.BytesIO(data), other, ["exp7"])


def test_again_changes_nothing(filled: Archive) -> None:
    landed = import_from(io.BytesIO(file_of(filled)), filled)
    assert [(each.name, each.is_new) for each in landed] == [("exp0", False), ("exp1", False)]
    assert len(filled.experiments()) == 2


def test_a_name_that_is_taken(filled: Archive, tmp_path: Path) -> None:
    other = Archive.create(tmp_path / "other")
    with other.begin() as recording:
        del recording   # exp0 stays, incomplete
    landed = import_from(io.BytesIO(file_of(filled)), other)
    assert [(each.source, each.name) for each in landed] == [("exp0", "exp1"), ("exp1", "exp2")]
    assert check_names(other) == ["exp0", "exp1", "exp2"]


def check_names(archive: Archive) -> list[str]:
    return [experiment.name for experiment in archive.experiments()]


def test_without_logs(filled: Archive, tmp_path: Path) -> None:
    other = Archive.create(tmp_path / "other")
    import_from(io.BytesIO(file_of(filled, has_log=False)), other)
    assert check(other) == []
    assert other.experiment("exp0").identity != filled.experiment("exp0").identity
    manifest = other.experiment("exp0").manifest
    assert manifest.log is None and manifest.files == filled.experiment("exp0").manifest.files
    with pytest.raises(NotFound):
        other.experiment("exp0").open_log()


def test_the_default_goes_along(filled: Archive, tmp_path: Path) -> None:
    filled.set_default("exp0")
    other = Archive.create(tmp_path / "other")
    import_from(io.BytesIO(file_of(filled)), other)
    assert other.default() == "exp0"
    third = Archive.create(tmp_path / "third")
    import_from(io.BytesIO(file_of(filled, "exp1")), third)
    assert third.default() == "exp1"


def test_rules_of_comparisons_go_along(filled: Archive, tmp_path: Path) -> None:
    write_rules(filled, {"rtol": 1e-9})
    other = Archive.create(tmp_path / "other")
    import_from(io.BytesIO(file_of(filled)), other)
    assert read_rules(other) == {"rtol": 1e-9} and check(other) == []
    write_rules(filled, {"rtol": 1e-3})
    import_from(io.BytesIO(file_of(filled)), other)      # an archive with experiments keeps its own
    assert read_rules(other) == {"rtol": 1e-9}


def test_what_cannot_be_exported(filled: Archive, tmp_path: Path) -> None:
    filled.begin("unfinished").abandon()
    assert [e.name for e in choose(filled, [])] == ["exp0", "exp1"]
    with pytest.raises(NotFound, match="not complete"):
        choose(filled, ["unfinished"])
    with pytest.raises(NotFound):
        choose(filled, ["nope"])
    with pytest.raises(NotFound, match="no finished"):
        choose(Archive.create(tmp_path / "empty"), [])


def test_needed_is_in_order_and_once(filled: Archive) -> None:
    found = needed(filled, filled.experiments())
    experiment = filled.experiment("exp0")
    assert list(found)[:2] == [bytes.fromhex(c.sha256) for c in (experiment.root, experiment.manifest.table)]  # type: ignore[union-attr]
    assert sum(found.values()) >= 256 * 300


def test_a_missing_object_is_refused(filled: Archive, tmp_path: Path) -> None:
    from rex.archive.exportfile import ExportWriter, Facts
    stream = io.BytesIO()
    writer = ExportWriter(stream, Facts(("exp0",)))
    experiment = filled.experiment("exp0")
    for content in (experiment.root, experiment.manifest.table):
        assert content
        writer.add_objects([(bytes.fromhex(content.sha256), filled.read(content))])
    writer.add_experiment("exp0", experiment.root)
    writer.finish()
    other = Archive.create(tmp_path / "other")
    with pytest.raises(Damaged, match="missing"):
        import_from(io.BytesIO(stream.getvalue()), other)
    assert other.experiments() == []


def test_check_file(filled: Archive) -> None:
    data = file_of(filled)
    assert check_file(io.BytesIO(data)) == ([], 2)
    problems, count = check_file(io.BytesIO(data[:-1]))
    assert len(problems) == 1 and "end is missing" in problems[0].what and count == 2
