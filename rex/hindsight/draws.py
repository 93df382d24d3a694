"""Random numbers that added statements draw from the global generators: noticed, and undone.

A probe may run at every step of an inner loop, so the states are compared as raw memory, in half a
microsecond, where their place in memory is known for sure; else as the generators tell them.
"""

from __future__ import annotations

import ctypes
import random
import struct
import sys
from typing import Any, Callable

_WORDS = 624                     # of a Mersenne twister
_HEAD_BYTES = 16                 # of a Python object; then random.Random has int index, uint32 words
Read = Callable[[], Any]
Put = Callable[[Any], object]


class Draws:
    """The global generators of random, numpy and torch."""

    def __init__(self) -> None:
        self._generators: dict[str, tuple[Read, Put]] = {"random": _python()}

    def states(self) -> list[Any]:
        """Their states, to be handed to `undo`."""
        known = self._generators
        if len(known) < 3:
            if "numpy" not in known and "numpy.random" in sys.modules:
                known["numpy"] = _numpy()
            if "torch" not in known and hasattr(sys.modules.get("torch"), "get_rng_state"):
                known["torch"] = _torch()
        return [read() for read, _ in known.values()]

    def undo(self, states: list[Any]) -> list[str]:
        """Put back what is not as it was; the names of what was drawn from."""
        drawn = []
        for state, (name, (read, put)) in zip(states, self._generators.items()):
            if read() != state:
                put(state)
                drawn.append(name)
        return drawn


def _python() -> tuple[Read, Put]:
    inner: Any = random._inst   # type: ignore[attr-defined]
    address, size = id(inner) + _HEAD_BYTES, 4 * (_WORDS + 1)
    index, *words = struct.unpack(f"{_WORDS + 1}I", ctypes.string_at(address, size))
    if (*words, index) != random.getstate()[1]:
        return random.getstate, random.setstate

    def read() -> Any:
        return ctypes.string_at(address, size), inner.gauss_next

    def put(state: Any) -> None:
        ctypes.memmove(address, state[0], size)
        inner.gauss_next = state[1]

    return read, put


def _numpy() -> tuple[Read, Put]:
    numpy = sys.modules["numpy"]
    owner = numpy.random.mtrand._rand
    source = owner._bit_generator
    place = _gauss_offset(numpy)
    if type(source).__name__ != "MT19937" or place is None:
        return _numpy_state, numpy.random.set_state
    words, size, gauss = source.ctypes.state_address, 4 * (_WORDS + 1), id(owner) + place

    def read() -> Any:
        if owner._bit_generator is not source:   # somebody put another in its place
            return _numpy_state()
        return ctypes.string_at(words, size), ctypes.string_at(gauss, 16)

    def put(state: Any) -> None:
        if len(state) != 2:
            numpy.random.set_state(state)
            return
        ctypes.memmove(words, state[0], size)
        ctypes.memmove(gauss, state[1], 16)

    return read, put


def _numpy_state() -> Any:
    name, words, *rest = sys.modules["numpy.random"].get_state()
    return name, tuple(words.tolist()), *rest


def _gauss_offset(numpy: Any) -> int | None:
    """Where a RandomState keeps `int has_gauss; double gauss`; None if that is not found."""
    probe = numpy.random.RandomState(1)
    marks = []
    for value in (1.2345e-77, 5.4321e-78):
        state = probe.get_state(legacy=False)
        state["has_gauss"], state["gauss"] = 1, value
        probe.set_state(state)
        held = ctypes.string_at(id(probe), type(probe).__basicsize__)
        marks.append(held.find(struct.pack("d", value)))
    offset = marks[0] - 8
    if marks[0] < 8 or marks[0] != marks[1] or held[offset:offset + 4] != struct.pack("i", 1):
        return None
    return offset


def _torch() -> tuple[Read, Put]:
    torch = sys.modules["torch"]

    def read() -> bytes:
        state: bytes = torch.get_rng_state().numpy().tobytes()
        return state

    def put(state: bytes) -> None:
        torch.set_rng_state(torch.frombuffer(bytearray(state), dtype=torch.uint8))

    return read, put
