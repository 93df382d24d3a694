"""Whether an expression that runs holds values that it got before: no checkpoint has them, nor can they be put back."""

from __future__ import annotations

import ast
import itertools
import types

_HOLDS_NOTHING = (ast.NamedExpr, ast.Await, ast.UnaryOp, ast.IfExp, ast.BoolOp, ast.Attribute, ast.Starred, ast.keyword,
                  ast.FormattedValue, ast.withitem, ast.Return, ast.Expr, ast.If, ast.While, ast.For, ast.With, ast.Assert)


def is_waiting(frame: types.FrameType, tree: ast.AST) -> bool:
    """Whether the statement that calls from this frame holds values of which variables may be changed now.

    `total += train()` holds the total of before. What cannot be decided counts as held.
    """
    place = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), None)
    path = _path(tree, place) if place is not None and None not in place else []
    return not path or any(_holds(around, within) for around, within in zip(path, path[1:]))


def is_within_context(frame: types.FrameType, tree: ast.AST, after_line: int = 0) -> bool:
    """Whether a frame is within a `with` (below a line) whose context manager may keep something of its beginning."""
    first, line = max(frame.f_code.co_firstlineno, after_line + 1), frame.f_lineno or 0
    return any(first <= node.lineno <= line <= (node.end_lineno or 0) and not getattr(node, "is_fence", False)
               and not all(_keeps_nothing(item.context_expr) for item in node.items)
               for node in ast.walk(tree) if isinstance(node, (ast.With, ast.AsyncWith)))


# Modes and files: they are state by themselves.
_NO_KEEPERS = frozenset("no_grad enable_grad inference_mode autocast open suppress nullcontext tqdm trange".split())


def _keeps_nothing(manager: ast.expr) -> bool:
    called = manager.func if isinstance(manager, ast.Call) else manager
    return getattr(called, "attr", getattr(called, "id", "")) in _NO_KEEPERS


def _path(tree: ast.AST, place: tuple[int | None, ...]) -> list[ast.AST]:
    """From the statement at a place in the source down to the call there; empty if there is no such call."""
    queue: list[tuple[ast.AST, list[ast.AST]]] = [(tree, [])]
    while queue:
        node, above = queue.pop()
        path: list[ast.AST] = [node] if isinstance(node, ast.stmt) else [*above, node]
        if isinstance(node, ast.Call) and place == (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset):
            return path
        queue += [(child, path) for child in ast.iter_child_nodes(node)]
    return []


def _holds(around: ast.AST, within: ast.AST) -> bool:
    if isinstance(around, (ast.Assign, ast.AnnAssign)):
        return around.value is not within     # the value comes first
    if isinstance(around, ast.BinOp):
        return within is around.right and not isinstance(around.left, ast.Constant)
    if isinstance(around, ast.Call):
        return within is not around.func and not _is_first(around, within)
    return not isinstance(around, _HOLDS_NOTHING)


def _is_first(call: ast.Call, within: ast.AST) -> bool:
    """Whether a call holds nothing but constants, beside what it calls: that is an object, and taken on in place."""
    before = list(itertools.takewhile(lambda each: each is not within, [*call.args, *call.keywords]))
    called: ast.AST = call.func
    while isinstance(called, ast.Attribute):
        called = called.value
    return isinstance(called, ast.Name) and all(isinstance(each, ast.Constant) for each in before)
