"""The initial stack of a program: argument strings, environment, auxiliary vector.

    sp -> argc | argv... 0 | envp... 0 | auxv (type, value)... 0 0 | random, platform, strings | path | 0

It is logged whole at exec and put back whole at replay, so that what no call
brings (AT_RANDOM, the length of the path, hardware words) is as it was.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

from rex.tracer.reference import kernel, memory
from rex.tracer.reference.tasks import Task

_TOP = (1 << 47) - 4096               # with addresses not random, every stack ends here
_LARGEST = 8 << 20
_WORD = struct.Struct("<Q")
_PAIR = struct.Struct("<QQ")
PAIR_BYTES = _PAIR.size               # an auxiliary entry: type, value
_AT_NULL, AT_IGNORE, _AT_BASE, AT_SYSINFO_EHDR = 0, 1, 7, 33
_ELF_HEADER = struct.Struct("<32xQ14xHH4x")          # program headers: where, size of one, how many
_ELF_PART = struct.Struct("<II8xQ16xQ8x")             # type, flags, address, size in memory
_PT_LOAD, _PF_X = 1, 1
# What this machine decides: where the kernel mapped the program and its loader.
# AT_PHDR, AT_PHENT, AT_PHNUM, AT_PAGESZ, AT_BASE, AT_ENTRY, AT_HWCAP2, AT_MINSIGSTKSZ
_OWN = (3, 4, 5, 6, 7, 9, 26, 51)


@dataclass
class Stack:
    """The stack of a program that has not yet run: where it begins, and its bytes to the top."""

    at: int
    image: bytearray

    def entry(self, kind: int) -> int | None:
        """The offset of an auxiliary entry; None without, or if the image is not as the kernel makes it."""
        image = self.image
        position = 8 * (2 + _WORD.unpack_from(image)[0]) if len(image) >= 8 else 0
        while 0 < position <= len(image) - 8 and _WORD.unpack_from(image, position)[0]:
            position += 8
        for position in range(position + 8, len(image) - _PAIR.size + 1, _PAIR.size):
            found = _WORD.unpack_from(image, position)[0]
            if found in (kind, _AT_NULL):
                return position if found == kind else None
        return None

    def set_entry(self, position: int, kind: int, value: int) -> None:
        """Replace the auxiliary entry at an offset."""
        _PAIR.pack_into(self.image, position, kind, value)

    def entry_value(self, position: int) -> int:
        """The value of the auxiliary entry at an offset."""
        return int(_PAIR.unpack_from(self.image, position)[1])


def read_stack(task: Task) -> Stack | None:
    """The stack at the event-stop of a successful exec."""
    at = kernel.registers(task.tid).rsp
    if not 0 < _TOP - at <= _LARGEST:
        return None
    image = memory.read(task.tid, at, _TOP - at)
    return None if image is None else Stack(at, bytearray(image))


def hide_vdso(task: Task, stack: Stack) -> None:
    """Without the vDSO the C library makes real calls, which the tracer sees."""
    position = stack.entry(AT_SYSINFO_EHDR)
    if position is not None:
        stack.set_entry(position, AT_IGNORE, 0)
        memory.write(task.tid, stack.at + position, bytes(stack.image[position:position + _PAIR.size]))


def loader_code(task: Task, stack: Stack) -> range:
    """Where the program's loader has its code; nothing without one, or if it is to tell how long it took."""
    position = stack.entry(_AT_BASE)
    base = 0 if position is None or b"\0LD_DEBUG=" in stack.image else stack.entry_value(position)
    head = memory.read(task.tid, base, _ELF_HEADER.size) if base else None
    if not head or not head.startswith(b"\x7fELF"):
        return range(0)
    table, size, count = _ELF_HEADER.unpack(head)
    for number in range(count):
        part = memory.read(task.tid, base + table + number * size, _ELF_PART.size) or bytes(_ELF_PART.size)
        kind, flags, address, length = _ELF_PART.unpack(part)
        if kind == _PT_LOAD and flags & _PF_X:
            return range(base + address, base + address + length)
    return range(0)


def mask_variables(image: bytes, names: list[bytes]) -> bytes:
    """Blank the values of the variables named, among NUL-ended strings."""
    if not names:
        return image
    wanted = b"|".join(map(re.escape, names))
    pattern = re.compile(rb"(?:(?<=\0)|\A)((?:%s)=)([^\0]*)" % wanted)
    return pattern.sub(lambda found: found[1] + b"*" * len(found[2]), image)


def restore_stack(task: Task, at: int, image: bytes) -> None:
    """Put a recorded stack in the place of the kernel's."""
    live = read_stack(task)
    if at + len(image) != _TOP or live is None:
        return
    recorded = Stack(at, bytearray(image))
    for kind in _OWN:
        to, source = recorded.entry(kind), live.entry(kind)
        if to is not None and source is not None:
            recorded.set_entry(to, kind, live.entry_value(source))
    if memory.write(task.tid, at, bytes(recorded.image)):
        registers = kernel.registers(task.tid)
        registers.rsp = at
        kernel.set_registers(task.tid, registers)
