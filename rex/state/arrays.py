"""How arrays are walked: memory apart from the pickle, views as views."""

from __future__ import annotations

import sys
from typing import Any, Callable

from rex.state import build
from rex.state.tensors import is_tensor, reduce_array_of

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
        if type(base) is type(value) or is_plain_buffer(base) or is_tensor(base):
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
    if value.nbytes < ARRAY_BYTES or not _is_dense(value):
        return None
    address = value.__array_interface__["data"][0]
    return walker.part(value, lambda old: walker.scene.scanner.memory(old, address, value.nbytes),
                       "array", value.dtype, value.shape, value.strides, value.flags.writeable)


def byte_bounds(array: Any) -> tuple[int, int]:
    """First address of an array's items, and the one after the last."""
    begin = end = array.__array_interface__["data"][0]
    for stride, length in zip(array.strides, array.shape):
        begin, end = begin + min(0, stride * (length - 1)), end + max(0, stride * (length - 1))
    return begin, end + array.itemsize


def is_plain_buffer(base: object) -> bool:
    """Whether arrays over it can be built again over its copy."""
    return type(base) in (bytes, bytearray)


def _is_dense(array: Any) -> bool:
    expected = array.itemsize
    for stride, length in sorted(zip(array.strides, array.shape)):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return True


def reduce_array(array: Any) -> Any:
    """A view by what it looks into, a small array by its bytes."""
    root = array.base
    while type(root) is type(array) and type(root.base) is type(array):
        root = root.base
    if type(root) is type(array) and _is_dense(root):
        offset = (array.__array_interface__["data"][0] - root.__array_interface__["data"][0])
        return build.make_view, (root, array.dtype, array.shape, offset, array.strides,
                                 array.flags.writeable)
    below = root.base if type(root) is type(array) else root
    if is_tensor(below):
        return reduce_array_of(array, below)
    if is_plain_buffer(root):
        import numpy
        start = numpy.frombuffer(root, numpy.uint8).__array_interface__["data"][0]
        offset = array.__array_interface__["data"][0] - start
        return build.make_view, (root, array.dtype, array.shape, offset, array.strides,
                                 array.flags.writeable)
    flat = build.flat_objects(array) if array.dtype.kind == "O" else None
    if flat is not None:
        return (build.make_objects, (array.shape, array.strides),
                (flat.tolist(), array.flags.writeable), None, None, build.set_objects)
    if array.dtype.hasobject or not _is_dense(array):
        return array.__reduce__()   # protocol 2: the parts go into the pickle
    return build.make_array, (build.flat_memory(array).tobytes(), array.dtype, array.shape,
                              array.strides, array.flags.writeable)


HANDLERS: dict[tuple[str, str], Callable[[Any, Any], object]] = {("numpy", "ndarray"): walk_array}
REDUCERS: dict[tuple[str, str], Callable[[Any], Any]] = {("numpy", "ndarray"): reduce_array}
