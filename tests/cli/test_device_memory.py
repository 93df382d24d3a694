"""Memory mapped from a socket: the summary names it, and a replay maps as well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import mmap, socket
end = socket.socket()
for _ in range(3):
    with mmap.mmap(end.fileno(), 8192, mmap.MAP_SHARED, mmap.PROT_READ) as memory: print(len(memory))
print("mapped")
"""


@pytest.mark.usefixtures("tracing")
def test_memory_of_a_socket_is_named_once(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "REX_CACHE": str(tmp_path / "cache"), "REX_ENGINE": "native"}

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)

    start, rex = (sys.executable, "-I", "-S", "-c", PROGRAM), (sys.executable, "-m", "rex.cli.main")
    if run(*start).returncode:
        pytest.skip("this kernel does not map sockets")
    recorded = run(*rex, "record", "-l", "A", "--", *start)
    assert recorded.returncode == 0 and recorded.stderr.count("memory of a socket or device") == 1
    replayed = run(*rex, "replay", "-q", "-l", "A", "-o", "out")
    assert (replayed.returncode, replayed.stdout) == (0, recorded.stdout)
