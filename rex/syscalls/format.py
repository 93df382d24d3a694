"""Print one event of the syscall log in strace's notation."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Protocol

from rex.syscalls.argspec import NO_ARG, Arg, Call, Hook, SizeKind
from rex.syscalls.names import RESTARTS, error_name, signal_name
from rex.syscalls.structs import format_buffer, format_list, format_memory, format_path, quote, split_strings
from rex.syscalls.table import CALLS
from rex.syscalls.values import RESULTS, VALUES, format_address

_O_CREAT, _O_TMPFILE = 0o100, 0o20000000
_OUT, _IN, _RESOLVED, _ARGV, _ENVP, _TEXT, _CONTROL = 1, 2, 3, 5, 6, 9, 11  # docs/formats/log.md
_PART_NAME, _PART_DATA, _PART_CONTROL = 0x10, 0x20, 0x30
_STREAMS = {1: "stdin", 2: "stdout", 3: "stderr"}
_TIOCGWINSZ, _TIOCSWINSZ = 0x5413, 0x5414


class Event(Protocol):
    """What an event must have to be printed; docs/formats/log.md says what each means."""

    call: int
    flags: int
    task: int
    stream: int
    result: int
    time_ns: int
    args: tuple[int, int, int, int, int, int]
    fields: tuple[tuple[int, int, bytes], ...]


def format_event(event: Event) -> str:
    """One line without newline: `openat(AT_FDCWD, "a", O_RDONLY) = 3`."""
    if event.call in _SPECIAL:
        return _SPECIAL[event.call](event)
    call = CALLS.get(event.call)
    if call is None:
        registers = ", ".join(hex(value) for value in event.args)
        return f"syscall_{event.call:#x}({registers}) = {_result(event, 'int')}"
    arguments = ", ".join(_argument(event, call, i, arg) for i, arg in enumerate(call.args)
                          if not _is_unused(event, call, i))
    result = _result(event, call.ret)
    if _makes_stream(event, call):
        result += _stream(event)
    elif event.stream and call.fd_args.bit_count() > 1:
        result += f" /* {_stream(event)[1:-1]} */"
    return f"{call.name}({arguments}) = {result}"


def _field(event: Event, kind: int, arg: int | None = None) -> bytes | None:
    for index, number, data in event.fields:
        if number == kind and (arg is None or index == arg):
            return data
    return None


def _result(event: Event, ret: str) -> str:
    if -4095 <= event.result < 0 and ret not in ("none", "uid", "gid"):
        sign = "?" if -event.result in RESTARTS else "-1"
        return f"{sign} {error_name(-event.result)}"
    return RESULTS[ret](event.result)


def _stream(event: Event) -> str:
    return f"<{_STREAMS.get(event.stream, f'stream {event.stream}')}>"


def _makes_stream(event: Event, call: Call) -> bool:
    return bool(event.stream) and call.ret == "fd" and event.result >= 0


def _is_unused(event: Event, call: Call, i: int) -> bool:
    """Whether the kernel ignores this argument, as the mode of an open that creates nothing."""
    return (call.hook is Hook.OPEN and call.args[i].word == "mode" and call.args[i - 1].word == "oflags"
            and not event.args[i - 1] & (_O_CREAT | _O_TMPFILE))


def _argument(event: Event, call: Call, i: int, arg: Arg) -> str:
    value = event.args[i]
    if arg.word in VALUES:
        text = VALUES[arg.word](value)
        if event.stream and call.fd_args == 1 << i and not _makes_stream(event, call):
            text += _stream(event)
        return _list_of_strings(event, call, arg) or text
    if arg.size.kind in (SizeKind.MSG, SizeKind.MMSG):
        return _messages(event, i, value)
    data = _field(event, _OUT, i)
    if data is None:
        data = _field(event, _IN, i)
    if data is None:
        return format_address(value)
    if arg.word == "ioctlarg" and event.args[1] in (_TIOCGWINSZ, _TIOCSWINSZ) and len(data) == 8:
        rows, columns = struct.unpack_from("<HH", data)
        return f"{{ws_row={rows}, ws_col={columns}, ...}}"
    text = format_memory(arg.word, data)
    resolved = _field(event, _RESOLVED, i)
    if arg.word == "path" and resolved is not None and resolved != data:
        text += f"<{quote(resolved)[1:-1]}>"
    return text


def _list_of_strings(event: Event, call: Call, arg: Arg) -> str:
    """The arguments of an execve in full, of its environment the number; else nothing."""
    kind = {"argv": _ARGV, "envp": _ENVP}.get(arg.name) if call.hook is Hook.EXEC else None
    data = _field(event, kind) if kind else None
    if data is None:
        return ""
    strings = split_strings(data)
    if kind == _ENVP:
        return f"[/* {len(strings)} vars */]"
    return format_list([format_path(text) for text in strings], len(strings))


def _messages(event: Event, i: int, address: int) -> str:
    """Headers with the name, data and control parts that follow each in the log."""
    messages: list[list[str]] = []
    for index, kind, data in event.fields:
        if kind not in (_OUT, _IN, _CONTROL) or index == NO_ARG or index & 0xF != i:
            continue
        part = _PART_CONTROL if kind == _CONTROL else index & 0xF0
        if part == 0 and len(data) > 4:
            messages.append([f"msg_hdr={format_memory('msghdr', data)}"])
        elif part == 0 and messages:
            messages[-1].append(f"msg_len={int.from_bytes(data, 'little')}")
        elif part and messages:
            messages[-1].append(_message_part(part, data))
    if not messages:
        return format_address(address)
    texts = ["{" + ", ".join(parts) + "}" for parts in messages]
    return texts[0] if len(texts) == 1 else format_list(texts)


def _message_part(part: int, data: bytes) -> str:
    if part == _PART_NAME:
        return f"msg_name={format_memory('sockaddr', data)}"
    if part == _PART_DATA:
        return f"msg_iov={format_memory('iov', data)}"
    return f"msg_control={format_buffer(data)}"


def _task(event: Event) -> str:
    parent, ordinal, flags, tid, pid, leader = event.args
    by = "the first task" if parent == 2**32 - 1 else f"child {ordinal} of task {parent}"
    kind = f", thread of task {leader}" if leader != event.task else ""
    return f"+++ task {event.task} begins: {by}{kind}, tid {tid}, pid {pid}, {VALUES['cloneflags'](flags)} +++"


def _signal(event: Event) -> str:
    info = _field(event, _OUT)
    text = f" {format_memory('siginfo', info)}" if info is not None else ""
    restarted = ", call restarted" if event.args[1] else ""
    return f"--- {signal_name(event.args[0])}{text}{restarted} ---"


def _exit(event: Event) -> str:
    signal = event.result & 0x7F
    if signal:
        core = " (core dumped)" if event.result & 0x80 else ""
        return f"+++ killed by {signal_name(signal)}{core} +++"
    return f"+++ exited with {event.result >> 8 & 0xFF} +++"


def _tsc(event: Event) -> str:
    counter = event.result & 0xFFFFFFFFFFFFFFFF
    return f"rdtscp(ecx={event.args[0]:#x}) = {counter}" if event.args[0] else f"rdtsc() = {counter}"


def _dup(event: Event) -> str:
    path = format_buffer(_field(event, _RESOLVED) or b"")
    stream = _stream(event) if event.stream else ""
    return f"/* descriptor {event.result} is now {path}{stream} */"


def _switch(event: Event) -> str:
    former, calls, where = event.args[:3]
    places = {0: "between calls", 1: "inside a call", 2: "at its end", 3: "as it computed"}
    return f"/* the turn passes from task {former}, after {calls} calls, {places.get(where, where)} */"


def _pipe(event: Event) -> str:
    call = CALLS.get(event.args[0])
    return f"{call.name if call else event.args[0]}({event.args[1]}<inner pipe>) = {event.result}"


def _shared(event: Event) -> str:
    nr, fd, _, _, operation, _ = event.args
    call = CALLS.get(nr)
    path = format_buffer(_field(event, _RESOLVED) or b"")
    if call and call.ret == "fd":
        return f"/* others have {path} open for writing */"
    word = call.args[1].word if call and len(call.args) > 1 else ""
    how = f", {VALUES[word](operation)}" if word in ("fcntl", "lockop") else ""
    return f"{call.name if call else nr}({fd}<{path}>{how}) = {_result(event, 'err')}"


def _mapped(event: Event) -> str:
    return f"/* a file of {event.args[0]} bytes, from {event.args[1]} on, was mapped at {event.result:#x} */"


def _real_result(event: Event) -> str:
    call = CALLS.get(event.args[0])
    args = [VALUES.get(arg.word, format_address)(value) for arg, value in zip(call.args if call else (), event.args[1:])]
    return f"{call.name if call else event.args[0]}({', '.join(args)}) = {_result(event, call.ret if call else 'int')}"


def _random(event: Event) -> str:
    return f"rdrand() = {event.result & 0xFFFFFFFFFFFFFFFF:#x}"


def _note(event: Event) -> str:
    text = (_field(event, _TEXT) or b"").decode("utf-8", "backslashreplace")
    return "/* " + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text) + " */"


_SPECIAL: dict[int, Callable[[Event], str]] = {
    0x8000: _task, 0x8001: _signal, 0x8002: _exit, 0x8003: _tsc, 0x8004: _note, 0x8005: _dup,
    0x8006: _switch, 0x8007: _pipe, 0x8008: _random, 0x8009: _shared, 0x800A: _mapped, 0x800B: _real_result}
