"""The zstd library without the rest of its package, which imports `platform`: a short command would wait for that longest of all."""

from __future__ import annotations

import importlib
import sys
import threading
from _frozen_importlib import ModuleSpec, module_from_spec

TYPE_CHECKING = False   # of typing, whose import takes long
if TYPE_CHECKING:
    from types import ModuleType

_PACKAGE, _EXTENSION = "zstandard", "zstandard.backend_c"
_lock = threading.Lock()


def _find(name: str, path: list[str] | None = None) -> ModuleSpec | None:
    found = (finder.find_spec(name, path, None) for finder in sys.meta_path)
    return next((spec for spec in found if spec), None)


def zstd() -> ModuleType:
    """The package's extension, imported now if nobody has; the package itself where it has none."""
    with _lock:
        if known := sys.modules.get(_EXTENSION):
            return known
        package = _find(_PACKAGE)
        spec = _find(_EXTENSION, package.submodule_search_locations) if package else None
        if spec is None or spec.loader is None:
            return importlib.import_module(_PACKAGE)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[_EXTENSION] = module     # the package takes it from here, if somebody imports that later
        return module
