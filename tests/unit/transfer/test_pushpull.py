"""Push and pull: what travels, and what two at once may do."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Callable

import pytest

from rex.archive import Archive, Experiment
from rex.archive.check import check
from rex.archive.rulesfile import read_rules, write_rules
from rex.errors import Damaged, NotFound, RexError, UsageError
from rex.transfer import pushpull
from rex.transfer.pushpull import parse_options, pull, push
from rex.transfer.remote import Remote, RemoteArchive

pytest.importorskip("fsspec")
Record = Callable[..., Experiment]
BIG = random.Random(1).randbytes(900_000)


def there(remote: Remote) -> RemoteArchive:
    return RemoteArchive.create(remote)


def test_there_and_back(archive: Archive, record: Record, remote: Remote, tmp_path: Path) -> None:
    record({"/a": b"a", "/big": BIG})
    record({"/a": b"a", "/e": b""})
    archive.set_default("exp0")
    moved = push(archive, there(remote))
    assert [(e.name, e.is_new) for e in moved.experiments] == [("exp0", True), ("exp1", True)]
    other = Archive.create(tmp_path / "other")
    back = pull(other, there(remote))
    assert back.objects == moved.objects and check(other) == []
    for mine, theirs in zip(archive.experiments(), other.experiments()):
        assert mine.manifest_json() == theirs.manifest_json() and mine.open_log().read() == theirs.open_log().read()


def test_only_what_is_missing_travels(archive: Archive, record: Record, remote: Remote, tmp_path: Path) -> None:
    record({"/big": BIG})
    first = push(archive, there(remote))
    assert first.size_bytes > 900_000
    assert push(archive, there(remote)).size_bytes == 0
    record({"/big": BIG[:500_000] + b"edit" + BIG[500_000:]})
    second = push(archive, there(remote))
    assert 0 < second.size_bytes < 400_000 and [e.is_new for e in second.experiments] == [False, True]
    other = Archive.create(tmp_path / "other")
    pull(other, there(remote), ["exp0"])
    assert [e.name for e in other.experiments()] == ["exp0"]
    assert pull(other, there(remote)).size_bytes < 400_000
    again = pull(other, there(remote))
    assert again.objects == 0 and not any(e.is_new for e in again.experiments)


def test_a_local_remote_is_an_archive(archive: Archive, record: Record, tmp_path: Path) -> None:
    record({"/big": BIG})
    push(archive, there(Remote(str(tmp_path / "r"))))
    copy = Archive.open(tmp_path / "r")
    assert check(copy) == [] and copy.experiment().manifest == archive.experiment().manifest


def test_names_that_are_taken(archive: Archive, record: Record, remote: Remote, tmp_path: Path) -> None:
    record({"/a": b"mine"})
    push(archive, there(remote))
    other = Archive.create(tmp_path / "other")
    push(archive, there(remote))
    archive.remove("exp0")
    record({"/a": b"another"}, name="exp0")
    moved = push(archive, there(remote))
    assert [(e.source, e.name) for e in moved.experiments] == [("exp0", "exp1")]
    assert [e.name for e in pull(other, there(remote)).experiments] == ["exp0", "exp1"]


class Broken(Exception):
    """What the test's network does."""


def test_an_interrupted_push_goes_on(archive: Archive, record: Record, remote: Remote, tmp_path: Path,
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushpull, "PART_BYTES", 100_000)
    monkeypatch.setattr(pushpull, "FRAME_BYTES", 50_000)
    record({"/big": BIG})
    whole, put, states = push_bytes(archive, tmp_path), Remote.put, []
    for limit in range(40):
        left = [limit % 4 + 1]

        def fragile(self: Remote, source: str, *names: str) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Broken
            put(self, source, *names)
        with monkeypatch.context() as patch:
            patch.setattr(Remote, "put", fragile)
            try:
                states.append(push(archive, there(remote)).size_bytes)
            except Broken:
                assert not any(there(remote).is_complete(n) for n in there(remote).experiments())
                continue
            break
    assert len(states) == 1 and states[0] < whole / 2 and there(remote).experiments() == ["exp0"]
    other = Archive.create(tmp_path / "other")
    pull(other, there(remote))
    assert check(other) == []


