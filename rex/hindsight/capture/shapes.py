"""Shapes of plain containers and of instances of Python classes."""

from __future__ import annotations

import copyreg
import ctypes
import functools
import sys
import threading
import types
from collections import OrderedDict, defaultdict, deque
from operator import is_
from sys import intern
from typing import Any, Iterable

from rex.hindsight.capture.graph import LONG_BYTES, SCALARS, Node, Shape, Walk
from rex.hindsight.capture.setlayout import FRESH, Layout, fill_as, is_stable, layout_of

_HEAP_TYPE = 1 << 9
_POINTER_BYTES = 8
_NEW_TYPE = type(int.__new__)

# Built-in bases whose content is saved beside the attributes of an instance.
CONTAINERS: dict[type, str] = {dict: "dict", list: "list", set: "set", OrderedDict: "dict",
                               defaultdict: "dict", deque: "list"}
_BARE = (object, types.SimpleNamespace, threading.local)   # have no content beside them: a local those of its thread
PLAIN_BASES = (int, float, str, bytes, complex)


def solid_base(kind: type) -> type:
    """The innermost class in C that lays out the instances of a class."""
    for base in kind.__mro__:
        if not base.__flags__ & _HEAP_TYPE or base is threading.local or not _is_in_python(base):
            return base
        new = base.__dict__.get("__new__")
        if isinstance(new, _NEW_TYPE) and getattr(new, "__self__", None) is base:
            return base
    return object


def _is_in_python(kind: type) -> bool:
    """Whether a heap type was made by a class statement: it then has room for its slots and no more."""
    own = vars(kind)
    members = sum(isinstance(each, types.MemberDescriptorType) for each in own.values())
    if members and "__slots__" not in own:
        return False
    room = _POINTER_BYTES * (members + ("__dict__" in own) + ("__weakref__" in own))
    return kind.__basicsize__ - (kind.__base__ or object).__basicsize__ <= room


class Cannot(Exception):
    """A state cannot be made the live one; nothing was changed."""


def reduction(value: Any) -> Any:
    """How an object tells that it is made again, as pickle asks it."""
    known = copyreg.dispatch_table.get(type(value))
    reduced = known(value) if known is not None else value.__reduce_ex__(4)
    state = reduced[2] if isinstance(reduced, tuple) and len(reduced) > 2 else None
    # Who looks at the attributes of these makes a dict of none, where there was no dict.
    if isinstance(value, BaseException) and state == {}:
        return (*reduced[:2], None, *reduced[3:])
    if isinstance(value, functools.partial) and type(state) is tuple and state[3:] == ({},):
        return (*reduced[:2], (*state[:3], None), *reduced[3:])
    return reduced


def what_led_to(value: Any) -> tuple[Any, ...]:
    """Of an exception: those that it was raised in and from, and whether the first is shown; () if there are none."""
    if not isinstance(value, BaseException) or value.__context__ is value.__cause__ is None and not value.__suppress_context__:
        return ()
    return value.__context__, value.__cause__, value.__suppress_context__


def set_content(walk: Walk, value: set[Any] | frozenset[Any]) -> tuple[list[Any], Layout | None]:
    """References to the elements in their order, and where they are; sorted, and None, if that is another in each process."""
    base: Any = set if isinstance(value, set) else frozenset
    if not base.__len__(value):
        if base is set and (layout := layout_of(value)) and layout != FRESH:
            walk.emptied(value, layout)
        return [], None
    layout = layout_of(value) if all(map(is_stable, base.__iter__(value))) else None
    return walk.refs(base.__iter__(value) if layout else set_items(walk, value)), layout


def set_items(walk: Walk | None, value: set[Any] | frozenset[Any]) -> list[Any]:
    """The elements in an order that depends on their values, or on how they were met."""
    if not all(type(item) in SCALARS for item in value):
        return sorted(value, key=lambda item: _order(walk, item))
    try:
        return sorted(value, key=lambda item: (type(item).__name__, item))
    except TypeError:   # None twice
        return sorted(value, key=repr)


