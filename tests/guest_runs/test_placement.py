"""A recorded program sees the processors that it has without Rex, wherever the tracer has it run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from commands import REX, ROOT
from rex.tracer import native

# After so many calls that stop, tracer and tracee share a processor.
LOOK = """
import os, re, subprocess, threading
status = open("/proc/self/status")
def busy():
    for i in range(1500):
        os.close(os.open("made", os.O_CREAT | os.O_WRONLY))
def allowed(text):
    return re.findall(r"Cpus_allowed\\S*\\s+(\\S+)", text)
def show():
    busy()
    status.seek(0)
    print(allowed(status.read()))
    busy()
    print(sorted(os.sched_getaffinity(0)))
    busy()
    print(subprocess.run(["nproc"], capture_output=True, text=True).stdout)
    busy()
    print(allowed(open(f"/proc/{os.getppid()}/status").read()), flush=True)
show()
thread = threading.Thread(target=show)
thread.start()
thread.join()
if os.fork() == 0:
    show()
    os._exit(0)
os.wait()
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
show()
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0)))
show()
"""


@pytest.mark.usefixtures("tracing")
@pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")
def test_processors_are_those_of_a_plain_run(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "REX_ENGINE": "native", "REX_CACHE": str(tmp_path / "cache")}
    program = ["/usr/bin/python3", "-c", LOOK]

    def run(command: list[str]) -> bytes:
        return subprocess.run(command, cwd=tmp_path, env=env, check=True, timeout=60, stdout=subprocess.PIPE).stdout

    plain = run(program)
    assert run([*REX, "record", "-q", "-l", "archive", "--", *program]) == plain
    assert run([*REX, "replay", "-q", "-l", "archive", "-o", "out"]) == plain
