"""Shapes of numpy arrays and torch tensors: memory by hash, views as views."""

from __future__ import annotations

import sys
from typing import Any, Iterable

from rex.hindsight.capture.graph import Node, Shape, Walk
from rex.hindsight.capture.shapes import Cannot, attribute_pairs, put_attributes
from rex.hindsight.trace.current import regret
from rex.state import build as make_arrays
from rex.state.arrays import address_of, is_dense, is_plain_buffer, offset_in, root_of
from rex.state.tensors import is_tensor, without_graph


def _geometry(array: Any) -> tuple[Any, ...]:
    return list(array.shape), list(array.strides), array.flags.writeable


class ArrayShape(Shape):
    """numpy arrays: owners with their memory, and views of them, of buffers and of tensors."""

    tag = "array"

    def save(self, walk: Walk, value: Any) -> Node:
        root = root_of(value)
        is_map = type(value).__name__ == "memmap" or type(root).__name__ == "memmap"
        own = {} if is_map else getattr(value, "__dict__", {})
        head = ("array", walk.ref(type(value)), dtype_name(value.dtype), *_geometry(value),
                [list(own), walk.refs(own.values())] if own else [])
        if is_map:
            if value.flags.writeable:
                walk.opaque("a memory-mapped file that can be written")
            return (*head, "map", *_mapped(value))
        if root is not value or is_plain_buffer(value.base):
            base = root if root is not value else value.base
            return (*head, "view", walk.ref(base), offset_in(value, base))
        if is_tensor(value.base):
            return (*head, "tensor", walk.ref(value.base), offset_in(value, value.base))
        if value.dtype.hasobject:
            if value.dtype.kind != "O":
                walk.opaque("an array of records with objects")
            return (*head, "objects", walk.refs(value.ravel(order="K").tolist()))
        if not is_dense(value):
            return (*head, "bytes", value.tobytes())
        return (*head, "memory", value.nbytes,
                walk.memory.take(address_of(value), value.nbytes, value.itemsize) if value.nbytes else b"")

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        yield node[1], type(live)
        if node[6]:
            yield from attribute_pairs(*node[6], vars(live))
        if node[7] == "view":
            root = root_of(live)
            yield node[8], root if root is not live else live.base
        elif node[7] == "tensor":
            yield node[8], live.base
        elif node[7] == "objects" and live.dtype.kind == "O":
            yield from zip(node[8], live.ravel(order="K").tolist())

    def fits(self, node: Node, live: Any) -> bool:
        numpy = sys.modules.get("numpy")
        if numpy is None or not isinstance(live, numpy.ndarray):
            return False
        if (node[3], node[4]) != (list(live.shape), list(live.strides)):
            return False
        if node[7] == "map":
            return not live.flags.writeable and _mapped(live) == node[8:]
        is_owner = not isinstance(live.base, numpy.ndarray)
        return node[7] in ("memory", "objects") and is_owner and live.dtype.hasobject == (
            node[7] == "objects")

    def extent(self, node: Node, number: int) -> tuple[int, bytes, int, int]:
        """The node that has the memory of this one; the digest, where it begins there, and how many bytes."""
        return (number, node[9], 0, node[8]) if node[7] == "memory" and node[8] else (number, b"", 0, 0)

    def room(self, live: Any) -> tuple[int, int]:
        """Where the memory of a live array begins, and its size."""
        return address_of(live), live.nbytes

    def make(self, build: Any, node: Node) -> Any:
        kind, dtype, shape, strides = build.get(node[1]), _dtype(node[2]), node[3], node[4]
        how = node[7]
        if how == "map":
            raise Cannot("a memory-mapped array is not found again")
        if how in ("view", "tensor"):
            made = self._view(build, node, dtype, shape, strides)
        elif how == "objects":
            made = make_arrays.make_objects(tuple(shape), tuple(strides))
        elif how == "bytes":
            numpy = sys.modules["numpy"]
            made = numpy.frombuffer(bytearray(node[8]), dtype).reshape(shape).copy()
        else:
            made = make_arrays.empty_array(dtype, tuple(shape), tuple(strides))
        return made if type(made) is kind else made.view(kind)

    def _view(self, build: Any, node: Node, dtype: Any, shape: Any, strides: Any) -> Any:
        base = build.get(node[8])
        live = build.candidate
        if (live is not None and type(live) is build.get(node[1]) and live.dtype == dtype
                and (node[3], node[4], node[5]) == _geometry(live)
                and (root_of(live) is base or live.base is base)
                and (node[7] == "tensor" or offset_in(live, base) == node[9])):
            return live
        if node[7] == "tensor":
            torch = sys.modules["torch"]
            flat = torch.empty(0, dtype=torch.uint8).set_(base.untyped_storage())
            base = flat.numpy()
        return make_arrays.make_view(base, dtype, tuple(shape), node[9], tuple(strides), node[5])

    def fill(self, build: Any, node: Node, value: Any) -> None:
        if node[7] == "objects":
            flat = make_arrays.flat_objects(value)
            for index, item in enumerate(build.values(node[8])):
                flat[index] = item
        elif node[7] == "memory":
            if value.dtype != _dtype(node[2]):
                value.dtype = _dtype(node[2])
            if node[8]:
                build.read_into(node[9], address_of(value), value.nbytes)
        if node[7] in ("memory", "objects") and value.flags.writeable != node[5]:
            value.flags.writeable = node[5]
        if node[7] != "map" and (node[6] or getattr(value, "__dict__", None)):
            names, refs = node[6] or ((), ())
            put_attributes(value, dict(zip(names, build.values(refs))), vars(value))


