"""The canonical form of logs, and the traces made of them."""

from __future__ import annotations

from cli.builders import a_log, call, write
from rex.expdiff.canonical import Canonical
from rex.expdiff.resync import SAME, resynchronise
from rex.expdiff.trace import Trace
from rex.log import Event
from rex.log.records import ARGV, EXIT, IN, OUT, RESOLVED, SCRIPT, SIGNAL, TASK, TSC

AT = 2**64 - 100


def trace(*events: Event, cwd: str = "/w") -> Trace:
    """The trace of a log whose first task is 0."""
    return Canonical(cwd).read([Event(TASK, args=(2**32 - 1, 0, 0, 7, 7, 0)), *events])


def is_same(one: Event, two: Event, cwds: tuple[str, str] = ("/w", "/w")) -> bool:
    """Whether two calls are the same in canonical form."""
    left, right = trace(one, cwd=cwds[0]), trace(two, cwd=cwds[1])
    return [step.kind for step in resynchronise(left.entries.entries(0), right.entries.entries(0))] in ([], [SAME])


def opened(path: bytes, flags: int = 0, result: int = 3, **more: object) -> Event:
    return call("openat", result, (1, IN, path), (1, RESOLVED, path), args=(AT, 1, flags, 0, 0, 0), **more)


def test_a_whole_log() -> None:
    found = Canonical("/w").read(a_log([write(2, b"he"), write(2, b"llo"), write(3, b"oh")]))
    assert {number: (task.parent, task.ordinal, task.name) for number, task in found.tasks.items()} == {
        0: (None, 0, "dash"), 1: (0, 0, "dash")}
    assert found.failed == 1 and found.events == 12
    flows = {key: flow.head for key, flow in found.flows.items()}
    assert flows == {(0, "write", "standard output"): b"hello", (0, "write", "standard error"): b"oh"}
    assert found.nature["load of the machine"].count == 1 and found.chance == {(1, "/proc/cpuinfo"): [5]}
    assert found.reads[0, "/usr/bin/dash"] == 1
    assert len(list(found.entries.entries(0))) == 4   # execve, output, error, exit


def test_descriptors_addresses_and_directories_do_not_count() -> None:
    assert is_same(opened(b"/x", result=3), opened(b"/x", result=9))
    assert not is_same(opened(b"/x"), opened(b"/y")) and not is_same(opened(b"/x"), opened(b"/x", 1))
    assert is_same(opened(b"/a/in"), opened(b"/b/c/in"), ("/a", "/b/c"))
    assert not is_same(opened(b"/a/in"), opened(b"/b/c/in"), ("/a", "/b"))
    assert is_same(call("readlink", 3, (0, IN, b"/proc/12/exe")), call("readlink", 3, (0, IN, b"/proc/99/exe")))


def test_inodes_and_times_do_not_count_but_sizes_do() -> None:
    def stat(size: int, inode: bytes) -> Event:
        data = inode * 3 + b"\xa4\x81" + bytes(22) + size.to_bytes(8, "little") + inode * 11
        return call("stat", 0, (0, IN, b"/x"), (1, OUT, data))
    assert is_same(stat(5, b"12345678"), stat(5, b"abcdefgh"))
    assert not is_same(stat(5, b"12345678"), stat(6, b"12345678"))


def test_process_ids_are_relations() -> None:
    def killed(pid: int, child: int) -> list[Event]:
        return [Event(TASK, task=1, args=(0, 0, 17, child, child, 1)), call("kill", args=(pid, 9, 0, 0, 0, 0)),
                call("wait4", child, (1, OUT, bytes(4)), args=(child, 1, 0, 0, 0, 0))]
    entries = [list(trace(*killed(pid, child)).entries.entries(0)) for pid, child in ((50, 50), (60, 60), (7, 60))]
    assert entries[0] == entries[1] != entries[2]


def test_what_differs_by_nature_is_counted() -> None:
    found = trace(Event(TSC, result=5), call("clock_gettime", 0, (1, OUT, b"12"), args=(0, 1, 0, 0, 0, 0)),
                  call("getrandom", 16, (0, OUT, bytes(16)), args=(1, 16, 0, 0, 0, 0)),
                  call("getrandom", 8, (0, OUT, bytes(8)), args=(1, 8, 1, 0, 0, 0)),
                  call("poll", 1), Event(SIGNAL, args=(17, 0, 0, 0, 0, 0)), Event(EXIT))
    assert {kind: nature.count for kind, nature in found.nature.items()} == {
        "processor's counter": 1, "clock and timers": 1, "random numbers": 2, "scheduling": 1,
        "signals of children and timers": 1}
    assert found.chance == {(0, "the time"): [2], (0, "random numbers"): [3]}
    assert found.entries.counts == {0: 1}
    assert trace(Event(SIGNAL, args=(2, 0, 0, 0, 0, 0))).entries.counts == {0: 1}


def test_files_that_are_read_and_written() -> None:
    found = trace(opened(b"/in"), opened(b"/new", 0o1101), opened(b"/log", 0o2001), opened(b"/in2", 0o2),
                  call("rename", 0, (0, RESOLVED, b"/new"), (1, RESOLVED, b"/out")),
                  call("unlink", 0, (0, RESOLVED, b"/gone")))
    assert found.reads == {(0, "/in"): 1, (0, "/log"): 3, (0, "/in2"): 4, (0, "/new"): 5}
    assert found.writes == {(0, "/new"): 2, (0, "/log"): 3, (0, "/in2"): 4, (0, "/out"): 5, (0, "/gone"): 6}
    assert found.is_read_before_written("/log") and not found.is_read_before_written("/new")
    assert found.is_read_before_written("/in") and not found.is_read_before_written("/nobody")


def test_temporary_files_have_logical_names() -> None:
    traces = [trace(opened(path, 0o302), call("unlink", 0, (0, RESOLVED, path), (0, IN, path)))
              for path in (b"/tmp/tmp.a8Bf93", b"/tmp/tmp.qqZ11x", b"/tmp/other.qqZ11x")]
    entries = [[entry[:2] for entry in each.entries.entries(0)] for each in traces]
    assert entries[0][1] == entries[1][1] and entries[0] != entries[2]
    assert traces[0].logical("/tmp/tmp.a8Bf93") == "/tmp/tmp.<temporary>"


def test_programs_and_scripts() -> None:
    found = trace(call("execve", 0, (0, RESOLVED, b"/usr/bin/dash"), (255, SCRIPT, b"/w/run.sh"),
                       (1, ARGV, b"./run.sh\0/w/in\0")))
    executed, = found.tasks[0].execs
    assert executed.command == ("./run.sh", "/w/in") and executed.label == ("/usr/bin/dash", "./run.sh", "./run.sh", "./in")
    assert set(found.reads) == {(0, "/usr/bin/dash"), (0, "/w/run.sh")}


def test_streams_are_named_by_what_opened_them() -> None:
    found = trace(opened(b"/dev/x", stream=4), call("read", 2, (1, OUT, b"ab"), stream=4),
                  call("socket", 5, stream=5), call("recvfrom", 1, (1, OUT, b"c"), stream=5),
                  call("read", 1, (1, OUT, b"z"), stream=77))
    assert {key[2]: flow.head for key, flow in found.flows.items()} == {
        "/dev/x": b"ab", "socket": b"c", "stream 77": b"z"}
