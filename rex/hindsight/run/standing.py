"""Roots that hold the very objects still that they had when they were restored, or walked: found so by identity, root by root.

Models, optimizers and loggers are many objects of which a loop's border changes hardly any. A walk asks each what it holds, and
a restore looks for the place of each; where nothing was bound again, what tensors and arrays have in their memory is left to do.
"""

from __future__ import annotations

import weakref
from gc import get_referents
from itertools import chain
from marshal import dumps
from operator import is_
from typing import Any, Iterable, Iterator, Mapping

from rex.hindsight.capture.graph import Known, Node, RootState, Snapshot, Walk, base_of, key_of, refs_of
from rex.hindsight.capture.interpreter import LOGGERS
from rex.hindsight.capture.restore import Build
from rex.hindsight.capture.shapes import hashes_itself
from rex.hindsight.run.roots import is_copy
from rex.values import dataclass, field

# What is only looked at and never taken hold of has no end that somebody could see too late, nor memory that somebody could want.
_MOST_BYTES = 64 << 20
_LOOKED_AT = frozenset(("object", "function", "list", "dict", "set", "logger"))
_FIXED = frozenset(("global", "opaque", "module", "npscalar", "tuple", "file"))
_FILLED = frozenset(("object", "list", "dict", "logger", "tensor", "storage", "array", "bytes"))


class Standing:
    """Knows the roots of the state that was restored last, once they came again as they were, but for contents."""

    def __init__(self, shapes: Mapping[str, Any]) -> None:
        """Args: shapes: by tag."""
        self._shapes = shapes
        self._last: dict[str, RootState] = {}
        self._trees: dict[str, _Tree | None] = {}     # None: one that cannot be looked at like this
        self._copies: dict[str, _Copy] = {}

    def objects(self, saved: Snapshot, live: Mapping[str, Any]) -> Known:
        """Those live objects that stand for nodes of a saved state, as they stood for the last one's."""
        found = Known()
        for root in saved.roots:
            tree = self.known(root.name, live.get(root.name))
            if isinstance(tree, _Copy):
                if tree.root is root:
                    found.values[root.name] = live[root.name]
            elif tree is not None:
                tree.become(root, found)
        return found

    def known(self, name: str, value: Any) -> _Tree | _Copy | None:
        """A root as it was restored, if it has the same objects."""
        if (copy := self._copies.get(name)) is not None:
            return copy if copy.data and _plain(value) == copy.data else None
        tree = self._trees.get(name)
        return tree if tree is not None and tree.objects[base_of(name)] is value and tree.is_same() else None

    def note(self, saved: Snapshot, values: Mapping[str, Any], build: Build) -> None:
        """A state was restored, with these values."""
        known = build.known
        former, self._last = self._last, {root.name: root for root in saved.roots}
        trees, self._trees = self._trees, {}
        self._copies = {root.name: self._copy_of(root, values[root.name]) for root in saved.roots if is_copy(root.name)}
        for root in saved.roots:
            tree, last = trees.get(root.name), former.get(root.name)
            if tree is not None and base_of(root.name) in known.objects:
                tree.root = root
                if not known.unfilled.isdisjoint(tree.objects):
                    tree.hold()
            elif root.name in self._copies or last is None or not root.nodes or _changes(last, root) is None:
                continue
            elif root.name not in trees or tree is not None:
                tree = _tree_of(root, build.objects, self._shapes)
            self._trees[root.name] = tree

    def met(self, walk: Walk) -> None:
        """A state was walked, not restored: of that plain data and loggers are known from then on, but for what has memory, which
        each checkpoint holds again. Nobody sees that those are held."""
        roots = {root.name: root for root in walk.snapshot.roots if walk.is_plain(root.name) and not any(map(_has_memory, root.nodes))}
        self._copies = {name: self._copy_of(root, walk.objects.get(base_of(name), root.value))
                        for name, root in roots.items() if is_copy(name)}
        root, tree, last = roots.get(LOGGERS), self._trees.get(LOGGERS), self._last.get(LOGGERS)
        if root is not None and (tree is None or tree.root is not root):
            # Without nodes of its own all of it was met from other roots.
            is_again = bool(root.nodes) and last is not None and _changes(last, root) is not None
            self._last = {LOGGERS: root}
            self._trees = {LOGGERS: _tree_of(root, walk.objects, self._shapes) if is_again else None}

    def _copy_of(self, root: RootState, value: Any) -> _Copy:
        last = self._copies.get(root.name)
        return last if last is not None and last.root is root else _Copy(root, _plain(value))


