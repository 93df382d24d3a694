"""How the words that stand for memory print: one formatter per word, bytes in, text out.

A formatter may meet any bytes (logs come from strangers); format_memory falls back to the quoted
bytes when they do not have the shape that the word promises.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator

from rex.syscalls import names
from rex.syscalls.values import format_device, format_mode, signed

SHOWN_BYTES = 32
SHOWN_ITEMS = 8
_ESCAPES = {0x22: '\\"', 0x5C: "\\\\", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x0B: "\\v", 0x0C: "\\f"}
_INFINITY = 2**64 - 1
_UTIME = {0x3FFFFFFF: "UTIME_NOW", 0x3FFFFFFE: "UTIME_OMIT"}


def quote(data: bytes, limit: int | None = None) -> str:
    """The bytes as a C string, the rest beyond the limit as three dots."""
    shown = data if limit is None else data[:limit]
    parts = []
    for i, byte in enumerate(shown):
        if byte in _ESCAPES:
            parts.append(_ESCAPES[byte])
        elif 0x20 <= byte < 0x7F:
            parts.append(chr(byte))
        else:
            digit_follows = i + 1 < len(shown) and 0x30 <= shown[i + 1] <= 0x39
            parts.append(f"\\{byte:03o}" if digit_follows else f"\\{byte:o}")
    return f'"{"".join(parts)}"' + ("..." if len(shown) < len(data) else "")


def format_path(data: bytes) -> str:
    """The whole string, quoted."""
    return quote(data.removesuffix(b"\0"))


def format_buffer(data: bytes) -> str:
    """The first bytes, quoted."""
    return quote(data, SHOWN_BYTES)


def format_list(items: list[str], limit: int = SHOWN_ITEMS, separator: str = ", ") -> str:
    """The first items in brackets."""
    return "[" + separator.join(items[:limit] + (["..."] if len(items) > limit else [])) + "]"


def split_strings(data: bytes) -> list[bytes]:
    """The strings of a block in which each ends with NUL."""
    return data.removesuffix(b"\0").split(b"\0") if data else []


def _numbers(code: str) -> Callable[[bytes], str]:
    return lambda data: format_list([str(n) for n, in struct.iter_unpack("<" + code, data)], 16)


def _fields(layout: str, labels: str, more: bool = False) -> Callable[[bytes], str]:
    """A formatter for a struct of plain numbers; `more` says that it has fields not shown."""
    shape, keys = struct.Struct("<" + layout), labels.split()

    def text(data: bytes) -> str:
        items = [f"{key}={value}" for key, value in zip(keys, shape.unpack_from(data), strict=True)]
        return "{" + ", ".join(items + ["..."] * more) + "}"
    return text


def _array(size: int, one: Callable[[bytes], str]) -> Callable[[bytes], str]:
    def text(data: bytes) -> str:
        if len(data) % size:
            raise ValueError("not a whole number of elements")
        return format_list([one(data[i:i + size]) for i in range(0, len(data), size)])
    return text


def _bit_numbers(data: bytes) -> Iterator[int]:
    mask = int.from_bytes(data, "little")
    return (bit for bit in range(len(data) * 8) if mask >> bit & 1)


def _bits(data: bytes) -> str:
    return format_list([str(bit) for bit in _bit_numbers(data[:1024])], 64, " ")


def _sigset(data: bytes) -> str:
    items = [names.signal_name(bit + 1).removeprefix("SIG") for bit in _bit_numbers(data[:8])]
    if len(items) > 40:
        shown = set(items)
        missing = [names.signal_name(n).removeprefix("SIG") for n in range(1, 65)]
        return "~" + format_list([name for name in missing if name not in shown], 64, " ")
    return format_list(items, 64, " ")


def _stat(data: bytes) -> str:
    mode, = struct.unpack_from("<I", data, 24)
    rdev, size = struct.unpack_from("<Qq", data, 40)
    what = f"st_rdev={format_device(rdev)}" if mode & 0o170000 in (0o020000, 0o060000) else f"st_size={size}"
    return f"{{st_mode={format_mode(mode)}, {what}, ...}}"


def _statx(data: bytes) -> str:
    mask, = struct.unpack_from("<I", data)
    mode, = struct.unpack_from("<H", data, 28)
    size, = struct.unpack_from("<Q", data, 40)
    return f"{{stx_mask={mask:#x}, stx_mode={format_mode(mode)}, stx_size={size}, ...}}"


def _timespec(data: bytes) -> str:
    seconds, nanoseconds = struct.unpack("<qq", data)
    if nanoseconds in _UTIME:
        return _UTIME[nanoseconds]
    return f"{{tv_sec={seconds}, tv_nsec={nanoseconds}}}"


def _one_or_array(size: int, one: Callable[[bytes], str]) -> Callable[[bytes], str]:
    many = _array(size, one)
    return lambda data: one(data) if len(data) == size else many(data)


_timeval = _fields("qq", "tv_sec tv_usec")


def _pair(first: str, second: str, one: Callable[[bytes], str]) -> Callable[[bytes], str]:
    return lambda data: f"{{{first}={one(data[:16])}, {second}={one(data[16:32])}}}"


def _utsname(data: bytes) -> str:
    values = [data[i * 65:(i + 1) * 65].split(b"\0")[0] for i in range(5)]
    keys = ("sysname", "nodename", "release", "version", "machine")
    return "{" + ", ".join(f"{key}={quote(value)}" for key, value in zip(keys, values, strict=True)) + "}"


def _rusage(data: bytes) -> str:
    resident, = struct.unpack_from("<q", data, 32)
    return f"{{ru_utime={_timeval(data[:16])}, ru_stime={_timeval(data[16:32])}, ru_maxrss={resident}, ...}}"


def _sockaddr(data: bytes) -> str:
    if not data:
        return "{}"
    family, = struct.unpack_from("<H", data)
    head = f"{{sa_family={names.FAMILY(family)}"
    if family == socket.AF_UNIX:
        name = data[2:]
        text = "@" + quote(name[1:]) if name[:1] == b"\0" else quote(name.split(b"\0")[0])
        return f"{head}, sun_path={text}}}" if name else head + "}"
    if family in (socket.AF_INET, socket.AF_INET6):
        port, = struct.unpack_from(">H", data, 2)
        if family == socket.AF_INET:
            return f'{head}, sin_port=htons({port}), sin_addr=inet_addr("{socket.inet_ntoa(data[4:8])}")}}'
        host = socket.inet_ntop(socket.AF_INET6, data[8:24])
        return f'{head}, sin6_port=htons({port}), sin6_addr="{host}"}}'
    return f"{head}, sa_data={format_buffer(data[2:])}}}"


def _pollfd(data: bytes) -> str:
    fd, events, revents = struct.unpack("<iHH", data)
    seen = f", revents={names.POLL(revents)}" if revents else ""
    return f"{{fd={fd}, events={names.POLL(events)}{seen}}}"


def _epoll_event(data: bytes) -> str:
    events, value = struct.unpack("<IQ", data)
    return f"{{events={names.EPOLL(events)}, data={value:#x}}}"


def _rlimit(data: bytes) -> str:
    soft, hard = ("RLIM64_INFINITY" if value == _INFINITY else str(value) for value in struct.unpack("<QQ", data))
    return f"{{rlim_cur={soft}, rlim_max={hard}}}"


def _siginfo(data: bytes) -> str:
    number, error, code = struct.unpack_from("<iii", data)
    pid, uid, status = struct.unpack_from("<iIi", data, 16)
    child = names.SIGNALS.get(number) == "SIGCHLD"
    label = (names.CLD_CODE if child else names.SI_CODE).get(code) or names.SI_CODE.get(code, str(code))
    head = f"{{si_signo={names.signal_name(number)}, si_code={label}"
    if number == 0:
        return "{}"
    if child and code > 0:
        ended = str(status) if code == 1 else names.signal_name(status)
        return f"{head}, si_pid={pid}, si_uid={uid}, si_status={ended}}}"
    if code <= 0 and code != -2:
        return f"{head}, si_pid={pid}, si_uid={uid}}}"
    if names.SIGNALS.get(number) in ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP"):
        address, = struct.unpack_from("<Q", data, 16)
        return f"{head}, si_addr={address:#x}}}"
    return head + (f", si_errno={error}}}" if error else "}")


def _entries(header: int) -> Callable[[bytes], str]:
    def text(data: bytes) -> str:
        found, at = [], 0
        while at < len(data):
            length, = struct.unpack_from("<H", data, at + 16)
            if length <= header:
                raise ValueError("an entry shorter than its header")
            found.append(quote(data[at + header:at + length].split(b"\0")[0]))
            at += length
        return f"{format_list(found)} /* {len(found)} entries */"
    return text


def format_status(status: int) -> str:
    """A wait status by strace's macros."""
    signal, code = status & 0x7F, status >> 8 & 0xFF
    if status == 0xFFFF:
        return "{WIFCONTINUED(s)}"
    if status & 0xFF == 0x7F:
        return f"{{WIFSTOPPED(s) && WSTOPSIG(s) == {names.signal_name(code)}}}"
    if signal:
        core = " && WCOREDUMP(s)" if status & 0x80 else ""
        return f"{{WIFSIGNALED(s) && WTERMSIG(s) == {names.signal_name(signal)}{core}}}"
    return f"{{WIFEXITED(s) && WEXITSTATUS(s) == {code}}}"


