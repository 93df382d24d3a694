"""Record: what /proc shows of a program's auxiliary vector does not name the vDSO, as the vector on its stack does not.

Who finds it there would ask it for the time and the processor, past the tracer.
"""

from __future__ import annotations

from dataclasses import replace

from rex.log.records import OUT, Event
from rex.syscalls import BY_NAME
from rex.tracer.reference.calls import put_outputs
from rex.tracer.reference.paths import position_of_fd
from rex.tracer.reference.stack import AT_IGNORE, AT_SYSINFO_EHDR, PAIR_BYTES
from rex.tracer.reference.tasks import Task

_READ_ON = (BY_NAME["read"].nr, BY_NAME["readv"].nr)
_DATA = 1                             # the argument that all reads store to


def tells_vector(path: bytes) -> bool:
    """Whether a file is such a vector."""
    return path.startswith(b"/proc/") and path.endswith(b"/auxv")


def hide_vdso_read(task: Task, event: Event) -> Event:
    """Take the vDSO out of what a read took that has come to its end, however few bytes from wherever, in the tracee too."""
    fields = tuple((arg, kind, _hidden(task, data) if (arg, kind) == (_DATA, OUT) else data) for arg, kind, data in event.fields)
    shown = replace(event, fields=fields)
    put_outputs(task, shown)
    return shown


def _hidden(task: Task, data: bytes) -> bytes:
    place = position_of_fd(task.tid, task.args[0]) - len(data) if task.nr in _READ_ON else task.args[3]
    shown = bytearray(data)
    for at in range(-place % PAIR_BYTES, len(shown), PAIR_BYTES):
        if shown[at] == AT_SYSINFO_EHDR:
            shown[at] = AT_IGNORE
    return bytes(shown)
