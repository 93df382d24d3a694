"""The filter, run by an interpreter of its instructions, decides as the table says."""

from __future__ import annotations

import struct

from rex.syscalls import CALLS, Stop
from rex.tracer.reference.filter import CALL_COUNT, Filter, assemble

ALLOW, TRACE, ERRNO = 0x7FFF0000, 0x7FF00000, 0x00050000
X86_64, I386 = 0xC000003E, 0x40000003
CODE = list(struct.iter_unpack("<HBBI", assemble()))


def decide(nr: int, args: tuple[int, ...] = (0,) * 6, arch: int = X86_64) -> int:
    data = struct.pack("<IIQ6Q", nr, arch, 0, *args)
    at = accumulator = 0
    while True:
        operation, yes, no, value = CODE[at]
        at += 1
        if operation == 0x06:
            return value
        if operation == 0x20:
            accumulator = struct.unpack_from("<I", data, value)[0]
        elif operation == 0x05:
            at += value
        else:
            holds = {0x15: accumulator == value, 0x25: accumulator > value, 0x35: accumulator >= value}[operation]
            at += yes if holds else no


def test_every_call_as_the_table_says() -> None:
    wanted = {Stop.ALWAYS: TRACE, Stop.NEVER: ALLOW}
    for nr in range(CALL_COUNT):
        call = CALLS.get(nr)
        if call is None or call.stop in wanted:
            assert decide(nr) == (wanted[call.stop] if call else TRACE), nr
        elif call.stop is Stop.ERRNO:
            assert decide(nr) == ERRNO | call.errno, call.name


def test_stream_calls_stop_only_on_the_standard_streams() -> None:
    for call in CALLS.values():
        if call.stop is Stop.STD:
            for i in range(6):
                high = tuple(7 if j != i else 2 for j in range(6))
                assert decide(call.nr, high) == (TRACE if call.fd_args & 1 << i else ALLOW), call.name
            assert decide(call.nr, (3,) * 6) == ALLOW, call.name


def test_a_descriptor_is_its_low_half() -> None:
    assert decide(0, (1 << 32, 0, 0, 0, 0, 0)) == TRACE


def test_skipped_newer_and_foreign_calls() -> None:
    assert decide(0xFFFFFFFF) == ALLOW
    assert decide(CALL_COUNT) == decide(CALL_COUNT + 1000) == TRACE
    assert decide(0x40000000) == decide(0x40000001) == ERRNO | 38
    assert decide(0, arch=I386) == ERRNO | 38


def test_program_fits_the_kernel() -> None:
    assert len(CODE) <= 4096
    assert struct.unpack_from("<H", Filter().program.raw)[0] == len(CODE)
