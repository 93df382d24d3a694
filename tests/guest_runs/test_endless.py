"""A replay whose program waits for ever, a while at a time, ends by itself and says so."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from campaigns.test_logs import put, split
from commands import REX, ROOT
from harness import COMPILER
from rex.archive import Archive
from rex.tracer import native
from rex.values import replace

# Its thread looks, every 20 ms, whether somebody has changed its memory from outside: no call shows that, and in
# a replay nobody does.  It may ask the kernel about itself each time, as servers do.
WAITER = """
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile char flag = '0';
static void *wait_for(void *arg)
{
    char text[64];
    do {
        int fd = open(LOOKS_AT, O_RDONLY);
        if (fd >= 0 && read(fd, text, sizeof text) >= 0)
            close(fd);
        poll(NULL, 0, 20);
    } while (flag == '0');
    return arg;
}
int main(void)
{
    pthread_t thread;
    printf("%d %p\\n", getpid(), (void *)&flag);
    fflush(stdout);
    pthread_create(&thread, NULL, wait_for, NULL);
    pthread_join(thread, NULL);
    puts("has seen it");
}
"""
SPINNER = """
#include <stdio.h>
#include <unistd.h>
static volatile char flag = '0';
int main(void)
{
    printf("%d %p\\n", getpid(), (void *)&flag);
    fflush(stdout);
    while (flag == '0')
        if (LOOKS)
            getppid();
    puts("has seen it");
}
"""
# What it does before it computes needs no stop in a replay.
COMPUTES = """
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
    if (write(1, "begins\\n", 7) != 7 || open("waiter.c", O_RDONLY) != 3 || open("none", O_RDONLY) != -1)
        return 1;
    for (volatile unsigned long i = 0; i < 15000000000; i++)
        ;
    return open("waiter.c", O_RDONLY) != 4 || write(1, "ends\\n", 5) != 5;
}
"""
LIMIT_S = 60
LONG_LIMIT_S = 600       # a busy machine gives it a small part of its time


def claim_long_pause(path: Path) -> None:
    """Make the last events of a recording as late as a log can say, as no recorder would."""
    archive = Archive.open(path)
    manifest = archive.experiment().manifest
    log = archive.experiment().open_log().read()
    records = split(log)
    archive.remove("exp")
    with archive.begin("exp", {"start_ns": manifest.start_ns}) as recording:
        Path(recording.log_path).write_bytes(log[:32] + b"".join(records[:-2] + [put(record, "time", 2**62) for record in records[-2:]]))
        recording.finish(replace(manifest, log=None))


def record_poked(place: Path, source: str, flag: str, claims: bool = False) -> tuple[str, subprocess.CompletedProcess[str]]:
    """Record a program that waits until its flag is not '0', which it is told from outside; what it wrote before, and its replay.

    claims: let the log say that it waited for a century.
    """
    (place / "waiter.c").write_text(source)
    subprocess.run([*COMPILER, flag, "-o", place / "waiter", place / "waiter.c"], check=True)
    env = {"HOME": str(place), "REX_ENGINE": "native", "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    record = subprocess.Popen([*REX, "record", "-q", "-l", "archive", "-e", "exp", "--", "./waiter"], cwd=place, env=env,
                              stdout=subprocess.PIPE, text=True)
    assert record.stdout
    told = record.stdout.readline()
    process, address = told.split()
    with open(f"/proc/{process}/mem", "r+b", buffering=0) as memory:
        memory.seek(int(address, 16))
        memory.write(b"1")
    assert record.communicate(timeout=LIMIT_S)[0] == "has seen it\n" and record.returncode == 0
    if claims:
        claim_long_pause(place / "archive")
    return told, subprocess.run([*REX, "replay", "-l", "archive", "-e", "exp", "-o", "out"], cwd=place, env=env,
                                capture_output=True, text=True, timeout=LONG_LIMIT_S, check=False)


@pytest.mark.usefixtures("tracing")
@pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")
@pytest.mark.parametrize("looks_at", ["/nothing", "/proc/self/stat"])
def test_replay_that_polls_for_ever_ends(tmp_path: Path, looks_at: str) -> None:
    told, replay = record_poked(tmp_path, WAITER, f'-DLOOKS_AT="{looks_at}"')
    assert replay.returncode == 20 and "its processes waited for each other, or for what did not come" in replay.stderr
    assert replay.stdout == told


@pytest.mark.stress      # it takes the processor time that ends it
@pytest.mark.usefixtures("tracing")
@pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")
@pytest.mark.parametrize(("looks", "claims"), [(0, False), (1, False), (0, True)], ids=["without calls", "with calls", "long ago"])
def test_replay_that_computes_for_ever_ends(tmp_path: Path, looks: int, claims: bool) -> None:
    told, replay = record_poked(tmp_path, SPINNER, f"-DLOOKS={looks}", claims)
    assert replay.returncode == 20 and "it computed for much longer than when recorded" in replay.stderr
    assert replay.stdout == told


@pytest.mark.stress      # it computes for longer than a replay may without what was recorded
@pytest.mark.usefixtures("tracing")
@pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")
def test_a_computation_that_was_as_long_when_recorded_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "waiter.c").write_text(COMPUTES)
    subprocess.run([*COMPILER, "-o", tmp_path / "waiter", tmp_path / "waiter.c"], check=True)
    env = {"HOME": str(tmp_path), "REX_ENGINE": "native", "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    for words in (["record", "-q", "-l", "archive", "-e", "exp", "--", "./waiter"], ["replay", "-l", "archive", "-e", "exp", "--check"]):
        done = subprocess.run([*REX, *words], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=LONG_LIMIT_S, check=False)
        assert done.returncode == 0, done.stderr
