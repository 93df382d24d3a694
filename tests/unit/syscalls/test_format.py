"""Events as strace would print them."""

from __future__ import annotations

import random
import struct

import pytest

from rex.syscalls import BY_NAME, CALLS
from rex.syscalls.format import format_event

OUT, IN, RESOLVED, ARGV, ENVP, TEXT = 1, 2, 3, 5, 6, 9
AT_FDCWD = 2**64 - 100
Fields = tuple[tuple[int, int, bytes], ...]


class Event:
    """The attributes that format_event reads."""

    def __init__(self, call: str | int, *args: int, result: int = 0, fields: Fields = (), stream: int = 0,
                 task: int = 0) -> None:
        self.call = BY_NAME[call].nr if isinstance(call, str) else call
        self.args = (*args, 0, 0, 0, 0, 0, 0)[:6]
        self.result, self.fields, self.stream, self.task = result, fields, stream, task
        self.flags = self.time_ns = 0


def timespecs(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}q", *values)


STAT = struct.pack("<QQQIIIIQqqq", 8, 1, 1, 0o100644, 0, 0, 0, 0, 13, 4096, 8) + bytes(64)
STATUS = {"exited": 0x0300, "killed": 9, "dumped": 0x8B, "stopped": 0x137F}
CASES = [
    (Event("openat", AT_FDCWD, 9, 0o2000000, result=3, fields=((1, IN, b"a.csv"),)),
     'openat(AT_FDCWD, "a.csv", O_RDONLY|O_CLOEXEC) = 3'),
    (Event("openat", 4, 9, 0o1101, 0o644, result=-2, fields=((1, IN, b"a"),)),
     'openat(4, "a", O_WRONLY|O_CREAT|O_TRUNC, 0644) = -1 ENOENT (No such file or directory)'),
    (Event("openat", AT_FDCWD, 9, 0, result=5, stream=7, fields=((1, IN, b"t"), (1, RESOLVED, b"/dev/tty"))),
     'openat(AT_FDCWD, "t"</dev/tty>, O_RDONLY) = 5<stream 7>'),
    (Event("read", 0, 9, 100, result=40, stream=1, fields=((1, OUT, b"x" * 40),)),
     f'read(0<stdin>, "{"x" * 32}"..., 100) = 40'),
    (Event("read", 3, 0x7F00, 1, result=-14), "read(3, 0x7f00, 1) = -1 EFAULT (Bad address)"),
    (Event("write", 1, 9, 3, result=3, stream=2, fields=((1, IN, b"a\n\0"),)), 'write(1<stdout>, "a\\n\\0", 3) = 3'),
    (Event("newfstatat", AT_FDCWD, 9, 9, 0x100, fields=((1, IN, b"f"), (2, OUT, STAT))),
     'newfstatat(AT_FDCWD, "f", {st_mode=S_IFREG|0644, st_size=13, ...}, AT_SYMLINK_NOFOLLOW) = 0'),
    (Event("access", 9, 4, result=-13, fields=((0, IN, b'q"\\'),)),
     'access("q\\"\\\\", R_OK) = -1 EACCES (Permission denied)'),
    (Event("chmod", 9, 0o755, fields=((0, IN, b"f"),)), 'chmod("f", 0755) = 0'),
    (Event("mknod", 9, 0o10600, 0, fields=((0, IN, b"f"),)), 'mknod("f", S_IFIFO|0600, makedev(0x0, 0x0)) = 0'),
    (Event("clock_gettime", 1, 9, fields=((1, OUT, timespecs(5, 6)),)),
     "clock_gettime(CLOCK_MONOTONIC, {tv_sec=5, tv_nsec=6}) = 0"),
    (Event("utimensat", AT_FDCWD, 9, 9, fields=((1, IN, b"f"), (2, IN, timespecs(0, 0x3FFFFFFE, 1, 2)))),
     'utimensat(AT_FDCWD, "f", [UTIME_OMIT, {tv_sec=1, tv_nsec=2}], 0) = 0'),
    (Event("kill", 12, 15), "kill(12, SIGTERM) = 0"),
    (Event("kill", 2**64 - 1, 34), "kill(-1, SIGRT_2) = 0"),
    (Event("rt_sigsuspend", 9, 8, result=-514, fields=((0, IN, struct.pack("<Q", 1 << 16 | 2)),)),
     "rt_sigsuspend([INT CHLD], 8) = ? ERESTARTNOHAND (To be restarted)"),
    (Event("wait4", 2**64 - 1, 9, 1, 0, result=9, fields=((1, OUT, struct.pack("<I", STATUS["exited"])),)),
     "wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 3}], WNOHANG, NULL) = 9"),
    (Event("connect", 3, 9, 16, stream=4,
           fields=((1, IN, b"\2\0\x1f\x90\x7f\0\0\1" + bytes(8)),)),
     'connect(3<stream 4>, {sa_family=AF_INET, sin_port=htons(8080), sin_addr=inet_addr("127.0.0.1")}, 16) = 0'),
    (Event("connect", 3, 9, 7, fields=((1, IN, b"\1\0/tmp\0"),)),
     'connect(3, {sa_family=AF_UNIX, sun_path="/tmp"}, 7) = 0'),
    (Event("socket", 2, 0o2000001, 0, result=3, stream=4), "socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, 0) = 3<stream 4>"),
    (Event("ioctl", 0, 0x5413, 9, stream=1, fields=((2, OUT, struct.pack("<4H", 24, 80, 0, 0)),)),
     "ioctl(0<stdin>, TIOCGWINSZ, {ws_row=24, ws_col=80, ...}) = 0"),
    (Event("ioctl", 5, 0x541B, 9, fields=((2, OUT, b"\7\0\0\0"),)), "ioctl(5, FIONREAD, [7]) = 0"),
    (Event("poll", 9, 1, 2**64 - 1, result=1, fields=((0, OUT, struct.pack("<iHH", 4, 1, 17)),)),
     "poll([{fd=4, events=POLLIN, revents=POLLIN|POLLHUP}], 1, -1) = 1"),
    (Event("select", 5, 9, 0, 0, 0, result=1, fields=((1, OUT, b"\x18" + bytes(7)),)),
     "select(5, [3 4], NULL, NULL, NULL) = 1"),
    (Event("epoll_wait", 3, 9, 8, 0, result=1, fields=((1, OUT, struct.pack("<IQ", 1, 5)),)),
     "epoll_wait(3, [{events=EPOLLIN, data=0x5}], 8, 0) = 1"),
    (Event("execve", 1, 2, 3, fields=((0, IN, b"/bin/ls"), (1, ARGV, b"ls\0-l\0"), (2, ENVP, b"A=1\0B=2\0"))),
     'execve("/bin/ls", ["ls", "-l"], [/* 2 vars */]) = 0'),
    (Event("clone", 0x1200011, result=7),
     "clone(CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD, NULL, NULL, NULL, NULL) = 7"),
    (Event("getdents64", 3, 9, 99, result=24,
           fields=((1, OUT, struct.pack("<QqHB", 1, 1, 24, 4) + b"ab\0\0\0"),)),
     'getdents64(3, ["ab"] /* 1 entries */, 99) = 24'),
    (Event("readv", 0, 9, 2, result=3, stream=1, fields=((1, OUT, b"abc"),)), 'readv(0<stdin>, ["abc"], 2) = 3'),
    (Event("prlimit64", 0, 3, 0, 9, fields=((3, OUT, struct.pack("<QQ", 8192, 2**64 - 1)),)),
     "prlimit64(0, RLIMIT_STACK, NULL, {rlim_cur=8192, rlim_max=RLIM64_INFINITY}) = 0"),
    (Event("mmap", 0, 4096, 3, 0x22, 2**64 - 1, 0, result=0x7F0000000000),
     "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000"),
    (Event("exit_group", 3), "exit_group(3) = ?"),
    (Event(0x190, 1), "syscall_0x190(0x1, 0x0, 0x0, 0x0, 0x0, 0x0) = 0"),
    (Event(0x8000, 2**32 - 1, 0, 0, 41, 41, 0), "+++ task 0 begins: the first task, tid 41, pid 41, 0 +++"),
    (Event(0x8000, 0, 1, 0x10100, 42, 41, 0, task=1),
     "+++ task 1 begins: child 1 of task 0, thread of task 0, tid 42, pid 41, CLONE_VM|CLONE_THREAD +++"),
    (Event(0x8001, 17, 1, fields=((0, OUT, struct.pack("<4iiIi", 17, 0, 1, 0, 99, 5, 2) + bytes(100)),)),
     "--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=99, si_uid=5, si_status=2}, call restarted ---"),
    (Event(0x8002, result=STATUS["exited"]), "+++ exited with 3 +++"),
    (Event(0x8002, result=STATUS["dumped"]), "+++ killed by SIGSEGV (core dumped) +++"),
    (Event(0x8003, result=-1), f"rdtsc() = {2**64 - 1}"),
    (Event(0x8003, 1, result=5), "rdtscp(ecx=0x1) = 5"),
    (Event(0x8006, 2, 39, 1, task=3), "/* the turn passes from task 2, after 39 calls, inside a call */"),
    (Event(0x8004, fields=((255, TEXT, "caf\u00e9\x1b[0m".encode()),)), "/* caf\u00e9\\x1b[0m */"),
]


