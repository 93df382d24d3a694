"""Files that libraries read and write in C, which Python's audit events do not report."""

from __future__ import annotations

import functools
from typing import Any, Callable

from rex.hindsight.run.files import Files
from rex.values import dataclass


@dataclass(slots=True)
class _Call:
    """A function that opens a file.

    Attributes:
        function: its qualified name.
        place: which of its positional arguments is the path, which has that name.
        mode: what it opens the file for; "": its second argument tells, as that of `open`.
    """

    function: str
    place: int
    name: str
    mode: str


_CALLS = {
    "torch": (_Call("_C.PyTorchFileWriter", 0, "name", "w"),),
    "safetensors": (_Call("serialize_file", 1, "filename", "w"), _Call("safe_open", 0, "filename", "r")),
    "h5py._hl.files": (_Call("File.__init__", 1, "name", ""),),
    "xgboost.core": (_Call("Booster.save_model", 1, "fname", "w"), _Call("Booster.load_model", 1, "fname", "r")),
    "lightgbm.basic": (_Call("Booster.save_model", 1, "filename", "w"),)}
MODULES = tuple(_CALLS)


def watch(name: str, module: Any, files: Files) -> None:
    """Note the files that an imported module is about to open."""
    for call in _CALLS[name]:
        owner, parts = module, call.function.split(".")
        for part in parts[:-1]:
            owner = getattr(owner, part, None)
        if hasattr(owner, parts[-1]):
            setattr(owner, parts[-1], _noting(getattr(owner, parts[-1]), call, files))


def _noting(function: Any, call: _Call, files: Files) -> Callable[..., Any]:
    @functools.wraps(function, updated=())
    def noting(*arguments: Any, **named: Any) -> Any:
        path = named.get(call.name, *arguments[call.place:call.place + 1])
        mode = call.mode or named.get("mode", (*arguments[call.place + 1:], "r")[0])
        if path is not None:
            files.will_open(path, mode)
        return function(*arguments, **named)

    return noting