def _order(walk: Walk | None, item: Any) -> tuple[Any, ...]:
    number = walk.number(item) if walk else None
    if number is not None:
        return 0, number, "", ""
    shallow = [(name, repr(part)) for name, part in getattr(item, "__dict__", {}).items()
               if type(part) in SCALARS]
    is_plain = type(item) in SCALARS or type(item) is tuple and all(type(part) in SCALARS for part in item)
    return 1, 0, type(item).__qualname__, repr(shallow or (item if is_plain else ""))


class ListShape(Shape):
    """list, and the content of its subclasses and of deques."""

    tag = "list"

    def save(self, walk: Walk, value: Any) -> Node:
        return "list", walk.refs(value)

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return item_pairs(node[1], live)

    def fits(self, node: Node, live: Any) -> bool:
        return type(live) is list

    def make(self, build: Any, node: Node) -> Any:
        return []

    def fill(self, build: Any, node: Node, value: Any) -> None:
        fill_list(value, build.values(node[1]))


def item_pairs(refs: list[Any], live: Iterable[Any]) -> Iterable[tuple[Any, Any]]:
    """References to items that were saved, beside the items that are there now; plain items (the state of a generator) are none."""
    return zip(refs, live) if tuple in map(type, refs) else ()


def fill_list(value: Any, items: list[Any]) -> None:
    """Make a list or deque hold these very objects."""
    if len(value) == len(items) and all(map(is_, value, items)):
        return
    if isinstance(value, deque):
        deque.clear(value)
        deque.extend(value, items)
    else:
        list.__setitem__(value, slice(None), items)


class DictShape(Shape):
    """dict; keys keep their order."""

    tag = "dict"

    def save(self, walk: Walk, value: Any) -> Node:
        return ("dict", walk.refs(value), walk.refs(dict.values(value))) if value else ("dict", [], [])

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        if tuple not in map(type, node[1]):
            return attribute_pairs(node[1], node[2], live)
        found, keys = [], list(dict.keys(live))
        for place, (key, ref) in enumerate(zip(node[1], node[2])):
            if type(key) is not tuple:
                found += attribute_pairs((key,), (ref,), live)
            elif place < len(keys):
                found += [(key, keys[place]), (ref, dict.__getitem__(live, keys[place]))]
        return found

    def fits(self, node: Node, live: Any) -> bool:
        return type(live) is dict

    def make(self, build: Any, node: Node) -> Any:
        return {}

    def fill(self, build: Any, node: Node, value: Any) -> None:
        fill_dict(value, build.keys(node[1]), build.values(node[2]))


def hashes_itself(key: Any) -> bool:
    """Whether a key's hash may depend on its content, which others may have given to it only now."""
    kind = type(key)
    if kind is tuple or kind is frozenset:
        return any(map(hashes_itself, key))
    if kind in SCALARS or kind is bytes or kind.__hash__ is object.__hash__:
        return False
    torch = sys.modules.get("torch")
    return not (hasattr(torch, "Tensor") and kind.__hash__ is torch.Tensor.__hash__)     # it is their id()


def attribute_pairs(names: Iterable[str], refs: Iterable[Any], own: dict[str, Any]) -> list[tuple[Any, Any]]:
    """References to attributes of an object (items of a dict) that were saved, beside what it has of them now."""
    return [(ref, dict.__getitem__(own, name)) for name, ref in zip(names, refs) if type(ref) is tuple and dict.__contains__(own, name)]


def put_attributes(value: Any, wanted: dict[str, Any], own: Iterable[str]) -> None:
    """Give an object these attributes in place of its own ones of these names; others stay."""
    for name in set(own) - wanted.keys():
        del vars(value)[name]
    vars(value).update(wanted)


def fill_dict(value: Any, keys: list[Any], items: list[Any]) -> None:
    """Make a dict hold these very keys and values, in order."""
    if not SCALARS.issuperset(map(type, keys)) and any(map(hashes_itself, keys)) or len(value) != len(keys) \
            or not all(map(is_, value, keys)) and not all(map(_same_key, value, keys)):
        _fill_anew(value, keys, items)
    elif not all(map(is_, dict.values(value), items)):
        for key, item in zip(keys, items):   # readers that iterate keep their place
            dict.__setitem__(value, key, item)