@pytest.mark.parametrize(("event", "text"), CASES, ids=[text[:40] for _, text in CASES])
def test_event(event: Event, text: str) -> None:
    assert format_event(event) == text


def test_message_shows_its_parts() -> None:
    header = struct.pack("<QIIQQQQiI", 1, 16, 0, 2, 1, 0, 0, 0x40, 0)
    event = Event("recvmsg", 3, 9, 0, result=2, stream=4, fields=((1, OUT, header), (0x21, OUT, b"hi")))
    assert format_event(event) == ("recvmsg(3<stream 4>, {msg_hdr={msg_iovlen=1, msg_controllen=0, "
                                   'msg_flags=MSG_DONTWAIT}, msg_iov=["hi"]}, 0) = 2')


def test_several_messages_are_a_list() -> None:
    fields = ((1, OUT, bytes(56)), (0x21, OUT, b"a"), (1, OUT, b"\1\0\0\0"), (1, OUT, bytes(56)), (0x21, OUT, b"b"))
    text = format_event(Event("recvmmsg", 3, 9, 2, result=2, fields=fields))
    assert 'msg_iov=["a"], msg_len=1}, {' in text and 'msg_iov=["b"]}]' in text


def test_stream_of_a_call_with_two_descriptors_stands_at_the_end() -> None:
    event = Event("sendfile", 1, 3, 0, 9, result=9, stream=2)
    assert format_event(event) == "sendfile(1, 3, NULL, 9) = 9 /* stdout */"


def test_any_bytes_print_on_one_printable_line() -> None:
    rng = random.Random(4)
    for _ in range(20):
        for nr in (*CALLS, *range(0x8000, 0x800B), 0x3FF):
            args = tuple(rng.choice((0, 1, 2**64 - 1, rng.getrandbits(64), rng.getrandbits(32))) for _ in range(6))
            fields = tuple((rng.choice((*range(6), 0x11, 0x21, 0x31, 255)), rng.randrange(1, 12),
                            rng.randbytes(rng.choice((0, 1, 4, 8, 12, 16, 24, 32, 56, 128, 144, 256))))
                           for _ in range(rng.randrange(8)))
            event = Event(nr, *args, result=rng.choice((-1, -4095, 0, rng.getrandbits(62))), fields=fields)
            assert format_event(event).isprintable()
