"""Have the user's own modules rewritten when they are imported, and look at libraries then."""

from __future__ import annotations

import importlib.machinery
import os
import sys
import sysconfig
import types
from typing import Any, Callable, Mapping, Sequence

Prepare = Callable[[str, str, types.ModuleType], types.CodeType]
Meet = Callable[[types.ModuleType], None]

_LIBRARIES = tuple(path for key in ("stdlib", "platstdlib", "purelib", "platlib")
                   if (path := sysconfig.get_paths().get(key)))


def is_users(path: str, tops: tuple[str, ...]) -> bool:
    """Whether a source file is the user's: below the script's folder, and not installed."""
    if "site-packages" in path or path.startswith(_LIBRARIES):
        return False   # most are: no link need be followed for them
    path = os.path.realpath(path)
    return (any(path.startswith(top + os.sep) for top in tops)
            and not path.startswith(_LIBRARIES) and "site-packages" not in path
            and "dist-packages" not in path)


class _Loader(importlib.machinery.SourceFileLoader):
    prepare: Prepare

    def exec_module(self, module: types.ModuleType) -> None:
        code = self.prepare(module.__name__, self.path, module)
        exec(code, vars(module))


class _LibraryLoader(importlib.machinery.SourceFileLoader):
    meet: Meet

    def exec_module(self, module: types.ModuleType) -> None:
        super().exec_module(module)
        self.meet(module)


class Finder:
    """Finds modules in place of the usual finder on the path, and rewrites the user's."""

    def __init__(self, tops: tuple[str, ...], prepare: Prepare, libraries: Mapping[str, Meet]) -> None:
        """
        Args:
            tops: folders, as real paths, whose modules are the user's.
            prepare: gives a module's code by name, path and the module about to run.
            libraries: what is called, by name, with one that was imported.
        """
        self._tops, self._prepare, self._libraries = tops, prepare, libraries

    def find_spec(self, fullname: str, path: Sequence[str] | None,
                  target: types.ModuleType | None = None) -> Any:
        """The spec of a module, None if it is not on the path."""
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or not spec.origin:
            return spec
        if is_users(spec.origin, self._tops):
            spec.loader = _Loader(fullname, spec.origin)
            spec.loader.prepare = self._prepare
        elif fullname in self._libraries:
            spec.loader = _LibraryLoader(fullname, spec.origin)
            spec.loader.meet = self._libraries[fullname]
        return spec

    def install(self) -> None:
        """Be asked in place of the finder on the path; built-in modules come before."""
        usual = importlib.machinery.PathFinder
        place = sys.meta_path.index(usual) if usual in sys.meta_path else len(sys.meta_path)
        sys.meta_path.insert(place, self)   # type: ignore[arg-type]
