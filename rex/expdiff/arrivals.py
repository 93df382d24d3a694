"""What comes to an experiment from outside, in the order of its log: bytes of pipes, terminals and sockets, with their sources."""

from __future__ import annotations

import ipaddress
import stat
import struct
from typing import Callable

from rex import codec
from rex.expdiff.shapes import READ, SHAPES
from rex.expdiff.trace import STANDARD
from rex.log.records import IN, OUT, RESOLVED, STAT, TASK, Event
from rex.syscalls import CALLS, Hook
from rex.values import dataclass

_POSITIONED = frozenset(("pread64", "preadv", "preadv2"))
_RECEIVED = {nr: shape.data_args for nr, shape in SHAPES.items() if shape.moves == READ and shape.name not in _POSITIONED}
_MAY_END = {nr: 2 for nr in _RECEIVED if SHAPES[nr].name in ("read", "recvfrom")}    # where a count that is not 0 makes 0 bytes an end
_FLAGS = {nr: CALLS[nr].index_of("msgflags") for nr in _RECEIVED}
_NOT_THE_NEXT_BYTES = 0x2003      # MSG_OOB, MSG_PEEK, MSG_ERRQUEUE
_STREAM = 1                       # SOCK_STREAM
_UNIX, _INET, _INET6 = 1, 2, 10
_TERMINAL_MAJORS = frozenset((4, 5, *range(136, 144)))
_DNS_PORT = 53
_DNS_ID_BYTES = 2
_EINPROGRESS = -115
_LOW = 0xFFFFFFFF
_Address = tuple[int, str, int]   # family, host or path, port

MADE = frozenset(nr for nr, shape in SHAPES.items() if shape.hook in (Hook.OPEN, Hook.ACCEPT) or shape.name in ("socket", "connect", "bind"))
# The calls that need to be read to follow what arrives.
CALLS_READ = frozenset((TASK, *MADE, *_RECEIVED))


@dataclass(frozen=True, slots=True)
class Source:
    """A stream from outside.

    Attributes:
        name: as a user would name what comes from there; two experiments share it.
        task: who opened it.
        is_message: each read is a message of its own; none marks an end.
        skipped: how many bytes at the front of each message always differ; they count as zeros.
        own, peer: of a connection, its two ends.
        caller: of an accepted connection, the port or process of the other end; else -1.
    """

    name: str
    task: int
    is_message: bool = False
    skipped: int = 0
    own: int = 0
    peer: _Address | None = None
    caller: int = -1


