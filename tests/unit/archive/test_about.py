"""Labels, notes and names of experiments."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from rex.archive import Archive, Manifest, about
from rex.archive.amendments import encode
from rex.archive.check import check
from rex.archive.exporting import export, import_from
from rex.archive.lineage import ancestor
from rex.errors import Damaged, NotFound, UsageError


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive.create(tmp_path / "A")


def record(archive: Archive, name: str, **extra: object) -> None:
    with archive.begin(name) as recording:
        recording.finish(Manifest(("true",), extra=dict(extra)))


def test_labels_and_notes_change(archive: Archive) -> None:
    record(archive, "a", **about.facts({"seed": "3"}, "first"))
    about.set_labels(archive, "a", {"x": "ü", "seed": "4"})
    about.set_note(archive, "a", "two\nlines")
    manifest = archive.experiment("a").manifest
    assert about.labels_of(manifest) == {"seed": "4", "x": "ü"} and about.note_of(manifest) == "two\nlines"
    about.set_labels(archive, "a", {"seed": None, "none": None})
    assert about.labels_of(archive.experiment("a").manifest) == {"x": "ü"}
    assert not check(archive)


def test_what_people_say_does_not_make_another_experiment(archive: Archive) -> None:
    record(archive, "a", **about.facts({"k": "first"}, ""))
    identity = archive.experiment("a").identity
    held = archive.experiment("a").manifest
    about.set_labels(archive, "a", {"k": "v"})
    about.set_note(archive, "a", "text")
    changed = archive.experiment("a")
    assert about.labels_of(held) == {"k": "first"} and about.labels_of(changed.manifest) == {"k": "v"}
    assert changed.identity == identity and archive.experiment(f"@{identity[:8]}").name == "a"


def test_what_people_say_travels_in_an_export_file(archive: Archive, tmp_path: Path) -> None:
    record(archive, "a")
    record(archive, "child", runnew={"from": "a"})
    about.set_labels(archive, "a", {"k": "v"})
    about.rename(archive, "a", "z")
    stream = io.BytesIO()
    export(archive, stream)
    other = Archive.create(tmp_path / "B")
    for is_new in (True, False):
        stream.seek(0)
        assert [each.is_new for each in import_from(stream, other)] == [is_new] * 2
    assert about.labels_of(other.experiment("z").manifest) == {"k": "v"}
    assert ancestor(other.experiment("child").manifest.extra) == "z" and not check(other)


def test_damage_is_found(archive: Archive) -> None:
    record(archive, "a")
    about.set_note(archive, "a", "text")
    path = Path(archive.experiment("a").directory, "about")
    path.write_bytes(path.read_bytes().replace(b"text", b"lies"))
    with pytest.raises(Damaged, match="about of a"):
        archive.experiment("a").manifest
    assert check(archive)
    path.write_bytes(encode({"about": []}))
    assert check(archive)


def test_facts_of_strangers_steer_nothing(archive: Archive) -> None:
    for number, odd in enumerate(({"labels": [1], "note": 7}, {}, {"labels": {"a": 1, "b": "c"}})):
        record(archive, f"e{number}", about=odd)
        manifest = archive.experiment(f"e{number}").manifest
        assert about.labels_of(manifest) == ({"b": "c"} if number == 2 else {}) and about.note_of(manifest) == ""


def test_what_cannot_be_read_again_is_refused(archive: Archive) -> None:
    record(archive, "a")
    for text in ("\0", "x" * (2 << 20)):
        with pytest.raises(UsageError):
            about.set_note(archive, "a", text)
    assert not check(archive) and about.note_of(archive.experiment("a").manifest) == ""


def test_a_new_name_is_followed(archive: Archive) -> None:
    record(archive, "a")
    record(archive, "child", runnew={"from": "a", "changes": []})
    record(archive, "other", lineage={"from": "b"})
    archive.set_default("a")
    about.rename(archive, "a", "z")
    assert [each.name for each in archive.experiments()] == ["child", "other", "z"] and archive.default() == "z"
    assert ancestor(archive.experiment("child").manifest.extra) == "z"
    assert ancestor(archive.experiment("other").manifest.extra) == "b"
    assert not check(archive)


def test_names_that_cannot_be(archive: Archive) -> None:
    record(archive, "a")
    record(archive, "b")
    for new in ("b", "../c", "", "c/d"):
        with pytest.raises(UsageError):
            about.rename(archive, "a", new)
    with pytest.raises(NotFound):
        about.rename(archive, "none", "c")
    assert {each.name for each in archive.experiments()} == {"a", "b"}


def test_an_unfinished_experiment_stays_as_it_is(archive: Archive) -> None:
    with archive.begin("a"):
        for change in (lambda: about.set_note(archive, "a", "x"), lambda: about.rename(archive, "a", "b")):
            with pytest.raises(UsageError, match="recording"):
                change()
    with pytest.raises(UsageError, match="incomplete"):
        about.set_labels(archive, "a", {"k": "v"})
