"""Have the user's own modules rewritten when they are imported, and look at libraries then."""

from __future__ import annotations

import gc
import importlib.machinery
import os
import site
import sys
import threading
import types
from typing import Any, Callable, Mapping, Sequence

from rex.hindsight.trainers import trainer_of

Prepare = Callable[[str, str, types.ModuleType], types.CodeType]
Meet = Callable[[types.ModuleType], None]

_NEVER = 1 << 30
LIBRARIES = (os.path.dirname(os.__file__), *site.getsitepackages())     # as sysconfig has them, which takes long to say so


def is_users(path: str, tops: tuple[str, ...]) -> bool:
    """Whether a source file is the user's: below the script's folder, and not installed."""
    if "site-packages" in path or path.startswith(LIBRARIES):
        return False   # most are: no link need be followed for them
    path = os.path.realpath(path)
    return (any(path.startswith(top + os.sep) for top in tops)
            and not path.startswith(LIBRARIES) and "site-packages" not in path
            and "dist-packages" not in path)


class Unhurried:
    """Has the collector leave what is old alone while a library is imported: what is new it looks through as ever.

    What libraries make then stays, and to look through all of it time and again is a seventh of what the import of torch takes.
    """

    def __init__(self) -> None:
        self._usual: tuple[int, int, int] | None = None
        self._thread = threading.get_ident()     # that of the script: while another imports, a state may be looked at

    @property
    def is_unhurried(self) -> bool:
        """Whether a library is imported."""
        return self._usual is not None

    def run(self, load: Callable[[], None]) -> None:
        """Import a library, and those that it imports."""
        if self.is_unhurried or threading.get_ident() != self._thread:
            load()
            return
        usual = gc.get_threshold()
        self._begin(usual)
        try:
            load()
        finally:
            self._end(usual)

    def run_users(self, load: Callable[[], None]) -> None:
        """Import a module of the user's, perhaps for a library that is imported: its loops find all as they set it."""
        usual = self._usual
        if usual is None:
            load()
            return
        self._end(usual)
        try:
            load()
        finally:
            if gc.get_threshold() == usual:
                self._begin(usual)

    def _begin(self, usual: tuple[int, int, int]) -> None:
        self._usual = usual
        gc.set_threshold(*usual[:2], _NEVER)

    def _end(self, usual: tuple[int, int, int]) -> None:
        self._usual = None
        if gc.get_threshold() == (*usual[:2], _NEVER):    # else the library has set what it wants
            gc.set_threshold(*usual)
            if gc.isenabled() and 0 < usual[2] < gc.get_count()[2]:     # once, and not in a loop of the user's
                gc.collect()


class _Loader(importlib.machinery.SourceFileLoader):
    prepare: Prepare
    collector: Unhurried

    def exec_module(self, module: types.ModuleType) -> None:
        code = self.prepare(module.__name__, self.path, module)
        self.collector.run_users(lambda: exec(code, vars(module)))


class _TrainerLoader(importlib.machinery.SourceFileLoader):
    prepare: Prepare
    collector: Unhurried

    def exec_module(self, module: types.ModuleType) -> None:
        code = self.prepare(module.__name__, self.path, module)
        self.collector.run(lambda: exec(code, vars(module)))


class _LibraryLoader(importlib.machinery.SourceFileLoader):
    meet: Meet | None
    collector: Unhurried

    def exec_module(self, module: types.ModuleType) -> None:
        self.collector.run(lambda: super(_LibraryLoader, self).exec_module(module))
        if self.meet:
            self.meet(module)


class Finder:
    """Finds modules in place of the usual finder on the path, and rewrites the user's."""

    def __init__(self, tops: tuple[str, ...], prepare: Prepare, prepare_trainer: Prepare, libraries: Mapping[str, Meet]) -> None:
        """
        Args:
            tops: folders, as real paths, whose modules are the user's.
            prepare: gives a module's code by name, path and the module about to run.
            prepare_trainer: the same of modules of libraries that hold training loops.
            libraries: what is called, by name, with one that was imported.
        """
        self._tops, self._prepare, self._prepare_trainer, self._libraries = tops, prepare, prepare_trainer, libraries
        self._collector = Unhurried()

    def find_spec(self, fullname: str, path: Sequence[str] | None,
                  target: types.ModuleType | None = None) -> Any:
        """The spec of a module, None if it is not on the path."""
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or not spec.origin:
            return spec
        if is_users(spec.origin, self._tops):
            spec.loader = _Loader(fullname, spec.origin)
            spec.loader.prepare, spec.loader.collector = self._prepare, self._collector
        elif trainer_of(fullname) is not None:
            spec.loader = _TrainerLoader(fullname, spec.origin)
            spec.loader.prepare, spec.loader.collector = self._prepare_trainer, self._collector
        elif fullname in self._libraries or not self._collector.is_unhurried:
            spec.loader = _LibraryLoader(fullname, spec.origin)
            spec.loader.meet, spec.loader.collector = self._libraries.get(fullname), self._collector
        return spec

    def install(self) -> None:
        """Be asked in place of the finder on the path; built-in modules come before."""
        usual = importlib.machinery.PathFinder
        place = sys.meta_path.index(usual) if usual in sys.meta_path else len(sys.meta_path)
        sys.meta_path.insert(place, self)   # type: ignore[arg-type]