def _fill_anew(value: Any, keys: list[Any], items: list[Any]) -> None:
    if isinstance(value, OrderedDict):
        OrderedDict.clear(value)
        for key, item in zip(keys, items):
            OrderedDict.__setitem__(value, key, item)
        return
    dict.clear(value)
    # Names are one object wherever they are written; a pickle tells whether they are.
    dict.update(value, zip([intern(key) if type(key) is str and key.isidentifier() else key for key in keys], items))


def _same_key(one: Any, other: Any) -> bool:
    return one is other or type(one) is type(other) and type(one) in (str, int, bool, float) and one == other


class SetShape(Shape):
    """set."""

    tag = "set"

    def save(self, walk: Walk, value: Any) -> Node:
        return "set", *set_content(walk, value)

    def fits(self, node: Node, live: Any) -> bool:
        return type(live) is set

    def make(self, build: Any, node: Node) -> Any:
        return set()

    def fill(self, build: Any, node: Node, value: Any) -> None:
        fill_set(value, build.keys(node[1]), node[2])


def fill_set(value: set[Any], items: list[Any], layout: Layout | None) -> None:
    """Make a set hold these objects."""
    if layout is not None:
        fill_as(value, items, layout)
    elif len(value) != len(items) or any(map(hashes_itself, items)) or not all(item in value for item in items):
        set.clear(value)
        set.update(value, items)


class TupleShape(Shape):
    """tuple and frozenset: made once their items are there."""

    tag = "tuple"

    def save(self, walk: Walk, value: Any) -> Node:
        if type(value) is frozenset:
            return "tuple", *set_content(walk, value)
        return "tuple", walk.refs(value)

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return item_pairs(node[1], live) if isinstance(live, tuple) else ()

    def make(self, build: Any, node: Node) -> Any:
        items = build.values(node[1])
        if len(node) == 2:
            return tuple(items)
        made = frozenset(build.whole(ref) if hashes_itself(item) else item for ref, item in zip(node[1], items))
        if node[2] is not None and items:
            fill_as(made, items, node[2])
        return made


class BytesShape(Shape):
    """bytes, bytearray and complex."""

    tag = "bytes"

    def save(self, walk: Walk, value: Any) -> Node:
        if type(value) is complex:
            return "bytes", "c", value.real, value.imag
        letter = "b" if type(value) is bytes else "a"
        if len(value) < LONG_BYTES:
            return "bytes", letter, bytes(value)
        return "bytes", letter, len(value), take_bytes(walk, value)

    def fits(self, node: Node, live: Any) -> bool:
        return node[1] == "a" and type(live) is bytearray

    def make(self, build: Any, node: Node) -> Any:
        if node[1] == "c":
            return complex(node[2], node[3])
        data = node[2] if len(node) == 3 else build.read(node[3])
        return data if node[1] == "b" else bytearray(data)

    def fill(self, build: Any, node: Node, value: Any) -> None:
        if node[1] == "a":
            value[:] = node[2] if len(node) == 3 else build.read(node[3])


def take_bytes(walk: Walk, value: Any) -> bytes:
    """Hash the memory of a bytes-like object."""
    # Not by numpy: loaded by us alone, its modes would be taken for the script's.
    if type(value) is bytes:
        address = ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p).value or 0
        return walk.memory.take(address, len(value), 0)
    held = (ctypes.c_char * len(value)).from_buffer(value)
    return walk.memory.take(ctypes.addressof(held), len(value), 0)


def _plain_iter(value: Any) -> Any:
    """The items of a list, tuple or deque, whatever its class makes of iterating."""
    base = next(base for base in (list, tuple, deque) if isinstance(value, base))
    return base.__iter__(value)


