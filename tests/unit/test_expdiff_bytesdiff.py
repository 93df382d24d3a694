"""In which bytes two contents differ."""

from __future__ import annotations

import difflib
import io
import random
from pathlib import Path

import pytest

from rex.archive import Archive
from rex.expdiff.bytesdiff import Source, detail_of, find_ranges, unified_diff


def source(data: bytes) -> Source:
    """A content in memory."""
    return Source.spooled(io.BytesIO(data), len(data))


def naive(one: bytes, two: bytes) -> list[list[int]]:
    """Ranges as one would find them by hand."""
    found: list[list[int]] = []
    for at in range(max(len(one), len(two))):
        if one[at:at + 1] != two[at:at + 1]:
            if found and found[-1][1] == at:
                found[-1][1] += 1
            else:
                found.append([at, at + 1])
    return found


@pytest.mark.parametrize("seed", range(20))
def test_ranges_are_exact(seed: int) -> None:
    dice = random.Random(seed)
    one = bytearray(dice.randbytes(dice.choice([0, 1, 63, 64, 65, 5000, 200_000])))
    two = bytearray(one[:dice.choice([len(one), len(one) // 2])])
    for _ in range(dice.randrange(6)):
        if two:
            at = dice.randrange(len(two))
            two[at] ^= 1
    found, expected = find_ranges(source(bytes(one)), source(bytes(two))), naive(bytes(one), bytes(two))
    assert found.first == expected and found.count == len(expected)
    assert found.differing_bytes == sum(end - begin for begin, end in expected)
    assert find_ranges(source(bytes(two)), source(bytes(one))).first == expected


def test_only_the_first_ranges_are_kept_but_all_are_counted() -> None:
    one, two = bytes(200), bytes(n & 1 for n in range(200))
    found = find_ranges(source(one), source(two))
    assert len(found.first) == 16 and found.count == found.differing_bytes == 100


def test_what_is_known_to_be_equal_is_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = Archive.create(tmp_path / "A")
    data = bytearray(random.Random(1).randbytes(6 << 20))
    with archive.begin() as recording:
        one = recording.add_bytes(bytes(data))
        data[3 << 20] ^= 1
        two = recording.add_bytes(bytes(data))
        recording.flush()
    read: list[int] = []
    real = archive.store.read_object
    monkeypatch.setattr(archive.store, "read_object", lambda name: read.append(1) or real(name))
    found = find_ranges(Source.stored(archive.store, one), Source.stored(archive.store, two))
    assert found.first == [[3 << 20, (3 << 20) + 1]]
    assert len(read) < 12   # lists, and the objects around the change


def test_holes(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "A")
    with archive.begin() as recording:
        holes = []
        for middle in (b"", b"x"):
            path = tmp_path / f"holes{len(holes)}"
            with open(path, "wb") as file:
                file.truncate(40 << 20)
                file.seek(20 << 20)
                file.write(middle)
            holes.append(recording.add_file(str(path)))
        recording.flush()
    found = find_ranges(*[Source.stored(archive.store, content) for content in holes])
    assert found.first == [[20 << 20, (20 << 20) + 1]]


def test_text_and_what_is_none() -> None:
    assert detail_of(source(b"a\n"), source(b"b\n"))["diff"] == ["@@ -1 +1 @@", "-a", "+b"]
    for other in (b"\0", b"\xff", b"a" * (2 << 20)):
        assert "diff" not in detail_of(source(b"a\n"), source(other))


@pytest.mark.parametrize("seed", range(20))
def test_a_trimmed_diff_is_the_whole_one(seed: int) -> None:
    dice = random.Random(seed)
    one = [f"line {n}\n" for n in range(60)]
    two = list(one)
    for _ in range(dice.randrange(1, 4)):
        two[dice.randrange(len(two))] = f"new {seed}\n"
    expected = [line.rstrip("\n") for line in list(difflib.unified_diff(one, two))[2:]]
    assert unified_diff("".join(one), "".join(two)) == expected


def test_long_diffs_and_missing_newlines() -> None:
    assert unified_diff("a", "b\n") == ["@@ -1 +1 @@", "-a", "\\ No newline at end of file", "+b"]
    many = unified_diff("".join(f"{n}\n" for n in range(9000)), "".join(f"{n + 10**5}\n" for n in range(9000)))
    assert many[-1] == "... and more" and len(many) == 201
