"""What a cell's source says once IPython has translated it: magics, and what they could touch."""

from __future__ import annotations

import ast
import re
from typing import Callable

# Cells and lines that run a statement: what the statement names is what they name.
_RUNNING = frozenset("time timeit prun capture memit mprun lprun".split())
# They read variables at most.
_HARMLESS = frozenset("""
    rex matplotlib pylab config pwd ls ll cat less man who whos who_ls psearch pinfo pinfo2 pdoc psource pdef pfile
    pip conda uv mamba history hist notebook precision logstart logstop doctest_mode colors xmode lsmagic
    magic quickref alias unalias env set_env cd dhist bookmark pushd popd dirs system sx sc html HTML svg SVG
    latex markdown javascript js bash sh script perl ruby writefile file timeit_only load_ext reload_ext
    unload_ext gui pprint page clear cls connect_info qtconsole tb
""".split())
_QUESTIONS = ("pinfo", "pinfo2", "psearch")
_SHELL_CALLS = frozenset({"system", "getoutput"})
# Names that reach former outputs, and so any object.
_FORMER = re.compile(r"Out|_oh|_{1,3}|_\d+")

Transform = Callable[[str], str]


class _Magics(ast.NodeTransformer):
    """Puts in the place of each magic what it could touch; `is_wide` if nobody can tell."""

    def __init__(self, transform: Transform) -> None:
        self._transform = transform
        self.is_wide = False
        self.code: list[ast.AST] = []   # of the statements that magics run

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call)
                and isinstance(node.func.value.func, ast.Name)
                and node.func.value.func.id == "get_ipython"):
            return node
        texts = [a.value for a in node.args if isinstance(a, ast.Constant)
                 and isinstance(a.value, str)]
        if node.func.attr in _SHELL_CALLS:
            return ast.Constant(None)
        if node.func.attr not in ("run_line_magic", "run_cell_magic") or len(texts) != len(node.args):
            self.is_wide = True
            return node
        return self._magic(node, *texts)

    def _magic(self, node: ast.Call, name: str, line: str = "", body: str = "") -> ast.AST:
        if name in _RUNNING:
            statement = body or re.sub(r"^(\s*-\w+(\s+\d+)?)+", "", line).strip()
            try:
                tree = ast.parse(self._transform(statement))
            except SyntaxError:
                self.is_wide = True
                return node
            inner = _Magics(self._transform)
            tree = inner.visit(tree)
            self.is_wide |= inner.is_wide
            self.code += [tree, *inner.code]
            return ast.Constant(None)
        if name not in _HARMLESS:
            self.is_wide = True
        return ast.Constant(None)


class Source:
    """One cell.

    Attributes:
        code: as it runs, magics translated; without our own commands and questions.
        named: source that names all that the cell could touch.
        is_wide: it could touch anything.
        is_empty: it holds nothing but our own commands and questions.
    """

    def __init__(self, transformed: str, transform: Transform) -> None:
        self.code, self.named, self.is_wide, self.is_empty = transformed, transformed, False, False
        try:
            tree = ast.parse(transformed)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.is_empty = not transformed.strip()
            return
        kept = [statement for statement in tree.body if not _is_ours(statement)]
        self.is_empty = not kept
        if len(kept) < len(tree.body):
            self.code = ast.unparse(ast.Module(kept, []))
        self.is_wide = any(isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
                           and _FORMER.fullmatch(node.id) for node in ast.walk(tree))
        if "get_ipython" in transformed:
            self._look_into_magics(kept, transform)
        else:
            self.named = self.code

    def _look_into_magics(self, statements: list[ast.stmt], transform: Transform) -> None:
        magics = _Magics(transform)
        tree = ast.parse(ast.unparse(ast.Module(statements, [])))
        tree = magics.visit(tree)
        parts = [tree, *magics.code]
        self.named = "\n".join(ast.unparse(ast.fix_missing_locations(part)) for part in parts)
        self.is_wide |= magics.is_wide


def _is_ours(statement: ast.stmt) -> bool:
    """Whether a statement is a command of ours, or a question (`name?`), and nothing else."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
            and value.func.attr == "run_line_magic" and bool(value.args)
            and isinstance(value.args[0], ast.Constant) and value.args[0].value in ("rex", *_QUESTIONS))


def head_of(code: str, width: int = 60) -> str:
    """The first line that says something, cut to a width."""
    lines = [line.strip() for line in code.splitlines() if line.strip()]
    first = next((line for line in lines if not line.startswith("#")), lines[0] if lines else "")
    more = len(lines) > 1 and not first.endswith("…")
    text = first + (" …" if more else "")
    return text if len(text) <= width else text[:width - 1] + "…"
