"""Random numbers that added statements draw from the global generators: noticed, and undone.

A probe may run at every step of an inner loop. So a generator's words are copied only once they changed since the
last probe, and to see that takes a look at a few of them, where their place in memory is known for sure; else the
generators are asked.
"""

from __future__ import annotations

import ctypes
import random
import struct
import sys
import types
from typing import Any, Iterable, Mapping

from rex.hindsight.capture.othershapes import plain, unplain

_WORDS = 624                     # of a Mersenne twister
_STATE_BYTES = 4 * (_WORDS + 1)  # with its place in them: every draw moves that, or changes all words
_LOOK_BYTES = _GAUSS_BYTES = 16
_HEAD_BYTES = 16                 # of a Python object; then random.Random has int index, uint32 words


class Draws:
    """The global generators of random, numpy and torch."""

    def __init__(self) -> None:
        self._inner: Any = random._inst   # type: ignore[attr-defined]
        self._twisters: list[_Twister] = []
        self._asked: list[_Asked] = []
        self._look: tuple[memoryview, ...] = ()
        self._seen, self._spare = b"", None    # what the looks found when all was kept; random's second normal number
        self._modules = 0                      # so many were there when we looked for generators
        self._names: set[str] = set()
        self._owner: Any = None                # numpy's RandomState, and the generator that it had
        self._source: Any = None

    def note(self) -> None:
        """Keep their states."""
        if len(sys.modules) != self._modules or (
                self._owner is not None and self._owner._bit_generator is not self._source):
            self._find()
        if b"".join(self._look) != self._seen or self._inner.gauss_next is not self._spare:
            self._keep()
        for each in self._asked:
            each.note()

    def undo(self) -> list[str]:
        """Put back what is not as it was noted; the names of what was drawn from."""
        drawn = []
        if b"".join(self._look) != self._seen or self._inner.gauss_next is not self._spare:
            is_spent = self._inner.gauss_next is not self._spare
            self._inner.gauss_next = self._spare
            drawn = [each.name for each in self._twisters if each.put_back() or is_spent and each.name == "random"]
        return drawn + [each.name for each in self._asked if each.undo()]

    def _keep(self) -> None:
        self._seen, self._spare = b"".join(self._look), self._inner.gauss_next
        for each in self._twisters:
            each.keep()

    def _find(self) -> None:
        self._modules = len(sys.modules)
        found = [("random", True, _python), ("numpy", "numpy.random" in sys.modules, _numpy),
                 ("torch", hasattr(sys.modules.get("torch"), "get_rng_state"), _Torch)]
        for name, is_there, make in found:
            if is_there and name not in self._names:
                self._names.add(name)
                generator = make()
                if isinstance(generator, _Asked):
                    self._asked.append(generator)
                else:
                    self._twisters.append(generator)
                    self._source = generator.source or self._source
        if self._source is not None:
            self._owner = sys.modules["numpy"].random.mtrand._rand
            if self._owner._bit_generator is not self._source:   # somebody put another in its place
                self._owner = self._source = None
                self._twisters = [each for each in self._twisters if each.source is None]
                self._asked.append(_AskedNumpy())
        self._look = tuple(view for each in self._twisters for view in each.look)
        self._keep()


class _Twister:
    """The words of a twister in memory.

    Attributes:
        look: what changes with every draw.
        source: numpy's generator that owns the words.
    """

    def __init__(self, name: str, parts: list[tuple[int, int]], look: list[int], source: Any = None) -> None:
        """
        Args:
            parts: address and size of all its state. look: addresses to look at.
        """
        self.name, self._parts, self.source = name, parts, source
        self.look = [memoryview((ctypes.c_char * _LOOK_BYTES).from_address(at)).cast("B") for at in look]
        self._kept: list[bytes] = []

    def keep(self) -> None:
        """Keep its state."""
        self._kept = [ctypes.string_at(*part) for part in self._parts]

    def put_back(self) -> bool:
        """Make the kept state its own; False: it was."""
        if self._kept == [ctypes.string_at(*part) for part in self._parts]:
            return False
        for (address, size), data in zip(self._parts, self._kept):
            ctypes.memmove(address, data, size)
        return True


