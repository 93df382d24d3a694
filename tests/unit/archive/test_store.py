"""Objects: kept once, found again, verified."""

from __future__ import annotations

import os
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rex.archive.content import EMPTY, HOLE, Content, encode_list
from rex.archive.cut import _fastcdc
from rex.archive.folder import Folder
from rex.archive.packer import Packer
from rex.archive.store import Store
from rex.errors import Damaged


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(Folder(str(tmp_path)))


def test_what_is_added_is_read(store: Store) -> None:
    packer = Packer(store)
    data = {n: random.Random(n).randbytes(n) for n in (0, 1, 1000, 131072, 131073, 5_000_000)}
    contents = {n: packer.add_bytes(d) for n, d in data.items()}
    assert contents[0] == Content(EMPTY, 0)
    assert contents[131072].depth == 0 and contents[5_000_000].depth >= 1
    with pytest.raises(Damaged, match="missing"):
        store.read(contents[1000])
    packer.flush()
    for n, content in contents.items():
        assert content.size == n
        assert store.read(content) == Store(store.folder).read(content) == data[n]


def test_each_object_is_stored_once(store: Store) -> None:
    data = random.Random(1).randbytes(1_000_000)
    for _ in range(3):
        packer = Packer(store)
        packer.add_bytes(data)
        packer.add_bytes(data)
        packer.flush()
    assert len(store.packs()) == 1
    assert sum(p.length for p in store.packs()[0].places.values()) < 1_010_000


def test_a_changed_record_costs_little(store: Store) -> None:
    data = bytearray(random.Random(1).randbytes(64 << 20))
    packer = Packer(store)
    before = packer.add_bytes(bytes(data))
    known = packer.new_bytes
    data[20_000_000:20_000_010] = b"0123456789"
    if _fastcdc() is not None:
        data[30_000_000:30_000_000] = b"inserted"
    after = packer.add_bytes(bytes(data))
    packer.flush()
    assert packer.new_bytes - known < 1 << 20
    assert store.read(after) == data and store.read(before) != data
    assert before.depth == after.depth == 2
    assert len(store.reach(after) - store.reach(before)) < 20


def test_blocks_may_be_of_any_size(store: Store) -> None:
    data = random.Random(3).randbytes(2_000_000)
    packer = Packer(store)
    whole = packer.add_bytes(data)
    for size in (1_000, 70_000, 1_999_999):
        assert packer.add_blocks(data[at:at + size] for at in range(0, len(data), size)) == whole


def test_holes(store: Store) -> None:
    packer = Packer(store)
    content = packer.add_blocks([5, b"abc", 1 << 20])
    only = packer.add_blocks([9])
    packer.flush()
    assert list(store.pieces(content))[0] == (HOLE, 5)
    assert store.read(content) == bytes(5) + b"abc" + bytes(1 << 20)
    assert store.read(only) == bytes(9)
    assert HOLE not in store.reach(content)


def test_many_threads(store: Store) -> None:
    packer = Packer(store)
    blocks = [random.Random(n % 200).randbytes(20_000 + n % 7 * 30_000) for n in range(600)]
    with ThreadPoolExecutor(8) as pool:
        contents = list(pool.map(packer.add_bytes, blocks))
        packer.flush()
        assert list(pool.map(store.read, contents)) == blocks
    places = [d for pack in store.packs() for d in pack.places]
    assert len(places) == len(set(places))


def test_packs_are_split_and_abandoned(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.archive.packer.PACK_BYTES", 3 << 20)
    packer = Packer(store)
    content = packer.add_bytes(random.Random(1).randbytes(9 << 20))
    packer.flush()
    assert len(store.packs()) > 1 and store.read(content)
    packer.add_bytes(random.Random(2).randbytes(5 << 20))
    packer.abandon()
    assert not [n for n in os.listdir(store.directory) if n.startswith(".tmp")]


def test_a_second_copy_heals_a_damaged_one(store: Store) -> None:
    data = random.Random(1).randbytes(10_000)
    paths = []
    for extra in (b"one", b"two"):
        packer = Packer(store, is_fresh=True)
        content = packer.add_bytes(data)
        packer.add_bytes(extra)
        packer.flush()
    for pack in store.packs():
        paths.append(Path(pack.path))
    good = paths[0].read_bytes()
    paths[0].write_bytes(good[:5000] + b"\xff\x00\xff" + good[5003:])
    assert Store(store.folder).read(content) == data
    paths[1].unlink()
    with pytest.raises(Damaged):
        Store(store.folder).read(content)


def test_a_failed_write_stops_everything(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    packer = Packer(store)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rex.archive.packs.PackWriter.add_frame", full)
    with pytest.raises(OSError):
        packer.add_bytes(random.Random(1).randbytes(9 << 20))
    monkeypatch.undo()
    for call in (lambda: packer.add(b"x"), packer.flush):
        with pytest.raises(OSError, match="No space"):
            call()


def test_hostile_trees(store: Store) -> None:
    packer = Packer(store)
    leaf = packer.add(b"12345678")
    bad_sum = packer.add(encode_list([(leaf, 8), (leaf, 8)]))
    lying = packer.add(encode_list([(leaf, 9)]))
    packer.flush()
    digest = Content("0" * 64, 8).sha256
    for content in (Content(digest, 8, 1, bad_sum.hex()), Content(digest, 9, 1, lying.hex()),
                    Content(digest, 16, 1, bad_sum.hex()), Content(digest, 8, 9, lying.hex()),
                    Content(leaf.hex(), 9), Content(digest, 8, 2, bad_sum.hex())):
        with pytest.raises(Damaged):
            store.read(content)
