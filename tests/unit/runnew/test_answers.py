"""What a log tells of names whose files are not in the archive; logs are written by hand."""

from __future__ import annotations

import os
import stat
import struct
from errno import EACCES, ELOOP, ENOENT, ENOTDIR, EPERM
from pathlib import Path

from rex.archive import Archive, Experiment, FileEntry, FileState, Manifest
from rex.log.records import DUP, IN, NO_ARG, NO_TASK, OUT, RESOLVED, STAT, TASK, Event, Field
from rex.log.writer import LogWriter
from rex.runnew.answers import Answers, Look, read_answers
from rex.syscalls import CALLS
from rex.syscalls.numbers import NUMBERS

CWD = 2 ** 64 - 100                    # AT_FDCWD as a register holds it
FILE = FileEntry(FileState("file", 0o644), FileState("file", 0o644))


def stat_bytes(mode: int, size: int, mtime_ns: int) -> bytes:
    data = bytearray(144)
    struct.pack_into("<I", data, 24, mode)
    struct.pack_into("<q", data, 48, size)
    struct.pack_into("<qq", data, 88, *divmod(mtime_ns, 10 ** 9))
    return bytes(data)


def entry(name: str, kind: int) -> bytes:
    raw = name.encode() + b"\0"
    size = (19 + len(raw) + 7) // 8 * 8
    return (struct.pack("<QqHB", 1, 1, size, kind >> 12) + raw).ljust(size, b"\0")


def task(number: int, parent: int = NO_TASK, flags: int = 0) -> Event:
    return Event(TASK, number, args=(parent, 0, flags, 100 + number, 100, parent if flags else number))


def look(call: str, path: str, result: int = 0, out: bytes = b"", dirfd: int = CWD, number: int = 0) -> Event:
    fields: tuple[Field, ...] = ((CALLS[NUMBERS[call]].index_of("path"), IN, path.encode()),) + (((2, OUT, out),) if out else ())
    return Event(NUMBERS[call], number, result, (dirfd, 0, 0, 0, 0, 0), fields)


def opened(path: str, fd: int, resolved: str, mode: int = stat.S_IFDIR | 0o755) -> Event:
    return Event(NUMBERS["openat"], 0, fd, (CWD, 0, 0, 0, 0, 0), ((1, IN, path.encode()), (1, RESOLVED, resolved.encode()), (1, STAT, stat_bytes(mode, 0, 0))))


def listed(fd: int, data: bytes) -> Event:
    return Event(NUMBERS["getdents64"], 0, len(data), (fd, 0, 0, 0, 0, 0), ((1, OUT, data),) if data else ())


def changed(call: str, *paths: str) -> Event:
    return Event(NUMBERS[call], 0, 0, (0,) * 6, tuple((0, RESOLVED, path.encode()) for path in paths))


def experiment(top: Path, events: list[Event], files: dict[str, FileEntry] | None = None) -> Experiment:
    with Archive.create(top / "EXP").begin() as recording:
        with LogWriter(recording.log_path) as log:
            for event in [task(0), *events]:
                log.append(event)
        return recording.finish(Manifest(("x",), "/home/exp", files=files or {}))


def answers(top: Path, *events: Event, files: dict[str, FileEntry] | None = None) -> Answers:
    return read_answers(experiment(top, list(events), files))


def test_what_was_not_there(tmp_path: Path) -> None:
    found = answers(tmp_path, look("newfstatat", "/etc/none", -ENOENT), look("openat", "none", -ENOENT),
                    look("access", "/in/archive", -ENOENT), look("openat", "/etc/denied", -13),
                    files={"/in/archive": FILE})
    assert found.absent == {"/etc/none", "/home/exp/none"}
    assert found.denies("/etc/none") and not found.denies("/etc/denied")


def test_what_was_looked_at(tmp_path: Path) -> None:
    out = stat_bytes(stat.S_IFREG | 0o640, 1234, 5_000_000_007)
    found = answers(tmp_path, look("newfstatat", "seen", out=out),
                    look("newfstatat", "dir", out=stat_bytes(stat.S_IFDIR | 0o700, 0, 3)),
                    look("readlinkat", "link", 6, b"target"), look("newfstatat", "/proc/1", out=out),
                    look("newfstatat", "seen", -ENOENT))
    assert found.looks == {"/home/exp/seen": Look(stat.S_IFREG | 0o640, 5_000_000_007, 1234),
                           "/home/exp/dir": Look(stat.S_IFDIR | 0o700, 3, 0)}
    assert found.links == {"/home/exp/link": "target"}


