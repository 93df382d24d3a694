"""States in an archive: durable, small, readable after a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("cloudpickle")
pytest.importorskip("numpy")

from rex.archive import Archive, Manifest  # noqa: E402
from rex.archive.gc import collect  # noqa: E402
from rex.errors import Damaged  # noqa: E402
from rex.state import Store, load_history  # noqa: E402

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
