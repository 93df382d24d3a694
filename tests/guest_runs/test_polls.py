"""A loop that reads the processor's counter until something has come is recorded by few of its readings."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from commands import REX, ROOT
from harness import COMPILER
from rex.tracer import native

# A thread has no work for a tenth of a second. Then the first one reads the counter as often, but each time into another place.
POLLER = """
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
static volatile long work;
static uint64_t noted[2000];
static void *serve(void *arg)
{
    uint64_t last;
    __asm__ volatile("1: mov (%1), %%rax\\n test %%rax, %%rax\\n jne 2f\\n rdtsc\\n nop\\n jmp 1b\\n 2:"
                     : "=&a"(last) : "r"(&work) : "rdx", "cc", "memory");
    return arg;
}
static void note(void)
{
    uint64_t *at = noted;
    __asm__ volatile("1: rdtsc\\n nop\\n mov %%rax, (%0)\\n add $8, %0\\n cmp %1, %0\\n jb 1b"
                     : "+r"(at) : "r"(noted + 2000) : "rax", "rdx", "cc", "memory");
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, serve, NULL);
    usleep(100000);
    work = 1;
    pthread_join(thread, NULL);
    note();
    printf("%llu\\n", (unsigned long long)noted[1999]);
}
"""


@pytest.mark.usefixtures("tracing")
@pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")
def test_a_loop_that_waits_makes_few_events(tmp_path: Path) -> None:
    (tmp_path / "poller.c").write_text(POLLER)
    subprocess.run([*COMPILER, "-o", tmp_path / "poller", tmp_path / "poller.c"], check=True)
    env = {"HOME": str(tmp_path), "REX_ENGINE": "native", "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}

    def run(*words: str) -> str:
        return subprocess.run([*REX, *words], cwd=tmp_path, env=env, check=True, capture_output=True, text=True).stdout

    told = run("record", "-q", "-l", "archive", "--", "./poller")
    events = [json.loads(line) for line in run("log", "--json", "archive").splitlines()]
    readings = [event["task"] for event in events if event["call"] == "TSC"]
    assert readings.count(0) >= 2000, "what a program does with each reading may be anything"
    assert 1 <= readings.count(1) < 1000, "a fault each 10 us would be ten thousand"
    assert run("replay", "-q", "-l", "archive", "-o", "out") == told
