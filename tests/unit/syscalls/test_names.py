"""Names of numbers, compared with Python's own where it has them."""

from __future__ import annotations

import os
import resource
import select
import socket

import pytest

from rex.syscalls import names


@pytest.mark.parametrize(("table", "module"), [
    (names.OPEN, os), (names.POLL, select), (names.EPOLL, select), (names.MSG, socket), (names.SOCKTYPE, socket)])
def test_flags_agree_with_python(table: names.Flags, module: object) -> None:
    for bit, name in table.bits.items():
        assert getattr(module, name, bit) & ~0o100000 in (bit & ~0o100000, 0), name


@pytest.mark.parametrize(("table", "module"), [
    (names.FAMILY, socket), (names.RESOURCE, resource), (names.WHENCE, os), (names.IDTYPE, os)])
def test_enumerations_agree_with_python(table: names.Enumeration, module: object) -> None:
    for value, name in table.names.items():
        assert getattr(module, name, value) == value, name


def test_flags_print_names_and_what_remains() -> None:
    assert names.AT(0x100 | 1 << 30) == "AT_SYMLINK_NOFOLLOW|0x40000000"
    assert names.PROT(0) == "PROT_NONE"
    assert names.OPEN(0o4010000) == "O_RDONLY|O_SYNC"
    assert names.OPEN(0o20200002) == "O_RDWR|O_TMPFILE"


def test_enumeration_prints_unknown_numbers() -> None:
    assert names.WHENCE(77) == "77"


def test_signals_and_errors() -> None:
    assert [names.signal_name(n) for n in (2, 17, 34, 0, 99)] == ["SIGINT", "SIGCHLD", "SIGRT_2", "0", "99"]
    assert names.error_name(2) == "ENOENT (No such file or directory)"
    assert names.error_name(512) == "ERESTARTSYS (To be restarted)"
    assert names.error_name(4000) == "errno 4000"
