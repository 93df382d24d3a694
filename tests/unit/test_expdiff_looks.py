"""What was only looked at by name."""

from __future__ import annotations

import struct

from rex.expdiff.looks import Look, Looks, State
from rex.log.records import IN, OUT, RESOLVED, Event
from rex.syscalls.numbers import NUMBERS

CWD = 2 ** 64 - 100


def call(name: str, path: str, result: int = 0, out: bytes = b"", dirfd: int = CWD) -> Event:
    return Event(NUMBERS[name], 0, result, (dirfd, 0, 0, 0, 0, 0), ((1, IN, path.encode()), *(((2, OUT, out),) if out else ())))


def stat_of(mode: int, mtime_ns: int) -> bytes:
    data = bytearray(144)
    struct.pack_into("<I", data, 24, mode)
    struct.pack_into("<qq", data, 88, *divmod(mtime_ns, 10 ** 9))
    return bytes(data)


def looks(*events: Event) -> Looks:
    found = Looks("/w")
    found.begin(0, 0)
    for number, event in enumerate(events):
        found.take(number, event, 0)
    return found


def test_the_first_look_counts() -> None:
    found = looks(call("access", "a", -2), call("access", "a"), call("openat", "/b/../c", 3), call("openat", "/d/e", -20))
    assert found.by_path == {"/w/a": Look(0, False), "/c": Look(2, True), "/d/e": Look(3, False)}
    assert found.events == {(0, "/w/a"): 0, (0, "/c"): 2, (0, "/d/e"): 3}


def test_times_of_plain_files() -> None:
    found = looks(call("openat", "f", 3), call("newfstatat", "f", out=stat_of(0o100644, 5)), call("newfstatat", "d", out=stat_of(0o40755, 5)))
    assert found.by_path == {"/w/f": Look(0, True, state=State(5, 0, 0o644)), "/w/d": Look(2, True)}


def test_what_is_no_input() -> None:
    found = looks(call("openat", "/proc/self/maps", 3), call("openat", "x", -1), call("openat", "x", 3, dirfd=5), call("access", "", -2))
    assert found.by_path == {}


def test_working_directories() -> None:
    found = looks(Event(NUMBERS["chdir"], 0, 0, (0,) * 6, ((0, IN, b"sub"), (0, RESOLVED, b"/w/sub"))))
    found.begin(1, 0)
    found.take(1, call("access", "a"), 1)
    assert list(found.by_path) == ["/w/sub/a"]


def test_listings_are_joined() -> None:
    found = Looks()
    found.list(1, 0, "/d", ["a"])
    found.list(2, 0, "/d", ["b"])
    found.list(3, 0, "/proc/1", ["c"])
    assert found.listings == {"/d": {"a", "b"}} and found.events == {(0, "/d"): 1}


def test_what_differs_of_two_looks() -> None:
    def look(*state: int, is_refused: bool = False) -> Look:
        return Look(0, True, is_refused, State(*state) if state else None)

    assert look(5, 1, 0o644).differs_from(look(6, 2, 0o644)) == "size"
    assert look(5, 1, 0o644).differs_from(look(6, 1, 0o600)) == "time of the last change"
    assert look(5, 1, 0o644).differs_from(look(5, 1, 0o600)) == "mode"
    assert look().differs_from(look(is_refused=True)) == "permission"
    assert look(5, 1, 0o644).differs_from(look()) == look().differs_from(look()) == ""


def test_what_was_refused_was_there() -> None:
    assert looks(call("access", "x", -13)).by_path == {"/w/x": Look(0, True, True)}
