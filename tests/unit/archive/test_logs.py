"""How logs are stored: as they are, as a stream, or as the difference from another one."""

from __future__ import annotations

import io
import os
import random
import struct
import time
from pathlib import Path

import pytest

from rex.archive import Archive, Experiment, Manifest
from rex.archive.check import check
from rex.archive.exporting import export, import_from
from rex.archive.gc import collect
from rex.archive.manifest import encode
from rex.errors import Damaged, RexError
from rex.values import replace

SIZE = 200_000


def log_bytes(seed: int, changes: int = 40) -> bytes:
    """A log much like that of any other seed."""
    data = bytearray(random.Random(0).randbytes(SIZE))
    choose = random.Random(seed)
    for _ in range(changes):
        data[choose.randrange(SIZE)] ^= 1 + choose.randrange(255)
    return bytes(data)


def record(archive: Archive, log: bytes, *command: str) -> Experiment:
    with archive.begin(facts={"command": [*command] or ["cmd", "a"]}) as recording:
        Path(recording.log_path).write_bytes(log)
        return recording.finish(Manifest(command or ("cmd", "a")))


def weight(archive: Archive) -> int:
    return sum(os.path.getsize(os.path.join(base, name)) for base, _, names in os.walk(archive.path) for name in names)


def test_a_second_log_weighs_its_difference(archive: Archive) -> None:
    first = record(archive, log_bytes(1))
    for seed in range(2, 5):
        before = weight(archive)
        done = record(archive, log_bytes(seed))
        assert weight(archive) - before < 4000
        facts = done.manifest.log
        assert facts and facts.base and facts.base == (first.manifest.log and first.manifest.log.content)
    for seed, experiment in enumerate(Archive.open(archive.path).experiments(), 1):
        assert experiment.open_log().read() == log_bytes(seed)
    assert check(archive) == []


def test_logs_with_times_apart_differ_from_such_logs(archive: Archive) -> None:
    def log(seed: int) -> bytes:
        choose, time, records = random.Random(seed), 0, [struct.pack("<8sIIQQ", b"REXLOG\r\n", 1, 1, seed, 2000)]
        for n in range(2000):
            time += choose.randrange(100) << 10
            records.append(struct.pack("<IHHIIqQ6Q", 80, n % 7, 0, 0, 0, n, time, *range(6)))
        return b"".join(records)
    plain = record(archive, log_bytes(1)).manifest.log
    one, two = (record(archive, log(seed)).manifest.log for seed in (1, 2))
    again = record(archive, log_bytes(2)).manifest.log
    assert plain and one and two and again
    assert (plain.is_apart, one.is_apart, two.is_apart, again.is_apart) == (False, True, True, False)
    assert one.content and two.base == one.content and again.base == plain.content
    assert archive.experiment("exp2").open_log().read() == log(2) and check(archive) == []


def test_a_content_that_is_another_log_is_not_let_in(archive: Archive, tmp_path: Path) -> None:
    header = struct.pack("<8sIIQQ", b"REXLOG\r\n", 1, 1, 5, 900)
    records = [struct.pack("<IHHIIqQ6Q", 80, n % 7, 0, 0, 0, n, n << 10, *range(6)) for n in range(900)]
    done = record(archive, header + b"".join(records))
    assert done.manifest.log and done.manifest.log.content and done.manifest.log.is_apart
    told = replace(done.manifest, log=replace(done.manifest.log, sha256="5" * 64))
    with archive.begin() as recording:
        recording.finish_as(recording.add_bytes(encode(told, recording.add_pieces)))
    stream = io.BytesIO()
    export(Archive.open(archive.path), stream, ["exp1"])
    with pytest.raises(Damaged, match="log"):
        import_from(io.BytesIO(stream.getvalue()), Archive.create(tmp_path / "other"))
    assert Archive.open(tmp_path / "other").experiments() == []


def test_the_base_stays_as_long_as_it_is_needed(archive: Archive) -> None:
    record(archive, log_bytes(1))
    record(archive, log_bytes(2))
    archive.remove("exp0")
    collect(archive)
    assert check(archive) == [] and archive.experiment("exp1").open_log().read() == log_bytes(2)
    record(archive, log_bytes(3))
    assert archive.experiment("exp2").open_log().read() == log_bytes(3)
    for name in ("exp1", "exp2"):
        archive.remove(name)
    collect(archive, may_be_none=True)
    assert archive.store.packs() == []


def test_unlike_logs_stand_alone(archive: Archive) -> None:
    record(archive, log_bytes(1))
    other = random.Random(9).randbytes(SIZE)
    facts = record(archive, other).manifest.log
    assert facts and not facts.is_packed and not facts.base
    facts = record(archive, log_bytes(2), "another", "program").manifest.log
    assert facts and not facts.is_packed and not facts.base
    facts = record(archive, log_bytes(4), "cmd", "b").manifest.log       # the same program with other arguments
    assert facts and facts.is_packed == bool(facts.base)
    small = record(archive, b"x" * 1000)
    assert small.manifest.log and not small.manifest.log.is_packed and small.open_log().read() == b"x" * 1000
    assert check(archive) == []


