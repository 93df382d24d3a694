"""What the user's code puts into libraries: attributes that it sets on their modules and classes, their containers."""

from __future__ import annotations

import ast
import sys
import types
from collections import OrderedDict, defaultdict, deque
from typing import Any, Container, Iterator

from rex.state.outside import dotted, stores

LENT = "<lent> "     # no variable can have such a name
_CONTAINERS = (list, dict, set, deque, OrderedDict, defaultdict)
# They lead out of the program, or are kept in other ways.
_APART = frozenset(("sys.modules", "sys.path", "os.environ", "sys.stdout", "sys.stderr", "sys.stdin"))
_PATH, _FILTERS = f"{LENT}sys.path", ("warnings", "filters", "")


def find_lent(tree: ast.AST, added: Container[ast.AST]) -> set[tuple[str, str, str]]:
    """Module, path within it and attribute ("": a container) of everything that code may put into what it imports.

    Args:
        added: statements that are left out.
    """
    nodes = list(_walk(tree, added))
    names = {name: found for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))
             for name, found in _imported(node)}
    found = set()
    for node in nodes:
        called = [(node.func.value, "")] if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else []
        for base, attribute in (*stores(node), *called):     # a method may change what it is called on
            root, _, path = dotted(base).partition(".")
            if root in names:
                module, within = names[root]
                found.add((module, ".".join(filter(None, (within, path))), attribute))
    if any(module == "warnings" for module, _ in names.values()):
        found.add(_FILTERS)
    return {each for each in found if ".".join(filter(None, each)) not in _APART}


def _walk(node: ast.AST, added: Container[ast.AST]) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if child not in added:
            yield from _walk(child, added)


def _imported(node: Any) -> Iterator[tuple[str, tuple[str, str]]]:
    """The names that an import binds, each with the module and the path within it."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            if node.module and not node.level:
                yield alias.asname or alias.name, (node.module, alias.name)
        elif alias.asname:
            yield alias.asname, (alias.name, "")
        else:
            yield alias.name.partition(".")[0], (alias.name.partition(".")[0], "")


class Lent:
    """The places in libraries that the user's modules may change."""

    def __init__(self, users: Container[str]) -> None:
        """Args: users: the user's modules: what belongs to them is state anyway."""
        self._users = users
        self._places: set[tuple[str, str, str]] = set()
        self._path = list(sys.path)

    def begin(self) -> None:
        """The script begins: what the search path has now is none of its doing."""
        self._path = list(sys.path)

    def add(self, places: set[tuple[str, str, str]]) -> None:
        """Look at these too."""
        self._places |= places

    def pairs(self) -> Iterator[tuple[str, Any]]:
        """What they hold, by name; none of what is not there."""
        if sys.path != self._path:   # entries from the beginning by place: a replay may run elsewhere
            yield _PATH, [self._path.index(each) if each in self._path else each for each in sys.path]
        for place in sorted(self._places):
            owner, name = self._owner(*place)
            if owner is None:
                continue
            value = getattr(owner, name, _NONE)
            if value is not _NONE and (place[2] or type(value) in _CONTAINERS):
                yield LENT + ".".join(filter(None, place)), value

    def bind(self, values: dict[str, Any]) -> None:
        """Let them hold these values, or nothing."""
        here = dict(enumerate(self._path))
        path = [here.get(each, each) for each in values.get(_PATH, here)]
        if path != sys.path:
            sys.path[:] = path
        if _FILTERS in self._places:
            getattr(sys.modules.get("warnings"), "_filters_mutated", int)()
        for place in sorted(self._places):
            owner, name = self._owner(*place)
            if owner is None:
                continue
            wanted = values.get(LENT + ".".join(filter(None, place)), _NONE)
            live = getattr(owner, name, _NONE)
            if wanted is live or wanted is _NONE and not place[2]:
                continue
            if wanted is _NONE:
                delattr(owner, name)
            else:
                setattr(owner, name, wanted)

    def _owner(self, module: str, path: str, attribute: str) -> tuple[Any, str]:
        """What holds a place, and under which name; None if there is no such thing of a library's."""
        if not attribute:
            path, _, attribute = path.rpartition(".")
        found: Any = sys.modules.get(module)
        for part in filter(None, path.split(".")):
            found = getattr(found, part, None)
        name = found.__name__ if isinstance(found, types.ModuleType) else getattr(found, "__module__", None)
        is_users = not isinstance(name, str) or name in self._users
        # An instance may be anybody's; those that variables hold are state anyway.
        is_known = isinstance(found, (types.ModuleType, type, types.FunctionType))
        return (None if found is None or is_users or not is_known else found), attribute


_NONE = object()
