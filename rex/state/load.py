"""Load a version of a co-variable: build new objects, or patch those that still live."""

from __future__ import annotations

import ctypes
import io
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import xxhash

from rex.state import build
from rex.state.arrays import address_of
from rex.state.classes import make_class, make_foreign_class
from rex.state.declared import left_object
from rex.state.parts import LivePart, from_columns, memory_at, unflatten
from rex.state.versions import CHUNK_BYTES, SEGMENT_ITEMS, Chunk, Part, Reader, Version, decode_items
from rex.state.widgets import set_no_widget


# Chunks that the archive compresses together: one thread's share.
_FRAME_CHUNKS = 16


@dataclass(slots=True)
class Living:
    """Objects that may take on a former content, with the parts that tell their present one."""

    objects: dict[int, tuple[Any, LivePart]] = field(default_factory=dict)   # by pid

    def take(self, part: Part) -> tuple[Any, LivePart] | None:
        """The object that was this part, if it still lives; each is given once."""
        return self.objects.pop(part.pid, None) if part.pid else None


class _Loading:
    """The unpickler's hooks."""

    def begin(self, version: Version, namespace: dict[str, Any], read: Reader | None,
              living: Living, isolated: bool) -> None:
        self.version, self.namespace, self.read = version, namespace, read
        self.living, self.isolated = living, isolated
        self.made: dict[int, Any] = {}

    def persistent_load(self, pid: tuple[Any, ...]) -> Any:
        if pid[0] == "namespace":
            return self.namespace
        if pid[0] == "left":
            return left_object(*pid[1:])
        kind, number, *facts = pid
        if number not in self.made:
            part = self.version.parts[number]
            old = self.living.take(part)
            maker = _Maker(part, self.read)
            self.made[number] = getattr(maker, kind)(old, *facts)
        return self.made[number]

    def find_class(self, module: str, name: str) -> Any:
        if module == "__main__":   # whatever has that name now
            raise pickle.UnpicklingError(f"it was pickled as __main__.{name}, by name only")
        if name == "_make_skeleton_class":
            return make_foreign_class if self.isolated else make_class
        if name == "set_widget" and self.isolated:
            return set_no_widget
        return super().find_class(module, name)   # type: ignore[misc]


class _Unpickler(_Loading, pickle.Unpickler):
    pass


def load(version: Version, namespace: dict[str, Any], read: Reader | None = None,
         living: Living | None = None, isolated: bool = False) -> list[Any]:
    """The values of a version's names, in order.

    Loading runs code that the pickle names.

    Args:
        namespace: what restored functions take for their globals.
        read: gives stored chunks.
        living: objects that are patched instead of built.
        isolated: leave classes that are still alive as they are, and build others.
    Raises:
        Exception: whatever the objects raise; also rex errors of missing pieces.
    """
    assert version.stream is not None
    data = version.stream.encoded(read)
    version.stream.digest = xxhash.xxh3_128_digest(data)
    stream = io.BytesIO(data)
    buffers = [_Maker(version.parts[number], read).raw(is_readonly)
               for number, is_readonly in version.out_of_band]
    kind: Any = _Unpickler
    if version.engine == "dill":
        import dill
        kind = type("_DillUnpickler", (_Loading, dill.Unpickler), {})
    unpickler = kind(stream, buffers=buffers)
    unpickler.begin(version, namespace, read, living or Living(), isolated)
    return [unpickler.load() for _ in version.names]


