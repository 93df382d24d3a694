"""Copies of a GPU's memory in page-locked memory of the host, which is used again and again."""

from __future__ import annotations

import sys
from typing import Any


def settle() -> None:
    """Wait for all that devices do: nobody else orders their streams, and they write memory of the host, too.

    A device that holds nothing is left alone: to wait for it would begin to use it.
    """
    cuda = _cuda()
    for number in range(cuda.device_count()) if cuda is not None else ():
        if cuda.memory_reserved(number):
            cuda.synchronize(number)


def is_in_use() -> bool:
    """Whether the program uses a device: it writes memory of the host that it was lent."""
    return _cuda() is not None


def is_capturing() -> bool:
    """Whether a graph is being captured: operations are noted in it, those of a walk too.

    A device then does nothing until later, and to wait for it ends the capture.
    """
    tracing, cuda = getattr(sys.modules.get("torch"), "jit", None), _cuda()
    is_clean = getattr(sys.modules.get("jax._src.core"), "trace_state_clean", None)     # no public module has it
    return hasattr(tracing, "is_tracing") and tracing.is_tracing() or cuda is not None and bool(
        cuda.is_current_stream_capturing()) or is_clean is not None and not is_clean()


def _cuda() -> Any:
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    return cuda if hasattr(cuda, "is_initialized") and cuda.is_initialized() else None


class DeviceCopies:
    """Starts copies on a stream of their own, so that they run beside the walk, and waits for all at its end."""

    def __init__(self, torch: Any = None) -> None:
        """Args: torch: the module, once it is loaded if not given."""
        self._torch = torch
        self._free: dict[int, list[Any]] = {}        # by size
        self._streams: dict[Any, Any] = {}           # by device
        self._running: dict[Any, Any] = {}           # streams that copy, by device

    def start(self, flat: Any) -> Any:
        """Copy a tensor of bytes; the host's tensor, which has its content after `wait`."""
        torch = self._torch = self._torch or sys.modules["torch"]
        free = self._free.get(flat.numel())
        host = free.pop() if free else torch.empty(flat.numel(), dtype=torch.uint8,
                                                   pin_memory=torch.cuda.is_available())
        if not flat.is_cuda:
            host.copy_(flat)
            return host
        device = flat.device
        if device not in self._running:
            torch.cuda.synchronize(device)   # whatever stream writes to it
            self._running[device] = self._streams.get(device) or torch.cuda.Stream(device)
            self._streams[device] = self._running[device]
        with torch.cuda.stream(self._running[device]):
            host.copy_(flat, non_blocking=True)
        return host

    def wait(self) -> None:
        """Wait until everything is copied: the program may write to it then."""
        for stream in self._running.values():
            stream.synchronize()
        self._running.clear()

    def give_back(self, host: Any) -> None:
        """A copy is not needed any more."""
        self._free.setdefault(host.numel(), []).append(host)
