"""Functions whose `def` alone is run again: where a cell cannot be, a definition has no effect beside its name."""

from __future__ import annotations

import ast
from typing import Any, Iterable

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def define(name: str, codes: Iterable[str], namespace: dict[str, Any]) -> Any:
    """The function that the last of these cells gave a name to; None if it is no plain function, or more was done with it.

    Args:
        codes: the sources of the cells up to a state, the last one first.
        namespace: the function's globals; it keeps its variables.
    """
    for code in codes:
        try:
            tree = ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        if not any(_mentions(each, name) for each in ast.walk(tree)):
            continue
        found = [each for each in tree.body if isinstance(each, _Function) and each.name == name]
        if len(found) == 1 and _is_plain(found[0]) and not _is_changed(tree, found[0], name):
            return _run(found[0], name, namespace)
        if found or _is_changed(tree, None, name):
            return None
    return None


def _mentions(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.alias):
        return node.name == "*" or (node.asname or node.name.partition(".")[0]) == name
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
        return node.name == name
    return isinstance(node, ast.Name) and node.id == name


def _is_plain(function: _Function) -> bool:
    """Whether to define it runs nothing but constants."""
    arguments = function.args
    default = [*arguments.defaults, *(each for each in arguments.kw_defaults if each)]
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]
    return not function.decorator_list and not function.returns and not any(each.annotation for each in every) and all(
        isinstance(each, ast.Constant) for each in default)


def _is_changed(tree: ast.Module, function: _Function | None, name: str) -> bool:
    """Whether code binds a name otherwise, or sets something in what it stands for."""
    for each in ast.walk(tree):
        if each is function:
            continue
        if isinstance(each, ast.Name) and each.id == name and not isinstance(each.ctx, ast.Load):
            return True
        if isinstance(each, (ast.Attribute, ast.Subscript)) and not isinstance(each.ctx, ast.Load) and (
                isinstance(each.value, ast.Name) and each.value.id == name):
            return True
        if not isinstance(each, ast.Name) and _mentions(each, name):
            return True
    return False


def _run(function: _Function, name: str, namespace: dict[str, Any]) -> Any:
    here: dict[str, Any] = {}
    code = compile(ast.Module([function], []), "<cell>", "exec", dont_inherit=True)
    before = namespace.get(name, here)
    exec(code, namespace)
    made = namespace.pop(name)
    if before is not here:
        namespace[name] = before
    return made
