"""Record: programs. What an exec is given is read before it, what it made after."""

from __future__ import annotations

import os
import stat
import struct
from typing import Protocol

from rex.log.records import ARGV, IN, LOADER, NO_ARG, RESOLVED, SCRIPT, STACK, STAT, Args, Field
from rex.tracer.plan import LOADER as USED_LOADER
from rex.tracer.plan import PROGRAM as USED_PROGRAM
from rex.tracer.plan import SCRIPT as USED_SCRIPT
from rex.tracer.reference import memory, paths
from rex.tracer.reference.kernel import AT_FDCWD
from rex.tracer.reference.record_files import Ledger, pack_stat
from rex.tracer.reference.stack import hide_vdso, loader_code, mask_variables, read_stack
from rex.tracer.reference.tasks import Task

_SCRIPT_LINE_BYTES, _SCRIPT_DEPTH = 256, 5      # the kernel's limits
_MAX_STRING_BYTES = 1 << 20
_ENOEXEC = 8
_ELF, _CLASS_AT, _CLASS_32 = b"\x7fELF", 4, 1
_HEADER = struct.Struct("<32xQ16xH6x")          # Elf64_Ehdr: phoff, phnum
_SEGMENT = struct.Struct("<I4xQ16xQ16x")        # Elf64_Phdr: type, offset, filesz
_PT_INTERP = 3


class _Notes(Protocol):
    def note(self, task: Task, message: str) -> None: ...


def read_exec(notes: _Notes, ledger: Ledger, task: Task) -> None:
    """At entry: keep the arguments and the chain of scripts; refuse what cannot be recorded."""
    argv = paths.name_args(task.nr).path + 1
    task.exec_refused = 0
    task.exec_fields = [(argv, ARGV, _read_strings(task, task.args[argv]))]
    path = None
    if task.path is not None:
        path = paths.resolve(task, paths.dirfd_of(task), task.path, True)
    if path is not None:
        if _is_setuid(path):
            notes.note(task, f"{os.fsdecode(path)} is setuid and runs without its privileges")
        _follow_scripts(notes, ledger, task, path)


def _is_setuid(path: bytes) -> bool:
    try:
        found = os.stat(path)
    except OSError:
        return False
    return bool(found.st_mode & stat.S_ISUID and os.geteuid() not in (0, found.st_uid))


def _read_strings(task: Task, at: int) -> bytes:
    strings = []
    while pointer := memory.read_int(task.tid, at):
        one = memory.read_string(task.tid, pointer, _MAX_STRING_BYTES)
        if one is None:
            break
        strings.append(one + b"\0")
        at += 8
    return b"".join(strings)


def _interpreter(start: bytes) -> bytes | None:
    """The interpreter of a script, as the kernel reads its first line."""
    if not start.startswith(b"#!"):
        return None
    line = start[2:].partition(b"\0")[0].lstrip(b" \t")
    for end in (b"\n", b" ", b"\t"):
        line = line.partition(end)[0]
    return line or None


def _follow_scripts(notes: _Notes, ledger: Ledger, task: Task, path: bytes) -> None:
    for _ in range(_SCRIPT_DEPTH):
        start = _read_start(path, _SCRIPT_LINE_BYTES)
        name = _interpreter(start)
        if name is None:
            if start.startswith(_ELF) and start[_CLASS_AT:_CLASS_AT + 1] == bytes([_CLASS_32]):
                task.exec_refused = _ENOEXEC
                notes.note(task, f"{os.fsdecode(path)} is a 32-bit program, which Rex cannot record; "
                                 "it was refused")
            return
        task.exec_fields.append((NO_ARG, SCRIPT, path))
        ledger.use(path, USED_SCRIPT)
        ledger.add_alias(name)
        found = paths.resolve(task, AT_FDCWD, name, True)
        if found is None:
            return
        path = found


def _read_start(path: bytes, size: int) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(size) or b""
    except OSError:
        return b""


def _loader_of(program: bytes) -> bytes | None:
    try:
        with open(program, "rb") as file:
            offset, count = _HEADER.unpack(file.read(_HEADER.size))
            file.seek(offset)
            segments = list(_SEGMENT.iter_unpack(file.read(count * _SEGMENT.size)))
            for kind, where, size in segments:
                if kind == _PT_INTERP and size < paths.PATH_MAX:
                    file.seek(where)
                    return os.path.realpath(file.read(size).partition(b"\0")[0], strict=True)
    except (OSError, struct.error):
        pass                          # no ELF program: it has no loader
    return None


def read_program(ledger: Ledger, task: Task, withhold: list[bytes]) -> tuple[Args, list[Field]]:
    """At the event-stop of a successful exec: arguments and fields of its event.

    The new program's stack is as the kernel made it; values of withheld variables
    are blanked in the log, not in the program.
    """
    arg, exe = paths.name_args(task.nr).path, b"/proc/%d/exe" % task.tid
    args, fields = list(task.args), list[Field]()
    stack = read_stack(task)
    if stack:
        hide_vdso(task, stack)
        task.space.loader = loader_code(task, stack)
        args[3] = stack.at
    if task.path is not None:
        fields.append((arg, IN, task.path))
    path = _read_link(exe)
    if path is not None:
        fields.append((arg, RESOLVED, path))
        ledger.use(path, USED_PROGRAM)
        if task.path is not None:
            ledger.use_name(task, task.path, path)
    fields += _describe(ledger, exe, path, arg)
    fields += task.exec_fields
    if stack:
        fields.append((NO_ARG, STACK, mask_variables(bytes(stack.image), withhold)))
    first, second, third, fourth, fifth, sixth = args
    return (first, second, third, fourth, fifth, sixth), fields


def _describe(ledger: Ledger, exe: bytes, path: bytes | None, arg: int) -> list[Field]:
    fields: list[Field] = []
    try:
        fields.append((arg, STAT, pack_stat(os.stat(exe))))
    except OSError:
        pass
    loader = _loader_of(exe)
    if loader is not None:
        fields.append((NO_ARG, LOADER, loader))
        ledger.use(loader, USED_LOADER)
        ledger.add_loader(path or b"", loader)
    return fields


def _read_link(name: bytes) -> bytes | None:
    try:
        return os.readlink(name)
    except OSError:
        return None
