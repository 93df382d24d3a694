"""Questions whose numbers are others in a replay have the answers that those like them had."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from commands import REX, ROOT
from harness import COMPILER
from outside import servers
from rex.tracer import native

# How far its thread has counted by now no call shows.
ASKER = """
#include "outside.h"
static volatile unsigned long count;
static volatile int is_over;
static void *count_on(void *unused)
{
    while (!is_over)
        count++;
    return unused;
}
int main(void)
{
    pthread_t thread;
    FILE *f = called();
    char name[] = "a", answer[80];
    CHECK(!pthread_create(&thread, NULL, count_on, NULL));
    for (; name[0] < 'k'; name[0]++) {
        nap_ms(2);
        CHECK(fprintf(f, "%lu is %s?\\n", count * 2654435761u, name) > 0 && fflush(f) == 0 && fgets(answer, sizeof answer, f));
        fputs(strstr(answer, "is "), stdout);
    }
    is_over = 1;
    return pthread_join(thread, NULL);
}
"""


@pytest.mark.usefixtures("tracing")
@pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")
def test_question_with_another_number_is_answered(tmp_path: Path) -> None:
    (tmp_path / "asker.c").write_text(ASKER)
    subprocess.run([*COMPILER, "-o", tmp_path / "asker", tmp_path / "asker.c"], check=True)
    env = {"HOME": str(tmp_path), "REX_ENGINE": "native", "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    with servers() as port:
        recorded = subprocess.run([*REX, "record", "-q", "-l", "archive", "-e", "exp", "--", "./asker"], cwd=tmp_path,
                                  env={**env, "GUEST_PORT": str(port)}, capture_output=True, timeout=60)
    assert recorded.returncode == 0, recorded.stderr
    again = subprocess.run([*REX, "replay", "-l", "archive", "-e", "exp", "-o", "out"], cwd=tmp_path, env=env, capture_output=True, timeout=60)
    assert recorded.stdout == again.stdout == b"".join(b"is %c?\n" % name for name in b"abcdefghij"), again.stderr
    assert b"asked in other words" in again.stderr, "the numbers were the same: nothing was tried"
