"""Random file trees: captured, archived, extracted, compared byte for byte."""

from __future__ import annotations

import os
import random
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from rex.archive import Archive, Experiment, FileEntry, Manifest, state_of
from rex.archive.check import check
from rex.archive.gc import collect
from rex.codec import raw, text

names = st.binary(min_size=1, max_size=20).map(
    lambda b: b.replace(b"\0", b"x").replace(b"/", b"y")).filter(lambda b: b not in (b".", b".."))
modes = st.sampled_from([0o644, 0o755, 0o400, 0o4711, 0o666])
times = st.integers(0, 2**62)
sizes = st.one_of(st.integers(0, 300), st.sampled_from([0, 4096, 131072, 131073, 400_000]))
leaves = st.one_of(
    st.tuples(st.just("file"), sizes, st.integers(0, 5), modes, times),
    st.tuples(st.just("sparse"), sizes, st.integers(0, 1 << 22), modes, times),
    st.tuples(st.just("link"), st.binary(min_size=1, max_size=30).map(
        lambda b: b.replace(b"\0", b"z"))),
    st.tuples(st.just("fifo"), modes))
trees = st.recursive(leaves, lambda inner: st.dictionaries(names, inner, max_size=5), max_leaves=12)


def build(path: bytes, tree: object) -> None:
    if isinstance(tree, dict):
        os.mkdir(path)
        for name, inner in tree.items():
            build(path + b"/" + name, inner)
        return
    assert isinstance(tree, tuple)
    if tree[0] == "link":
        os.symlink(tree[1], path)
    elif tree[0] == "fifo":
        os.mkfifo(path, tree[1])
    else:
        kind, size, number, mode, mtime_ns = tree
        with open(path, "wb") as file:
            if kind == "sparse":
                file.seek(number)
            file.write(random.Random(number).randbytes(size))
            if kind == "sparse":
                file.truncate(2 * number + size)
        os.chmod(path, mode)
        os.utime(path, ns=(0, mtime_ns))


def walk(path: bytes) -> list[bytes]:
    found = [path]
    if stat.S_ISDIR(os.lstat(path).st_mode):
        for name in sorted(os.listdir(path)):
            found += walk(path + b"/" + name)
    return found


def record(archive: Archive, root: bytes) -> Experiment:
    with archive.begin() as recording:
        states = {text(path): recording.capture(path) for path in walk(root)}
        return recording.finish(Manifest(("x",), files={
            path: FileEntry(state, state) for path, state in states.items()}))


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(names, trees, max_size=6))
def test_trees_come_back_exactly(tree: dict[bytes, object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = folder.encode() + b"/tree"
        build(root, tree)
        archive = Archive.create(folder + "/archive")
        record(archive, root)
        again = Archive.open(folder + "/archive")
        manifest = again.experiment().manifest
        assert sorted(map(raw, manifest.files)) == sorted(walk(root))
        for path, entry in manifest.files.items():
            state = entry.initial
            info = os.lstat(raw(path))
            assert state is not None and entry.final == state
            assert (state.mode, state.mtime_ns) == (stat.S_IMODE(info.st_mode), info.st_mtime_ns)
            if state.type == "symlink":
                assert raw(state.target) == os.readlink(raw(path))
            elif state.type == "file":
                assert state.content is not None
                again.extract(state.content, folder + "/copy", state.mode)
                assert Path(folder, "copy").read_bytes() == Path(os.fsdecode(raw(path))).read_bytes()
                assert stat.S_IMODE(os.lstat(folder + "/copy").st_mode) == state.mode
                os.unlink(folder + "/copy")
            else:
                assert state == state_of(info)
        assert check(again) == []


@settings(max_examples=15, deadline=None)
@given(st.dictionaries(names, trees, min_size=1, max_size=6), st.integers(0, 2**32))
def test_a_second_recording_adds_only_differences(tree: dict[bytes, object], seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = folder.encode() + b"/tree"
        build(root, tree)
        archive = Archive.create(folder + "/archive")
        record(archive, root)
        packs = set(os.listdir(archive.store.directory))
        record(archive, root)
        assert set(os.listdir(archive.store.directory)) == packs
        fresh = random.Random(seed).randbytes(777)
        with open(root + b"/fresh-file-of-this-test", "wb") as file:
            file.write(fresh)
        with archive.begin() as recording:
            for path in walk(root):
                recording.capture(path)
            assert recording.new_bytes == 777


@settings(max_examples=10, deadline=None)
@given(st.lists(st.sets(st.integers(0, 30), max_size=12), min_size=1, max_size=6),
       st.sets(st.integers(0, 5)), st.sampled_from([0.0, 0.125, 0.9]))
def test_gc_keeps_exactly_what_is_needed(experiments: list[set[int]], removed: set[int],
                                         waste: float) -> None:
    data = [random.Random(n).randbytes(n * 9000 + 1) for n in range(31)]
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive.create(folder + "/archive")
        for uses in experiments:
            with archive.begin() as recording:
                recording.finish(Manifest(("x",), attachments={
                    str(n): recording.add_bytes(data[n]) for n in uses}))
        for n in removed & set(range(len(experiments))):
            archive.remove(f"exp{n}")
        collect(archive, waste, may_be_none=True)
        assert check(Archive.open(archive.path)) == []
        for experiment in archive.experiments():
            for name, content in experiment.manifest.attachments.items():
                assert archive.read(content) == data[int(name)]
        needed = sum(len(data[n]) for n in set().union(*[
            uses for n, uses in enumerate(experiments) if n not in removed], set()))
        stored = sum(place.length for pack in archive.store.packs()
                     for place in pack.places.values())
        manifests = sum(2_000 + 200 * len(uses) for uses in experiments)     # at most
        assert needed <= stored <= needed / (1 - waste) + 200_000 * waste + manifests


@pytest.mark.stress
def test_a_file_over_4_gib(tmp_path: Path) -> None:
    block = random.Random(1).randbytes(1 << 20)
    with open(tmp_path / "big", "wb") as file:
        for n in range(4200):
            file.write(n.to_bytes(8, "little") + block[8:])
    archive = Archive.create(tmp_path / "archive")
    with archive.begin() as recording:
        content = recording.add_file(tmp_path / "big")
        recording.finish(Manifest(("x",), attachments={"big": content}))
    assert content.size == 4200 << 20
    archive.extract(content, tmp_path / "copy")
    assert os.stat(tmp_path / "copy").st_size == 4200 << 20