def test_the_first_mention_counts(tmp_path: Path) -> None:
    out = stat_bytes(stat.S_IFREG | 0o644, 1, 1)
    found = answers(tmp_path, look("newfstatat", "later", -ENOENT), look("newfstatat", "later", out=out),
                    changed("mkdir", "/home/exp/made"), look("newfstatat", "made", out=out),
                    opened("new", 3, "/home/exp/new", stat.S_IFREG | 0o644), look("newfstatat", "new", out=out))
    assert found.absent == {"/home/exp/later"} and set(found.looks) == {"/home/exp"}


def test_working_directories_go_with_processes(tmp_path: Path) -> None:
    thread = 0x00010000
    found = answers(tmp_path, task(1, 0), Event(NUMBERS["chdir"], 1, 0, (0,) * 6, ((0, RESOLVED, b"/other"),)),
                    task(2, 1, thread), task(3, 1), look("newfstatat", "a", -ENOENT), look("newfstatat", "b", -ENOENT, number=1),
                    look("newfstatat", "c", -ENOENT, number=2), look("newfstatat", "d", -ENOENT, number=3))
    assert found.absent == {"/home/exp/a", "/other/b", "/other/c", "/other/d"}


def test_descriptors_of_directories(tmp_path: Path) -> None:
    found = answers(tmp_path, opened("d", 5, "/srv/d"), task(1, 0), look("newfstatat", "x", -ENOENT, dirfd=5),
                    look("newfstatat", "y", -ENOENT, dirfd=5, number=1), look("newfstatat", "z", -ENOENT, dirfd=9),
                    files={"/srv/d": FileEntry(FileState("dir", 0o755))})
    assert found.absent == {"/srv/d/x", "/srv/d/y"}


def test_listings(tmp_path: Path) -> None:
    names = entry(".", stat.S_IFDIR) + entry("b", stat.S_IFREG) + entry("a", stat.S_IFDIR)
    rest = entry("made", stat.S_IFREG) + entry("known", stat.S_IFREG)
    found = answers(tmp_path, opened("d", 3, "/srv/d"), Event(DUP, 0, 8, (0, 1, 0, 0, 0, 0), ((NO_ARG, RESOLVED, b"/srv/d"),)), changed("mkdir", "/srv/d/made"), listed(3, names), listed(3, rest),
                    look("newfstatat", "b", out=stat_bytes(stat.S_IFREG | 0o600, 7, 9), dirfd=8), listed(3, b""),
                    opened("e", 4, "/srv/e"), listed(4, names),
                    files={"/srv/d": FileEntry(FileState("dir", 0o755)), "/srv/e": FileEntry(FileState("dir", 0o755)), "/srv/d/known": FILE})
    assert found.listings == {"/srv/d": ["b", "a", "made", "known"]}, "unfinished listings tell nothing"
    assert found.absent == {"/srv/d/made"} and found.denies("/srv/d/made")
    assert found.looks == {"/srv/d/b": Look(stat.S_IFREG | 0o600, 9, 7), "/srv/d/a": Look(stat.S_IFDIR | 0o755)}
    assert found.denies("/srv/d/other") and not found.denies("/srv/d/a") and not found.denies("/srv/e/other")


def test_links_on_the_way(tmp_path: Path) -> None:
    files = {"/lib": FileEntry(FileState("symlink", 0o777, target="usr/lib")), "/usr": FileEntry(FileState("dir", 0o755)),
             "/usr/lib": FileEntry(FileState("dir", 0o755))}
    assert answers(tmp_path, look("openat", "/lib/x.so", -ENOENT), files=files).absent == {"/usr/lib/x.so"}


def test_no_log_no_answers(tmp_path: Path) -> None:
    with Archive.create(tmp_path / "EXP").begin() as recording:
        os.path.exists(recording.log_path) and os.unlink(recording.log_path)
        assert read_answers(recording.finish(Manifest(("x",), "/"))) == Answers()


def test_made_directories_have_parents_that_were_there(tmp_path: Path) -> None:
    found = answers(tmp_path, changed("mkdir", "/data/new"), changed("mkdir", "/data/new/deep"))
    assert set(found.looks) == {"/data"}


