"""Random numbers that a library has from the processor, as libgcrypt does, are those of the recording."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands import rex

pytestmark = pytest.mark.usefixtures("tracing")

SOURCE = """
unsigned long draw(void)
{
    unsigned long value;
    __asm__ volatile("1: rdrand %0; jnc 1b" : "=r"(value) : : "cc");
    return value;
}
"""
PROGRAM = "import ctypes; f = ctypes.CDLL('./libdraw.so').draw; f.restype = ctypes.c_ulong; print(f(), f(), f())"


@pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")
@pytest.mark.skipif("rdrand" not in Path("/proc/cpuinfo").read_text(), reason="this processor makes no random numbers")
def test_library_draws_the_same_in_a_replay(tmp_path: Path) -> None:
    (tmp_path / "draw.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", "libdraw.so", "draw.c"], cwd=tmp_path, check=True)
    recorded = rex("record", "-q", "-l", "A", sys.executable, "-c", PROGRAM, cwd=tmp_path, REX_ENGINE="native")
    (tmp_path / "libdraw.so").unlink()
    replayed = rex("replay", "-q", "-l", "A", "-o", "out", cwd=tmp_path, REX_ENGINE="native")
    assert len(set(recorded.split())) == 3 and replayed == recorded
