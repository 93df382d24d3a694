"""Shapes of functions, classes, modules, methods and cells: what code reaches."""

from __future__ import annotations

import builtins
import enum
import importlib
import sys
import types
from typing import Any, Iterable

from rex.hindsight.capture.compiledshapes import CompiledShape
from rex.hindsight.capture.graph import Node, Shape, Walk
from rex.hindsight.capture.shapes import Cannot, fill_dict
from rex.hindsight.instrument.usercode import UserCode
from rex.state.build import is_full
from rex.state.importable import is_importable

_CLASS_NAMES = frozenset("""__dict__ __weakref__ __doc__ __module__ __qualname__ __slots__
    __annotations__ __abstractmethods__ _abc_impl __parameters__ __orig_bases__
    __static_attributes__ __firstlineno__ __match_args__ __dataclass_params__""".split())


# Types in C that say that they are built in, where no such name is.
_NAMELESS = {kind.__name__: kind for kind in vars(types).values() if isinstance(kind, type) and not hasattr(builtins, kind.__name__)}


def find_global(module: str, name: str) -> Any:
    """What a module holds under a dotted name.

    Raises:
        Cannot: there is no such thing.
    """
    try:
        if module == "builtins" and name in _NAMELESS:
            return _NAMELESS[name]
        found: Any = sys.modules.get(module) or importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return found
    except (ImportError, AttributeError) as error:
        raise Cannot(f"{module}.{name} is gone") from error


class FunctionShape(Shape):
    """Functions: code by name (so that changed code stays), the rest by content."""

    tag = "function"

    def __init__(self, user: UserCode, compiled: CompiledShape) -> None:
        self._user, self._compiled = user, compiled

    def save(self, walk: Walk, value: types.FunctionType) -> Node:
        if self._compiled.takes(value):
            return self._compiled.save(walk, value)
        module = value.__module__
        if module not in self._user and is_importable(value):
            return "global", module, value.__qualname__
        cells = walk.refs(self._cells(value))
        home = _home(value)     # functools.wraps names another module
        return ("function", module or "", value.__code__.co_qualname, walk.refs(value.__dict__),
                walk.refs(value.__dict__.values()), walk.ref(value.__defaults__),
                walk.ref(value.__kwdefaults__), cells, self._place(value), value.__name__,
                value.__qualname__, *((home,) if home != module else ()))

    def _cells(self, value: types.FunctionType) -> list[types.CellType]:
        """The cells that it had when it was recorded, in order of their names."""
        cells = dict(zip(value.__code__.co_freevars, value.__closure__ or ()))
        return [cells[name] for name in sorted(self._user.free(value.__code__))]

    def _place(self, value: types.FunctionType) -> int:
        """Which of the functions of that name in its module it is."""
        if "<" not in value.__code__.co_qualname:
            return 0
        code = self._user.instrumented(value.__code__)
        same = self._user.same(_home(value), code.co_qualname)
        return same.index(code) if code in same else -1

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        for name, ref in zip(node[3], node[4]):
            if name in live.__dict__:
                yield ref, live.__dict__[name]
        yield node[5], live.__defaults__
        yield node[6], live.__kwdefaults__
        yield from zip(node[7], self._cells(live))

    def fits(self, node: Node, live: Any) -> bool:
        return (isinstance(live, types.FunctionType) and live.__code__.co_qualname == node[2]
                and len(self._user.free(live.__code__)) == len(node[7])
                and self._place(live) == node[8])

    def make(self, build: Any, node: Node) -> Any:
        if "<" not in node[2] and not node[7]:
            try:
                found = find_global(node[1], node[2])
                if isinstance(found, types.FunctionType) and self.fits(node, found):
                    return found
            except Cannot:
                pass
        home = node[11] if len(node) > 11 else node[1]
        same = self._user.same(home, node[2])
        if not 0 <= node[8] < len(same):
            raise Cannot(f"the function {node[2]} is not found again")
        code = same[node[8]]
        if self._user.fresh(code):
            raise Cannot(f"added statements in {node[2]} look at variables around it")
        cells = dict(zip(sorted(code.co_freevars), map(build.get, node[7])))
        made = types.FunctionType(code, vars(sys.modules[home]), node[9], None,
                                  tuple(cells[name] for name in code.co_freevars) or None)
        made.__module__, made.__qualname__ = node[1], node[10]
        return made

    def fill(self, build: Any, node: Node, value: Any) -> None:
        fill_dict(value.__dict__, build.values(node[3]), build.values(node[4]))
        defaults, keywords = build.get(node[5]), build.get(node[6])
        if not _same_tuple(defaults, value.__defaults__):
            value.__defaults__ = defaults
        if value.__kwdefaults__ is not keywords:
            value.__kwdefaults__ = keywords


def _home(function: types.FunctionType) -> str:
    """The module that holds a function's code."""
    return function.__globals__.get("__name__") or ""


def _same_tuple(one: Any, other: Any) -> bool:
    return one is other or (one is not None and other is not None and len(one) == len(other)
                            and all(a is b for a, b in zip(one, other)))


class GlobalShape(Shape):
    """What a library holds under a name: found again by it, unless it is still there."""

    tag = "global"

    def save(self, walk: Walk, value: Any) -> Node:
        return "global", value.__module__, value.__qualname__

    def make(self, build: Any, node: Node) -> Any:
        live = build.candidate   # the name may have been given to another since
        if (getattr(live, "__module__", None), getattr(live, "__qualname__", None)) == node[1:3]:
            return live
        return find_global(node[1], node[2])