def push_bytes(archive: Archive, tmp_path: Path) -> int:
    return push(archive, there(Remote(str(tmp_path / "whole")))).size_bytes


def test_an_interrupted_pull_goes_on(archive: Archive, record: Record, remote: Remote, tmp_path: Path,
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushpull, "FRAME_BYTES", 50_000)
    record({"/big": BIG})
    push(archive, there(remote))
    monkeypatch.setattr(pushpull, "PART_BYTES", 100_000)
    monkeypatch.setattr(pushpull, "RANGE_BYTES", 100_000)
    other, read = Archive.create(tmp_path / "other"), Remote.read_range

    def fragile(self: Remote, begin: int, size: int, *names: str) -> bytes:
        if begin > 450_000 and size > 30_000:
            raise Broken
        return read(self, begin, size, *names)
    with monkeypatch.context() as patch:
        patch.setattr(Remote, "read_range", fragile)
        with pytest.raises(Broken):
            pull(other, there(remote))
    assert other.experiments() == []
    assert pull(other, there(remote)).size_bytes < 700_000 and check(other) == []


def test_two_pushers_at_once(tmp_path: Path, remote: Remote) -> None:
    from rex.archive import Manifest
    there(remote)
    archives, failures = [], []
    for n in range(4):
        archives.append(Archive.create(tmp_path / f"a{n}"))
        for each in range(3):
            with archives[n].begin() as recording:
                shared = recording.add_bytes(BIG)
                own = recording.add_bytes(b"%d %d" % (n // 2, each))   # two have the same experiments
                recording.finish(Manifest(("x",), attachments={"shared": shared, "own": own}))

    def run(archive: Archive) -> None:
        try:
            push(archive, there(Remote(remote.path() if remote.is_local else "memory:/" + remote.path())))
        except BaseException as error:
            failures.append(error)
    threads = [threading.Thread(target=run, args=(archive,)) for archive in archives]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    other = Archive.create(tmp_path / "other")
    pull(other, there(remote))
    assert check(other) == []
    found = {other.read(e.manifest.attachments["own"]) for e in other.experiments()}
    assert found == {b"%d %d" % (n, each) for n in range(2) for each in range(3)}


def test_hostile_remotes(archive: Archive, record: Record, tmp_path: Path) -> None:
    record({"/big": BIG})
    remote = Remote(str(tmp_path / "r"))
    push(archive, there(remote))
    pack = next((tmp_path / "r/packs").glob("*.pack"))
    data = bytearray(pack.read_bytes())
    data[1000] ^= 1
    pack.write_bytes(bytes(data))
    other = Archive.create(tmp_path / "other")
    with pytest.raises(Damaged):
        pull(other, there(remote))
    assert other.experiments() == []
    pack.unlink()
    with pytest.raises(Damaged):
        pull(other, there(remote))
    with pytest.raises(NotFound):
        pull(other, there(remote), ["../exp0"])


def test_nothing_to_move(archive: Archive, remote: Remote) -> None:
    with pytest.raises(NotFound):
        push(archive, there(remote))
    with pytest.raises(NotFound):
        pull(archive, there(remote))


def test_options() -> None:
    assert parse_options(["a=b=c", "n=5", "o={\"x\": true}"]) == {"a": "b=c", "n": 5, "o": {"x": True}}
    for wrong in ("a", "=b"):
        with pytest.raises(UsageError):
            parse_options([wrong])
    assert issubclass(UsageError, RexError)


def test_rules_of_comparisons_go_along_once(archive: Archive, record: Record, remote: Remote, tmp_path: Path) -> None:
    record({"/a": b"a"})
    push(archive, there(remote))
    write_rules(archive, {"rtol": 1e-9})
    push(archive, there(remote))
    other = Archive.create(tmp_path / "other")
    pull(other, there(remote))
    assert read_rules(other) == {"rtol": 1e-9} and check(other) == []
    write_rules(archive, {"rtol": 1e-3})
    push(archive, there(remote))           # whoever set them first is asked
    pull(other, there(remote))
    assert read_rules(other) == {"rtol": 1e-9} == there(remote).rules()