@pytest.mark.parametrize("names", [(), ("exp0",), ("exp1",)])
def test_they_travel(archive: Archive, tmp_path: Path, names: tuple[str, ...]) -> None:
    record(archive, log_bytes(1))
    record(archive, log_bytes(2))
    stream = io.BytesIO()
    export(archive, stream, names)
    other = Archive.create(tmp_path / "other")
    import_from(io.BytesIO(stream.getvalue()), other)
    assert check(other) == []
    for experiment in other.experiments():
        assert experiment.open_log().read() == archive.experiment(experiment.name).open_log().read()
    bare = io.BytesIO()
    export(archive, bare, names, has_log=False)
    assert len(bare.getvalue()) < 3000      # nothing of the logs is in it
    third = Archive.create(tmp_path / "third")
    import_from(io.BytesIO(bare.getvalue()), third)
    assert check(third) == [] and all(e.manifest.log is None for e in third.experiments())


def test_they_are_pushed_and_pulled(archive: Archive, tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    from rex.transfer.pushpull import pull, push
    from rex.transfer.remote import Remote, RemoteArchive
    record(archive, log_bytes(1))
    record(archive, log_bytes(2))
    there = RemoteArchive.create(Remote(str(tmp_path / "r")))
    push(archive, there, ["exp1"])
    other = Archive.create(tmp_path / "other")
    pull(other, there)
    assert check(other) == [] and other.experiment("exp1").open_log().read() == log_bytes(2)
    assert push(archive, there).size_bytes < 4000     # exp0's log is the base that is there
    assert check(Archive.open(tmp_path / "r")) == []


def test_a_base_that_is_too_large_is_refused(archive: Archive) -> None:
    record(archive, log_bytes(1))
    done = record(archive, log_bytes(2))
    facts = done.manifest.log
    assert facts and facts.base
    told = replace(done.manifest, log=replace(facts, base=replace(facts.base, size=99999999999)))
    with archive.begin() as recording:
        recording.finish_as(recording.add_bytes(encode(told, recording.add_pieces)))
    with pytest.raises(RexError, match="too large"):
        Archive.open(archive.path).experiment("exp2").open_log()


def test_a_crash_between_log_and_manifest(archive: Archive) -> None:
    record(archive, log_bytes(1))
    with archive.begin() as recording:
        Path(recording.log_path).write_bytes(log_bytes(2))
        recording._store_log(Manifest(("cmd", "a")))      # and no more
    assert archive.experiment("exp1").open_log().read() == log_bytes(2)


def events(seed: int, count: int = 9000) -> bytes:
    """A log of system calls much like that of any other seed."""
    choose, time, records = random.Random(seed), 0, []
    same = random.Random(0)
    for n in range(count):
        time += choose.randrange(100) << 10
        records.append(struct.pack("<IHHIIqQ6Q", 80, n % 7, 0, 0, 0, n, time, *(same.randrange(1 << 40) for _ in range(6))))
    return struct.pack("<8sIIQQ", b"REXLOG\r\n", 1, 1, seed, count) + b"".join(records)


def record_beside(archive: Archive, log: bytes, command: str = "cmd") -> Experiment:
    """As `record`, the log kept while it is written; its header is written anew in the end."""
    with archive.begin(facts={"command": [command]}) as recording:
        recording.follow_log([command])
        with open(recording.log_path, "wb", buffering=0) as file:
            file.write(log[:8] + bytes(24))
            for at in range(32, len(log), 150_001):
                time.sleep(0.005)
                file.write(log[at:at + 150_001])
            file.seek(0)
            file.write(log[:32])
        return recording.finish(Manifest((command,)))


@pytest.mark.parametrize("is_large", [False, True])
def test_logs_are_kept_while_they_are_written(archive: Archive, monkeypatch: pytest.MonkeyPatch, is_large: bool) -> None:
    if is_large:
        monkeypatch.setattr("rex.archive.logkeeper._LARGE_LOG_BYTES", 300_000)
    sizes = []
    for seed in range(3):
        before = weight(archive)
        record_beside(archive, events(seed))
        sizes.append(weight(archive) - before)
    record(archive, events(3), "cmd")
    for seed, experiment in enumerate(Archive.open(archive.path).experiments()):
        assert experiment.open_log().read() == events(seed)
        assert experiment.manifest.log and bool(experiment.manifest.log.base) == (seed > 0 and not is_large)
        assert not [name for name in os.listdir(experiment.directory) if name.startswith(".tmp")]
    assert check(archive) == [] and (is_large or max(sizes[1:]) < sizes[0] / 10)


def test_a_log_that_is_given_up_leaves_nothing(archive: Archive) -> None:
    with archive.begin() as recording:
        recording.follow_log(["cmd"])
        Path(recording.log_path).write_bytes(events(1))
        recording.abandon()
    assert sorted(os.listdir(recording.directory)) == ["begun", "kept.part", "lock", "log.part"]
    assert archive.store.pack_names() == []


def test_a_run_without_a_log(archive: Archive) -> None:
    with archive.begin() as recording:
        recording.follow_log(["cmd"])
        assert recording.finish(Manifest(("cmd",))).manifest.log is None