def call(name: str, path: str, result: int, *args: int) -> Event:
    """A call with its path in the first argument, or after the descriptor if it has one."""
    return Event(NUMBERS[name], 0, result, (CWD, 0, *args, *(0,) * (4 - len(args))), ((CALLS[NUMBERS[name]].index_of("path"), IN, path.encode()),))


def test_what_was_refused(tmp_path: Path) -> None:
    found = answers(tmp_path, call("openat", "/in/archive", -EACCES, os.O_RDWR), call("openat", "secret", -EACCES, os.O_RDONLY),
                    call("faccessat2", "/b", -EACCES, os.R_OK), call("newfstatat", "/shut/a", -EACCES), call("execve", "/run", -EACCES),
                    call("fchmodat", "/d", -EPERM), call("unlinkat", "/d", -EACCES), call("openat", "/gone", -ENOENT),
                    call("openat", "/proc/12/environ", -EACCES), files={"/in/archive": FILE})
    assert found.refused == {("w", "/in/archive"): EACCES, ("r", "/home/exp/secret"): EACCES, ("r", "/b"): EACCES,
                             ("n", "/shut/a"): EACCES, ("x", "/run"): EACCES, ("a", "/d"): EPERM, ("t", "/d"): EACCES}


def test_what_was_allowed_later_is_not_refused_unless_the_experiment_allowed_it(tmp_path: Path) -> None:
    found = answers(tmp_path, call("openat", "/a", -EACCES, os.O_RDONLY), call("openat", "/a", 3, os.O_RDONLY),
                    call("openat", "/b", -EACCES, os.O_RDONLY), call("fchmodat", "/b", 0), call("openat", "/b", 3, os.O_RDONLY),
                    look("mkdir", "/made", 0), changed("mkdir", "/made"), call("openat", "/made/c", -EACCES, os.O_RDONLY))
    assert found.refused == {("r", "/b"): EACCES}


def test_a_look_through_a_link_tells_of_its_target(tmp_path: Path) -> None:
    link = FileState("symlink", 0o777, target="target")
    found = answers(tmp_path, look("newfstatat", "/in/link", out=stat_bytes(stat.S_IFREG | 0o600, 7, 5)), files={"/in/link": FileEntry(link, link)})
    assert found.looks == {"/in/target": Look(stat.S_IFREG | 0o600, 5, 7)}
    found = answers(tmp_path / "read", look("readlink", "/in/link", 6, b"target"), look("stat", "/in/link", out=stat_bytes(stat.S_IFREG | 0o600, 7, 5)))
    assert found.looks == {"/in/target": Look(stat.S_IFREG | 0o600, 5, 7)} and found.links == {"/in/link": "target"}


def test_calls_without_a_directory_take_names_from_the_working_directory(tmp_path: Path) -> None:
    found = answers(tmp_path, look("stat", "a", out=stat_bytes(stat.S_IFREG | 0o600, 7, 5), dirfd=4096), look("creat", "none/b", -ENOENT, dirfd=4096))
    assert set(found.looks) == {"/home/exp/a"} and found.absent == {"/home/exp/none", "/home/exp/none/b"}


def test_what_leads_nowhere_is_absent_and_refused_as_before(tmp_path: Path) -> None:
    found = answers(tmp_path, call("openat", "/circle", -ELOOP, os.O_RDONLY), call("newfstatat", "/file/below", -ENOTDIR),
                    call("openat", "/file", -ENOTDIR, os.O_RDONLY | os.O_DIRECTORY), call("openat", "/link", -ELOOP, os.O_RDONLY | os.O_NOFOLLOW),
                    call("newfstatat", "/other/", -ENOTDIR))
    assert found.absent == {"/circle", "/file/below"}
    assert found.refused == {("r", "/circle"): ELOOP, ("n", "/file/below"): ENOTDIR}


def test_a_name_that_could_not_be_made_had_no_directory(tmp_path: Path) -> None:
    found = answers(tmp_path, call("openat", "/none/a", -ENOENT, os.O_WRONLY | os.O_CREAT), call("mkdirat", "/away/b", -ENOENT),
                    call("openat", "/in/c", -ENOENT, os.O_RDONLY), changed("mkdir", "/made"), call("openat", "/made/d/e", -ENOENT, os.O_WRONLY | os.O_CREAT))
    assert found.absent == {"/none", "/none/a", "/away", "/in/c", "/made/d/e"}
