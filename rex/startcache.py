"""The modules of short commands, read from one file of the cache: to find each of them on `sys.path` takes as long as to run it.

The file is for one Python with one `sys.path`. It holds the code of each module with the time and size of its source; a module whose
source has others now is imported as usual. So is everything where the file is missing, damaged or not this user's alone.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import ExtensionFileLoader, SourceFileLoader

from rex.cacheplace import cache_root, is_private

TYPE_CHECKING = False   # of typing, whose import takes long
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Sequence

DIRECTORY = "modules-3"
_LEAST_NEW = 5          # modules that are worth writing the file again
_MOST_FILES = 20        # for other Pythons and other paths; with more all are made again
_SIZE_BYTES = 8         # the file begins with the index's size; the index follows, then the code
# Path, mtime_ns and size of a module's file; where its compiled code is by convention; whether it is a package; where its marshalled
# code begins behind the index, and its size: 0 for an extension.
_Kept = tuple[str, int, int, str | None, bool, int, int]


class _KeptLoader(SourceFileLoader):
    """Loads a module from the code that was kept."""

    def __init__(self, name: str, path: str, code: memoryview) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        """The module's code."""
        code: CodeType = marshal.loads(self._code)
        return code


class _Finder:
    """Finds what is in the file, and unchanged since."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._code = memoryview(b"")
        self.kept: dict[str, _Kept] = {}
        self.found: set[str] = set()

    def open(self) -> None:
        """Read the file, if there is one and nobody else may write it."""
        try:
            if is_private(os.path.dirname(self._path)):
                with open(self._path, "rb") as file:
                    size = int.from_bytes(file.read(_SIZE_BYTES), "little")
                    self.kept = marshal.loads(file.read(size))
                    self._code = memoryview(file.read())
        except (OSError, ValueError, EOFError, TypeError):
            pass

    def code_of(self, name: str) -> memoryview:
        """The marshalled code of a module; shorter than it was if the file was cut off."""
        at, size = self.kept[name][-2:]
        return self._code[at:at + size]

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None) -> ModuleSpec | None:
        """As importlib asks it of a finder."""
        if name not in self.kept:
            return None
        path, mtime_ns, size, cached, is_package, _, code_size = self.kept[name]
        if _times_of(path) != (mtime_ns, size):
            return None
        loader: SourceFileLoader | ExtensionFileLoader = ExtensionFileLoader(name, path)
        if code_size:
            if len(code := self.code_of(name)) < code_size:
                return None
            loader = _KeptLoader(name, path, code)
        spec = ModuleSpec(name, loader, origin=path, is_package=is_package)
        spec.has_location, spec.cached = True, cached
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(path))
        self.found.add(name)
        return spec


_finder: _Finder | None = None
_before: frozenset[str] = frozenset()   # modules that were there when we began
_is_kept = False                        # the cache was there then: the only command that has it need not write it


def _times_of(path: str) -> tuple[int, int] | None:
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_mtime_ns, info.st_size


def _file() -> str:
    """For this Python, these options of it and this `sys.path`."""
    who = repr((sys.version, sys.flags, sys.prefix, sys.path))
    return os.path.join(cache_root(), DIRECTORY, _imp.source_hash(1, who.encode("utf-8", "surrogateescape")).hex())


def install() -> None:
    """Import from the file from now on, if there is one."""
    global _finder, _before, _is_kept
    _before, _is_kept = frozenset(sys.modules), is_private(cache_root())
    _finder = _Finder(_file())
    _finder.open()
    sys.meta_path.insert(0, _finder)


def keep() -> None:
    """Write the file again, if it lacks some of what was imported meanwhile; only in a cache that is there."""
    if _finder is None or not _is_kept:
        return
    known = _before | _finder.found
    new = [(name, module) for name, module in sys.modules.items() if name not in known and _is_new(name, module)]
    if len(new) < _LEAST_NEW:
        return
    parts: list[tuple[str, _Kept, bytes | memoryview]] = []
    try:
        for name, each in _finder.kept.items():
            if _times_of(each[0]) == each[1:3] and len(code := _finder.code_of(name)) == each[-1]:
                parts.append((name, each, code))
        parts += [(name, *_kept_of(module)) for name, module in new]     # _decimal calls itself decimal
        _write(_file(), parts)
    except (OSError, ImportError, SyntaxError, ValueError, TypeError):
        pass


def _write(path: str, parts: list[tuple[str, _Kept, bytes | memoryview]]) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    index: dict[str, _Kept] = {}
    at = 0
    for name, kept, code in parts:
        index[name] = (*kept[:-2], at, len(code))
        at += len(code)
    head = marshal.dumps(index)
    directory = os.path.dirname(path)
    if len(others := os.listdir(directory)) > _MOST_FILES:
        for other in others:
            os.unlink(os.path.join(directory, other))
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "xb") as file:
        file.write(len(head).to_bytes(_SIZE_BYTES, "little") + head)
        file.writelines(code for _, _, code in parts)
    os.rename(temporary, path)


def _is_new(name: str, module: ModuleType) -> bool:
    """Whether a module was imported as usual, by a loader that has a substitute here."""
    spec = getattr(module, "__spec__", None)
    return spec is not None and spec.name == name and type(spec.loader) in (SourceFileLoader, ExtensionFileLoader)


def _kept_of(module: ModuleType) -> tuple[_Kept, bytes]:
    spec = module.__spec__
    mtime_ns, size = _times_of(spec.origin) or (0, -1)
    code = marshal.dumps(spec.loader.get_code(spec.name)) if type(spec.loader) is SourceFileLoader else b""
    return (spec.origin, mtime_ns, size, spec.cached, spec.submodule_search_locations is not None, 0, len(code)), code
