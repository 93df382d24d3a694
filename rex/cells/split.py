"""Cuts a notebook or a script into cells.

This module runs inside recorded experiments too: it imports nothing of Rex.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import re
import tokenize
from dataclasses import dataclass
from typing import Any

NOTEBOOK, SCRIPT = "notebook", "script"

_PYTHON = re.compile(r"i?python(\d(\.\d+)?)?", re.IGNORECASE)
_MARK = re.compile(r"^#\s*%%")
_TIMED = re.compile(r"^\s*%%?(?:time|timeit|prun)\b", re.MULTILINE)
_IGNORED_TOKENS = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}


class SplitError(ValueError):
    """The file is no notebook and no script."""


@dataclass(frozen=True)
class Cell:
    """A unit of running and checkpointing.

    Attributes:
        source: its text.
        first, last: scripts: the top-level statements that it holds, as a range.
        may_raise: the notebook says that it is to raise.
    """

    source: str
    first: int = 0
    last: int = 0
    may_raise: bool = False


def split(path: str, data: bytes) -> tuple[str, list[Cell]]:
    """The kind of a program, and its cells.

    Raises:
        SplitError: what is wrong with the file, in one line.
    """
    if path.endswith(".ipynb"):
        return NOTEBOOK, split_notebook(data)
    return SCRIPT, split_script(data)


def split_notebook(data: bytes) -> list[Cell]:
    """The code cells of a notebook (nbformat 4) that are not empty."""
    try:
        notebook = json.loads(data)
        if notebook["nbformat"] != 4:
            raise SplitError(f"nbformat {notebook['nbformat']} is not 4")
        if language := _other_language(notebook.get("metadata") or {}):
            raise SplitError(f"its language is {language}, not Python")
        cells = [_notebook_cell(cell) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, SplitError):
            raise
        raise SplitError(f"it is no notebook ({type(error).__name__}: {error})") from error
    found = [cell for cell in cells if cell.source.strip()]
    if not found:
        raise SplitError("it has no code")
    return found


def _other_language(metadata: dict[str, Any]) -> str:
    """The language of a notebook if any of its metadata names one that is not Python; else ""."""
    kernel, info = metadata.get("kernelspec") or {}, metadata.get("language_info") or {}
    told = [kernel.get("language"), info.get("name"), info.get("pygments_lexer"), metadata.get("language")]
    named = [str(each) for each in told if each]
    if not named and kernel:      # names of kernels are free: conda-env-analysis-py, ir, julia-1.10
        names = [str(kernel[each]) for each in ("name", "display_name") if kernel.get(each)]
        return "" if not names or any("py" in each.lower() for each in names) else names[-1]
    return next((each for each in named if not _PYTHON.fullmatch(each)), "")


def _notebook_cell(cell: dict[str, Any]) -> Cell:
    source = cell["source"]
    tags = cell.get("metadata", {}).get("tags", [])
    return Cell(source if isinstance(source, str) else "".join(source),
                may_raise="raises-exception" in tags)


def split_script(data: bytes) -> list[Cell]:
    """The top-level statements of a script, grouped; never inside a function or control flow.

    Marks (`# %%`) decide where there are any. Otherwise imports stand together, and so do
    definitions, and assignments that call nothing; any other statement is a cell.
    """
    try:
        text = io.TextIOWrapper(
            io.BytesIO(data), tokenize.detect_encoding(io.BytesIO(data).readline)[0]).read()
        body = ast.parse(data).body
    except (SyntaxError, UnicodeDecodeError) as error:
        raise SplitError(f"it is no Python ({error})") from error
    if not body:
        raise SplitError("it has no statements")
    lines = text.splitlines(keepends=True)
    marks = [number for number, line in enumerate(lines, 1) if _MARK.match(line)]
    cuts = _cuts_at_marks(body, marks) if marks else _cuts_by_kind(body)
    bounds = [*cuts, len(body)]
    starts = [_first_line(body[at]) for at in cuts] + [len(lines) + 1]
    return [Cell("".join(lines[starts[i] - 1:starts[i + 1] - 1]), bounds[i], bounds[i + 1])
            for i in range(len(cuts))]


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)])


def _cuts_at_marks(body: list[ast.stmt], marks: list[int]) -> list[int]:
    """Statement numbers where cells begin: the first one after each mark."""
    cuts = {0}
    for mark in marks:
        after = next((i for i, s in enumerate(body) if _first_line(s) > mark), None)
        if after is not None:
            cuts.add(after)
    return sorted(cuts)


def _cuts_by_kind(body: list[ast.stmt]) -> list[int]:
    cuts, before = [], ""
    for place, statement in enumerate(body):
        kind = _kind(statement, place)
        if kind != before or kind == "other":
            if not (before == "docstring" and kind == "import"):
                cuts.append(place)
        before = kind
    return cuts


def _kind(statement: ast.stmt, place: int) -> str:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return "import"
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return "definition"
    if place == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return "docstring"
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        if not any(isinstance(node, (ast.Call, ast.Await)) for node in ast.walk(statement)):
            return "constant"
    return "other"


def code_hash(source: str) -> str:
    """sha256 of what a cell does: comments, blank lines and trailing blanks do not count."""
    return hashlib.sha256("\n".join(_tokens(source)).encode("utf-8", "surrogatepass")).hexdigest()


def _tokens(source: str) -> list[str]:
    """The tokens that count; of a text that Python cannot read (magics), its non-blank lines."""
    try:
        found = []
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in _IGNORED_TOKENS:
                continue
            text = {tokenize.INDENT: "INDENT", tokenize.DEDENT: "DEDENT",
                    tokenize.NEWLINE: "NEWLINE"}.get(token.type, token.string)
            found.append(f"{token.type}:{text}")
        ast.parse(source)
        return found
    except (SyntaxError, ValueError):
        # A line that begins with # is a comment to IPython too, but inside a %%magic it is the
        # magic's own: there all lines count.
        lines = [line.rstrip() for line in source.splitlines()]
        is_magic = source.lstrip().startswith("%%")
        return ["raw"] + [line for line in lines
                          if is_magic or (line and not line.lstrip().startswith("#"))]


def is_timed(source: str) -> bool:
    """Whether the cell prints how long it took (%time and the like)."""
    return bool(_TIMED.search(source))