class Arrivals:
    """Follows the events of one log."""

    def __init__(self, cwd: str, found: Callable[[int, Source, bytes, int], None]) -> None:
        """Nothing has come yet.

        Args:
            cwd: working directory of the experiment: files below it are named from there.
            found: gets the stream, its source, bytes (none: the end), and the number of the event.
        """
        self._cwd, self._found = cwd.rstrip("/") + "/", found
        self._sources = {1: Source(STANDARD[1], 0)}
        self._types: dict[int, int] = {}             # of sockets, by stream
        self._bound: dict[int, _Address] = {}        # by stream
        self._own_ports: set[int] = set()            # of connections that the experiment made
        self._callers: set[int] = set()              # of connections that it accepted
        self._processes: set[int] = set()

    def take(self, number: int, event: Event) -> None:
        """Look at the next event."""
        if event.call == TASK:
            self._begin(event)
        elif not event.stream:
            return
        elif event.call in _RECEIVED:
            self._receive(number, event)
        elif event.call in MADE:
            self._make(event)

    def _begin(self, event: Event) -> None:
        self._processes.add(event.args[4])
        inherited = struct.iter_unpack("<II", event.data(OUT) or b"")
        for fd, stream in inherited:
            self._sources.setdefault(stream, Source(STANDARD.get(fd + 1) or f"what came through descriptor {fd}", 0))

    def _make(self, event: Event) -> None:
        shape = SHAPES[event.call]
        if event.result < 0 and not (shape.name == "connect" and event.result == _EINPROGRESS):
            return
        if shape.hook is Hook.OPEN:
            self._open(event)
        elif shape.name == "socket":
            self._types[event.stream] = event.args[1] & 15
        elif shape.hook is Hook.ACCEPT:
            self._accept(event)
        elif address := _address(event.data(IN, 1) or b""):
            if shape.name == "bind":
                self._bound[event.stream] = (address[0], address[1], event.args[4])
            else:
                self._connect(event, address)

    def _open(self, event: Event) -> None:
        facts, path = event.data(STAT) or b"", codec.text(event.data(RESOLVED) or b"")
        if len(facts) < 48 or event.stream <= 3:
            return
        mode, device = struct.unpack_from("<I", facts, 24)[0], struct.unpack_from("<Q", facts, 40)[0]
        if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) and device >> 8 & 0xFFF in _TERMINAL_MAJORS:
            self._sources[event.stream] = Source(f"what came through {path.removeprefix(self._cwd)}", event.task)

    def _connect(self, event: Event, address: _Address) -> None:
        family, host, port = address
        is_message = self._types.get(event.stream, _STREAM) != _STREAM
        self._own_ports |= {event.args[4]} - {0}
        self._sources[event.stream] = Source(
            f"what {_shown(address)} sent", event.task, is_message,
            _DNS_ID_BYTES if is_message and port == _DNS_PORT and family != _UNIX else 0, event.args[4], address)

    def _accept(self, event: Event) -> None:
        listener = self._bound.get(event.args[5] & _LOW)
        caller = event.args[4]
        if listener and listener[0] == _UNIX:
            name, is_internal = f"a client of {listener[1].removeprefix(self._cwd)}", caller in self._processes
        else:
            name, is_internal = f"a client of port {listener[2]}" if listener else "a client", False
            self._callers.add(caller)
        if not is_internal:
            self._sources[event.stream] = Source(f"what {name} sent", event.task, caller=caller if not listener or listener[0] != _UNIX else -1)
        else:
            self._sources.pop(event.stream, None)

    def _receive(self, number: int, event: Event) -> None:
        source, flags = self._sources.get(event.stream), _FLAGS[event.call]
        if source is None or event.result < 0 or flags >= 0 and event.args[flags] & _NOT_THE_NEXT_BYTES or self._is_internal(source):
            return
        places = _RECEIVED[event.call]
        data = b"".join(data for arg, kind, data in event.fields if kind == OUT and arg in places)
        if SHAPES[event.call].result == "len":
            data = data[:event.result]
        if data:
            self._found(event.stream, source, bytes(source.skipped) + data[source.skipped:], number)
        elif event.result == 0 and not source.is_message and event.call in _MAY_END and event.args[_MAY_END[event.call]]:
            self._found(event.stream, source, b"", number)

    def _is_internal(self, source: Source) -> bool:
        """Whether the other end is the experiment's too; asked when data have come: both ends are known by then."""
        if source.caller >= 0:
            return source.caller in self._own_ports
        if source.peer is None:
            return False
        family, host, port = source.peer
        if family == _UNIX:
            return any(bound[:2] == (family, host) for bound in self._bound.values())
        return source.own in self._callers or _is_local(host) and any(
            bound[0] != _UNIX and bound[2] == port for bound in self._bound.values())


def _address(data: bytes) -> _Address | None:
    family = int.from_bytes(data[:2], "little")
    if family == _UNIX and len(data) > 2:
        name = b"@" + data[3:] if not data[2] else data[2:].split(b"\0")[0]
        return family, codec.text(name), 0
    port = int.from_bytes(data[2:4], "big")
    if family == _INET and len(data) >= 8:
        return family, str(ipaddress.ip_address(data[4:8])), port
    return (family, str(ipaddress.ip_address(data[8:24])), port) if family == _INET6 and len(data) >= 24 else None


def _shown(address: _Address) -> str:
    family, host, port = address
    return host if family == _UNIX else f"[{host}]:{port}" if family == _INET6 else f"{host}:{port}"


def _is_local(host: str) -> bool:
    address = ipaddress.ip_address(host)
    mapped = getattr(address, "ipv4_mapped", None) or address
    return mapped.is_loopback or mapped.is_unspecified