def _mapped(value: Any) -> tuple[Any, ...]:
    """Which part of a file an array maps."""
    root = root_of(value)
    name = getattr(root, "filename", None)
    return str(name), getattr(root, "offset", 0), offset_in(value, root)


def dtype_name(dtype: Any) -> Any:
    """A dtype as plain data."""
    return dtype.str if dtype.names is None and dtype.subdtype is None else _record(dtype)


def _record(dtype: Any) -> Any:
    if dtype.subdtype is not None:
        return ("sub", _record(dtype.subdtype[0]), list(dtype.subdtype[1]))
    if dtype.names is None:
        return dtype.str
    return ("record", [(name, _record(dtype.fields[name][0]), dtype.fields[name][1])
                       for name in dtype.names], dtype.itemsize)


def _dtype(name: Any) -> Any:
    import numpy
    if isinstance(name, str):
        return numpy.dtype(name)
    if name[0] == "sub":
        return numpy.dtype((_dtype(name[1]), tuple(name[2])))
    return numpy.dtype({"names": [field[0] for field in name[1]], "itemsize": name[2],
                        "formats": [_dtype(field[1]) for field in name[1]],
                        "offsets": [field[2] for field in name[1]]})


class ScalarShape(Shape):
    """numpy scalars and dtypes."""

    tag = "npscalar"

    def save(self, walk: Walk, value: Any) -> Node:
        if not hasattr(value, "dtype"):
            return "npscalar", dtype_name(value), None
        return "npscalar", dtype_name(value.dtype), value.tobytes()

    def make(self, build: Any, node: Node) -> Any:
        import numpy
        if node[2] is None:
            return _dtype(node[1])
        return numpy.frombuffer(node[2], _dtype(node[1]))[0]


