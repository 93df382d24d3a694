"""Shapes of random generators, iterators, files, locks, and of what pickles by itself."""

from __future__ import annotations

import functools
import gc
import io
import itertools
import os
import pickle
import random
import sys
import threading
import types
from typing import Any, Container, Iterable

from rex.hindsight.capture.graph import Node, Shape, Walk
from rex.hindsight.capture.shapes import Cannot, attribute_pairs, put_attributes, reduction, what_led_to


class RandomShape(Shape):
    """Random generators of the standard library, numpy and torch, with their position."""

    tag = "random"

    def save(self, walk: Walk, value: Any) -> Node:
        owner = _owner(value)
        return "random", walk.ref(type(value)), *(("global", owner) if owner else _random_state(walk, value))

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        yield node[1], type(live)
        if node[2] == "generator":
            yield node[3], live.bit_generator
        elif node[2] == "bits":
            yield node[4], getattr(live, "seed_seq", None)
        elif node[2] == "python" and len(node) > 4:
            yield from attribute_pairs(node[4], node[5], vars(live))

    def fits(self, node: Node, live: Any) -> bool:
        return node[2] != "generator" and _owner(live) == (node[3] if node[2] == "global" else "")

    def make(self, build: Any, node: Node) -> Any:
        kind = build.get(node[1])
        if node[2] == "global":
            return _GLOBAL[node[3]](sys.modules[node[3]])
        if node[2] == "generator":
            source = build.get(node[3])
            live = build.candidate
            if live is not None and getattr(live, "bit_generator", None) is source:
                return live
            return kind(source)
        return kind(device=node[3]) if node[2] == "torch" else kind()

    def fill(self, build: Any, node: Node, value: Any) -> None:
        if node[2] == "python":
            random.Random.setstate(value, node[3])
            if len(node) > 4:
                put_attributes(value, dict(zip(node[4], build.values(node[5]))), _beside_state(value))
        elif node[2] == "bits":
            source = build.get(node[4])
            if source is None or value.seed_seq is source:
                value.state = unplain(node[3])
            else:   # since numpy 2
                value.__setstate__((unplain(node[3]), source))
        elif node[2] == "legacy":
            value.set_state(unplain(node[3]))
        elif node[2] == "torch":
            torch = sys.modules["torch"]
            value.set_state(torch.frombuffer(bytearray(node[4]), dtype=torch.uint8))


# The generators that libraries draw from by themselves: their state is kept apart.
_GLOBAL: dict[str, Any] = {"random": lambda module: module._inst, "numpy.random": lambda module: module.mtrand._rand,
                           "torch": lambda module: getattr(module, "default_generator", None)}


def _owner(value: Any) -> str:
    """The library whose global generator this is; "" if it is the program's own."""
    return next((name for name, find in _GLOBAL.items() if name in sys.modules and find(sys.modules[name]) is value), "")


def _random_state(walk: Walk, value: Any) -> tuple[Any, ...]:
    if isinstance(value, random.SystemRandom):
        return ("system",)
    if isinstance(value, random.Random):
        own = _beside_state(value)
        state = random.Random.getstate(value)
        return ("python", state, walk.refs(own), walk.refs(own.values())) if own else ("python", state)
    if hasattr(value, "bit_generator"):
        return "generator", walk.ref(value.bit_generator)
    if hasattr(value, "get_state") and type(value).__name__ == "RandomState":
        return "legacy", plain(value.get_state(legacy=False))
    if hasattr(value, "initial_seed"):
        return "torch", str(value.device), value.get_state().numpy().tobytes()
    return "bits", plain(value.state), walk.ref(getattr(value, "seed_seq", None))   # it counts what was spawned


def _beside_state(value: Any) -> dict[str, Any]:
    """Attributes of a generator of a class of the program's own."""
    return {name: item for name, item in vars(value).items() if name != "gauss_next"}


