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
    for owner, attribute in (store for node in ast.walk(tree) for store in stores(node)):
        root, *path = dotted(owner).split(".")
        value = namespace.get(root)
        if isinstance(value, types.ModuleType) or isinstance(value, (type, types.FunctionType)) and is_importable(value):
            name = value.__name__ if isinstance(value, types.ModuleType) else f"{value.__module__}.{value.__qualname__}"
            found.add(".".join(filter(None, (name, *path, attribute))))
    return sorted(found - _RESTORED)


def stores(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """What a node sets something in, and which attribute of it; "" for its items."""
    if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
        yield node.value, node.attr if isinstance(node, ast.Attribute) else ""
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SETTERS and len(
            node.args) > 1 and isinstance(node.args[1], ast.Constant):
        yield node.args[0], str(node.args[1].value)


def dotted(node: ast.AST) -> str:
    """The name `a.b.c`; "" of any other expression."""
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return node.id if isinstance(node, ast.Name) else ""