def _open_how(data: bytes) -> str:
    flags, mode, resolve = struct.unpack_from("<QQQ", data)
    return f"{{flags={names.OPEN(flags)}, mode={format_mode(mode)}, resolve={resolve:#x}}}"


def _clone_args(data: bytes) -> str:
    flags, = struct.unpack_from("<Q", data)
    ending, = struct.unpack_from("<Q", data, 32)
    return f"{{flags={names.CLONE(flags)}, exit_signal={names.signal_name(ending)}, ...}}"


def _message_header(data: bytes) -> str:
    vectors, = struct.unpack_from("<Q", data, 24)
    control, flags = struct.unpack_from("<Qi", data, 40)
    return f"{{msg_iovlen={vectors}, msg_controllen={control}, msg_flags={names.MSG(flags)}}}"


def _number_or_buffer(data: bytes) -> str:
    return f"[{signed(int.from_bytes(data, 'little'))}]" if len(data) == 4 else format_buffer(data)


MEMORY: dict[str, Callable[[bytes], str]] = {
    "path": format_path,
    "str": format_path,
    "buf": format_buffer,
    "u32": _numbers("I"),
    "u64": _numbers("Q"),
    "ids": _numbers("I"),
    "wstatus": lambda data: f"[{format_status(struct.unpack('<I', data)[0])}]",
    "stat": _stat,
    "statx": _statx,
    "statfs": _fields("qqQQQQQ", "f_type f_bsize f_blocks f_bfree f_bavail f_files f_ffree", more=True),
    "timespec": _one_or_array(16, _timespec),
    "timeval": _one_or_array(16, _timeval),
    "timezone": _fields("ii", "tz_minuteswest tz_dsttime"),
    "itimerspec": _pair("it_interval", "it_value", _timespec),
    "itimerval": _pair("it_interval", "it_value", _timeval),
    "utsname": _utsname,
    "rusage": _rusage,
    "sockaddr": _sockaddr,
    "pollfd": _array(8, _pollfd),
    "fdset": _bits,
    "epollevent": _array(12, _epoll_event),
    "rlimit": _rlimit,
    "siginfo": _siginfo,
    "sigset": _sigset,
    "dirent": _entries(18),
    "dirent64": _entries(19),
    "sysinfo": _fields("q3QQQ", "uptime load1 load5 load15 totalram freeram", more=True),
    "tms": _fields("qqqq", "tms_utime tms_stime tms_cutime tms_cstime"),
    "cpumask": _bits,
    "openhow": _open_how,
    "cloneargs": _clone_args,
    "ioctlarg": _number_or_buffer,
    "iov": lambda data: f"[{format_buffer(data)}]",
    "msghdr": _message_header,
    "mmsghdr": _message_header,
}


def format_memory(word: str, data: bytes) -> str:
    """The bytes as the word says, or quoted if they do not have its shape."""
    try:
        return MEMORY[word](data)
    except (struct.error, ValueError, OverflowError, OSError):
        return format_buffer(data)
