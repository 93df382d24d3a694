"""Make the live state equal a snapshot: objects that live take on their former content."""

from __future__ import annotations

import types
from collections import deque
from typing import Any, Callable, Iterable, Mapping, Protocol

from rex.hindsight.capture.graph import EMPTIED, SCALARS, Known, Node, Snapshot, key_of, refs_of
from rex.hindsight.capture.setlayout import fill_as
from rex.hindsight.capture.shapes import Cannot, hashes_itself, reduction, what_led_to


class Memory(Protocol):
    """Stored memory, by digest (`tables.StoredMemory`)."""

    def read(self, digest: bytes) -> bytes:
        """Its bytes."""

    def write(self, digest: bytes, address: int, size_bytes: int) -> None:
        """Make memory at an address what it was."""

    @property
    def is_whole(self) -> bool:
        """Whether all of it is stored."""

    def is_at_hand(self, digest: bytes, address: int, size_bytes: int) -> bool:
        """Whether it is stored, or lies at that address (0: nowhere) already."""


class Halfway(Exception):
    """A state was taken on in part only: what lives now is of no use."""


class Build:
    """One restoration; shapes call `get` for what they hold."""

    def __init__(self, snapshot: Snapshot, shapes: Any, memory: Memory, known: Known) -> None:
        self.nodes = snapshot.nodes(known.values)
        self.candidate: Any = None
        self._snapshot, self._shapes, self._memory = snapshot, shapes.by_tag, memory
        self._live_shape = shapes.shape_of
        self.known = known
        self._objects: dict[int, Any] = dict(known.objects)
        self._candidates: dict[int, Any] = {}
        self._made: list[int] = []
        self._filled = known.objects.keys() - known.unfilled
        self._kin: dict[tuple[Any, type], bool] = {}     # whether a type is the class of nodes, or has their shape
        self._emptied = {number: (places, finger) for root in snapshot.roots if root.name == EMPTIED
                         for number, places, finger in root.value}
        self._after: list[Callable[[], None]] = []

    @property
    def objects(self) -> Mapping[int, Any]:
        """What stands for each node, by its number."""
        return self._objects

    def match(self, live_roots: Iterable[tuple[str, Any]]) -> None:
        """Find for each node the live object at the same place, if it can take its content."""
        saved = {root.name: root.value for root in self._snapshot.roots if root.name not in self.known.values}
        queue = deque((saved[name], value) for name, value in live_roots if name in saved)
        taken = dict(self.known.keys)
        kept = []
        objects, candidates, nodes, shapes, is_kin = self._objects, self._candidates, self.nodes, self._shapes, self._is_kin
        while queue:
            ref, live = queue.popleft()
            if type(ref) is not tuple or (number := ref[0]) in objects or number in candidates or type(live) in SCALARS:
                continue
            node, key = nodes[number], key_of(live)
            if taken.get(key, number) != number or not is_kin(node, live):
                continue
            taken[key] = number
            kept.append(live)
            shape = shapes[node[0]]
            (objects if shape.fits(node, live) else candidates)[number] = live
            queue.extend(shape.pairs(node, live))
        self._kept = kept

    def agrees(self) -> bool:
        """Whether what is known to be there refers to what was found."""
        return all(self._objects.get(number) is each for number, each in self.known.outer.items())

    def _is_kin(self, node: Node, live: Any) -> bool:
        """Whether the live object's type has the shape of the node, so that `fits` may be asked."""
        tag, kind = node[0], type(live)
        if tag == "global":
            return kind in _NAMED and (live.__module__, live.__qualname__) == node[1:3]
        if tag == "compiled":
            return kind is types.FunctionType
        key = node[1][0] if tag in _TYPED else tag, kind
        is_kin = self._kin.get(key)
        if is_kin is None:
            is_kin = self._kin[key] = self._live_shape(kind).tag == tag and (
                tag not in _TYPED or self.nodes[key[0]][1:3] == (kind.__module__, kind.__qualname__))
        return is_kin

    def check(self) -> None:
        """Refuse before anything is changed.

        Raises:
            Cannot: something cannot be restored.
        """
        for number, node in self.nodes.items():
            if node[0] in ("suspended", "cache") and number in self._objects:
                self._shapes[node[0]].check(self, node, self._objects[number])
        if not self._memory.is_whole:
            self._check_memory()
        for number in self.nodes:
            if number not in self._objects:
                self.get((number,))

    def _check_memory(self) -> None:
        for node_number, node in self.nodes.items():
            if node[0] not in _WITH_MEMORY:
                continue
            number, digest, start, size_bytes = self._shapes[node[0]].extent(node, node_number)
            if not digest:
                continue
            live = self._objects.get(number)
            address, room_bytes = (0, 0) if live is None else self._shapes[self.nodes[number][0]].room(live)
            at = address + start if start + size_bytes <= room_bytes else 0
            if not self._memory.is_at_hand(digest, at, size_bytes):
                raise Cannot("the script's beginning filled some memory with other data than when it was recorded, or it is gone")

    def get(self, ref: Any) -> Any:
        """The object that a reference stands for; it may not have its content yet."""
        if type(ref) is not tuple:
            return ref
        number = ref[0]
        if number in self._objects:
            return self._objects[number]
        node = self.nodes[number]
        shape = self._shapes[node[0]]
        before, self.candidate = self.candidate, self._candidates.get(number)
        try:
            live = self.candidate
            made = shape.make(self, node)
            if type(made) is tuple and type(live) is tuple and len(live) == len(made) and all(
                    a is b for a, b in zip(live, made)):
                made = live
        finally:
            self.candidate = before
        self._objects[number] = made
        self._made.append(number)
        return made

    def whole(self, ref: Any) -> Any:
        """The object with its content, which somebody is about to read.

        Raises:
            Cannot: it lives, and must not be changed yet.
        """
        if type(ref) is not tuple:
            return ref
        queue, seen = [ref[0]], set()
        while queue:
            number = queue.pop()
            if number in seen or number in self._filled:
                continue
            seen.add(number)
            self.get((number,))
            if number in self._made:
                self._fill(number)
            elif self.nodes[number][0] in _CHANGEABLE:
                raise Cannot("an object is made from others that live on")
            queue += refs_of(self.nodes[number])
        return self.get(ref)

    def values(self, refs: list[Any]) -> list[Any]:
        """`get` of each."""
        objects = self._objects
        return [ref if type(ref) is not tuple else
                objects[ref[0]] if ref[0] in objects else self.get(ref) for ref in refs]

    def keys(self, refs: list[Any]) -> list[Any]:
        """`get` of each, whose hash is about to be asked: it may depend on its content."""
        found = self.values(refs)
        for ref, key in zip(refs, found):
            if type(ref) is tuple and hashes_itself(key):
                self._fill_below(ref[0], set())
        return found

    def _fill_below(self, number: int, seen: set[int]) -> None:
        if number not in seen and number not in self._filled:
            seen.add(number)
            for below in refs_of(self.nodes[number]):
                self._fill_below(below, seen)
            self._fill(number)

    def read(self, digest: bytes) -> bytes:
        """Stored memory as bytes."""
        return self._memory.read(digest)

    def read_into(self, digest: bytes, address: int, size_bytes: int) -> None:
        """Write stored memory to an address."""
        self._memory.write(digest, address, size_bytes)

    def after(self, act: Callable[[], None], is_first: bool = False) -> None:
        """Act once all is restored (files have their contents); before what was to be done so far, if it is the first."""
        self._after.insert(0 if is_first else len(self._after), act)

    def will_be(self, ref: Any, live: Any) -> bool:
        """Whether a live object, left where it is, will be what the reference stands for."""
        if type(ref) is not tuple:
            return type(ref) is type(live) and (ref == live or ref != ref)
        if self._objects.get(ref[0]) is live:
            return True
        node = self.nodes[ref[0]]
        if node[0] != "global" and not self._is_kin(node, live):
            return False
        if node[0] == "tuple" and isinstance(live, tuple):
            return len(live) == len(node[1]) and all(map(self.will_be, node[1], live))
        if node[0] == "reduce":
            return self.is_same_reduction(node, live)
        if node[0] == "storage":
            return True
        return node[0] in ("global", "npscalar", "bytes") and self._is_equal(node, live)

    def is_same_reduction(self, node: Node, live: Any) -> bool:
        """Whether a live object that pickles by itself pickles to the node."""
        try:
            reduced = reduction(live)
        except Exception:   # objects raise what they like
            return False
        if not isinstance(reduced, tuple):
            return False
        function, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
        before, wanted = what_led_to(live), node[7] if len(node) > 7 else ()
        if len(before) != len(wanted) or not all(map(self.will_be, wanted, before)):
            return False
        return (items is None and pairs is None and not node[4] and not node[5]
                and self.will_be(node[1], function) and len(arguments or ()) == len(node[2])
                and all(map(self.will_be, node[2], arguments or ()))
                and self.will_be(node[3], state))

    def _is_equal(self, node: Node, live: Any) -> bool:
        try:
            made = self._shapes[node[0]].make(self, node)
            return made is live or type(made) is type(live) and bool(made == live)
        except (Cannot, ValueError):
            return False

    def fill(self) -> None:
        """Give every object its content."""
        for number in self.known.unput:
            node = self.nodes[number]
            self._shapes[node[0]].put(self, node, self._objects[number])
        for number in self.nodes:
            self._fill(number)

    def finish(self) -> None:
        """Do what must come last.

        Raises:
            Halfway: some of it failed.
        """
        try:
            for act in self._after:
                act()
        except Exception as error:   # objects raise what they like
            raise Halfway(f"an object does not take its content: {error!r}") from error

    def _fill(self, number: int) -> None:
        if number not in self._filled:
            self._filled.add(number)
            node = self.nodes[number]
            self._shapes[node[0]].fill(self, node, self.get((number,)))
            if number in self._emptied:
                fill_as(self.get((number,)), [], self._emptied[number])


