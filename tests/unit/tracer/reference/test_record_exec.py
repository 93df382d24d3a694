"""Scripts are read as the kernel reads them."""

from __future__ import annotations

import sys

import pytest

from rex.tracer.reference.record_exec import _interpreter, _loader_of


@pytest.mark.parametrize(("start", "interpreter"), [
    (b"#!/bin/sh\necho", b"/bin/sh"),
    (b"#! \t/usr/bin/env python3 -u\n", b"/usr/bin/env"),
    (b"#!/bin/sh\t-e", b"/bin/sh"),
    (b"#!/bin/sh\0junk", b"/bin/sh"),
    (b"#!\n/bin/sh", None),
    (b"#!   ", None),
    (b"\x7fELF", None),
    (b"", None),
])
def test_interpreter(start: bytes, interpreter: bytes | None) -> None:
    assert _interpreter(start) == interpreter


def test_loader() -> None:
    assert _loader_of(b"/proc/self/exe") is not None
    assert _loader_of(sys.exec_prefix.encode()) is None
    assert _loader_of(__file__.encode()) is None