class _Maker:
    """Makes the object of one part, or patches the living one; a method per kind."""

    def __init__(self, part: Part, read: Reader | None) -> None:
        self._part, self._read = part, read

    def _bytes(self) -> bytes:
        return b"".join([chunk.encoded(self._read) for chunk in self._part.chunks])

    def _items(self) -> list[Any]:
        found: list[Any] = []
        for chunk in self._part.chunks:
            found += self._segment(chunk)
        return found

    def _segment(self, chunk: Chunk) -> list[Any]:
        if isinstance(chunk.source, list):
            return chunk.source
        return decode_items(chunk.encoded(self._read))

    def raw(self, is_readonly: bool) -> bytes | bytearray:
        """A protocol-5 buffer."""
        return self._bytes() if is_readonly else bytearray(self._bytes())

    def _patch(self, live: LivePart, address: int) -> None:
        self._write(address, [index for index, (old, new) in enumerate(
            zip(live.chunks, self._part.chunks)) if old is not new])

    def _fill(self, address: int) -> None:
        self._write(address, list(range(len(self._part.chunks))))

    def _write(self, address: int, indexes: list[int]) -> None:
        """Write these chunks to memory; many of them by several threads."""
        memory = memory_at(address, self._part.size)

        def write(some: list[int]) -> None:
            for index in some:
                data = self._part.chunks[index].encoded(self._read)
                memory[index * CHUNK_BYTES:index * CHUNK_BYTES + len(data)] = data

        if len(indexes) <= _FRAME_CHUNKS:
            write(indexes)
            return
        shares = [indexes[at:at + _FRAME_CHUNKS] for at in range(0, len(indexes), _FRAME_CHUNKS)]
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            for _ in pool.map(write, shares):
                pass

    def array(self, old: tuple[Any, LivePart] | None, dtype: Any, shape: tuple[int, ...],
              strides: tuple[int, ...], is_writeable: bool) -> Any:
        if old is not None and _is_same_layout(old[0], dtype, shape, strides, is_writeable):
            self._patch(old[1], address_of(old[0]))
            return old[0]
        array = build.empty_array(dtype, shape, strides)
        self._fill(address_of(array))
        array.flags.writeable = is_writeable
        return array

    def objects(self, old: tuple[Any, LivePart] | None, dtype: Any, shape: tuple[int, ...],
                strides: tuple[int, ...], is_writeable: bool) -> Any:
        array = old[0] if old and _is_same_layout(old[0], dtype, shape, strides, is_writeable) \
            and is_writeable else build.empty_array(dtype, shape, strides)
        if not old or array is not old[0] or old[1].chunks != self._part.chunks:
            build.flat_objects(array)[:] = self._items()
        array.flags.writeable = is_writeable
        return array

    def bytearray(self, old: tuple[Any, LivePart] | None) -> bytearray:
        if old is not None and isinstance(old[0], bytearray) and len(old[0]) == self._part.size:
            self._patch(old[1], ctypes.addressof(ctypes.c_char.from_buffer(old[0])))
            return old[0]
        return bytearray(self._bytes())

    def storage(self, old: tuple[Any, LivePart] | None) -> Any:
        if old is not None and old[0].nbytes() == self._part.size:
            self._patch(old[1], old[0].data_ptr())
            return old[0]
        import torch
        storage = torch.UntypedStorage(self._part.size)
        self._fill(storage.data_ptr())
        return storage

    def constant(self, old: tuple[Any, LivePart] | None) -> bytes | str:
        if old is not None and isinstance(old[0], (bytes, str)):
            return old[0]
        source = self._part.chunks[0].source
        if isinstance(source, (bytes, str)):
            return source
        data = self._bytes()
        return data if self._part.kind == "bytes" else data.decode("utf-8", "surrogatepass")

    def list(self, old: tuple[Any, LivePart] | None) -> Any:
        if old is None or type(old[0]) is not list:
            return self._items()
        values, live = old
        if live.size != self._part.size or len(values) != live.size:
            values[:] = self._items()
            return values
        for index, (was, chunk) in enumerate(zip(live.chunks, self._part.chunks)):
            if was is not chunk:
                values[index * SEGMENT_ITEMS:(index + 1) * SEGMENT_ITEMS] = self._segment(chunk)
        return values

    def rows(self, old: tuple[Any, LivePart] | None, kind: str, width: int, count: int) -> Any:
        return self._refill(old, unflatten(self._items(), kind, width, count))

    def columns(self, old: tuple[Any, LivePart] | None, kind: str, width: int, count: int) -> Any:
        return self._refill(old, from_columns(self._items(), kind, width, count))

    def _refill(self, old: tuple[Any, LivePart] | None, values: list[Any]) -> Any:
        if old is None or type(old[0]) is not list:
            return values
        old[0][:] = values
        return old[0]

    def dict(self, old: tuple[Any, LivePart] | None) -> Any:
        if old is not None and type(old[0]) is dict and old[1].chunks == self._part.chunks:
            return old[0]
        flat, half = self._items(), self._part.size // 2
        values = old[0] if old is not None and type(old[0]) is dict else {}
        values.clear()
        values.update(zip(flat[:half], flat[half:]))
        return values

    def set(self, old: tuple[Any, LivePart] | None) -> Any:
        if old is not None and type(old[0]) is set and old[1].chunks == self._part.chunks:
            return old[0]
        values = old[0] if old is not None and type(old[0]) is set else set()
        values.clear()
        values.update(self._items())
        return values


def _is_same_layout(array: Any, dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...],
                    is_writeable: bool) -> bool:
    return (getattr(array, "dtype", None) == dtype and array.shape == shape
            and array.strides == strides and array.base is None
            and array.flags.writeable == is_writeable)
