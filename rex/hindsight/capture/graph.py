"""Walk live objects into plain data: nodes per root, a hash per root, memory apart.

A node is a tuple: its shape's tag, then plain values and references. A plain value (None,
bool, int, float, str, bytes) stands for itself; a reference is a tuple of one number, which names
a node. Nodes are numbered in the order in which a walk from the roots meets their objects, per root,
so that equal states have equal nodes, and the first root that differs can be named.
"""

from __future__ import annotations

import gc
import io
import pickle
from sys import intern
from types import MappingProxyType
from typing import Any, Callable, Container, Iterable, Iterator, Mapping, Protocol

import xxhash

from rex.state.device import settle
from rex.values import dataclass, field

Node = tuple[Any, ...]
Ref = tuple[int]

SCALARS = frozenset({type(None), bool, int, float, str})
LONG_BYTES = 4096   # longer bytes are memory of their own
_NAMES = {"object": 2, "dict": 1}   # where nodes have names of attributes, and keys
_VALUES = {"object": 3, "dict": 2, "list": 1, "tuple": 1}     # and where what these stand for
_ROOT_SHIFT = 32    # the hash of a root's name stands above the numbers of its nodes
# An object's address by another name: every id() reaches audit hooks, ours among them.
_identity = object.__hash__
# Which places of a set without elements were used: by what nobody knows any more, so in each process by others, perhaps. It is
# restored, as elements to come are laid out by it, and not compared.
EMPTIED = "<emptied sets>"
_LEAST_ADDRESS = 1 << 32
_EMPTIED_NAME, _NAME_BYTES = EMPTIED.encode(), 40     # a root's bytes begin with its name


def _identity_at(address: int) -> int:
    """`_identity` of an object at an address: CPython turns it by four bits."""
    turned = address >> 4 | (address & 15) << 60
    return turned - (1 << 64) if turned >> 63 else turned


class Memory(Protocol):
    """What takes the memory of arrays during a walk."""

    def take(self, address: int, size_bytes: int, item_bytes: int = 1) -> Any:
        """Hash (and perhaps keep) memory as it is now, numbers of some size; its digest."""

    def take_device(self, flat: Any, item_bytes: int) -> Any:
        """As `take`, of a tensor of bytes on a device."""


class Shape:
    """How objects of some kinds become nodes, and nodes objects again. By default nothing below is matched, and all is made."""

    tag: str

    def save(self, walk: "Walk", value: Any) -> Node:
        """The node of an object."""
        raise NotImplementedError

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        """References in the node, each with the live object at the same place."""
        return ()

    def fits(self, node: Node, live: Any) -> bool:
        """Whether the live object can take on the node's content (`fill`)."""
        return False

    def make(self, build: Any, node: Node) -> Any:
        """A new object; `fill` follows."""
        raise NotImplementedError

    def fill(self, build: Any, node: Node, value: Any) -> None:
        """Give the object the node's content."""


@dataclass(slots=True)
class RootState:
    """One root as it was: what it is called and all that was met first from it."""

    name: str
    value: Any
    nodes: list[Node]
    digest: bytes = b""
    _encoded: bytes = b""

    def encode(self) -> bytes:
        """Its plain data as bytes, equal for equal states; nothing of it changes from then on."""
        self._encoded = self._encoded or encode_plain((self.name, self.value, self.nodes))
        return self._encoded


class Tree(Protocol):
    """A root as it is known to be, but for some contents.

    Attributes:
        keys: numbers of all its objects by `key_of`. outer: of those of other roots that they refer to.
    """

    root: RootState
    keys: Mapping[Any, int]
    outer: Mapping[Any, int]

    def contents(self) -> Iterable[tuple[int, Any, Any]]:
        """What may have changed: numbers, objects, and their shapes if they can `take` a node's memory; None: to be saved again."""


@dataclass(slots=True)
class Known:
    """Live objects that are known to stand for nodes.

    Attributes:
        objects: by number. keys: their numbers by `key_of`. outer: others that they refer to, by number.
        unfilled: numbers of those that do not have their content. unput: of those that have all but what is in their memory.
        values: of roots that are nobody else's and have theirs, by name.
    """

    objects: dict[int, Any] = field(default_factory=dict)
    keys: dict[Any, int] = field(default_factory=dict)
    outer: dict[int, Any] = field(default_factory=dict)
    unfilled: set[int] = field(default_factory=set)
    unput: set[int] = field(default_factory=set)
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Snapshot:
    """A state: roots in order.

    Attributes:
        opaque: why parts of it cannot be restored unless they did not change, by path.
    """

    roots: list[RootState] = field(default_factory=list)
    opaque: dict[str, str] = field(default_factory=dict)

    def digests(self) -> dict[str, bytes]:
        """The hash of each root by name."""
        for root in self.roots:
            root.digest = root.digest or xxhash.xxh3_128_digest(root.encode())
        return {root.name: root.digest for root in self.roots if root.name != EMPTIED}

    def is_as_encoded(self, data: bytes) -> bool:
        """Whether `encode_snapshot` wrote these bytes of a state like this one; nothing of them is decoded."""
        self.digests()
        return {root.digest for root in self.roots if root.name != EMPTIED} == {
            digest for digest, part in _encoded_roots(data) if _EMPTIED_NAME not in part[:_NAME_BYTES]}

    def nodes(self, without: Container[str] = ()) -> dict[int, Node]:
        """Every node by its number, but those of some roots."""
        return {number: node for root in self.roots if root.name not in without
                for number, node in enumerate(root.nodes, base_of(root.name))}


