"""How much memory a cell writes, from a sample of pages, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from rex.cells import writes

PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from rex.cells import forking, writes
pages, found = writes.Pages(), []

def take():
    found.append(pages.written_bytes(forking.read_maps()))

take()
take()                                       # nothing
block = bytearray(64 << 20)                  # zeros: nothing is written yet
take()
for at in range(0, 16 << 20, 4096):
    block[at] = 1
take()
for at in range(0, 64 << 20, 4096):
    block[at] = 2
take()
more = bytes(range(256)) * (4 << 18)         # 256 MiB: a coarser sample
take()
take()
del more
take()
print(json.dumps(found))
"""
MB = 1 << 20


def test_what_is_written_is_seen_and_what_is_not_is_not() -> None:
    here = str(Path(writes.__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", PROGRAM, here], text=True, capture_output=True, check=True)
    unseen = writes.UNSEEN_BYTES
    _, nothing, zeros, quarter, all_, large, after, less = (each - unseen for each in json.loads(done.stdout))
    assert nothing < 2 * MB and zeros < 2 * MB and after < 2 * MB and less < 2 * MB
    assert 12 * MB < quarter < 20 * MB and 56 * MB < all_ < 72 * MB and 240 * MB < large < 280 * MB


def test_pages_that_cannot_be_read_are_left_out() -> None:
    """The second page is no memory at all; those around it are read all the same."""
    import mmap
    memory = mmap.mmap(-1, 2 * writes.PAGE)
    import ctypes
    first = ctypes.addressof(ctypes.c_char.from_buffer(memory)) // writes.PAGE
    assert set(writes._sums_of([first, 1, first + 1])) == {first, first + 1}
