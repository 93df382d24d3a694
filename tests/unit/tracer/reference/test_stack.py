"""Auxiliary entries and environment variables are found in a stack as the kernel makes it."""

from __future__ import annotations

import struct

from rex.tracer.reference.stack import Stack, mask_variables


def image(*auxiliary: tuple[int, int]) -> bytearray:
    words = [1, 0x7000, 0, 0x7100, 0x7200, 0]       # argc, argv, envp
    for pair in (*auxiliary, (0, 0)):
        words += pair
    return bytearray(struct.pack(f"<{len(words)}Q", *words) + b"x\0A=1\0TOKEN=secret\0")


def test_entries() -> None:
    stack = Stack(0x1000, image((33, 0xF000), (25, 0x7300)))
    position = stack.entry(33)
    assert position == 48 and stack.entry_value(position) == 0xF000
    stack.set_entry(position, 1, 0)
    assert stack.entry(33) is None
    assert stack.entry(25) == 64
    assert stack.entry(51) is None


def test_images_that_are_none() -> None:
    for data in (b"", b"\1", bytes(8), b"\xff" * 64, b"\1" + bytes(7)):
        assert Stack(0, bytearray(data)).entry(33) is None


def test_variables_are_blanked() -> None:
    block = b"\0TOKEN=secret\0NOTOKEN=x\0TOKENS=y\0EMPTY=\0"
    assert mask_variables(block, [b"TOKEN", b"EMPTY"]) == b"\0TOKEN=******\0NOTOKEN=x\0TOKENS=y\0EMPTY=\0"
    assert mask_variables(b"A=1\0A=2", [b"A"]) == b"A=*\0A=*"
    assert mask_variables(block, []) == block