class ObjectShape(Shape):
    """Instances whose state is their attributes, their slots, and a built-in container's content."""

    tag = "object"

    def __init__(self) -> None:
        self._slots: dict[type, list[tuple[str, Any]]] = {}
        self._bases: dict[type, type] = {}

    def takes(self, kind: type) -> bool:
        """Whether nothing of such an instance lies hidden in C."""
        base = self._base(kind)
        return base in _BARE or base is tuple or base in CONTAINERS or base in PLAIN_BASES

    def _base(self, kind: type) -> type:
        found = self._bases.get(kind)
        if found is None:
            found = self._bases[kind] = solid_base(kind)
        return found

    def _members(self, kind: type) -> list[tuple[str, Any]]:
        found = self._slots.get(kind)
        if found is None:
            found = self._slots[kind] = [
                (name, member) for base in kind.__mro__ for name, member in vars(base).items()
                if isinstance(member, types.MemberDescriptorType) and base.__flags__ & _HEAP_TYPE]
        return found

    def save(self, walk: Walk, value: Any) -> Node:
        kind = type(value)
        attributes = self.attributes(value)
        names: list[str] = []
        items: list[Any] = []
        for name, member in self._members(kind):
            try:
                items.append(member.__get__(value))
                names.append(name)
            except AttributeError:
                pass
        node = ("object", walk.ref(kind), walk.refs(attributes) if attributes else [],
                walk.refs(attributes.values()) if attributes else [], names, walk.refs(items) if items else [])
        base = self._bases.get(kind) or self._base(kind)
        return node if base in _BARE else (*node, *self._content(walk, value, base))

    def attributes(self, value: Any) -> dict[str, Any] | None:
        """Those that are state."""
        return getattr(value, "__dict__", None)

    def _content(self, walk: Walk, value: Any, base: Any) -> tuple[Any, ...]:
        if base is deque:
            return "list", walk.refs(deque.__iter__(value)), walk.ref(value.maxlen)
        if base is list:
            return "list", walk.refs(list.__iter__(value))
        if base is set:
            return "set", *set_content(walk, value)
        if base is tuple:
            return "tuple", walk.refs(tuple.__iter__(value))
        if base in PLAIN_BASES:
            return "plain", walk.ref(base(value))
        factory = [walk.ref(value.default_factory)] if base is defaultdict else []
        if not dict.__len__(value):
            return "dict", [], [], *factory
        return ("dict", walk.refs(base.keys(value)), walk.refs(base.values(value)), *factory)

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        found = [(node[1], type(live)), *attribute_pairs(node[2], node[3], getattr(live, "__dict__", None) or {})]
        members = dict(self._members(type(live))) if node[4] else {}
        for name, ref in zip(node[4], node[5]):
            try:
                found.append((ref, members[name].__get__(live)))
            except (KeyError, AttributeError):
                pass
        if len(node) > 7 and node[6] == "dict":
            found += DictShape().pairs(("dict", node[7], node[8]), live)
        elif len(node) > 7 and node[6] in ("list", "tuple"):
            found += item_pairs(node[7], _plain_iter(live))
        return found

    def fits(self, node: Node, live: Any) -> bool:
        return len(node) < 7 or node[6] in ("dict", "list", "set")

    def make(self, build: Any, node: Node) -> Any:
        kind = build.get(node[1])
        base = solid_base(kind)
        content = node[6] if len(node) > 6 else ""
        if content == "tuple":
            return tuple.__new__(kind, build.values(node[7]))
        if content == "plain":
            return base.__new__(kind, build.get(node[7]))
        value = base.__new__(kind)
        if base is deque:
            deque.__init__(value, (), build.get(node[8]))
        elif base in (OrderedDict, list, set):
            base.__init__(value)
        return value

    def fill(self, build: Any, node: Node, value: Any) -> None:
        if node[2] or getattr(value, "__dict__", None):
            fill_dict(value.__dict__, build.values(node[2]), build.values(node[3]))
        if members := self._members(type(value)):
            _fill_slots(build, value, dict(members), dict(zip(node[4], node[5])))
        content = node[6] if len(node) > 6 else ""
        if content == "dict":
            if len(node) > 9:
                value.default_factory = build.get(node[9])
            fill_dict(value, build.keys(node[7]), build.values(node[8]))
        elif content == "list":
            fill_list(value, build.values(node[7]))
        elif content == "set":
            fill_set(value, build.keys(node[7]), node[8])


def _fill_slots(build: Any, value: Any, members: dict[str, Any], slots: dict[str, Any]) -> None:
    for name, member in members.items():
        if name in slots:
            member.__set__(value, build.get(slots[name]))
        else:
            try:
                member.__delete__(value)
            except AttributeError:
                pass