def _plain(value: Any) -> bytes:
    """Plain data as bytes that depend on its value only; nothing of what is none."""
    try:
        return dumps(value, 0)
    except ValueError:
        return b""


@dataclass(slots=True)
class _Copy:
    """A root of plain data that is made again each time."""

    root: RootState
    data: bytes
    keys: dict[Any, int] = field(default_factory=dict)
    outer: dict[Any, int] = field(default_factory=dict)

    def contents(self) -> Iterable[tuple[int, Any, Any]]:
        """Nothing of it may change unseen."""
        return ()


@dataclass(slots=True)
class _Tree:
    """The objects of a root.

    Attributes:
        objects: by number. keys: what a walk knows them by.
        others: objects of other roots that they refer to, by number. outer: what a walk knows these by.
    """

    root: RootState
    objects: dict[int, Any]
    others: dict[int, Any]
    _shapes: Mapping[str, Any]
    keys: dict[Any, int] = field(default_factory=dict)
    outer: dict[Any, int] = field(default_factory=dict)
    _contents: dict[int, Any] = field(default_factory=dict)      # those that may change while they hold the same objects
    _tensors: dict[int, Any] = field(default_factory=dict)
    _seen: list[Any] = field(default_factory=list)               # all of what these hold is compared
    _attributed: list[Any] = field(default_factory=list)
    _loggers: list[Any] = field(default_factory=list)
    _sized: list[tuple[Any, list[Any]]] = field(default_factory=list)     # containers by kind, with what tells their size
    _held: tuple[list[Any], list[Any]] = ([], [])

    def begin(self) -> None:
        """Note what is looked at of them, and that they are as they are to be."""
        self.keys = {key_of(each): number for number, each in self.objects.items()}
        self.outer = {key_of(each): number for number, each in self.others.items()}
        nodes = dict(enumerate(self.root.nodes, base_of(self.root.name)))
        tags = {number: node[0] for number, node in nodes.items()}
        self._contents = {number: each for number, each in self.objects.items()
                          if tags[number] in ("array", "set") or nodes[number][:2] == ("bytes", "a")}
        self._tensors = {number: each for number, each in self.objects.items() if tags[number] == "tensor"}
        self._seen = [each for number, each in self.objects.items() if tags[number] in _LOOKED_AT]
        self._attributed = [each for each in (*self._seen, *self._tensors.values()) if hasattr(each, "__dict__")]
        self._loggers = [each for number, each in self.objects.items() if tags[number] == "logger"]
        self._sized = [(kind.__len__, [each for each in self._seen if isinstance(each, kind)]) for kind in (list, dict, set)]
        self.hold()

    def contents(self) -> Iterator[tuple[int, Any, Any]]:
        """What may have changed."""
        for number, value in self._contents.items():
            yield number, value, None
        for number, value in self._tensors.items():
            yield number, value, self._shapes["tensor"]

    def hold(self) -> None:
        """They are as they are to be now."""
        self._held = self._holdings()

    def is_same(self) -> bool:
        """Whether they hold what they held."""
        (some, told), (others, now) = self._held, self._holdings()
        return told == now and len(some) == len(others) and all(map(is_, some, others))

    def _holdings(self) -> tuple[list[Any], list[Any]]:
        """All that they hold, by identity; how many of that each has, and where tensors have their memory."""
        spaces = [each.__dict__ for each in self._attributed]
        beside = [part for each in self._loggers for part in (each.filters, each.handlers)]
        held = get_referents(*self._seen, *spaces, *beside)
        held += map(type, self._attributed)
        numbers: list[Any] = [len(each) for each in chain(spaces, beside)]
        for length, sized in self._sized:
            numbers += map(length, sized)
        held += chain.from_iterable(map(dict.keys, chain(spaces, self._sized[1][1])))
        place = self._shapes["tensor"].place
        for each in self._tensors.values():
            objects, where = place(each)
            held += objects
            numbers += where
        return held, numbers

    def become(self, root: RootState, found: Known) -> None:
        """Have them known, if they can be what a root is to be, and what of them is to be filled."""
        base, shapes, nodes = base_of(root.name), self._shapes, root.nodes
        changes = _changes(self.root, root)
        if changes is None:
            return
        unfilled = {base + place for place in changes} | self._contents.keys()
        if all(shapes[(node := nodes[number - base])[0]].fits(node, self.objects[number]) for number in unfilled):
            found.objects.update(self.objects)
            found.keys.update(self.keys)
            found.outer.update(self.others)
            found.unput |= self._tensors.keys() - unfilled
            found.unfilled |= unfilled