_NAMED = (types.FunctionType, types.BuiltinFunctionType, type)
_TYPED = frozenset(("object", "array", "tensor", "random", "enum", "thread", "bar", "native", "own"))   # whose nodes begin with their class
_WITH_MEMORY = frozenset(("array", "tensor"))
_CHANGEABLE = ("list", "dict", "set", "bytes", "object", "array", "tensor", "random", "native", "own")


def restore(snapshot: Snapshot, shapes: Any, live_roots: Iterable[tuple[str, Any]], memory: Memory,
            known: Known = Known()) -> tuple[dict[str, Any], Build]:
    """Build what the roots were; live objects are changed in place, the roots not yet bound.

    Args:
        known: what is known to be there.
    Returns:
        The value of each root, to be bound, and the build to `finish` then.
    Raises:
        Cannot: nothing was changed.
        Halfway: some objects were.
    """
    build = Build(snapshot, shapes, memory, known)
    try:
        build.match(live_roots)
        if not build.agrees():
            build = Build(snapshot, shapes, memory, Known(values=known.values))
            build.match(live_roots)
        build.check()
    except Cannot:
        raise
    except Exception as error:   # objects raise what they like
        raise Cannot(f"an object cannot be made again: {error!r}") from error
    try:
        build.fill()
    except Exception as error:
        raise Halfway(f"an object does not take its content: {error!r}") from error
    return {root.name: known.values[root.name] if root.name in known.values else build.get(root.value)
            for root in snapshot.roots}, build