def base_of(name: str) -> int:
    """The number of a root's first node; it depends on nothing else, so that one root more or
    less does not change the others."""
    return xxhash.xxh3_64_intdigest(name.encode()) << _ROOT_SHIFT


def key_of(value: Any) -> Any:
    """What a walk knows an object by; a storage may be many objects, one after the other."""
    return ("storage", value._cdata) if type(value).__name__ == "UntypedStorage" else _identity(value)


def refs_of(node: Node) -> list[int]:
    """The numbers of the nodes that a node refers to, always in the same order."""
    found: list[int] = []
    queue: list[Any] = list(node[1:])
    while queue:
        part = queue.pop()
        if type(part) is tuple and len(part) == 1 and type(part[0]) is int:
            found.append(part[0])
        elif type(part) in (list, tuple):
            queue.extend(part)
    return found


def encode_plain(value: Any) -> bytes:
    """Plain data as bytes that depend on its value only (a pickle without memo)."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, protocol=4)
    pickler.fast = True
    pickler.dump(value)
    return file.getvalue()


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"plain data names {module}.{name}")


def decode_plain(data: bytes) -> Any:
    """Plain data from bytes of anywhere; nothing is imported or called.

    Raises:
        UnpicklingError: it is no plain data.
    """
    return _PlainUnpickler(io.BytesIO(data)).load()


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """All of a snapshot but its memory."""
    return b"".join(len(part).to_bytes(8, "little") + part
                    for part in (root.encode() for root in snapshot.roots))


def decode_snapshot(data: bytes, known: Mapping[bytes, RootState] = MappingProxyType({})) -> Snapshot:
    """What `encode_snapshot` wrote.

    Args:
        known: roots of other snapshots, by digest: most are as they were.
    Raises:
        UnpicklingError, ValueError: the bytes are no snapshot.
    """
    return Snapshot([known.get(digest) or _decode_root(part, digest) for digest, part in _encoded_roots(data)])


def _decode_root(part: bytes, digest: bytes) -> RootState:
    try:
        name, value, nodes = decode_plain(part)
        name_once(nodes)
    except (EOFError, TypeError, IndexError) as error:
        raise ValueError(f"no snapshot: {error}") from error
    return RootState(name, value, nodes, digest)


def name_once(nodes: Iterable[Node]) -> None:
    """Have one string for each name, as what lives has: they are found to be the same by identity.

    So have strings that a compiler shares: a pickle tells whether two are one object.
    """
    for node in nodes:
        if node[0] in _NAMES:
            names = node[_NAMES[node[0]]]
            names[:] = [intern(each) if type(each) is str else each for each in names]
        if node[0] in _VALUES and str in map(type, values := node[_VALUES[node[0]]]):
            values[:] = [intern(each) if type(each) is str and each.isidentifier() else each for each in values]


def _encoded_roots(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at:at + 8], "little")
        part = data[at + 8:at + 8 + size]
        yield xxhash.xxh3_128_digest(part), part
        at += 8 + size


class Walk:
    """One walk over all roots; shapes call `ref` for what they hold."""

    def __init__(self, shapes: Any, memory: Memory) -> None:
        self.snapshot = Snapshot()
        self.memory = memory
        self._shapes = shapes
        self._numbers: dict[Any, int] = {}
        self._queue: list[tuple[int, Any]] = []
        self._sets: list[tuple[int, Any]] = []   # of the root at hand
        # Sets come last, when what others reach has its numbers: their own order is by address.
        self._late: list[tuple[RootState, list[tuple[int, Any]]]] = []
        self.objects: dict[int, Any] = {}      # by number, temporaries too: ids must stay theirs
        self._next = 0
        self._root = ""
        self._emptied: dict[int, Any] = {}
        self._addresses: list[tuple[str, int]] = []   # numbers that may be some, by the root that they are met from
        self.extents: dict[Any, list[tuple[int, int]]] = {}   # memory taken of each storage

    def ref(self, value: Any) -> Any:
        """What stands for a value within a node."""
        if type(value) in SCALARS:
            if type(value) is int and value >= _LEAST_ADDRESS:
                self._addresses.append((self._root, value))
            return value
        key = _identity(value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._next
            self._next += 1
            self.objects[number] = value
            if isinstance(value, (set, frozenset)):
                self._sets.append((number, value))
            else:
                self._queue.append((number, value))
        return (number,)

    def emptied(self, value: Any, layout: Any) -> None:
        """Note how a set is laid out that has no elements."""
        self._emptied[self._numbers[_identity(value)]] = layout

    def number(self, value: Any) -> int | None:
        """The number of an object that was met."""
        return self._numbers.get(_identity(value))

    def refs(self, values: Iterable[Any]) -> list[Any]:
        """`ref` of each."""
        ref = self.ref
        return [value if (kind := type(value)) in SCALARS and (kind is not int or value < _LEAST_ADDRESS) else ref(value)
                for value in values]

    def named(self, key: Any, value: Any) -> Any:
        """A reference to what many objects may stand for, named by a key (a storage)."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._next
            self._next += 1
            self._queue.append((number, value))
            self.objects[number] = value
        return (number,)

    def is_plain(self, root: str) -> bool:
        """Whether its nodes say all about a root: none is opaque, nor a number that may be an id()."""
        return root not in self.snapshot.opaque and all(name != root for name, _ in self._addresses)

    def opaque(self, why: str) -> None:
        """Note that what is walked now cannot be restored if it changes."""
        self.snapshot.opaque.setdefault(f"{self._root}", why)

    def root(self, name: str, value: Any) -> None:
        """Walk everything that one root reaches and no former one did, but for what sets hold."""
        self._root = name
        self._next = base = base_of(name)
        root = RootState(name, self.ref(value), [])
        if self._next != base:   # it was not met before
            self._drain(root, base)
        self.snapshot.roots.append(root)
        if self._sets:
            self._late.append((root, self._sets))
            self._sets = []

    def known_root(self, tree: Tree) -> bool:
        """Take a root as it is known to be, unless a former root reached one of its objects, or others have other numbers."""
        number_of = self._numbers.get
        if not self._numbers.keys().isdisjoint(tree.keys) or any(number_of(key) != number for key, number in tree.outer.items()):
            return False
        self._numbers.update(tree.keys)
        self._root = tree.root.name
        base = base_of(self._root)
        self._next = base + len(tree.root.nodes)
        now = RootState(self._root, tree.root.value, [*tree.root.nodes])
        for number, value, shape in tree.contents():
            if shape is None:
                self._queue.append((number, value))
            else:
                now.nodes[number - base] = shape.take(self, now.nodes[number - base], value)
        self._drain(now, base)
        self.snapshot.roots.append(tree.root if now.nodes == tree.root.nodes else now)
        return True

    def finish(self) -> None:
        """Walk what sets hold. What is known by its id() has another one in another process."""
        for root, sets in self._late:
            self._root = root.name
            base = base_of(root.name)
            self._next = base + len(root.nodes)
            while sets:
                self._queue.extend(sets)
                self._drain(root, base)
                sets, self._sets = self._sets, []
        if self._emptied:
            told = [[number, *layout] for number, layout in sorted(self._emptied.items())]
            self.snapshot.roots.append(RootState(EMPTIED, told, []))
        for name, number in self._addresses:
            if _identity_at(number) in self._numbers or number in self._numbers:
                self.snapshot.opaque.setdefault(name, "something in it is known by its id(), or the hash that is made of it")

    def _drain(self, root: RootState, base: int) -> None:
        queue, nodes, saving = self._queue, root.nodes, self._shapes.saving
        for number, value in queue:   # which grows
            place = number - base
            if place >= len(nodes):
                nodes += [()] * (self._next - base - len(nodes))
            try:
                nodes[place] = saving[type(value)](self, value)
            except Exception as error:   # objects raise what they like
                self.opaque(f"{type(value).__module__}.{type(value).__qualname__}: {error!r}")
                nodes[place] = "opaque", f"{type(value).__module__}.{type(value).__qualname__}", False
        queue.clear()
        nodes += [()] * (self._next - base - len(nodes))   # of sets


def walk_roots(shapes: Any, memory: Memory, roots: Iterable[tuple[str, Any]],
               known: Callable[[str, Any], Tree | None] = lambda name, value: None,
               met: Callable[[Walk], None] = lambda walk: None) -> Snapshot:
    """The state of all that the named values reach.

    Args:
        known: returns how a root was, if it has the objects that it had.
        met: gets the walk that is over.
    """
    settle()
    # Nodes are many new objects, and new objects make the collector look for cycles, now and then among all that the program
    # has: 0.13 s where torch is imported, though its own steps leave so few objects that it never came to that.
    collects = gc.isenabled()
    gc.disable()
    try:
        walk = Walk(shapes, memory)
        for name, value in roots:
            tree = known(name, value)
            if tree is None or not walk.known_root(tree):
                walk.root(name, value)
        walk.finish()
        met(walk)
        return walk.snapshot
    finally:
        if collects:
            if gc.get_count()[0] > gc.get_threshold()[0]:
                gc.collect(0)     # of the new ones alone, which are so no more
            gc.enable()
