"""Modes of libraries and of the interpreter, which no variable holds: how they round, print, check and recurse."""

from __future__ import annotations

import contextlib
import sys
from importlib import import_module
from typing import Any, Callable

NUMPY, DECIMAL, TORCH, LIMIT = "<numpy>", "<decimal>", "<torch>", "<recursion limit>"
NAMES = (NUMPY, DECIMAL, TORCH, LIMIT)
_DECIMALS = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")
_SHOWN = (bool, int, float, str, type(None))


def capture() -> dict[str, Any]:
    """The modes of what is imported, in values that compare and pickle."""
    found: dict[str, Any] = {LIMIT: sys.getrecursionlimit()}
    for name, (module, look) in _LIBRARIES.items():
        if (library := sys.modules.get(module)) is not None:
            with contextlib.suppress(AttributeError):   # its import goes on, or failed
                found[name] = look(library)
    return found


def restore(name: str, value: Any) -> None:
    """Put the modes of one of them back; a library is imported for it."""
    _RESTORE[name](value)


def _numpy(numpy: Any) -> dict[str, Any]:
    return {"errors": numpy.geterr(),
            "shown": {name: value for name, value in numpy.get_printoptions().items() if type(value) in _SHOWN}}


def _restore_numpy(value: dict[str, Any]) -> None:
    numpy = import_module("numpy")
    numpy.seterr(**value["errors"])
    numpy.set_printoptions(**value["shown"])


def _decimal(decimal: Any) -> dict[str, Any]:
    context = decimal.getcontext()
    return {name: getattr(context, name) for name in _DECIMALS}


def _restore_decimal(value: dict[str, Any]) -> None:
    context = import_module("decimal").getcontext()
    for name, item in value.items():
        setattr(context, name, item)


def _torch(torch: Any) -> dict[str, Any]:
    return {"grad": torch.is_grad_enabled(), "dtype": str(torch.get_default_dtype()),
            "hooks": torch.utils.hooks.RemovableHandle.next_id,
            "deterministic": torch.are_deterministic_algorithms_enabled(),
            "shown": dict(vars(torch._tensor_str.PRINT_OPTS)), "matmul": torch.get_float32_matmul_precision(),
            "anomaly": (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())}


def _restore_torch(value: dict[str, Any]) -> None:
    torch = import_module("torch")
    torch.set_grad_enabled(value["grad"])
    torch.set_default_dtype(getattr(torch, value["dtype"].removeprefix("torch.")))
    torch.utils.hooks.RemovableHandle.next_id = value["hooks"]   # names of hooks: those to come must differ
    if torch.are_deterministic_algorithms_enabled() != value["deterministic"]:
        torch.use_deterministic_algorithms(value["deterministic"])
    vars(torch._tensor_str.PRINT_OPTS).update(value["shown"])
    if value.get("threads", torch.get_num_threads()) != torch.get_num_threads():     # which hindsight adds if the script sets it
        torch.set_num_threads(value["threads"])
    if value["matmul"] != torch.get_float32_matmul_precision():
        torch.set_float32_matmul_precision(value["matmul"])
    torch.set_anomaly_enabled(*value["anomaly"])


def _restore_limit(value: int) -> None:
    if sys.getrecursionlimit() != value:
        sys.setrecursionlimit(value)


_LIBRARIES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    NUMPY: ("numpy", _numpy), DECIMAL: ("decimal", _decimal), TORCH: ("torch", _torch)}
_RESTORE: dict[str, Callable[[Any], None]] = {
    NUMPY: _restore_numpy, DECIMAL: _restore_decimal, TORCH: _restore_torch, LIMIT: _restore_limit}
