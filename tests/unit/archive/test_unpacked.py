"""The cache of plain files."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Callable

import pytest

from deeptree import make_deep
from rex.archive import Archive, Content, Experiment, Unpacked, unpacked
from rex.archive.unpacked import WorkDirectory
from rex.errors import Damaged


def contents(experiment: Experiment) -> list[Content]:
    return [c for e in experiment.manifest.files.values() for c in e.contents()]


def test_files_by_content(archive: Archive, record: Callable[..., Experiment],
                          tmp_path: Path) -> None:
    data = {f"/f{n}": os.urandom(n * 1000) for n in range(200)}
    experiment = record({**data, "/again": data["/f7"]})
    cache = Unpacked(archive, str(tmp_path / "cache"))
    paths = cache.paths(contents(experiment))
    for path, entry in experiment.manifest.files.items():
        [content] = entry.contents()
        where = Path(paths[content.sha256])
        assert where.read_bytes() == data.get(path, data["/f7"])
        assert where.stat().st_mode & 0o777 == 0o555
        assert cache.path(content) == str(where)
        assert where.parent.name == content.sha256[:2] and where.parents[1].name == "objects"


def test_what_is_there_is_not_unpacked_again(archive: Archive, record: Callable[..., Experiment], tmp_path: Path,
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = contents(record({f"/{n}": b"%d" % n for n in range(300)}))
    cache = Unpacked(archive, str(tmp_path / "cache"))
    found = cache.paths(wanted)
    os.unlink(found[wanted[7].sha256])
    extracted: list[Content] = []
    extract = archive.extract
    monkeypatch.setattr(archive, "extract", lambda content, *args: (extracted.append(content), extract(content, *args)))
    assert cache.paths(wanted) == found and extracted == [wanted[7]]


def test_damage_never_gets_a_name(archive: Archive, record: Callable[..., Experiment],
                                  tmp_path: Path) -> None:
    [content] = contents(record({"/f": os.urandom(5000)}))
    [pack] = archive.store.packs()
    data = bytearray(Path(pack.path).read_bytes())
    offset = pack.frames[pack.places[content.root[0]].frame][0]
    data[offset + 200:offset + 210] = bytes(10)
    Path(pack.path).write_bytes(data)
    with pytest.raises(Damaged):
        Unpacked(Archive.open(archive.path), str(tmp_path / "cache")).path(content)
    assert not [f for _, _, files in os.walk(tmp_path / "cache" / "objects") for f in files]


def test_a_file_of_the_wrong_size_is_unpacked_again(archive: Archive, tmp_path: Path,
                                                    record: Callable[..., Experiment]) -> None:
    [content] = contents(record({"/f": b"right"}))
    cache = Unpacked(archive, str(tmp_path / "cache"))
    where = Path(cache.path(content))
    where.chmod(0o700)
    where.write_bytes(b"")
    assert Path(cache.path(content)).read_bytes() == b"right"


def test_what_another_has_unpacked_meanwhile_stays(archive: Archive, tmp_path: Path, record: Callable[..., Experiment],
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    [content] = contents(record({"/f": b"once"}))
    mine, other = (Unpacked(archive, str(tmp_path / "cache")) for _ in range(2))
    extract, theirs = archive.extract, []

    def interrupted(*args: Any) -> None:
        extract(*args)
        if not theirs:
            theirs.append(None)
            theirs[0] = os.stat(other.path(content)).st_ino

    monkeypatch.setattr(archive, "extract", interrupted)
    where = mine.path(content)
    assert os.stat(where).st_ino == theirs[0] and os.listdir(os.path.dirname(where)) == [content.sha256]


def test_directories_of_killed_runs_are_removed(tmp_path: Path) -> None:
    root = str(tmp_path)
    alive, left, young = WorkDirectory(root), tmp_path / "replay-left", tmp_path / "replay-young"
    for path in (left, young, tmp_path / "objects"):
        path.mkdir()
    (left / "log").write_text("x")
    for path in (Path(alive.path), left, tmp_path / "objects"):
        os.utime(path, (1, 1))
    mine = WorkDirectory(root)
    assert not left.exists() and young.exists() and (tmp_path / "objects").exists() and os.path.isdir(alive.path)
    for each in (alive, mine):
        each.close()
    assert sorted(os.listdir(root)) == ["objects", "replay-young"]


def _age(path: Path, days: float) -> None:
    when = time.time() - days * 86400
    os.utime(path, (when, when))


def test_what_was_not_used_for_long_goes_when_it_is_too_much(
        archive: Archive, record: Callable[..., Experiment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, used, program = contents(record({f"/{n}": os.urandom(60_000) for n in range(3)}))
    cache = Unpacked(archive, str(tmp_path / "cache"))
    files = {name: Path(where) for name, where in cache.paths([old, used, program]).items()}
    made = Path(cache.programs) / "made" / "program"
    made.parent.mkdir(parents=True)
    files[program.sha256].rename(made)
    for path, days in ((made, 20), (files[old.sha256], 10), (files[used.sha256], 30)):
        _age(path, days)
    cache.close()
    monkeypatch.setattr(unpacked, "_LIMIT_BYTES", 130_000)
    again = Unpacked(archive, str(tmp_path / "cache"))
    again.paths([used])
    again.close()
    assert made.exists() and files[old.sha256].exists()     # nothing is new
    third = Unpacked(archive, str(tmp_path / "cache"))
    again = Unpacked(archive, str(tmp_path / "cache"))
    [new] = contents(record({"/new": os.urandom(60_000)}))
    again.paths([new])
    again.close()
    assert made.exists() and files[old.sha256].exists()     # another replay may need it
    third.paths([program])
    third.close()
    left = {path.name for path in Path(cache.root).rglob("*") if path.is_file()}
    assert left == {program.sha256, new.sha256} and not made.exists()


def test_what_a_killed_process_was_making_goes_too(archive: Archive, record: Callable[..., Experiment],
                                                   tmp_path: Path) -> None:
    [content] = contents(record({"/f": b"text"}))
    cache = Unpacked(archive, str(tmp_path / "cache"))
    directory = Path(cache.path(content)).parent
    left, young = directory / ".tmp-1-left", directory / ".tmp-2-young"
    for path in (left, young):
        path.write_bytes(b"half")
    _age(left, 2)
    cache.close()
    assert not left.exists() and young.exists()


def test_a_deep_tree_of_a_killed_run_is_removed(tmp_path: Path) -> None:
    """Its depth is beyond what a path and Python's stack hold."""
    left = tmp_path / "replay-0123456789abcdef"
    left.mkdir()
    make_deep(left, 2000, "directory")
    os.utime(left, (0, 0))
    work = WorkDirectory(str(tmp_path))
    assert os.listdir(tmp_path) == [os.path.basename(work.path)]
    work.close()
    assert os.listdir(tmp_path) == []