def plain(value: Any) -> Any:
    """The state of a bit generator as what compares."""
    if isinstance(value, dict):
        return ("dict", [(key, plain(item)) for key, item in value.items()])
    if hasattr(value, "tobytes"):
        return ("array", value.dtype.str, value.tobytes())
    return value


def unplain(value: Any) -> Any:
    """What `plain` was given."""
    if isinstance(value, tuple) and value[0] == "dict":
        return {key: unplain(item) for key, item in value[1]}
    if isinstance(value, tuple) and value[0] == "array":
        import numpy
        return numpy.frombuffer(value[2], value[1]).copy()
    return value


class ReduceShape(Shape):
    """What tells by itself how it is made again, as pickle does."""

    tag = "reduce"

    def save(self, walk: Walk, value: Any) -> Node:
        try:
            reduced = reduction(value)
        except Exception as error:   # objects raise what they like
            return opaque_node(walk, value, str(error))
        if isinstance(reduced, str):
            return "global", pickle.whichmodule(value, reduced), reduced
        if not isinstance(reduced, tuple) or len(reduced) > 5 or any(
                type(part).__name__ == "method-wrapper" for part in reduced[:1]):
            return opaque_node(walk, value, "it pickles in an unusual way")
        function, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
        keys, values = zip(*pairs) if pairs is not None and (pairs := list(pairs)) else ((), ())
        node = ("reduce", walk.ref(function), walk.refs(arguments or ()), walk.ref(state),
                walk.refs(items or ()), walk.refs(keys), walk.refs(values))
        return (*node, walk.refs(before)) if (before := what_led_to(value)) else node

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        if not hasattr(live, "__next__"):
            return ()   # what it is made from may be copied: then it must be whole when it is made
        try:
            reduced = reduction(live)
        except Exception:
            return ()
        if not isinstance(reduced, tuple) or len(reduced) < 2:
            return ()
        state = reduced[2] if len(reduced) > 2 else None
        return [*zip(node[2], reduced[1] or ()), (node[3], state)]

    def make(self, build: Any, node: Node) -> Any:
        live = build.candidate
        if live is not None and build.is_same_reduction(node, live):
            return live
        function = build.get(node[1])
        if function in (iter, reversed):   # it moves once what it looks at has its content
            made = function(build.get(node[2][0]))
            if node[3] is not None:
                build.after(lambda: made.__setstate__(node[3]))
            return made
        if getattr(function, "__module__", "") == "itertools" or function in _LAZY:
            made = function(*[build.get(ref) for ref in node[2]])
            if node[3] is not None:
                made.__setstate__(build.get(node[3]))
            return made
        arguments = [build.whole(ref) for ref in node[2]]
        is_error = isinstance(function, type) and issubclass(function, BaseException)
        # What an exception of the program's wants to be made from need not be what it keeps.
        made = function.__new__(function, *arguments) if is_error and isinstance(
            function.__init__, types.FunctionType) else function(*arguments)
        if node[3] is not None:
            _set_state(made, build.whole(node[3]))
        for ref in node[4]:
            made.append(build.whole(ref))
        for key, ref in zip(node[5], node[6]):
            made[build.whole(key)] = build.whole(ref)
        if len(node) > 7:
            made.__context__, made.__cause__, made.__suppress_context__ = map(build.whole, node[7])
        return made


# They look at what they are made from only when they are used.
_LAZY = (enumerate, zip, map, filter, functools.partial)


def _set_state(made: Any, state: Any) -> None:
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    slots: dict[str, Any] = {}
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
    if state:
        made.__dict__.update(state)
    for name, value in (slots or {}).items():
        setattr(made, name, value)


