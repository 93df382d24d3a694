"""What the calls of a log learned of names, in the words of rex/trees/looks.py."""

from __future__ import annotations

import errno

from rex import codec
from rex.log.decoded import stat_in
from rex.log.records import OUT, Event
from rex.log.uses import is_exclusive, open_flags
from rex.syscalls import BY_NAME, CALLS, Hook, Op
from rex.trees import looks

_STATX, _NOFOLLOW = BY_NAME["statx"].nr, 0x100
_O_NOFOLLOW = 0o400000
_NO_ATTRIBUTE = (0, -errno.ENODATA)
_BIND = BY_NAME["bind"].nr
_HOST_ITSELF = (b"\x02\0\0\0\x7f", b"\x0a\0\0\0\0\0\0\0" + bytes(15) + b"\x01")      # any port of 127.0.0.0/8, of ::1


def of_look(event: Event) -> str:
    """What a stat, access or readlink was answered that succeeded; "" if the log lacks it."""
    call, data = CALLS[event.call], event.data(OUT) or b""
    if call.op is Op.READLINK:
        return f"link {codec.text(data[:event.result])}"
    if call.op is Op.ACCESS:
        return f"access {event.args[call.index_of('access')]}"
    told = stat_in(data, event.call == _STATX)
    return looks.of_stat(told, follows(event), event.args[3] if event.call == _STATX else None) if told else ""


def of_attributes(event: Event) -> str:
    """That there is no extended attribute; "" if there is: the log does not tell which one was asked for."""
    return looks.of_xattr(follows(event)) if event.result in _NO_ATTRIBUTE else ""


def of_failure(event: Event) -> str:
    """The error of a call on a name, by name."""
    error = errno.errorcode.get(-event.result, str(event.result))
    return error if follows(event) else looks.of_name_itself(error)


def is_of_host_itself(event: Event, address: bytes) -> bool:
    """Whether a call takes any free port that no other host reaches: programs learn so whether there is IPv6 (urllib3)."""
    return event.call == _BIND and address.startswith(_HOST_ITSELF)


def follows(event: Event) -> bool:
    """Whether a link at the end of the name was followed."""
    call = CALLS[event.call]
    if call.hook is Hook.OPEN:
        flags = open_flags(event)
        return not flags & _O_NOFOLLOW and not is_exclusive(flags)
    flags = call.index_of("atflags")
    return "nofollow" not in call.marks and not (flags >= 0 and event.args[flags] & _NOFOLLOW)
