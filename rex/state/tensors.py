"""How tensors are walked and built: their storages apart from the pickle, shared ones shared."""

from __future__ import annotations

import copyreg
import ctypes
import functools
import pickle
import sys
from typing import Any, Callable

from rex.state import build

STORAGE_BYTES = 4096   # smaller storages stay in the pickle
LOST = "the graph of this tensor was not restored: compute the tensor again before backward()"


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
    if not _owns_memory(storage):
        walker.scene.memory.append((address, address + size, walker.owner))
        raise pickle.PicklingError("a tensor over another library's memory")
    return None


def _owns_memory(storage: Any) -> bool:
    """Whether a storage's memory is its own; arrays may look into it by `tensor.numpy()`."""
    if storage.resizable():
        return True
    known = _own_deleter()
    return known is not None and _words(storage)[known[0]] == known[1]


def _words(storage: Any) -> list[int]:
    return list((ctypes.c_uint64 * 6).from_address(storage._cdata))


@functools.cache
def _own_deleter() -> tuple[int, int] | None:
    """Where a storage says who frees its memory, and what it says if it does so itself; found by trying."""
    torch = sys.modules["torch"]
    kept = bytearray(64), bytearray(64)
    own = [torch.zeros(64, dtype=torch.uint8).untyped_storage() for _ in kept]
    foreign = [torch.frombuffer(one, dtype=torch.uint8).untyped_storage() for one in kept]
    try:
        words = [(_words(one), one.data_ptr()) for one in own + foreign]
    except (AttributeError, TypeError, ValueError):   # of another version
        return None
    for at in range(1, 5):   # between the address and what the deleter is given
        deleters = [found[at] for found, _ in words]
        if all(found[at - 1] == address for found, address in words) and \
                all(found[at + 1] == address for found, address in words[:2]) and \
                deleters[0] == deleters[1] and deleters[0] not in deleters[2:]:
            return at, deleters[0]
    return None


def array_over(storage: Any, dtype: Any, shape: tuple[int, ...], offset: int, strides: tuple[int, ...],
               is_writeable: bool) -> Any:
    """What `tensor.numpy()` gives of a tensor over a storage."""
    import numpy
    import torch
    try:
        tensor = torch.empty(0, dtype=torch.from_numpy(numpy.empty(0, dtype)).dtype)
        steps = [stride // dtype.itemsize for stride in strides]
        if offset % dtype.itemsize or [step * dtype.itemsize for step in steps] != list(strides):
            raise ValueError
        array = tensor.set_(storage, offset // dtype.itemsize, shape, steps).numpy()
        if not is_writeable:
            array.flags.writeable = False
        return array
    except (RuntimeError, TypeError, ValueError):   # a view that no tensor can be
        flat = torch.empty(0, dtype=torch.uint8).set_(storage).numpy()
        return build.make_view(flat, dtype, shape, offset, strides, is_writeable)


def is_tensor(value: object) -> bool:
    """Whether it is a tensor in this process's own memory."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, getattr(torch, "Tensor", ())) and value.device.type == "cpu"


def walk_storage(walker: Any, value: Any) -> object:
    """Take a large storage out of the pickle."""
    walker.share(value)
    size = value.nbytes()
    if size < STORAGE_BYTES or value.device.type != "cpu":
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
    return without_graph(tensor) if kind == "graph" else tensor.requires_grad_(requires_grad)


def without_graph(value: Any, name: Any = None, regret: Callable[[], object] = bool) -> Any:
    """A tensor that raises when somebody wants the graph that led to it.

    Args:
        name: of the last step of that, which the tensor shows.
        regret: is called then.
    """
    return _lost_graph(name, regret)(value)


@functools.cache
def _lost_graph(name: Any, regret: Callable[[], object]) -> Callable[[Any], Any]:
    import torch

    class LostGraph(torch.autograd.Function):
        """Stands for a graph that is no more."""

        @staticmethod
        def forward(ctx: Any, anchor: Any, result: Any) -> Any:
            return result.view_as(result)

        @staticmethod
        def backward(ctx: Any, *_: Any) -> Any:
            regret()
            raise RuntimeError(LOST)

    if type(name) is str:
        LostGraph._backward_cls.__name__ = LostGraph._backward_cls.__qualname__ = name

    def apply(value: Any) -> Any:
        with torch.enable_grad():
            return LostGraph.apply(torch.empty(0, requires_grad=True), value)

    return apply


def set_tensor(tensor: Any, state: tuple[Any, dict[str, Any]]) -> None:
    """Give a tensor its gradient and attributes."""
    grad, attributes = state
    if grad is not None:
        tensor.grad = grad
    tensor.__dict__.update(attributes)


def reduce_optimizer(optimizer: Any) -> Any:
    """An optimizer with all of its attributes: by itself it leaves out what it holds for unimportant."""
    # A scheduler's wrapper around the step holds a weak reference, and only warns.
    state = {name: value for name, value in vars(optimizer).items() if name != "step"}
    return copyreg.__newobj__, (type(optimizer),), state   # type: ignore[attr-defined]


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


_OPTIMIZERS = [("sparse_adam", "SparseAdam"), ("_adafactor", "Adafactor"), *((name.lower(), name) for name in (
    "Adadelta", "Adagrad", "Adam", "Adamax", "AdamW", "ASGD", "LBFGS", "NAdam", "RAdam", "RMSprop", "Rprop", "SGD"))]
HANDLERS = {("torch", "Tensor"): walk_tensor, ("torch.nn.parameter", "Parameter"): walk_tensor,
            ("torch.storage", "UntypedStorage"): walk_storage}
REDUCERS = {("torch", "Tensor"): reduce_tensor,
            ("torch.nn.parameter", "Parameter"): reduce_tensor,
            ("torch.storage", "UntypedStorage"): reduce_storage,
            **{(f"torch.optim.{module}", name): reduce_optimizer for module, name in _OPTIMIZERS}}