class ClassShape(Shape):
    """Classes: the user's with their attributes, others by name."""

    tag = "class"

    def __init__(self, user: UserCode) -> None:
        self._user = user

    def save(self, walk: Walk, value: type) -> Node:
        if value.__module__ not in self._user:
            if is_importable(value) or _NAMELESS.get(value.__name__) is value:
                return "global", value.__module__, value.__qualname__
            # It was made by exec, or within a function of a library: all that it holds is saved.
        kept = _attributes(value)
        return ("class", value.__module__, value.__qualname__, list(kept), walk.refs(kept.values()))

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        kept = _attributes(live)
        return ((ref, kept[name]) for name, ref in zip(node[3], node[4]) if name in kept)

    def fits(self, node: Node, live: Any) -> bool:
        return isinstance(live, type) and (live.__module__, live.__qualname__) == node[1:3]

    def make(self, build: Any, node: Node) -> Any:
        if "<" in node[2]:
            raise Cannot(f"the class {node[2]} is not found again")
        found = find_global(node[1], node[2])
        if not isinstance(found, type):
            raise Cannot(f"the class {node[2]} is not found again")
        return found

    def fill(self, build: Any, node: Node, value: Any) -> None:
        kept = _attributes(value)
        wanted = dict(zip(node[3], build.values(node[4])))
        for name in kept.keys() - wanted.keys():
            type.__delattr__(value, name)
        for name, item in wanted.items():
            if name not in kept or kept[name] is not item:
                type.__setattr__(value, name, item)


def _attributes(kind: type) -> dict[str, Any]:
    if issubclass(kind, enum.Enum):   # its members, and what was put beside them
        made = vars(enum.Flag).keys() | vars(enum.Enum).keys()
        return {name: item for name, item in vars(kind).items() if name == "_member_map_" or not (
            name.startswith("_") or name in made or name in kind.__members__)}
    return {name: item for name, item in vars(kind).items() if name not in _CLASS_NAMES
            and not isinstance(item, (types.MemberDescriptorType, types.GetSetDescriptorType,
                                      types.BuiltinFunctionType))}


class CellShape(Shape):
    """Cells of closures."""

    tag = "cell"

    def save(self, walk: Walk, value: types.CellType) -> Node:
        return ("cell", walk.ref(value.cell_contents)) if is_full(value) else ("cell",)

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return [(node[1], live.cell_contents)] if len(node) > 1 and is_full(live) else ()

    def fits(self, node: Node, live: Any) -> bool:
        return type(live) is types.CellType

    def make(self, build: Any, node: Node) -> Any:
        return types.CellType()

    def fill(self, build: Any, node: Node, value: Any) -> None:
        if len(node) > 1:
            value.cell_contents = build.get(node[1])
        elif is_full(value):
            del value.cell_contents


class MethodShape(Shape):
    """Bound methods, of classes in Python and in C."""

    tag = "method"

    def save(self, walk: Walk, value: Any) -> Node:
        if isinstance(value, types.MethodType):
            return "method", walk.ref(value.__func__), walk.ref(value.__self__)
        owner = value.__self__
        if owner is None or isinstance(owner, types.ModuleType):
            module = value.__module__ or (owner.__name__ if owner is not None else "builtins")
            is_there = getattr(sys.modules.get(module), value.__name__, None) is value     # as torch.sum, which names a hidden class
            return "global", module, value.__name__ if is_there else value.__qualname__
        return "method", value.__name__, walk.ref(owner)

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        if isinstance(live, types.MethodType) and type(node[1]) is tuple:
            yield node[1], live.__func__
        yield node[2], getattr(live, "__self__", None)

    def make(self, build: Any, node: Node) -> Any:
        owner = build.get(node[2])
        if type(node[1]) is tuple:
            return types.MethodType(build.get(node[1]), owner)
        return getattr(owner, node[1])


class ModuleShape(Shape):
    """Modules as values: by name; the user's are roots of their own."""

    tag = "module"

    def save(self, walk: Walk, value: types.ModuleType) -> Node:
        return "module", value.__name__

    def fits(self, node: Node, live: Any) -> bool:
        return isinstance(live, types.ModuleType) and live.__name__ == node[1]

    def make(self, build: Any, node: Node) -> Any:
        return sys.modules.get(node[1]) or importlib.import_module(node[1])


_WRAPPERS: dict[str, Any] = {"staticmethod": staticmethod, "classmethod": classmethod,
                             "property": property}


class WrapperShape(Shape):
    """staticmethod, classmethod, property."""

    tag = "wrap"

    def save(self, walk: Walk, value: Any) -> Node:
        parts = ((value.fget, value.fset, value.fdel) if isinstance(value, property)
                 else (value.__func__,))
        return "wrap", type(value).__name__, walk.refs(parts)

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        parts = ((live.fget, live.fset, live.fdel) if isinstance(live, property)
                 else (live.__func__,))
        return zip(node[2], parts)

    def fits(self, node: Node, live: Any) -> bool:
        return type(live).__name__ == node[1]

    def make(self, build: Any, node: Node) -> Any:
        return _WRAPPERS[node[1]](*[build.get(ref) for ref in node[2]])
