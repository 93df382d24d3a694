"""What a cell's source sets outside of the namespace: attributes and items of modules, and of classes found by name."""

from __future__ import annotations

import ast
import types
from typing import Any, Iterator, Mapping

from rex.state.importable import is_importable

_RESTORED = {"os.environ"}     # by rex.state.environment
_SETTERS = ("setattr", "delattr")


def set_outside(code: str, namespace: Mapping[str, Any]) -> list[str]:
    """Dotted names of what code sets in modules and importable classes; their values are no part of a state."""
    if "=" not in code and "del" not in code and "setattr" not in code:
        return []
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = set()
    for owner, attribute in _stores(tree):
        root, *path = _dotted(owner)
        value = namespace.get(root)
        if isinstance(value, types.ModuleType) or isinstance(value, (type, types.FunctionType)) and is_importable(value):
            name = value.__name__ if isinstance(value, types.ModuleType) else f"{value.__module__}.{value.__qualname__}"
            found.add(".".join([name, *path, *attribute]))
    found -= _RESTORED
    return sorted(found)


def _stores(tree: ast.AST) -> Iterator[tuple[ast.AST, list[str]]]:
    """What is changed, and the attribute of it; none where items are."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.value, [node.attr] if isinstance(node, ast.Attribute) else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SETTERS and len(
                node.args) > 1 and isinstance(node.args[1], ast.Constant):
            yield node.args[0], [str(node.args[1].value)]


def _dotted(node: ast.AST) -> list[str]:
    """The names of `a.b.c`; an empty one where the expression is another."""
    if isinstance(node, ast.Attribute):
        return [*_dotted(node.value), node.attr]
    return [node.id] if isinstance(node, ast.Name) else [""]
