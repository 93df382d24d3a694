"""Check finds every kind of damage, and repairs only what nobody needs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable

import pytest

from rex import codec
from rex.archive import Archive, Content, Experiment, Manifest
from rex.archive.check import check
from rex.archive.exporting import export, import_from
from rex.archive.gc import collect
from rex.archive.manifest import encode
from rex.errors import Damaged, Locked, TooNew
from rex.values import replace

Record = Callable[..., Experiment]


def hurt(path: str, at: int) -> None:
    data = bytearray(Path(path).read_bytes())
    data[at] ^= 0xFF
    Path(path).write_bytes(data)


def fresh(archive: Archive) -> Archive:
    return Archive.open(archive.path)


def test_a_sound_archive_has_no_problems(archive: Archive, record: Record) -> None:
    record({"/a": os.urandom(300_000), "/empty": b""})
    steps: list[tuple[int, int]] = []
    assert check(archive, progress=lambda done, total: steps.append((done, total))) == []
    assert steps == [(1, 2), (2, 2)]


def test_every_byte_of_a_pack_counts(archive: Archive, record: Record) -> None:
    record({"/a": os.urandom(3000), "/b": b"text" * 50})
    [pack] = archive.store.packs()
    size = os.path.getsize(pack.path)
    for at in [*range(0, size, 97), *range(size - 24, size)]:
        hurt(pack.path, at)
        assert check(fresh(archive)), at
        hurt(pack.path, at)
    assert check(fresh(archive)) == []


def test_missing_packs_name_the_files_that_suffer(archive: Archive, record: Record) -> None:
    record({"/in/data": b"x" * 1000})
    [pack] = archive.store.packs()
    os.unlink(pack.path)
    assert any("table" in p.what or "missing" in p.what for p in check(fresh(archive)))


def test_damaged_logs_and_manifests(archive: Archive, record: Record) -> None:
    experiment = record({})
    facts = experiment.manifest.log
    assert facts
    with archive.begin() as recording:     # a manifest that tells of another log
        told = replace(experiment.manifest, log=replace(facts, sha256="1" * 64, is_packed=True))
        recording.finish_as(recording.add_bytes(encode(told, recording.add_pieces)))
    [problem] = check(fresh(archive))
    assert problem.where == "experiments/exp1" and "its log" in problem.what
    archive.remove("exp1")
    hurt(os.path.join(experiment.directory, "identity"), 20)
    [problem] = check(fresh(archive))
    assert problem.where == "experiments/exp0" and not problem.is_harmless


def test_every_bit_of_the_small_files_counts(archive: Archive, record: Record) -> None:
    experiment = record({"/a": b"x"})
    archive.set_default("exp0")
    for path in (f"{archive.path}/rex-archive.json", f"{archive.path}/default", f"{experiment.directory}/begun",
                 f"{experiment.directory}/identity"):
        good = Path(path).read_bytes()
        for bit in range(len(good) * 8):
            bad = bytearray(good)
            bad[bit // 8] ^= 1 << bit % 8
            Path(path).write_bytes(bad)
            try:
                assert any(not problem.is_harmless for problem in check(fresh(archive))), (path, bit)
            except (Damaged, TooNew):
                assert path.endswith(".json")
        Path(path).write_bytes(good)
    assert check(fresh(archive)) == []


def test_what_is_missing_or_not_ours(archive: Archive, record: Record) -> None:
    experiment = record({"/a": b"x"})
    for path in ("notes", "packs/notes", "experiments/exp0/notes"):
        Path(archive.path, path).write_text("mine")
    assert [(p.where, p.is_harmless) for p in check(archive)] == [("notes", True), ("packs/notes", True), ("experiments/exp0/notes", True)]
    os.rename(Path(archive.path, "experiments"), Path(archive.path, "away"))
    assert [(p.where, p.what) for p in check(fresh(archive)) if not p.is_harmless] == [("experiments", "it is missing")]
    os.rename(Path(archive.path, "away"), Path(archive.path, "experiments"))
    os.unlink(os.path.join(experiment.directory, "begun"))
    assert [p.what for p in check(fresh(archive)) if not p.is_harmless] == ["its begun is missing"]


def test_repair_drops_orphans_and_nothing_else(archive: Archive, record: Record) -> None:
    record({"/a": b"kept"})
    with archive.begin() as recording:
        recording.add_bytes(b"of an experiment that never finished")
        recording.flush()
    Path(archive.path, "packs/.tmp-1-a").write_bytes(b"half")
    problems = check(archive)
    assert [p.is_harmless for p in problems] == [True, True] and os.listdir(recording.directory)
    assert any("incomplete" in p.what for p in problems)
    repaired = [p for p in check(archive, repair=True) if p.is_repaired]
    assert len(repaired) == 2
    assert len(os.listdir(archive.store.directory)) == 1
    assert [p.where for p in check(fresh(archive))] == ["experiments/exp1"]
    with archive.begin(), pytest.raises(Locked):
        check(archive, repair=True)


def test_nothing_is_dropped_while_a_manifest_cannot_be_read(archive: Archive,
                                                            record: Record) -> None:
    hurt(os.path.join(record({"/a": b"x"}).directory, "identity"), 20)
    check(fresh(archive), repair=True)
    assert len(os.listdir(archive.store.directory)) == 1


def record_light(archive: Archive) -> tuple[Content, list[bytes]]:
    """An experiment with a content of memory, as hindsight stores it."""
    pieces = [os.urandom(1000), bytes(3000), os.urandom(200_000)]
    with archive.begin(is_light=True) as recording:
        content, names = recording.add_light([*map(memoryview, pieces), memoryview(pieces[0])])
        assert names == [codec.sha256(piece) for piece in (*pieces, pieces[0])]
        recording.finish(Manifest(("x",), attachments={"memory": content}))
    return content, [*pieces, pieces[0]]


def test_every_byte_of_a_light_pack_counts(archive: Archive) -> None:
    content, pieces = record_light(archive)
    assert check(archive) == [] and archive.read(content) == b"".join(pieces)
    [pack] = archive.store.packs()
    size = os.path.getsize(pack.path)
    for at in [*range(0, size, size // 60), *range(size - 24, size)]:
        hurt(pack.path, at)
        assert check(fresh(archive)), at
        hurt(pack.path, at)
    assert check(fresh(archive)) == []


def test_what_is_in_a_light_pack_can_be_compressed_and_sent(archive: Archive, tmp_path: Path) -> None:
    content, pieces = record_light(archive)
    with open(tmp_path / "file", "wb") as file:
        export(archive, file)
    other = Archive.create(tmp_path / "other")
    with open(tmp_path / "file", "rb") as file:
        import_from(file, other)
    collect(archive, recompress=True)
    assert not any(pack.is_light for pack in fresh(archive).store.packs())
    for each in (fresh(archive), other):
        assert check(each) == [] and each.read(content) == b"".join(pieces)
