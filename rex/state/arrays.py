"""How arrays are walked: memory apart from the pickle, views as views."""

from __future__ import annotations

import sys
from typing import Any, Callable

from rex.state import build
from rex.state.tensors import array_over, is_tensor

# Smaller arrays stay in the pickle.
ARRAY_BYTES, OBJECTS = 4096, 1024


def walk_array(walker: Any, value: Any) -> object:
    """Take a large array that owns its memory out of the pickle."""
    walker.share(value)
    if "torch" in sys.modules and value.nbytes:   # which may look into the same memory
        begin, end = byte_bounds(value)
        walker.scene.memory.append((begin, end, walker.owner))
    base = value.base
    if base is not None:
        walker.share(base)
        if root_of(value, type(value)) is not value or is_plain_buffer(base) or is_tensor(base):
            return None   # a view: reduced to its root
    if value.dtype.hasobject:
        if value.size < OBJECTS or value.dtype.kind != "O":
            return None
        flat = build.flat_objects(value)
        if flat is None:
            return None
        return walker.part(value, lambda old: walker.scene.scanner.items(
            old, flat.tolist()), "objects", value.dtype, value.shape, value.strides,
            value.flags.writeable)
    if value.nbytes < ARRAY_BYTES or not is_dense(value):
        return None
    address = address_of(value)
    return walker.part(value, lambda old: walker.scene.scanner.memory(old, address, value.nbytes),
                       "array", value.dtype, value.shape, value.strides, value.flags.writeable)


def byte_bounds(array: Any) -> tuple[int, int]:
    """First address of an array's items, and the one after the last."""
    begin = end = address_of(array)
    for stride, length in zip(array.strides, array.shape):
        begin, end = begin + min(0, stride * (length - 1)), end + max(0, stride * (length - 1))
    return begin, end + array.itemsize


def is_plain_buffer(base: object) -> bool:
    """Whether arrays over it can be built again over its copy."""
    return type(base) in (bytes, bytearray)


def is_dense(array: Any) -> bool:
    """Whether its items fill its memory, in any order of the axes."""
    expected = array.itemsize
    for stride, length in sorted(zip(array.strides, array.shape)):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return True


def address_of(array: Any) -> int:
    """Where an array's data begin."""
    return int(array.__array_interface__["data"][0])


def root_of(array: Any, kind: type | None = None) -> Any:
    """The array that owns the memory, or the last one before a foreign owner; of a kind, only through arrays of just that."""
    numpy = sys.modules["numpy"]
    while True:
        base = array.base
        if type(base).__name__ == "DummyArray":     # of numpy's as_strided
            base = base.base
        if not (isinstance(base, numpy.ndarray) if kind is None else type(base) is kind):
            return array
        array = base


def offset_in(array: Any, base: Any) -> int:
    """Where an array's data begin in the memory of an array, bytes-like object or tensor that it looks into."""
    if is_tensor(base):
        return address_of(array) - int(base.untyped_storage().data_ptr())
    return address_of(array) - address_of(sys.modules["numpy"].frombuffer(base, "u1") if is_plain_buffer(base) else base)


def reduce_array(array: Any) -> Any:
    """A view by what it looks into, a small array by its bytes."""
    root = root_of(array, type(array))
    below = root.base
    if root is not array and is_dense(root) or is_plain_buffer(below):
        base = root if root is not array and is_dense(root) else below
        return build.make_view, (base, array.dtype, array.shape, offset_in(array, base), array.strides,
                                 array.flags.writeable)
    if is_tensor(below):
        return array_over, (below.untyped_storage(), array.dtype, array.shape, offset_in(array, below), array.strides,
                            array.flags.writeable)
    flat = build.flat_objects(array) if array.dtype.kind == "O" else None
    if flat is not None:
        return (build.make_objects, (array.shape, array.strides),
                (flat.tolist(), array.flags.writeable), None, None, build.set_objects)
    if array.dtype.hasobject or not is_dense(array):
        return array.__reduce__()   # protocol 2: the parts go into the pickle
    return build.make_array, (build.flat_memory(array).tobytes(), array.dtype, array.shape,
                              array.strides, array.flags.writeable)


HANDLERS: dict[tuple[str, str], Callable[[Any, Any], object]] = {("numpy", "ndarray"): walk_array}
REDUCERS: dict[tuple[str, str], Callable[[Any], Any]] = {("numpy", "ndarray"): reduce_array}