def _changes(one: RootState, other: RootState) -> list[int] | None:
    """Places of the nodes that differ between two states of a root; None if not the same objects can be both."""
    if one is other:
        return []
    if one.value != other.value or len(one.nodes) != len(other.nodes):
        return None
    found = []
    for place, (node, now) in enumerate(zip(one.nodes, other.nodes)):
        if node is now or node == now and dumps(node, 0) == dumps(now, 0):     # 1, 1.0 and True are equal, but not the same
            continue
        if node[0] == "tensor" and node[:-1] == now[:-1] and len(node) > 13:      # a digest comes last
            continue
        if node[0] not in _FILLED or node[0] != now[0] or refs_of(node) != refs_of(now):
            return None
        found.append(place)
    return found


def _tree_of(root: RootState, objects: Mapping[int, Any], shapes: Mapping[str, Any]) -> _Tree | None:
    """The objects of a root, if all of them can be looked at by identity, and nobody sees that they are held."""
    base = base_of(root.name)
    if not all(map(_is_seen, root.nodes)) or any(hashes_itself(objects[ref[0]]) for node in root.nodes for ref in _keys(node)):
        return None
    own = {number: objects[number] for number in range(base, base + len(root.nodes))}
    if root.name != LOGGERS:     # those are libraries'
        held = [each for each, node in zip(own.values(), root.nodes) if node[0] not in _FIXED]
        if _size(root.nodes) > _MOST_BYTES or any(map(_is_watched, held)):
            return None
    others = {number: objects[number] for node in root.nodes for number in refs_of(node) if number not in own}
    tree = _Tree(root, own, others, shapes)
    tree.begin()
    return tree


def _is_seen(node: Node) -> bool:
    """Whether the live object can only differ from a node by what it refers to, or by what lies in its memory."""
    tag = node[0]
    if tag == "object":      # one with slots may hold the same in other ones
        return not node[4] and (len(node) == 6 or node[6] == "dict" or len(node) == 8)
    if tag == "function":    # closures have cells, whose content is another matter
        return not node[7] and node[5] is None and node[6] is None and not node[4]
    if tag == "file":
        return node[3] is None
    if tag == "tensor":
        return node[2] is not None and bool(node[8])
    if tag == "storage":
        return bool(node[1] == "cpu")
    if tag == "array":
        return node[7] == "memory" and not node[6]
    if tag == "set" or tag == "tuple" and len(node) == 3:         # what it holds is met last, and lies where its content says
        return not refs_of(node)
    return tag in _LOOKED_AT or tag in _FIXED or tag == "bytes"


def _has_memory(node: Node) -> bool:
    """Whether some of what a node describes lies beside it, in the memory of the checkpoint."""
    return node[0] in ("array", "tensor", "storage") or node[0] == "bytes" and len(node) == 4 and node[1] != "c"


def _keys(node: Node) -> list[Any]:
    """The references among the keys of a dict."""
    keys = node[1] if node[0] == "dict" else node[7] if node[0] == "object" and node[6:7] == ("dict",) else ()
    return [key for key in keys if type(key) is tuple]


def _size(nodes: Iterable[Node]) -> int:
    return sum(node[8] if node[0] == "array" else node[2] for node in nodes if node[0] in ("array", "storage"))


def _is_watched(value: Any) -> bool:
    """Whether somebody may see that an object lives longer than it would."""
    return hasattr(type(value), "__del__") or weakref.getweakrefcount(value) > 0
