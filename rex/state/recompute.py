"""Load a large version, or run its cell again: whichever takes less by what was measured.

Only cells are considered that nobody would notice to run: plain computation by libraries without a
state of their own, on inputs that can be loaded. What such a run gives is taken if its pickle and
every chunk have the hashes of what was captured; otherwise the version is loaded.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
import types
from typing import Any, Iterator

from rex.errors import RexError, UsageError
from rex.state import environment
from rex.state.declared import has_left, pass_on_left
from rex.state.names import names_in_source
from rex.state.parts import PartScanner
from rex.state.versions import Chunk, Delta, History, Reader, Version
from rex.state.walk import Scene, walk

WHY = "quicker than loading it; verified"
MIN_BYTES = 16 << 20          # less is loaded before anybody notices
_FIRST_BYTES_PER_S = 300e6    # until something was loaded
_TELLING_BYTES = 1 << 20
_HASHED_BYTES_PER_S, _COPIED_BYTES_PER_S = 2e9, 4e9
_SAFE_ROOTS = frozenset("""numpy pandas math cmath itertools functools operator collections string re
    statistics datetime fractions builtins""".split())
# Calls that change what libraries do, or wait.
_UNSAFE = frozenset("input open breakpoint errstate option_context reset_option sleep seterr".split())


class Costs:
    """What loading costs, as far as it was measured; and what running again did not give."""

    def __init__(self) -> None:
        self._bytes, self._seconds = _FIRST_BYTES_PER_S * 0.1, 0.1
        self._differing: set[Version] = set()

    def loaded(self, size_bytes: int, seconds: float) -> None:
        """Learn from a load that took long enough to tell."""
        if size_bytes < _TELLING_BYTES:
            return
        self._bytes, self._seconds = 0.7 * self._bytes + size_bytes, 0.7 * self._seconds + seconds

    def differs(self, version: Version) -> None:
        """Learn that running a version's cell again does not give it."""
        self._differing.add(version)

    def is_quicker_again(self, version: Version, history: History) -> bool:
        """Whether to run the cell that made a version, rather than load it."""
        delta = history.deltas.get(version.node)
        if size_of(version) < MIN_BYTES or version in self._differing or delta is None \
                or not delta.is_complete or not is_harmless(delta):
            return False
        before = history.state(delta.parent)
        inputs = {before[name] for name in delta.touched & before.keys()
                  if name not in environment.NAMES}
        if any(one.why_not for one in inputs):
            return False
        made = sum(map(size_of, delta.versions))
        again_s = 2 * delta.cell_s + made / _HASHED_BYTES_PER_S + sum(map(self._load_s, inputs))
        return again_s < self._load_s(version)

    def _load_s(self, version: Version) -> float:
        kept = sum(chunk.size_bytes for chunk in version.chunks() if chunk.source is not None)
        return kept / _COPIED_BYTES_PER_S + (size_of(version) - kept) * self._seconds / self._bytes


def size_of(version: Version) -> int:
    """Bytes that loading it reads, roughly."""
    return sum(chunk.size_bytes for chunk in version.chunks())


def is_harmless(delta: Delta) -> bool:
    """Whether a cell names nothing but quiet libraries, as far as its source tells."""
    names = names_in_source(delta.code)
    return names is not None and not any(name in _UNSAFE or name.startswith("set") for name in names) and all(
        name.partition(".")[0] in _SAFE_ROOTS for name in names if name.partition(".")[0] in sys.modules)


def check_inputs(inputs: dict[str, Any]) -> None:
    """Refuse inputs that may do what the cell's source does not tell.

    Raises:
        UsageError: one of them is of another kind than plain data.
    """
    for name, value in inputs.items():
        origin = value.__name__ if isinstance(value, types.ModuleType) else type(value).__module__
        if isinstance(value, (types.FunctionType, types.MethodType, type)) \
                or origin.partition(".")[0] not in _SAFE_ROOTS:
            raise UsageError(f"{name} is no plain data")


def is_same(version: Version, made: dict[str, Any], scanner: PartScanner, read: Reader | None) -> bool:
    """Whether new values have the pickle and the chunks of a version."""
    assert version.stream is not None
    if not made.keys() >= set(version.names):
        return False
    with _walked(version, made, scanner) as (walker, failure):
        if failure or walker.engine != version.engine or tuple(walker.out_of_band) != version.out_of_band \
                or len(walker.parts) != len(version.parts):
            return False
        return walker.file.getvalue() == version.stream.encoded(read) and all(
            live.size == part.size and len(live.chunks) == len(part.chunks) and all(
                map(_is_same_chunk, live.chunks, part.chunks)) for live, part in zip(walker.parts, version.parts))


def take_over_left(version: Version, made: dict[str, Any], scanner: PartScanner, read: Reader | None) -> None:
    """Have new objects of classes that are left stand for those of a version that are gone, in other versions too."""
    assert version.stream is not None
    try:
        former = version.stream.encoded(read)
    except RexError:     # nobody knows which objects it had
        return
    if not has_left(former):
        return
    with _walked(version, made, scanner) as (walker, failure):
        if not failure:
            pass_on_left(former, walker.file.getvalue())


@contextlib.contextmanager
def _walked(version: Version, made: dict[str, Any], scanner: PartScanner) -> Iterator[tuple[Any, str]]:
    """A walk over new values of a version's names, and why it failed ("" if not)."""
    scene = Scene(made, scanner, {})
    walker, failure = walk(scene, version.names)
    try:
        yield walker, failure
    finally:
        for live in walker.parts if walker is not None else ():
            scanner.forget(live)
        scene.release()


def _is_same_chunk(one: Chunk, other: Chunk) -> bool:
    if one is other:
        return True
    if one.digest and other.digest:
        return one.digest == other.digest
    return other.content is not None and other.content.depth == 0 and \
        hashlib.sha256(one.encoded()).hexdigest() == other.content.sha256
