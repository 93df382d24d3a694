"""States in an archive: durable, small, readable after a crash."""

from __future__ import annotations

import errno
import shutil
import threading
from pathlib import Path

import pytest

pytest.importorskip("cloudpickle")
pytest.importorskip("numpy")

from rex.archive import Archive, Content, Manifest  # noqa: E402
from rex.archive.check import check  # noqa: E402
from rex.archive.gc import collect, collect_alone  # noqa: E402
from rex.errors import Damaged  # noqa: E402
from rex.state import Store, load_history, recover  # noqa: E402

from .sessions import Session  # noqa: E402

CELLS = ["import numpy as np\narrays = [np.random.rand(300000) for _ in range(3)]",
         "x = arrays[0].sum()", "arrays[1][5] = 1", "arrays[2] = np.ones(300000)", "del x"]


def test_only_what_changed_is_stored_and_all_comes_back(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    session, sizes = Session(check_loads=False), []
    with archive.begin("nb") as recording:
        store = Store(archive, recording)
        for code in CELLS:
            before = recording.new_bytes
            store.save(session.run(code))
            store.wait()
            sizes.append(recording.new_bytes - before)
        assert sizes[0] > 7_200_000 and sizes[1] < 1000 and sizes[4] == 0
        assert sizes[2] < 140_000 and sizes[3] < 300_000
        store.close()
        recording.finish(Manifest(("notebook",), attachments=store.attachments()))
    collect(archive)
    later = Session(history=load_history(archive, archive.experiment("nb")), check_loads=False)
    for node in (5, 2, 4):
        assert not later.checkout(node, read=archive.read).failed
    assert later["arrays"][1][5] == 1 and later["arrays"][2][0] == 1 and "x" in later.namespace
    session.checkout(4, read=store.read)
    assert (session["arrays"][0] == later["arrays"][0]).all()
    assert later.tracker.history.next_node == 6


def test_a_new_process_reads_only_what_differs_too(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    session = Session(check_loads=False)
    with archive.begin("nb") as recording:
        store = Store(archive, recording)
        for code in [*CELLS[:3], "words = ['w%d' % i for i in range(9000)]", "words[8200] = 'new'; arrays[0][3] = 2"]:
            store.save(session.run(code))
        store.close()
    later = Session(history=load_history(archive, archive.experiment("nb")), check_loads=False)
    sizes: list[int] = []

    def read(content: Content) -> bytes:
        sizes.append(content.size)
        return archive.read(content)

    later.checkout(5, read=read)
    assert sum(sizes) > 7_200_000
    for node in (4, 5, 4):
        sizes.clear()
        first = later["arrays"][0]
        later.checkout(node, read=read)
        assert later["arrays"][0] is first and sum(sizes) < 200_000
        assert (later["words"][8200] == "new") == (node == 5) == (first[3] == 2)
    assert later.changed("words.sort()") == {"words"} and later.changed("arrays[2][:] = 0") == {"arrays"}


def test_what_waits_outlives_the_process(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    session = Session(check_loads=False)
    recording = archive.begin("nb")
    store, blocked = Store(archive, recording), threading.Event()
    store.save(session.run(CELLS[0]))
    store.save(session.run("words = ['w%d' % i for i in range(9000)]; long = 'x' * 300_000"))
    store.wait()
    store.between(blocked.wait)   # a slow disk
    for code in ("arrays[1][5] = 1; part = arrays[1][:9]", "words.append('end'); arrays[2][0] = 2", "del long"):
        store.save(session.run(code), None, lambda put: {"said": put(b"a word").to_json()})
        store.spill()
    waiting = Path(recording.directory, "waiting")
    assert 100_000 < waiting.stat().st_size < 1_000_000   # what changed, and each piece once
    # The process ends here, in the midst of a line.
    log = Path(recording.log_path)
    log.write_bytes(log.read_bytes() + b'{"half')
    copy = tmp_path / "b"
    shutil.copytree(tmp_path / "a", copy)
    blocked.set()
    store.close()
    assert not waiting.exists()   # nothing waits

    crashed = Archive.open(copy)
    with open(copy / "experiments" / "nb" / "waiting", "ab") as file:
        file.write(b'{"cut')
    with crashed.take_up("nb") as recording:
        assert recover(recording) == 3 and recover(recording) == 0
        kept = {f"{c.tree or c.sha256}": c for c in crashed.experiment("nb").kept()}
        recording.finish(Manifest(("notebook",), attachments=kept))
    collect(crashed)
    assert check(crashed) == []
    history = load_history(crashed, crashed.experiment("nb"))
    assert crashed.read(Content(*history.deltas[5].facts["said"])) == b"a word"
    later = Session(history=history, check_loads=False)
    assert not later.checkout(5, read=crashed.read).failed
    assert later["part"].base is later["arrays"][1] and later["arrays"][1][5] == 1 and later["words"][-1] == "end"
    assert "long" not in later.namespace and later["arrays"][2][0] == 2
    later.checkout(2, read=crashed.read)
    assert later["long"] == "x" * 300_000 and len(later["words"]) == 9000 and later["arrays"][2][0] != 2


@pytest.mark.parametrize("log, waiting", [
    (b"[]\n", b""), (b"{\n", b""), (b'{"versions":[{}]}\n', b""), (b'{"node":[]}\n', b""), (b"[" * 100_000 + b"\n", b""),
    (b"", b'{"format":1,"node":1,"parent":0,"blobs":[-60],"versions":[],"changed":{}}\n'), (b"", b'{"blobs":5}\n'), (b"", b"5\n"),
    (b"", b'{"format":1,"node":1,"parent":0,"blobs":["x"]}\n'), (b"", b'{"format":1,"blobs":[]}\n')])
def test_what_no_killed_process_leaves_is_damage(tmp_path: Path, log: bytes, waiting: bytes) -> None:
    archive = Archive.create(tmp_path / "a")
    archive.begin("nb", {"notebook": {}}).abandon()
    place = tmp_path / "a" / "experiments" / "nb"
    (place / "log.part").write_bytes(log)
    (place / "waiting").write_bytes(waiting)
    with archive.take_up("nb") as recording, pytest.raises(Damaged):
        recover(recording)


@pytest.mark.parametrize("at", ["rex.archive.packs.PackWriter.add_frame", "rex.archive.packs.PackWriter.seal",
                                "rex.archive.recording.append_whole", "rex.state.store.append_whole"])
def test_a_full_disk_costs_nothing_once_there_is_room(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    archive = Archive.create(tmp_path / "a")
    session = Session(check_loads=False)
    with archive.begin("nb") as recording:
        store = Store(archive, recording)
        store.save(session.run(CELLS[0]))
        store.wait()
        with monkeypatch.context() as patch:
            patch.setattr(at, full)
            for code in CELLS[1:3]:
                store.save(session.run(code))
                with pytest.raises(OSError, match="No space"):
                    store.wait()
            session.checkout(2, read=store.read)   # from memory
            session.checkout(3, read=store.read)
            assert list(load_history(archive, archive.experiment("nb")).deltas) == [1]
        store.save(session.run(CELLS[3]))
        store.wait()
        assert store.problem is None
        store.close()
        recording.finish(Manifest(("notebook",), attachments=store.attachments()))
    collect(archive)
    assert check(archive) == []
    later = Session(history=load_history(archive, archive.experiment("nb")), check_loads=False)
    assert list(later.tracker.history.deltas) == [1, 2, 3, 4]
    for node in (3, 4, 2):
        assert not later.checkout(node, read=archive.read).failed
        session.checkout(node, read=store.read)
        assert all((one == other).all() for one, other in zip(later["arrays"], session["arrays"]))


def test_a_line_cut_short_loses_only_its_cell(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    session = Session(check_loads=False)
    with archive.begin("nb") as recording:
        store = Store(archive, recording)
        for code in CELLS[:3]:
            store.save(session.run(code))
        store.close()
        log = Path(recording.log_path)
    log.write_bytes(log.read_bytes()[:-9])
    assert list(load_history(archive, archive.experiment("nb")).deltas) == [1, 2]
    log.write_bytes(log.read_bytes().replace(b'"parent"', b'"patent"', 1))
    with pytest.raises(Damaged):
        load_history(archive, archive.experiment("nb"))


def test_what_the_twin_found_later_is_kept(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    session = Session()
    with archive.begin("nb") as recording:
        store = Store(archive, recording)
        store.save(session.run("class L:\n    def __init__(self): self.x = 1\n"
                               "    def __getstate__(self): return {}\nl = L()"))
        store.wait()
        session.tracker.settle_doubts()
        store.save(session.run("y = 1"))
        store.close()
    history = load_history(archive, archive.experiment("nb"))
    assert "differs" in history.deltas[1].changed["l"].why_not
    session.tracker.close()


def test_facts_and_notes_come_back_and_objects_of_a_crash_stay(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    session = Session(check_loads=False)
    with archive.begin("nb") as recording:
        store = Store(archive, recording)
        store.save(session.run(CELLS[0]), lambda put: {"out": put(b"hello").to_json()})
        store.note({"tag": "good"})
        store.wait()
        store.close()
    collect(archive)   # the recorder crashed: all that it wrote stays
    history = load_history(archive, archive.experiment("nb"))
    assert history.notes == [{"tag": "good"}]
    assert archive.read(Content(*history.deltas[1].facts["out"])) == b"hello"
    with archive.begin("nb-2") as recording:   # another session goes on from there
        again = Session(history=history, check_loads=False)
        store = Store(archive, recording)
        store.adopt(history)
        assert not again.checkout(1, read=store.read).failed
        store.save(again.run("arrays[0][0] = 5"))
        store.close()
        recording.finish(Manifest(("notebook",), attachments=store.attachments()))
    archive.remove("nb")
    collect(archive)
    last = load_history(archive, archive.experiment("nb-2"))
    assert list(last.deltas) == [1, 2] and last.notes == history.notes
    later = Session(history=last, check_loads=False)
    assert not later.checkout(1, read=archive.read).recomputed
    assert not later.checkout(2, read=archive.read).recomputed and later["arrays"][0][0] == 5


def test_dropped_versions_give_space_back_and_are_computed_again(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    session = Session(check_loads=False)
    with archive.begin("nb") as recording:
        store = Store(archive, recording)
        store.save(session.run("import numpy as np\nr = np.random.default_rng(1)"))
        store.save(session.run("big = r.random(400_000)\nsmall = 1"))
        big = session["big"].copy()
        store.save(session.run("big = r.random(400_000)"))
        store.wait()
        store.drop([session.tracker.history.deltas[2].changed["big"]], "dropped")
        store.wait()
        with recording.alone():
            assert collect_alone(archive).freed_bytes > 2_500_000
        store.save(session.run("np.copyto(big, other) if 'other' in globals() else None"))
        restored = session.checkout(2, read=store.read)
        assert restored.recomputed == {"big": "dropped"} and (session["big"] == big).all()
        store.save(session.run("again = big.copy()"))   # the same bytes as those dropped
        store.close()
    later = Session(history=load_history(archive, archive.experiment("nb")), check_loads=False)
    assert later.checkout(2, read=archive.read).recomputed.keys() == {"big"}
    assert later.checkout(5, read=archive.read).recomputed == {}   # it was stored anew
    assert (later["again"] == big).all() and (later["big"] == big).all()
    assert later.checkout(3, read=archive.read).recomputed == {}
