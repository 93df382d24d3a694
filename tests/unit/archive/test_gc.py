"""Garbage collection frees what nobody needs, and only that."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Callable

import pytest

from rex.archive import Archive, Experiment, Manifest
from rex.archive.check import check
from rex.archive.sealed import seal_content
from rex.archive.gc import collect, collect_alone
from rex.errors import Damaged, Locked

Record = Callable[..., Experiment]


def stored(archive: Archive) -> int:
    return sum(entry.stat().st_size for entry in os.scandir(archive.store.directory))


def test_removed_experiments_give_their_space_back(archive: Archive, record: Record) -> None:
    shared, own, kept = os.urandom(400_000), os.urandom(3_000_000), os.urandom(1_000_000)
    record({"/s": shared, "/o": own})
    record({"/s": shared, "/k": kept})
    archive.remove("exp0")
    reader = Archive.open(archive.path)
    reader.store.packs()
    done = collect(archive)
    assert done.freed_bytes > 2_900_000 and done.rewritten_packs == 1
    assert stored(archive) < 1_500_000
    assert check(archive) == []
    [content] = archive.experiment("exp1").manifest.files["/s"].contents()
    assert archive.read(content) == reader.read(content) == shared
    assert collect(archive).freed_bytes == 0
    archive.remove("exp1")
    collect(archive, may_be_none=True)
    assert os.listdir(archive.store.directory) == []


def test_copies_of_two_recorders_become_one(archive: Archive) -> None:
    data = os.urandom(2_000_000)
    other = Archive.open(archive.path)
    with archive.begin() as one, other.begin() as two:
        two.add_bytes(b"else both would write the very same pack")
        contents = [r.add_bytes(data) for r in (one, two)]
        for recording, content in zip((one, two), contents):
            recording.finish(Manifest(("x",), attachments={"data": content}))
    assert stored(archive) > 4_000_000
    collect(archive)
    assert stored(archive) < 2_100_000 and check(archive) == []


def test_recorders_keep_it_away(archive: Archive) -> None:
    with archive.begin(), pytest.raises(Locked):
        collect(archive)


def test_an_unreadable_manifest_stops_it(archive: Archive, record: Record) -> None:
    experiment = record({"/a": b"x"})
    record({"/b": b"y"})
    Path(experiment.directory, "identity").write_bytes(b"broken")
    archive.remove("exp1")
    before = os.listdir(archive.store.directory)
    with pytest.raises(Damaged):
        collect(archive)
    assert os.listdir(archive.store.directory) == before


def moved(archive: Archive) -> None:
    os.rename(Path(archive.path, "experiments"), Path(archive.path, "away"))


def moved_and_linked(archive: Archive) -> None:
    moved(archive)
    os.symlink("away", Path(archive.path, "experiments"))


def not_mounted(archive: Archive) -> None:
    moved(archive)
    os.symlink("/nowhere/mounted", Path(archive.path, "experiments"))


def an_empty_mount_point(archive: Archive) -> None:
    moved(archive)
    os.mkdir(Path(archive.path, "experiments"))


def one_is_linked(archive: Archive) -> None:
    os.rename(Path(archive.path, "experiments/exp0"), Path(archive.path, "away"))
    os.symlink("/nowhere/mounted", Path(archive.path, "experiments/exp0"))


def one_is_renamed(archive: Archive) -> None:
    os.rename(Path(archive.path, "experiments/exp0"), Path(archive.path, "experiments/old experiment"))


def what_one_keeps_is_damaged(archive: Archive) -> None:
    recording = archive.begin("nb")
    recording.keep([recording.add_bytes(b"of a session")])
    recording.abandon()
    path = Path(archive.path, "experiments/nb/kept.part")
    path.write_bytes(path.read_bytes().replace(b" 12 ", b" 13 "))


def one_has_lost_its_identity(archive: Archive) -> None:
    os.unlink(Path(archive.path, "experiments/exp0/identity"))
    assert ("experiments/exp0", "its identity is missing") in [(p.where, p.what) for p in check(Archive.open(archive.path)) if not p.is_harmless]


@pytest.mark.parametrize("change", [moved, moved_and_linked, not_mounted, an_empty_mount_point, one_is_linked, one_is_renamed,
                                    what_one_keeps_is_damaged, one_has_lost_its_identity])
def test_what_is_not_certain_stops_it(archive: Archive, record: Record, change: Callable[[Archive], None]) -> None:
    record({"/a": b"x"})
    record({"/b": b"y"})
    change(archive)
    before = sorted(os.listdir(archive.store.directory))
    for collects in (collect, lambda found: check(found, repair=True)):
        try:
            collects(Archive.open(archive.path))
        except Damaged:
            pass
        assert sorted(os.listdir(archive.store.directory)) == before


def test_what_was_never_finished_does_not_stop_it(archive: Archive, record: Record) -> None:
    record({"/a": b"x"})
    archive.begin("killed").abandon()
    assert collect(archive).unfinished == ("killed",)


def test_leftovers_of_crashes_go(archive: Archive, record: Record) -> None:
    record({"/a": b"x"})
    for path in ("packs/.tmp-1-a", "experiments/exp0/.tmp-1-b"):
        Path(archive.path, path).write_bytes(b"half")
    Path(archive.path, "packs/notes.txt").write_bytes(b"not ours")
    collect(archive)
    assert not Path(archive.path, "packs/.tmp-1-a").exists()
    assert not Path(archive.path, "experiments/exp0/.tmp-1-b").exists()
    assert Path(archive.path, "packs/notes.txt").exists()


def test_what_an_unfinished_experiment_keeps_survives(archive: Archive) -> None:
    kept, dropped, other = os.urandom(300_000), os.urandom(200_000), os.urandom(100_000)
    recording = archive.begin("nb")
    contents = [recording.add_bytes(data) for data in (kept, dropped, other)]
    recording.flush()
    recording.keep(contents[:1])
    recording.keep(contents[1:2])
    recording.abandon()   # as after kill -9
    with open(os.path.join(recording.directory, "kept.part"), "ab") as file:
        file.write(seal_content(contents[2])[:-1])   # a crash cut the line
    collect(archive)
    assert all(problem.is_harmless for problem in check(archive))
    fresh = Archive.open(archive.path)
    assert [fresh.read(content) for content in contents[:2]] == [kept, dropped]
    with pytest.raises(Damaged):
        fresh.read(contents[2])
    archive.remove("nb")
    collect(archive, may_be_none=True)
    assert os.listdir(archive.store.directory) == []


def test_a_recorder_that_is_alone_can_collect(archive: Archive) -> None:
    keep, drop = os.urandom(300_000), os.urandom(2_000_000)
    recording = archive.begin("nb")
    contents = [recording.add_bytes(data) for data in (keep, drop)]
    recording.flush()
    recording.keep(contents)
    with recording.alone() as is_alone:
        assert is_alone and collect_alone(archive).freed_bytes <= 0
    recording.keep_only(contents[:1])
    with archive.begin("other"):
        with recording.alone() as is_alone:
            assert not is_alone
    with recording.alone() as is_alone:
        assert is_alone and collect_alone(archive).freed_bytes > 1_900_000
        with pytest.raises(Locked):
            collect(archive)
    again = recording.add_bytes(drop)   # it is known to be gone
    recording.flush()
    assert archive.read(again) == drop and archive.read(contents[0]) == keep
    with pytest.raises(Locked):
        collect(archive)
    recording.abandon()


@pytest.mark.parametrize("pieces", [20, pytest.param(90, marks=pytest.mark.stress)])
def test_recompressing(archive: Archive, pieces: int) -> None:
    choose = random.Random(1)
    words = [choose.randbytes(choose.randint(2, 9)) for _ in range(2000)]
    data = [b" ".join(choose.choices(words, k=16_000)) for _ in range(pieces)]   # 0.1 MB each
    with archive.begin() as recording:
        contents = [recording.add_bytes(each) for each in data]
        recording.finish(Manifest(("x",), attachments={str(n): c for n, c in enumerate(contents)}))
    before = sum(pack.size_bytes for pack in archive.store.packs())
    done = collect(archive, recompress=True)
    assert done.freed_bytes > before / 20 and done.rewritten_packs == 1
    assert check(Archive.open(archive.path)) == []
    assert [archive.read(content) for content in contents] == data
    if pieces < 90:                           # a small pack cannot be told from a recorder's, and is tried again
        return
    again = collect(archive, recompress=True)
    assert (again.freed_bytes, again.rewritten_packs) == (0, 0)


def test_recompressing_leaves_what_does_not_compress(archive: Archive, record: Record) -> None:
    noise, words = os.urandom(5_000_000), b"".join(b"line %d of a text\n" % n for n in range(200_000))
    record({"/noise": noise})
    record({"/words": words})
    before = {frame[1:] for pack in archive.store.packs() for frame in pack.frames if frame[1] > 1_000_000}
    done = collect(archive, recompress=True)
    assert before <= {frame[1:] for pack in archive.store.packs() for frame in pack.frames}   # no frame of 15 MB was made of them
    assert done.freed_bytes > 10_000 and check(archive) == []
    for name, path, data in (("exp0", "/noise", noise), ("exp1", "/words", words)):
        [content] = archive.experiment(name).manifest.files[path].contents()
        assert archive.read(content) == data


def test_a_damaged_frame_is_not_copied_as_it_is(archive: Archive, record: Record) -> None:
    record({"/noise": os.urandom(1_000_000)})
    [pack] = archive.store.packs()
    offset, stored, _ = max(pack.frames, key=lambda frame: frame[1])
    with open(pack.path, "r+b") as file:
        file.seek(offset + stored // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))
    with pytest.raises(Damaged):
        collect(Archive.open(archive.path), recompress=True)
    assert os.path.exists(pack.path)
