"""What comes from outside, against what came in an earlier experiment: which difference is named, and what is no input."""

from __future__ import annotations

import io
import struct
from types import SimpleNamespace
from typing import Any, Iterable

import pytest

from rex.expdiff.received import Received
from rex.log.records import HEADER, IN, MAGIC, OUT, TASK, VERSION, Event, encode
from rex.syscalls import CALLS

NUMBERS = {call.name: nr for nr, call in CALLS.items()}
PORT = 5432


def inet(port: int, host: bytes = bytes((127, 0, 0, 1))) -> bytes:
    return struct.pack("<H", 2) + port.to_bytes(2, "big") + host + bytes(8)


def begin(task: int, pid: int) -> Event:
    return Event(TASK, task, args=(0, 0, 0, pid, pid, task))


def connect(stream: int, own: int, task: int = 0, port: int = PORT) -> Event:
    return Event(NUMBERS["connect"], task, args=(3, 0, 16, 0, own, 0), fields=((1, IN, inet(port)),), stream=stream)


def comes(stream: int, data: bytes, task: int = 0, flags: int = 0) -> Event:
    return Event(NUMBERS["recvfrom"], task, len(data), (3, 0, 4096, flags, 0, 0), ((1, OUT, data),) if data else (), stream=stream)


def server(stream: int, *parts: bytes, task: int = 0, own: int = 40000) -> list[Event]:
    return [connect(stream, own + stream, task), *(comes(stream, part, task) for part in parts)]


def said(earlier: Iterable[Event], now: Iterable[Event]) -> list[str]:
    """What is said of one log after another."""
    events = list(earlier)
    log = HEADER.pack(MAGIC, VERSION, 1, 0, len(events)) + b"".join(map(encode, events))
    experiment: Any = SimpleNamespace(manifest=SimpleNamespace(attachments={}, extra={}, cwd="/w"), open_log=lambda: io.BytesIO(log))
    found: list[str] = []
    received = Received(experiment, None, "/elsewhere", found.append)   # type: ignore[arg-type]
    for number, event in enumerate(now):
        received.take(number, event)
    return found


@pytest.mark.parametrize("cut", [1, 2, 5, 11])
def test_how_bytes_were_cut_into_reads_does_not_matter(cut: int) -> None:
    parts = [b"hello world"[at:at + cut] for at in range(0, 11, cut)]
    assert said(server(6, b"hello world"), server(9, *parts)) == []
    assert said(server(6, *parts), server(9, b"hello World"))[0].startswith("what 127.0.0.1:5432 sent differs from byte 7 on (event ")


def test_each_connection_of_one_task_is_compared_with_its_counterpart() -> None:
    earlier = server(6, b"one") + server(7, b"two")
    assert said(earlier, earlier) == []
    assert said(earlier, server(6, b"one") + server(7, b"one"))[0].startswith("what 127.0.0.1:5432 sent differs from byte 1 on")


def test_connections_of_several_tasks_may_come_in_any_order() -> None:
    earlier = server(6, b"say one") + server(7, b"say two", task=1)
    assert said(earlier, server(6, b"say two", task=1) + server(7, b"say one")) == []
    assert said(earlier, server(6, b"say two", task=1) + server(7, b"say three"))[0].startswith("what 127.0.0.1:5432 sent differs from byte 6 on")


def test_an_end_that_comes_sooner_or_later_is_named() -> None:
    assert said(server(6, b"all", b""), server(6, b"a", b""))[0].startswith("what 127.0.0.1:5432 sent ends after byte 1, and had more")
    assert said(server(6, b"a", b""), server(6, b"all"))[0].startswith("what 127.0.0.1:5432 sent goes on after byte 1, and ended there")
    assert said(server(6, b"a"), server(6, b"all", b"")) == []      # the earlier program did not read on


def test_bytes_that_are_only_looked_at_come_once() -> None:
    peeked = [connect(6, 40000), comes(6, b"ab", flags=2), comes(6, b"abc")]
    assert said(peeked, server(6, b"abc")) == []


def test_what_the_experiment_sends_to_itself_is_no_input() -> None:
    def own(first: bytes, second: bytes) -> list[Event]:
        listen = Event(NUMBERS["bind"], args=(3, 0, 16, 0, PORT, 0), fields=((1, IN, inet(PORT)),), stream=5)
        accept = Event(NUMBERS["accept4"], 1, 4, (3, 0, 0, 0, 40000, 5), stream=7)
        return [listen, begin(1, 11), connect(6, 40000), accept, comes(6, first), comes(7, second, 1)]
    assert said(own(b"one", b"two"), own(b"three", b"four")) == []


def test_the_random_number_of_a_reply_from_a_name_server_is_left_out() -> None:
    def query(reply: bytes) -> list[Event]:
        return [Event(NUMBERS["socket"], 0, 3, (2, 2, 0, 0, 0, 0), stream=6), connect(6, 40000, port=53), comes(6, reply)]
    assert said(query(b"\x12\x34reply"), query(b"\x56\x78reply")) == []
    assert said(query(b"\x12\x34reply"), query(b"\x56\x78rePly"))[0].startswith("what 127.0.0.1:53 sent differs from byte 5 on")


def test_what_is_encrypted_is_left_out() -> None:
    assert said(server(6, b"\x16\x03\x03hello"), server(6, b"\x16\x03\x03other")) == []
