"""Output on the disk: read from any point, whole characters, and never more than the bound."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from rex.web.spool import Spool


def read_all(spool: Spool, position: int = 0, limit: int = 1 << 18) -> list[tuple[int, bytes, int]]:
    found = []
    while position < spool.end:
        pieces, position = spool.read(position, limit)
        found += [(piece.stream, piece.data, piece.lost_bytes) for piece in pieces]
    return found


def test_what_came_is_what_is_read(tmp_path: Path) -> None:
    draw = random.Random(3)
    spool, sent = Spool(str(tmp_path / "s"), segment_bytes=500, segments=10_000), {1: b"", 2: b""}
    for _ in range(400):
        stream, data = draw.choice((1, 2)), draw.randbytes(draw.choice((1, 7, 90)))
        sent[stream] += data
        spool.append(stream, data)
    spool.finish()
    for limit in (1, 64, 1 << 18):
        assert {stream: b"".join(data for each, data, _ in read_all(spool, limit=limit) if each == stream)
                for stream in sent} == sent


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=40), cuts=st.lists(st.integers(1, 5), min_size=1))
def test_characters_are_never_torn(text: str, cuts: list[int], tmp_path_factory: object) -> None:
    spool = Spool(str(tmp_path_factory.mktemp("s")))   # type: ignore[attr-defined]
    data, at = text.encode("utf-8", "replace"), 0
    for cut in cuts * (len(data) + 1):
        spool.append(1, data[at:at + cut])
        at += cut
        if at >= len(data):
            break
    spool.finish()
    assert "".join(piece.decode() for _, piece, _ in read_all(spool)) == data.decode()


def test_the_disk_is_bounded_and_beginning_and_end_stay(tmp_path: Path) -> None:
    spool = Spool(str(tmp_path / "s"), segment_bytes=1000, segments=4)
    for number in range(5000):
        spool.append(1, b"%05d\n" % number)
    assert sum(path.stat().st_size for path in (tmp_path / "s").iterdir()) <= 4000
    found = read_all(spool)
    assert found[0][1] == b"00000\n" and found[-1][1] == b"04999\n"
    assert sum(lost for _, _, lost in found) == spool.lost_bytes > 0
    assert sum(lost > 0 for _, _, lost in found) == 1, "one gap"


def test_positions_that_nobody_gave_out_do_no_harm(tmp_path: Path) -> None:
    spool = Spool(str(tmp_path / "s"))
    spool.append(1, b"\xff" * 100)
    for position in range(0, 300):
        pieces, after = spool.read(position)
        assert after >= min(position, spool.end) and after <= spool.end
        assert sum(len(piece.data) for piece in pieces) <= 105


def test_nothing_written_nothing_read(tmp_path: Path) -> None:
    assert Spool(str(tmp_path / "s")).read(0) == ([], 0)