class _Asked:
    """A generator that is asked for its state."""

    name = "random"

    def note(self) -> None:
        """Keep its state."""
        self._state = self.read()

    def undo(self) -> bool:
        """Put back the state that was kept; False: it never left it."""
        if self.read() == self._state:
            return False
        self.put(self._state)
        return True

    def read(self) -> Any:
        """Its state."""
        return random.getstate()

    def put(self, state: Any) -> None:
        """Make that its state."""
        random.setstate(state)


def _python() -> _Twister | _Asked:
    address = id(random._inst) + _HEAD_BYTES   # type: ignore[attr-defined]
    index, *words = struct.unpack(f"{_WORDS + 1}I", ctypes.string_at(address, _STATE_BYTES))
    if (*words, index) != random.getstate()[1]:
        return _Asked()
    return _Twister("random", [(address, _STATE_BYTES)], [address])


class _AskedNumpy(_Asked):
    """numpy's generator, whatever it is."""

    name = "numpy"

    def read(self) -> Any:
        name, words, *rest = sys.modules["numpy.random"].get_state()
        return name, tuple(words.tolist()), *rest

    def put(self, state: Any) -> None:
        sys.modules["numpy.random"].set_state(state)


def _numpy() -> _Twister | _Asked:
    numpy = sys.modules["numpy"]
    owner = numpy.random.mtrand._rand
    place = _gauss_offset(numpy)
    if type(owner._bit_generator).__name__ != "MT19937" or place is None:
        return _AskedNumpy()
    words, gauss = owner._bit_generator.ctypes.state_address, id(owner) + place
    return _Twister("numpy", [(words, _STATE_BYTES), (gauss, _GAUSS_BYTES)],
                    [words + _STATE_BYTES - _LOOK_BYTES, gauss],   # its place stands behind the words
                    owner._bit_generator)


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


class Held(_Asked):
    """A generator that a variable of the program holds."""

    def __init__(self, name: str, generator: Any) -> None:
        self.name, self.generator = name, generator

    def read(self) -> Any:
        one = self.generator
        if isinstance(one, random.Random):
            return one.getstate()
        if hasattr(one, "bit_generator"):
            return plain(one.bit_generator.state)
        if hasattr(one, "initial_seed"):
            return one.get_state().cpu().numpy().tobytes()
        return plain(one.get_state(legacy=False))

    def put(self, state: Any) -> None:
        one = self.generator
        if isinstance(one, random.Random):
            one.setstate(state)
        elif hasattr(one, "bit_generator"):
            one.bit_generator.state = unplain(state)
        elif hasattr(one, "initial_seed"):
            one.set_state(sys.modules["torch"].frombuffer(bytearray(state), dtype=sys.modules["torch"].uint8))
        else:
            one.set_state(unplain(state))


def is_generator(value: Any) -> bool:
    """Whether a value gives random numbers."""
    if isinstance(value, random.Random):
        return True
    kind = type(value)
    return (kind.__module__, kind.__name__) in _KINDS


_KINDS = {("numpy.random._generator", "Generator"), ("numpy.random.mtrand", "RandomState"), ("torch._C", "Generator")}


def held_names(names: Iterable[str], spaces: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Variables that hold generators, or objects of which an attribute does: name and attribute."""
    found = []
    for name in names:
        value = next((space[name] for space in spaces if name in space), None)
        if is_generator(value):
            found.append((name, ""))
        else:
            found += [(name, key) for key, each in getattr(value, "__dict__", {}).items() if is_generator(each)
                      and not isinstance(value, (type, types.ModuleType))]
    return found


class _Torch(_Asked):
    """torch's generator of the processor."""

    name = "torch"

    def read(self) -> bytes:
        state: bytes = sys.modules["torch"].get_rng_state().numpy().tobytes()
        return state

    def put(self, state: bytes) -> None:
        torch = sys.modules["torch"]
        torch.set_rng_state(torch.frombuffer(bytearray(state), dtype=torch.uint8))
