"""How tensors are walked and built: their storages apart from the pickle, shared ones shared."""

from __future__ import annotations

import ctypes
import pickle
import sys
from typing import Any

from rex.state.arrays import ARRAY_BYTES

LOST = "the graph of this tensor was not restored: run its cell again before backward()"


def walk_tensor(walker: Any, value: Any) -> object:
    """Join tensors over one storage.

    Raises:
        PicklingError: its memory is another library's, which may hold it too.
    """
    walker.share(value)
    try:
        storage = value.untyped_storage()
        address, size = storage.data_ptr(), storage.nbytes()
    except (RuntimeError, NotImplementedError, AttributeError):   # sparse, meta
        return None
    if not address or value.device.type != "cpu":
        return None
    owner = walker.scene.owners.setdefault(("storage", address), walker.owner)
    if owner != walker.owner:
        walker.scene.join(owner, walker.owner)
    if not storage.resizable():
        walker.scene.memory.append((address, address + size, walker.owner))
        raise pickle.PicklingError("a tensor over another library's memory")
    return None


def walk_storage(walker: Any, value: Any) -> object:
    """Take a large storage out of the pickle."""
    walker.share(value)
    size = value.nbytes()
    if size < ARRAY_BYTES or value.device.type != "cpu":
        return None
    address = value.data_ptr()
    return walker.part(value, lambda old: walker.scene.scanner.memory(old, address, size), "storage")


def reduce_tensor(tensor: Any) -> Any:
    """A plain tensor by its storage, and where in it; others as their library does."""
    torch = sys.modules["torch"]
    if tensor.layout is not torch.strided or tensor.device.type != "cpu" or tensor.is_quantized \
            or tensor.is_conj() or tensor.is_neg() or tensor._backward_hooks:
        if tensor.grad_fn is not None:
            raise pickle.PicklingError("a tensor with a graph")
        return NotImplemented
    kind = "graph" if tensor.grad_fn is not None else \
        "parameter" if type(tensor) is torch.nn.Parameter else "leaf"
    grad = None if kind == "graph" else tensor.grad
    return (make_tensor, (tensor.untyped_storage(), tensor.dtype, tensor.storage_offset(),
                          tuple(tensor.size()), tensor.stride(), tensor.requires_grad, kind),
            (grad, tensor.__dict__), None, None, set_tensor)


def make_tensor(storage: Any, dtype: Any, offset: int, size: tuple[int, ...],
                stride: tuple[int, ...], requires_grad: bool, kind: str) -> Any:
    """A tensor over a storage; one that was the result of a graph refuses to go backward."""
    import torch
    tensor = torch.empty(0, dtype=dtype)
    with torch.no_grad():
        tensor.set_(storage, offset, size, stride)
    if kind == "parameter":
        return torch.nn.Parameter(tensor, requires_grad)
    tensor.requires_grad_(requires_grad)
    return _without_graph(tensor) if kind == "graph" else tensor


def _without_graph(tensor: Any) -> Any:
    import torch

    class Lost(torch.autograd.Function):
        """Stands for a graph that is no more."""

        @staticmethod
        def forward(ctx: Any, one: Any) -> Any:
            return one.view_as(one)

        @staticmethod
        def backward(ctx: Any, *_: Any) -> Any:
            raise RuntimeError(LOST)

    return Lost.apply(tensor)


def set_tensor(tensor: Any, state: tuple[Any, dict[str, Any]]) -> None:
    """Give a tensor its gradient and attributes."""
    grad, attributes = state
    if grad is not None:
        tensor.grad = grad
    tensor.__dict__.update(attributes)


def reduce_storage(storage: Any) -> Any:
    """A small storage by its bytes."""
    if storage.device.type != "cpu":
        return NotImplemented
    return make_storage, (ctypes.string_at(storage.data_ptr(), storage.nbytes()),)


def make_storage(data: bytes) -> Any:
    """A storage of these bytes."""
    import torch
    if not data:
        return torch.UntypedStorage(0)
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).clone().untyped_storage()


HANDLERS = {("torch", "Tensor"): walk_tensor, ("torch.nn.parameter", "Parameter"): walk_tensor,
            ("torch.storage", "UntypedStorage"): walk_storage}
REDUCERS = {("torch", "Tensor"): reduce_tensor,
            ("torch.nn.parameter", "Parameter"): reduce_tensor,
            ("torch.storage", "UntypedStorage"): reduce_storage}
