"""Resource limits: those that a recording was started with are the program's, exactly, in record and replay; Rex works outside them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("tracing")

FILES = """
import os
made = []
try:
    while len(made) < 1000: made.extend(os.pipe())
except OSError as error: print(error.errno, len(made))
"""
SIZE = """
import os, signal
seen = []
signal.signal(signal.SIGXFSZ, lambda *a: seen.append(a[0]))
file, n = os.open("big", os.O_WRONLY | os.O_CREAT, 0o644), 0
try:
    while n < 1 << 20: n += os.write(file, b"x" * 1000)
except OSError as error: print(error.errno, seen, n, os.fstat(file).st_size)
"""
MEMORY = """
import mmap
parts = []
try:
    while len(parts) < 4000: parts.append(mmap.mmap(-1, 1 << 18, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
except (OSError, MemoryError): print(len(parts))
"""
CHILD_MEMORY = "import os, sys\nsys.stdout.flush()\nif not os.fork():" + MEMORY.replace("\n", "\n    ") + "\nelse: os.wait()\n"
SHOWN = """
import resource
for name in ("AS", "NOFILE", "FSIZE", "CPU", "STACK", "NPROC", "DATA"): print(resource.getrlimit(getattr(resource, "RLIMIT_" + name)))
"""
COMPUTES = "while True: pass\n"
COUNTS = """
import signal
seen = []
signal.signal(signal.SIGXCPU, lambda *a: seen.append(a[0]))
while not seen: pass
print(end="ended")
"""


def bash(place: Path, line: str) -> tuple[int, str, str]:
    """Exit status, standard output and error of a line of bash, in which REX is the command."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "REX_CACHE": str(place / "cache"), "REX_ENGINE": "native"}
    done = subprocess.run(["bash", "-c", line.replace("REX", f'"{sys.executable}" -m rex.cli.main')], cwd=place, env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("limit, program", [
    ("-Sn 40", FILES), ("-n 100", FILES), ("-Sf 64", SIZE), ("-v 400000", MEMORY), ("-Sv 400000", MEMORY),
    ("-Sv 400000", CHILD_MEMORY), ("-Sd 300000", MEMORY), ("-Sv 400000; ulimit -n 77; ulimit -St 100", SHOWN)])
def test_the_program_has_the_limits_that_it_inherited(tmp_path: Path, limit: str, program: str) -> None:
    (tmp_path / "program.py").write_text(program)
    start = f'"{sys.executable}" -I -S program.py'
    plain = bash(tmp_path, f"ulimit {limit}; {start}")
    assert plain[0] == 0 and plain[1], plain
    (tmp_path / "big").unlink(missing_ok=True)
    assert bash(tmp_path, f"ulimit {limit}; REX record -q -l A {start}") == plain
    assert bash(tmp_path, "REX replay -q -l A -o out") == plain
    assert bash(tmp_path, "ulimit -Sn 30; ulimit -Sf 10; ulimit -Sv 800000; REX replay -q -l A --check -o again")[0] == 0
    if program != SHOWN:                  # a new run's limit of memory is higher by the engine's own
        assert bash(tmp_path, "REX runnew --headless -q -l A -o new") == plain


@pytest.mark.parametrize("limit, program, status", [("-t 1", COMPUTES, 137), ("-St 1", COMPUTES, 152), ("-St 1", COUNTS, 0)])
def test_a_limit_of_processor_time_ends_a_replay_as_the_recording(tmp_path: Path, limit: str, program: str, status: int) -> None:
    """It takes the seconds that are the kernel's unit of this limit."""
    (tmp_path / "program.py").write_text(program)
    start = f'ulimit -c 0; "{sys.executable}" -I -S program.py; echo $?'
    recorded = bash(tmp_path, f"ulimit {limit}; REX record -q -l A sh -c '{start}'")
    assert recorded[:2] == (0, f"{'ended' if not status else ''}{status}\n")
    assert bash(tmp_path, "REX replay -q -l A -o out")[:2] == recorded[:2]


def test_a_limit_that_this_machine_cannot_give_is_told(tmp_path: Path) -> None:
    assert bash(tmp_path, "ulimit -Sn 200; REX record -q -l A true")[0] == 0
    status, _, told = bash(tmp_path, "ulimit -n 150; setpriv --bounding-set=-sys_resource true && REX replay -q -l A -o out")
    assert status == 0
    if told:                              # who may raise hard limits gives it
        assert told.count("\n") == 1 and "open files (ulimit -n) is 200, this machine's hard limit 150" in told


def test_a_limit_of_memory_that_has_no_room_for_rex_is_told(tmp_path: Path) -> None:
    assert bash(tmp_path, "ulimit -Sv 400000; REX record -q -l A true")[0] == 0
    assert bash(tmp_path, "REX replay -q -l A -o out") == (0, "", "")
    status, _, told = bash(tmp_path, "ulimit -v 400000; setpriv --bounding-set=-sys_resource true && REX replay -q -l A -o again")
    assert status == 0
    if told:                              # who may raise hard limits gives it
        assert told.count("\n") == 1 and "hard limit of memory (ulimit -v) is 409600000" in told


def test_too_little_for_rex_itself_is_told_before_anything_runs(tmp_path: Path) -> None:
    status, said, told = bash(tmp_path, "ulimit -n 12; setpriv --bounding-set=-sys_resource true; REX record -q -l A echo ran")
    if status:                            # who may raise hard limits records it
        assert (status, said) == (125, "") and told.count("\n") == 1 and "open files (ulimit -n)" in told
        assert not (tmp_path / "A").exists()


def test_our_own_limits_are_as_before(tmp_path: Path) -> None:
    import resource
    from rex import rlimits
    before = rlimits.inherited()
    soft, hard = before["nofile"]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
        with rlimits.lifted() as inherited:
            assert inherited["nofile"] == (200, hard) == rlimits.inherited()["nofile"]
            assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] != 200
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (200, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
