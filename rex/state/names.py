"""Which names a cell could have touched, read from its code objects."""

from __future__ import annotations

import ast
import sys
import sysconfig
import types
from typing import Any, Iterable, Mapping

# Code that says one of these can reach any variable: by name at run time, through
# frames and modules, or later, from another thread.
ALL_POWERFUL = frozenset("""
    exec eval compile globals locals vars __main__ __dict__ __globals__ __builtins__ __import__
    get_ipython run_cell run_line_magic run_cell_magic f_globals f_locals
    gc ctypes importlib _getframe currentframe modules sys
    threading _thread Thread Timer ThreadPoolExecutor concurrent joblib asyncio
    logging warnings sched contextvars register seterrcall
    signal atexit settrace setprofile pickle cloudpickle dill runpy weakref
""".split())

# Libraries that keep nothing of what they are given: calling them touches
# only what the cell names.
QUIET = frozenset(sys.stdlib_module_names) | {"numpy", "pandas", "scipy", "polars", "pyarrow"}

_PATHS = tuple(p for key in ("stdlib", "platstdlib", "purelib", "platlib")
               if (p := sysconfig.get_paths().get(key)))
_codes: dict[int, tuple[types.CodeType, frozenset[str]]] = {}
_MAX_CODES = 4096


def names_of(code: types.CodeType) -> frozenset[str]:
    """All names in a code object and in the code within it; attributes count too."""
    known = _codes.get(id(code))
    if known is not None:
        return known[1]
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= names_of(constant)
        elif constant == "__main__":
            found.add("__main__")
    if code.co_flags & (0x80 | 0x200):   # coroutines: others run while this one waits
        found.add("asyncio")
    if len(_codes) >= _MAX_CODES:
        _codes.clear()
    names = frozenset(found)
    _codes[id(code)] = (code, names)   # kept: the id would be given away again
    return names


def names_in_source(source: str) -> frozenset[str] | None:
    """The names in a cell's source; None when it could touch anything.

    Source that is no plain Python (magics that nobody translated) could.
    """
    try:
        code = compile(source, "<cell>", "exec", dont_inherit=True,
                       flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names = names_of(code)
    return None if names & ALL_POWERFUL else names


def reaches_everything(names: Iterable[str], *namespaces: Mapping[str, Any]) -> bool:
    """Whether one of the names is, or comes from, a module that could hold any variable.

    Those are modules that the user wrote: they are neither in the standard
    library nor installed as a package.
    """
    return any(_is_user_module(root) for root in roots_of(names, *namespaces))


def roots_of(names: Iterable[str], *namespaces: Mapping[str, Any]) -> set[str]:
    """Top packages of the modules, classes and functions that the names stand for."""
    found: set[str] = set()
    for name in names:
        if name.partition(".")[0] in sys.modules:
            found.add(name.partition(".")[0])
        for namespace in namespaces:
            value = namespace.get(name)
            if isinstance(value, types.ModuleType):
                found.add(value.__name__.partition(".")[0])
            elif isinstance(value, type) or callable(value):
                origin = getattr(value, "__module__", None)
                if isinstance(origin, str):
                    found.add(origin.partition(".")[0])
    found.discard("__main__")
    return found


def _is_user_module(root: str) -> bool:
    if root in sys.builtin_module_names or root in sys.stdlib_module_names:
        return False
    module = sys.modules.get(root)
    path = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    return isinstance(path, str) and not path.startswith(_PATHS)
