"""The little language of the table."""

from __future__ import annotations

from typing import Any

import pytest

from rex.syscalls.argspec import (Dir, Hook, Key, NO_ARG, Policy, Size, SizeKind, SpecError, Stop, parse_args,
                                  parse_call)


@pytest.mark.parametrize(("spec", "word", "direction", "size"), [
    ("fd:fd", "fd", Dir.VALUE, Size()),
    ("path:path", "path", Dir.IN, Size(SizeKind.STRING)),
    ("name:str", "str", Dir.IN, Size(SizeKind.STRING)),
    ("b:out[144]", "buf", Dir.OUT, Size(SizeKind.CONST, NO_ARG, 144)),
    ("b:buf:inout[16]", "buf", Dir.INOUT, Size(SizeKind.CONST, NO_ARG, 16)),
    ("st:stat:out[144]", "stat", Dir.OUT, Size(SizeKind.CONST, NO_ARG, 144)),
    ("b:out[ret]", "buf", Dir.OUT, Size(SizeKind.RET, NO_ARG, 1)),
    ("b:out[ret*12]", "buf", Dir.OUT, Size(SizeKind.RET, NO_ARG, 12)),
    ("b:out[ret<n]", "buf", Dir.OUT, Size(SizeKind.RET, 1, 1)),
    ("b:ids:out[ret*4<n]", "ids", Dir.OUT, Size(SizeKind.RET, 1, 4)),
    ("b:in[n]", "buf", Dir.IN, Size(SizeKind.ARG, 1, 1)),
    ("b:pollfd:inout[n*8]", "pollfd", Dir.INOUT, Size(SizeKind.ARG, 1, 8)),
    ("b:out[*n]", "buf", Dir.OUT, Size(SizeKind.DEREF, 1, 1)),
    ("b:fdset:inout[bits(n)]", "fdset", Dir.INOUT, Size(SizeKind.BITS, 1, 8)),
    ("b:ioctlarg:inout[ioctl(n)]", "ioctlarg", Dir.INOUT, Size(SizeKind.IOCTL, 1, 1)),
    ("v:iov:out[n]", "iov", Dir.OUT, Size(SizeKind.IOV, 1, 16)),
    ("m:mmsghdr:in[n]", "mmsghdr", Dir.IN, Size(SizeKind.MMSG, 1, 64)),
    ("m:msghdr:out", "msghdr", Dir.OUT, Size(SizeKind.MSG, NO_ARG, 56)),
])
def test_argument(spec: str, word: str, direction: Dir, size: Size) -> None:
    first, second = parse_args(f"{spec} n:size")
    assert (first.word, first.dir, first.size) == (word, direction, size)
    assert (second.name, second.word, second.dir) == ("n", "size", Dir.VALUE)


@pytest.mark.parametrize("spec", [
    "fd", "fd:", "fd:nonsense", "b:out", "b:out[]", "b:out[missing]", "b:out[*missing]", "b:out[ret<missing]",
    "b:sideways[3]", "fd:fd:in[4]", "p:path:in[4]", "st:stat", "v:iov:out[3]", "v:iov:out", "b:out[bits(x)]",
    "a:int a:int", "a:int b:int c:int d:int e:int f:int g:int", "b:out[3", "b:out[-3]",
])
def test_malformed_argument_is_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        parse_args(spec)


def test_no_arguments() -> None:
    assert parse_args("") == ()


def declare(args: str, policy: Policy, marks: str = "file", **more: Any) -> Any:
    return parse_call(1, "call", args, "err", policy, marks, **more)


@pytest.mark.parametrize(("args", "policy", "stop", "key", "key_arg"), [
    ("dirfd:dirfd path:path", Policy.EMULATE, Stop.ALWAYS, Key.PATH, 1),
    ("path:path newpath:path", Policy.CORRECT, Stop.ALWAYS, Key.PATH, 0),
    ("target:str path:path", Policy.CORRECT, Stop.ALWAYS, Key.PATH, 1),
    ("n:int fd:fd", Policy.STREAM, Stop.STD, Key.STREAM, 1),
    ("clock:clock", Policy.EMULATE, Stop.ALWAYS, Key.ARG, 0),
    ("fd:fd", Policy.EMULATE, Stop.ALWAYS, Key.NONE, NO_ARG),
    ("clock:clock path:path", Policy.NATIVE, Stop.NEVER, Key.NONE, NO_ARG),
])
def test_stop_and_key_follow_from_policy_and_words(args: str, policy: Policy, stop: Stop, key: Key,
                                                   key_arg: int) -> None:
    call = declare(args, policy)
    assert (call.stop, call.key, call.key_arg) == (stop, key, key_arg)


def test_refused_call() -> None:
    call = declare("path:path", Policy.REFUSE, errno=38)
    assert (call.stop, call.key, call.errno) == (Stop.ERRNO, Key.NONE, 38)


def test_mark_always_stops_a_stream_call() -> None:
    assert declare("fd:fd", Policy.STREAM, "net always").stop is Stop.ALWAYS


def test_descriptor_mask_counts_fd_words_only() -> None:
    assert declare("a:fd d:dirfd n:int b:fd", Policy.STREAM).fd_args == 0b1001


def test_hook_is_named_in_lower_case() -> None:
    assert declare("", Policy.CORRECT, hook="epoll_wait").hook is Hook.EPOLL_WAIT


@pytest.mark.parametrize("wrong", [
    {"policy": Policy.REFUSE}, {"policy": Policy.NATIVE, "errno": 1}, {"policy": Policy.CORRECT, "hook": "magic"},
    {"policy": Policy.NATIVE, "marks": "shiny"}, {"policy": Policy.STREAM},
])
def test_contradictions_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecError):
        declare("", **wrong)


def test_unknown_result_is_refused() -> None:
    with pytest.raises(SpecError):
        parse_call(1, "call", "", "joy", Policy.NATIVE, "")
