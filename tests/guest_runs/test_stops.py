"""How often programs stop, recorded and replayed."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from commands import REX, ROOT
from harness import COMPILER
from rex.tracer import native

pytestmark = [pytest.mark.usefixtures("tracing"), pytest.mark.skipif(not native.is_built() or not COMPILER, reason="needs the native engine and a compiler")]

HEAD = """
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long switches(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_nvcsw;
}
"""
# Several sockets, each in use for a while, so that the engine makes filters for them.
MAPPINGS = HEAD + """
int main(void)
{
    char byte;
    int first = socket(AF_INET, SOCK_DGRAM, 0);
    for (int fd = 70; fd < 78; fd++) {
        dup2(first, fd);
        for (int i = 0; i < 100; i++)
            recv(fd, &byte, 1, MSG_DONTWAIT);
    }
    long before = switches();
    for (int i = 0; i < 2000; i++)
        munmap(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
    printf("%ld\\n", switches() - before);
}
"""
# System calls by their numbers, at sites that the fast path does not use; once each, so that nothing is known of them.
KNOWN = HEAD + """
int main(void)
{
    struct stat st;
    struct rlimit limit;
    int fd = open("stops.c", O_RDONLY);
    long before = switches();
    syscall(SYS_fstat, fd, &st);
    syscall(SYS_newfstatat, fd, "", &st, 0x1000);
    syscall(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit);
    syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
    for (int i = 0; i < 6; i++)
        syscall(SYS_set_tid_address, &fd);
    printf("%ld\\n", switches() - before);
}
"""
FORKED = HEAD + """
int main(void)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    long least = 100;
    for (int i = 0; i < 40; i++) {
        long before = switches();
        if (!syscall(SYS_fork))
            _exit(0);
        long now = switches() - before;
        least = now < least ? now : least;
        wait(NULL);
    }
    printf("%ld\\n", least);
}
"""
OWN_FILES = HEAD + """
int main(void)
{
    char name[32];
    struct timespec times[2] = {{1, 0}, {2, 0}};
    long before = switches();
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "made %d", i);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
        write(fd, "made", 4);
        fchmod(fd, 0644);
        fchown(fd, -1, -1);
        futimens(fd, times);
        close(fd);
        chmod(name, 0640);
        utimensat(AT_FDCWD, name, times, 0);
        mkdir("there", 0755);
    }
    chmod("made 0", 0400);
    printf("%ld\\n", switches() - before);
}
"""
REMOVALS = HEAD + """
int main(void)
{
    char name[32];
    long before = switches();
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "made %d", i);
        close(open(name, O_WRONLY | O_CREAT | O_EXCL, 0600));
    }
    for (int i = 1; i < 200; i++) {
        snprintf(name, sizeof name, "made %d", i);
        unlink(name);
        unlink(name);
    }
    printf("%ld\\n", switches() - before);
}
"""
# As realpath() does for each part of a path; and as no program should.
NO_LINKS = HEAD + """
int main(void)
{
    char name[99];
    long before = switches(), bad = 0;
    for (int i = 0; i < 300; i++) {
        bad += readlink("/usr", name, sizeof name) != -1;
        bad += readlinkat(AT_FDCWD, "/usr/bin", name, sizeof name) != -1;
    }
    bad += syscall(SYS_readlink, 8, name, 0) != -1;
    printf("%ld %ld\\n", switches() - before, bad);
}
"""
# Each name is used twice: a file that is removed, and its successor, which its owner may not write to.
CREATIONS = HEAD + """
int main(void)
{
    char name[32];
    long before = switches();
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "made %d", i / 2);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, i % 2 ? 0444 : 0666);
        write(fd, name, i % 2 ? 4 : 1);
        close(fd);
        if (i % 2)
            continue;
        fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
        write(fd, name, 2);
        fchmod(fd, 0640);
        close(fd);
        if (i)
            unlink(name);
        else
            i++;
    }
    printf("%ld\\n", switches() - before);
}
"""
# As cp tries it for each file, whether the file system can or not.
CLONES = HEAD + """
#include <errno.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
int main(void)
{
    int source = open("stops.c", O_RDONLY), target = open("clone", O_RDWR | O_CREAT, 0600), result = 0;
    long before = switches();
    for (int i = 0; i < 200; i++)
        result += ioctl(target, FICLONE, source);
    printf("%ld\\n%d %d\\n", switches() - before, result, result ? errno : 0);
}
"""
COUNTER = HEAD + """
#include <x86intrin.h>
int main(void)
{
    unsigned long long sum = 0;
    long before = switches();
    for (int i = 0; i < 40000; i++)
        sum ^= __rdtsc();
    printf("%ld\\n%llu\\n", switches() - before, sum);
}
"""
# Which thread gets which descriptor differs in each run.
OPENS = """
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void *work(void *sum)
{
    char data[64];
    struct stat st;
    for (int i = 0; i < 1000; i++) {
        int fd = open("stops.c", O_RDONLY);
        fstat(fd, &st);
        *(long *)sum += read(fd, data, sizeof data) + st.st_size;
        close(fd);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[4];
    long sum[4] = {0};
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, &sum[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    printf("%ld\\n", sum[0] + sum[1] + sum[2] + sum[3]);
}
"""
FEW = 3     # further switches that may be counted: two stops of getrusage, and a wait in the kernel


def run_both(tmp_path: Path, source: str) -> tuple[str, str]:
    """What a program prints as it is recorded, and what the replay explains; it prints the same."""
    (tmp_path / "stops.c").write_text(source)
    subprocess.run([*COMPILER, "-O1", "-pthread", "-o", "stops", "stops.c"], cwd=tmp_path, check=True)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "REX_ENGINE": "native", "REX_CACHE": str(tmp_path / "cache")}
    commands = ["record", "-q", "-l", "archive", "--", "./stops"], ["replay", "-q", "--explain", "-l", "archive", "-o", "out"]
    recorded, replayed = (subprocess.run([*REX, *arguments], cwd=tmp_path, env=env, check=True, timeout=60, stdin=subprocess.DEVNULL,
                                         capture_output=True, text=True) for arguments in commands)
    assert replayed.stdout == recorded.stdout
    return recorded.stdout, replayed.stderr


def numbers(tmp_path: Path, source: str) -> list[int]:
    """The numbers that a program prints, recorded and replayed."""
    return [int(number) for number in run_both(tmp_path, source)[0].split()]


def events_at_stops(explained: str) -> int:
    """How many events of a replay happened at stops."""
    found = re.search(r"([\d,]+) events happened", explained)
    assert found
    return int(found[1].replace(",", ""))


def test_memory_that_is_no_files_is_mapped_without_stops(tmp_path: Path) -> None:
    assert numbers(tmp_path, MAPPINGS)[0] < 200


def test_calls_with_a_known_result_stop_once(tmp_path: Path) -> None:
    assert numbers(tmp_path, KNOWN)[0] <= 10 + FEW


def test_a_fork_stops_as_it_begins_and_as_the_child_is_there(tmp_path: Path) -> None:
    assert numbers(tmp_path, FORKED) == [2]


def test_changes_of_files_that_the_program_made_hardly_stop(tmp_path: Path) -> None:
    assert numbers(tmp_path, OWN_FILES)[0] < 500       # two for each file that is made; 2,800 where each call stops twice


def test_a_replay_changes_files_without_stops(tmp_path: Path) -> None:
    assert events_at_stops(run_both(tmp_path, OWN_FILES)[1]) < 100     # 1,500 where each call stops
    made = [(tmp_path / "out" / str(tmp_path).lstrip("/") / f"made {i}").stat() for i in range(2)]
    assert [(oct(file.st_mode & 0o7777), file.st_mtime) for file in made] == [("0o400", 2), ("0o640", 2)]


def test_a_replay_removes_names_without_stops(tmp_path: Path) -> None:
    assert events_at_stops(run_both(tmp_path, REMOVALS)[1]) < 100      # 650 where each call stops
    assert [file.name for file in (tmp_path / "out").rglob("made *")] == ["made 0"]


def test_names_that_are_no_links_are_read_without_stops(tmp_path: Path) -> None:
    stops, bad = numbers(tmp_path, NO_LINKS)
    assert stops < 60 and not bad                      # 1,200 where each call stops twice


def test_a_replay_makes_files_without_stops(tmp_path: Path) -> None:
    assert events_at_stops(run_both(tmp_path, CREATIONS)[1]) < 200     # one for each file that takes a name which has just been removed; 500 where each call stops
    made = [tmp_path / "out" / str(tmp_path).lstrip("/") / f"made {i}" for i in range(3)]
    assert [(file.read_text(), oct(file.stat().st_mode & 0o7777)) for file in made] == [("ma", "0o640"), ("made", "0o444"), ("made", "0o444")]


def test_attempts_to_clone_a_file_do_not_stop(tmp_path: Path) -> None:
    assert numbers(tmp_path, CLONES)[0] < 50           # 400 where each stops twice


def test_a_short_program_that_reads_the_counter_hardly_stops(tmp_path: Path) -> None:
    assert numbers(tmp_path, COUNTER)[0] < 10000       # 10 ms of faults, by which the counter's rate is found; then none


def test_threads_that_open_files_hardly_stop_in_a_replay(tmp_path: Path) -> None:
    assert events_at_stops(run_both(tmp_path, OPENS)[1]) < 600         # of 8,000
