"""A replay whose program waits for ever, a while at a time, ends by itself and says so."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from commands import REX, ROOT
from harness import COMPILER
from rex.tracer import native

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
LIMIT_S = 60
LONG_LIMIT_S = 600       # a busy machine gives it a small part of its time


def record_poked(place: Path, source: str, flag: str) -> tuple[str, subprocess.CompletedProcess[str]]:
    """Record a program that waits until its flag is not '0', which it is told from outside; what it wrote before, and its replay."""
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
@pytest.mark.parametrize("looks", [0, 1], ids=["without calls", "with calls"])
def test_replay_that_computes_for_ever_ends(tmp_path: Path, looks: int) -> None:
    told, replay = record_poked(tmp_path, SPINNER, f"-DLOOKS={looks}")
    assert replay.returncode == 20 and "it computed for much longer than when recorded" in replay.stderr
    assert replay.stdout == told
