"""What a user is told of a program whose output depends on the order of its threads."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from commands import run_rex
from rex.tracer import native

pytestmark = [pytest.mark.usefixtures("tracing"), pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed"),
              pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")]

# A replay waits for no timer, and so the one who computes is no longer first.
RACE = r"""
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/timerfd.h>
static volatile int rung, was_rung;
static volatile unsigned spun;
static void *compute(void *unused)
{
    for (int i = 0; i < 200000000; i++)
        spun++;
    was_rung = rung;
    return unused;
}
int main(void)
{
    pthread_t thread;
    uint64_t count;
    struct itimerspec when = {.it_value.tv_sec = 4};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    pthread_create(&thread, NULL, compute, NULL);
    timerfd_settime(timer, 0, &when, NULL);
    rung = read(timer, &count, sizeof count) > 0;
    pthread_join(thread, NULL);
    puts(was_rung ? "later" : "first");
    return 0;
}
"""


@pytest.mark.parametrize("is_serialized", [False, True])
def test_who_was_first(tmp_path: Path, is_serialized: bool) -> None:
    (tmp_path / "race.c").write_text(RACE)
    subprocess.run(["gcc", "-O1", "-pthread", "-o", "race", "race.c"], cwd=tmp_path, check=True)
    recorded = run_rex("record", "-q", "-l", "A", *["--serialize"] * is_serialized, "--", "./race", cwd=tmp_path)
    assert recorded.stdout == "first\n"
    replayed = run_rex("replay", "-q", "-l", "A", "-o", "out", cwd=tmp_path, code=None)
    checked = run_rex("replay", "-l", "A", "-o", "checked", "--check", cwd=tmp_path, code=None)
    if is_serialized:
        assert (replayed.stdout, replayed.stderr, checked.returncode) == ("first\n", "", 0)
    else:
        assert replayed.stdout == "later\n" and replayed.stderr.endswith("record it with --serialize\n")
        assert checked.returncode == 1 and checked.stderr.count("--serialize") == 1