class CycleShape(Shape):
    """itertools.cycle: pickled by itself it forgets that its first turn is over."""

    tag = "cycle"

    def save(self, walk: Walk, value: Any) -> Node:
        _, (iterator,), (items, is_turning) = value.__reduce__()
        if not is_turning:
            return "cycle", walk.ref(iterator), walk.refs(items)
        return "cycle", None, walk.refs(items), len(items) - iterator.__length_hint__()

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        _, (iterator,), (items, is_turning) = live.__reduce__()
        yield from zip(node[2], items)
        if not is_turning:
            yield node[1], iterator

    def make(self, build: Any, node: Node) -> Any:
        items = [build.get(ref) for ref in node[2]]
        if node[1] is not None:
            made = itertools.cycle(build.get(node[1]))
            made.__setstate__((items, False))
            return made
        made = itertools.cycle(items)
        for _ in range(len(items) + (node[3] or len(items))):   # past its first turn, to where it stood
            next(made)
        return made


def opaque_node(walk: Walk, value: Any, why: str) -> Node:
    """The node of what nobody can look into: its state is then not complete."""
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    walk.opaque(f"{name}: {why}" if why else name)
    return "opaque", name, False


class OpaqueShape(Shape):
    """What is kept as it lives: locks, loggers, progress bars, running threads, unknown things."""

    tag = "opaque"

    def save(self, walk: Walk, value: Any) -> Node:
        return "opaque", f"{type(value).__module__}.{type(value).__qualname__}", True

    def fits(self, node: Node, live: Any) -> bool:
        return bool(node[2]) and f"{type(live).__module__}.{type(live).__qualname__}" == node[1]

    def make(self, build: Any, node: Node) -> Any:
        if node[2] and node[1] in ("_thread.lock", "_thread.RLock"):
            return threading.Lock() if node[1] == "_thread.lock" else threading.RLock()
        raise Cannot(f"{node[1]} cannot be restored")


class ProcessShape(OpaqueShape):
    """Child processes, sockets, halves of a tee: their state is elsewhere."""

    def save(self, walk: Walk, value: Any) -> Node:
        return opaque_node(walk, value, "its state is elsewhere")


class LoaderShape(OpaqueShape):
    """Iterators of torch's data loaders that have worker processes."""

    def save(self, walk: Walk, value: Any) -> Node:
        advice = ("; without persistent_workers=True its loop can be skipped" if getattr(value, "_persistent_workers", False) else "")
        return opaque_node(walk, value, f"its worker processes have random numbers and data of their own{advice}")


class SuspendedShape(Shape):
    """Generators and coroutines: kept if they stand where they stood, else not restorable."""

    tag = "suspended"

    def save(self, walk: Walk, value: Any) -> Node:
        frame = _frame(value)
        if frame is None:
            return "suspended", value.__qualname__, None, []
        return "suspended", value.__qualname__, frame.f_lasti, walk.refs(_inside(value))

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return zip(node[3], _inside(live)) if _frame(live) is not None else ()

    def fits(self, node: Node, live: Any) -> bool:
        frame = _frame(live)
        return getattr(live, "__qualname__", None) == node[1] and (
            frame.f_lasti if frame is not None else None) == node[2]

    def make(self, build: Any, node: Node) -> Any:
        if node[2] is None:
            return (_ for _ in ())
        raise Cannot(f"the generator {node[1]} has moved on")

    def check(self, build: Any, node: Node, live: Any) -> None:
        """Refuse unless all that it holds is what it held, or can be given back in place.

        Raises:
            Cannot: it has moved on.
        """
        if node[2] is None:
            return
        held = _inside(live)
        if len(held) != len(node[3]) or not all(map(build.will_be, node[3], held)):
            raise Cannot(f"the generator {node[1]} has moved on")


def _frame(value: Any) -> Any:
    for name in ("gi_frame", "cr_frame", "ag_frame"):
        if hasattr(value, name):
            return getattr(value, name)
    return None


def _inside(value: Any) -> list[Any]:
    """Locals and evaluation stack of a suspended generator.

    Nones at the end do not count: one comes last as soon as something that it calls has caught an exception.
    """
    held = [item for item in gc.get_referents(value)
            if not isinstance(item, (types.CodeType, types.FrameType))]
    while held and held[-1] is None:
        held.pop()
    return held


