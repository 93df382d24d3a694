"""Single bits of an archive are flipped at random: `rex check` reports each."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Callable

from rex.archive import Archive, FileEntry, FileState, Manifest, Process
from rex.archive.check import check
from rex.errors import Damaged, TooNew
from rex.log import Event, LogWriter

NOT_TRUSTED = {"log.part", "index.sqlite", "lock"}   # docs/formats/archive.md, What readers check


def fill(path: Path) -> None:
    """An archive with every kind of file: experiments whose logs differ, many changed files, a default, one that was not finished."""
    archive, choose = Archive.create(path), random.Random(5)
    same = choose.randbytes(40_000)
    for number in range(3):
        with archive.begin(None, {"start_ns": number}) as recording:
            with LogWriter(recording.log_path, start_ns=number) as log:
                for event in range(300):
                    log.append(Event(event % 7, fields=((1, 2, same[event * 9:][:100] + bytes([number])),), time_ns=event << 10))
            states = [FileState("file", 0o644, mtime_ns=n, size=300, content=recording.add_bytes(choose.randbytes(300))) for n in range(24)]
            files = {f"/f{n}": FileEntry(state, state) if n < 4 else FileEntry(None, state, True) for n, state in enumerate(states)}
            big = recording.add_bytes(same * 4)
            recording.finish(Manifest(("cmd", str(number)), environment={"LANG": "C"}, files=files, attachments={"big": big},
                                      processes=(Process(0, None, 0, ("cmd",), "/cmd"),)))
    archive.set_default("exp1")
    with archive.begin() as recording:
        recording.keep([recording.add_bytes(b"of an unfinished one")])
        recording.flush()


def test_every_flipped_bit_is_reported(tmp_path: Path, rounds: Callable[[int, int], int], figure: Callable[[str], None]) -> None:
    fill(tmp_path / "A")
    assert all(problem.is_harmless for problem in check(Archive.open(tmp_path / "A")))
    files = [Path(base, name) for base, _, names in os.walk(tmp_path / "A") for name in names if name not in NOT_TRUSTED]
    sizes = [path.stat().st_size for path in files]
    choose, unnoticed, count = random.Random(1), [], rounds(600, 10_000)
    for number in range(count):
        # Half of them in the small files, which are most of what could go wrong and little of the bytes.
        path = choose.choices(files, sizes)[0] if number % 2 else choose.choice(files)
        good = path.read_bytes()
        bad, bit = bytearray(good), choose.randrange(len(good) * 8)
        bad[bit // 8] ^= 1 << bit % 8
        path.write_bytes(bad)
        try:
            if all(problem.is_harmless for problem in check(Archive.open(tmp_path / "A"))):
                unnoticed.append((path.name, bit))
        except (Damaged, TooNew):
            pass
        path.write_bytes(good)
    figure(f"flip: {count} single bits of {len(files)} files ({sum(sizes)} bytes): {len(unnoticed)} unnoticed")
    assert not unnoticed