class TensorShape(Shape):
    """torch tensors and parameters: a geometry over a storage, gradient, attributes."""

    tag = "tensor"

    def save(self, walk: Walk, value: Any) -> Node:
        torch = sys.modules["torch"]
        if value.layout != torch.strided or value.is_quantized or value.is_conj() or value.is_neg() \
                or not (value.is_cpu or value.is_cuda):
            walk.opaque(f"a tensor of an unusual kind ({value.layout}, {value.device.type})")
            return "tensor", walk.ref(type(value)), None
        storage = value.untyped_storage()
        attributes = vars(value)
        sizes, strides, is_leaf = value.size(), value.stride(), value.is_leaf
        return ("tensor", walk.ref(type(value)), walk.named(("storage", storage._cdata), storage),
                value.storage_offset(), list(sizes), list(strides),
                str(value.dtype), value.requires_grad if is_leaf else type(value.grad_fn).__name__, is_leaf,
                walk.ref(value.grad) if is_leaf or value.retains_grad else None,
                walk.refs(attributes) if attributes else [],
                walk.refs(attributes.values()) if attributes else [],
                walk.ref(value._backward_hooks) if is_leaf else None,
                *_take_extent(walk, value, storage, sizes, strides))

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        torch = sys.modules["torch"]
        if node[2] is None or not isinstance(live, torch.Tensor):
            return
        yield node[1], type(live)
        if live.layout == torch.strided:
            yield node[2], live.untyped_storage()
        if live.is_leaf:
            yield node[9], live.grad
            yield node[12], live._backward_hooks
        attributes = vars(live)
        yield from ((ref, attributes[name]) for name, ref in zip(node[10], node[11])
                    if name in attributes)

    def fits(self, node: Node, live: Any) -> bool:
        torch = sys.modules.get("torch")
        return (torch is not None and isinstance(live, torch.Tensor) and live.is_leaf
                and node[2] is not None and node[8] and str(live.dtype) == node[6]
                and live.layout == torch.strided)

    def make(self, build: Any, node: Node) -> Any:
        torch = sys.modules["torch"]
        if node[2] is None:
            raise Cannot("a tensor of an unusual kind")
        kind = build.get(node[1])
        made = torch.empty(0, dtype=getattr(torch, node[6].removeprefix("torch.")))
        storage = build.get(node[2])
        made = made.to(storage.device).set_(storage, node[3], node[4], node[5])
        if kind is not torch.Tensor:
            made = torch.Tensor._make_subclass(kind, made, bool(node[7]))
        elif not node[8]:
            made = without_graph(made, node[7], _regret)
        return made

    def extent(self, node: Node, number: int) -> tuple[int, bytes, int, int]:
        """As of arrays: a storage has the memory."""
        return (node[2][0], node[15], node[13], node[14]) if len(node) > 13 else (number, b"", 0, 0)

    def place(self, value: Any) -> tuple[list[Any], list[Any]]:
        """All that a node has of it but what is in its memory: objects, numbers; `save` would tell a node like this one."""
        if value.layout != sys.modules["torch"].strided:
            return [value.layout], []
        storage, is_leaf = value.untyped_storage(), value.is_leaf
        held = [value.dtype, value.grad, value._backward_hooks] if is_leaf else [value.dtype]
        return held, [storage._cdata, storage.data_ptr(), storage.nbytes(), is_leaf, value.requires_grad, value.shape,
                      value.stride(), value.storage_offset(), value.is_conj(), value.is_neg()]

    def take(self, walk: Walk, node: Node, value: Any) -> Node:
        """The node of a tensor that is where it was (`place`)."""
        storage = value.untyped_storage()
        if len(node) == 13 or storage._cdata in walk.extents:
            return (*node[:13], *_take_extent(walk, value, storage, node[4], node[5]))
        start, size = node[13:15]
        walk.extents[storage._cdata] = [(start, start + size)]
        return (*node[:15], walk.memory.take(storage.data_ptr() + start, size))

    def put(self, build: Any, node: Node, value: Any) -> None:
        """Give a tensor that is where it was what is in its memory."""
        if len(node) > 13:
            _put_extent(build, value.untyped_storage(), *node[13:])

    def fill(self, build: Any, node: Node, value: Any) -> None:
        if len(node) > 13:
            _put_extent(build, build.get(node[2]), *node[13:])
        if node[8]:
            self._fill_leaf(build, node, value)
        elif node[9] is not None:
            value.retain_grad()
            value.grad = build.get(node[9])
        for name, item in zip(node[10], build.values(node[11])):
            if vars(value).get(name, build) is not item:
                setattr(value, name, item)

    def _fill_leaf(self, build: Any, node: Node, value: Any) -> None:
        storage = build.get(node[2])
        if (value.untyped_storage()._cdata != storage._cdata or value.storage_offset() != node[3]
                or list(value.size()) != node[4] or list(value.stride()) != node[5]):
            torch = sys.modules["torch"]
            with torch.no_grad():
                value.set_(storage, node[3], node[4], node[5])
        if value.requires_grad != node[7]:
            value.requires_grad_(node[7])
        grad = build.get(node[9])
        if value.grad is not grad:
            value.grad = grad
        hooks = build.get(node[12])
        if value._backward_hooks is not hooks:
            value._backward_hooks = hooks


def _regret() -> None:
    regret("a gradient is wanted of a graph that no checkpoint holds")


class StorageShape(Shape):
    """The memory below tensors."""

    tag = "storage"

    def save(self, walk: Walk, value: Any) -> Node:
        return "storage", str(value.device), value.nbytes()

    def fits(self, node: Node, live: Any) -> bool:
        return (type(live).__name__ == "UntypedStorage" and live.nbytes() == node[2]
                and str(live.device) == node[1])

    def room(self, live: Any) -> tuple[int, int]:
        """Where it begins, and its size; none on a device."""
        return (live.data_ptr(), live.nbytes()) if live.device.type == "cpu" else (0, 0)

    def make(self, build: Any, node: Node) -> Any:
        torch = sys.modules["torch"]
        return torch.UntypedStorage(node[2], device=node[1])


def _take_extent(walk: Walk, value: Any, storage: Any, sizes: tuple[int, ...],
                 strides: tuple[int, ...]) -> tuple[Any, ...]:
    """The memory that a tensor covers, unless others did; what no tensor covers is garbage."""
    if not value.numel():
        return ()
    size = value.element_size()
    start = value.storage_offset() * size
    last = 0
    for n, stride in zip(sizes, strides):
        last += (n - 1) * stride
    end = start + size * (1 + last)
    taken = walk.extents.setdefault(storage._cdata, [])
    for one, other in taken:
        if one <= start and end <= other:
            return ()
    taken.append((start, end))
    if not value.is_cpu:
        torch = sys.modules["torch"]
        flat = torch.empty(0, dtype=torch.uint8, device=value.device).set_(storage)[start:end]
        return start, end - start, walk.memory.take_device(flat, size)
    return start, end - start, walk.memory.take(storage.data_ptr() + start, end - start, size)


def _put_extent(build: Any, storage: Any, start: int, size: int, digest: bytes) -> None:
    if storage.device.type == "cpu":
        build.read_into(digest, storage.data_ptr() + start, size)
        return
    torch = sys.modules["torch"]
    host = torch.empty(size, dtype=torch.uint8)
    build.read_into(digest, host.data_ptr(), size)
    flat = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
    flat[start:start + size].copy_(host)