class FileShape(Shape):
    """Open files: kept open, at the position that they had."""

    tag = "file"

    def save(self, walk: Walk, value: Any) -> Node:
        name, mode = getattr(value, "name", None), getattr(value, "mode", "")
        if isinstance(name, int) and name <= 2:
            return "file", name, "", None
        try:
            if value.closed:
                return "file", "", "", -1
            if isinstance(name, int) and value.writable():
                return opaque_node(walk, value, "a file without a name")
            if value.writable():
                value.flush()
            position = value.tell() if value.seekable() else None
        except (OSError, ValueError) as error:
            return opaque_node(walk, value, str(error))
        if position is None:
            return opaque_node(walk, value, "it cannot seek")
        return "file", os.fspath(name) if isinstance(name, (str, os.PathLike)) else str(name), \
            mode, position

    def fits(self, node: Node, live: Any) -> bool:
        if node[3] is None:
            return getattr(live, "name", None) == node[1]
        if node[3] == -1 or live.closed:
            return bool(live.closed) and node[3] == -1
        return str(getattr(live, "name", "")) == node[1]

    def make(self, build: Any, node: Node) -> Any:
        if node[3] is None:
            return (sys.stdin, sys.stdout, sys.stderr)[node[1]]
        if node[3] == -1:
            made = io.TextIOWrapper(io.BytesIO())
            made.close()
            return made
        raise Cannot(f"the open file {node[1]} is not found again")

    def fill(self, build: Any, node: Node, value: Any) -> None:
        if node[3] is not None and node[3] >= 0 and not value.closed:
            build.after(lambda: _seek(value, node[3]))


def _seek(value: Any, position: int) -> None:
    if value.tell() != position:
        value.seek(position)


class EnumShape(Shape):
    """Members of enumerations, by name; combined flags by value."""

    tag = "enum"

    def save(self, walk: Walk, value: Any) -> Node:
        kind = type(value)
        is_member = value.name in kind.__members__
        own = _put_beside(value)
        return ("enum", walk.ref(kind), value.name, None if is_member else walk.ref(value.value), walk.refs(own),
                walk.refs(own.values()))

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return [(node[1], type(live)), *attribute_pairs(node[4], node[5], _put_beside(live))]

    def make(self, build: Any, node: Node) -> Any:
        kind = build.get(node[1])
        return kind[node[2]] if node[3] is None else kind(build.get(node[3]))

    def fill(self, build: Any, node: Node, value: Any) -> None:
        put_attributes(value, dict(zip(node[4], build.values(node[5]))), _put_beside(value))


def _put_beside(member: Any) -> dict[str, Any]:
    """Attributes that a program gave to a member."""
    return {name: item for name, item in vars(member).items() if not name.startswith("_")}


def is_logger(kind: type) -> bool:
    """Whether instances are loggers."""
    logging = sys.modules.get("logging")
    return logging is not None and issubclass(kind, logging.Logger)


def is_kept(kind: type, user: Container[object]) -> bool:
    """Whether instances stay as they live: they lead out of the program, or keep nothing of it."""
    logging = sys.modules.get("logging")
    if logging is not None and issubclass(kind, logging.Handler) and kind.__module__ not in _OF_LOGGING and kind.__module__ not in user:
        return True   # of a library's: it may lead anywhere
    names = {f"{base.__module__}.{base.__qualname__}" for base in kind.__mro__}
    return bool(names & _KEPT)


_OF_LOGGING = ("logging", "logging.handlers")
_KEPT = {"_thread.lock", "_thread.RLock", "_csv.writer", "builtins.code",
         "torch.utils.tensorboard.writer.SummaryWriter",
         "builtins.getset_descriptor", "builtins.member_descriptor", "builtins.wrapper_descriptor",
         "builtins.method_descriptor", "builtins.classmethod_descriptor", "builtins.method-wrapper"}
