"""Which shape an object has, by its type."""

from __future__ import annotations

import contextvars
import enum
import io
import itertools
import random
import threading
import types
import weakref
from typing import Any, Callable

from rex.hindsight.capture import (arrayshapes, codeshapes, compiledshapes, declaredshapes, interpreter, livingshapes, nativeshapes, othershapes, pandasshapes,
                                   shapes)
from rex.hindsight.instrument.usercode import UserCode
from rex.hindsight.trace.clock import Converting, Reading
from rex.hindsight.trainers.native import state_of
from rex.state.declared import NEVER, has_hook, treatment

_LATE: dict[tuple[str, str], str] = {
    ("numpy", "ndarray"): "array", ("numpy", "generic"): "npscalar", ("numpy", "dtype"): "npscalar",
    ("pandas._libs.internals", "BlockValuesRefs"): "blockrefs", ("torch", "Tensor"): "tensor", ("tqdm.std", "tqdm"): "bar",
    ("torch.storage", "UntypedStorage"): "storage", ("torch._C", "Generator"): "random",
    ("numpy.random.mtrand", "RandomState"): "random",
    ("numpy.random._generator", "Generator"): "random",
    ("numpy.random.bit_generator", "BitGenerator"): "random"}
_ELSEWHERE = {("subprocess", "Popen"), ("rex.hindsight.run.files", "Descriptors"), ("socket", "socket"), ("_socket", "socket"),
              ("multiprocessing.process", "BaseProcess"),
              ("itertools", "_tee"), ("itertools", "_tee_dataobject")}   # it holds what others have still to give
_CALLABLES = ("cython_function_or_method", "fused_cython_function", "_ArrayFunctionDispatcher")


class _Saving(dict[type, Callable[[Any, Any], Any]]):
    """What makes a node of a type's instances."""

    def __init__(self, owner: Shapes) -> None:
        super().__init__()
        self._owner = owner

    def __missing__(self, kind: type) -> Callable[[Any, Any], Any]:
        save: Callable[[Any, Any], Any] = self._owner.shape_of(kind).save
        self[kind] = save
        return save


class Shapes:
    """The shapes of one program."""

    def __init__(self, user: UserCode) -> None:
        """Args: the code of the modules that the user wrote; may grow."""
        compiled = compiledshapes.CompiledShape()
        listed: list[Any] = [
            shapes.ListShape(), shapes.DictShape(), shapes.SetShape(), shapes.TupleShape(),
            shapes.BytesShape(), shapes.ObjectShape(), codeshapes.FunctionShape(user, compiled), compiled,
            codeshapes.GlobalShape(), livingshapes.CacheShape(user), codeshapes.ClassShape(user),
            codeshapes.CellShape(), codeshapes.MethodShape(), codeshapes.ModuleShape(),
            codeshapes.WrapperShape(), livingshapes.WeakShape(), livingshapes.ProxyShape(), livingshapes.WeakBagShape(),
            livingshapes.ContextShape(), livingshapes.MappingShape(), arrayshapes.ArrayShape(), arrayshapes.ScalarShape(),
            arrayshapes.TensorShape(), arrayshapes.StorageShape(), pandasshapes.BlockRefsShape(), othershapes.RandomShape(),
            othershapes.ReduceShape(), othershapes.OpaqueShape(), othershapes.SuspendedShape(),
            othershapes.FileShape(), othershapes.EnumShape(), othershapes.CycleShape(),
            nativeshapes.NativeShape(), declaredshapes.OwnShape(), livingshapes.BarShape(), interpreter.LoggerShape(), interpreter.ThreadShape()]
        self._user = user
        self._never = declaredshapes.NeverShape()
        self.by_tag: dict[str, Any] = {shape.tag: shape for shape in listed}
        self._special = {**dict.fromkeys(_ELSEWHERE, othershapes.ProcessShape()),
                         ("torch.utils.data.dataloader", "_MultiProcessingDataLoaderIter"): othershapes.LoaderShape(),
                         ("pandas.core.internals.managers", "BaseBlockManager"): pandasshapes.BlocksShape(),
                         ("typing", "_SpecialForm"): self.by_tag["reduce"],     # Union and the like: by name, as pickle has them
                         **dict.fromkeys((("pandas", "Index"), ("pandas.core.indexes.base", "Index")), livingshapes.CachingShape())}
        tags = {list: "list", dict: "dict", set: "set", tuple: "tuple", frozenset: "tuple",
                bytes: "bytes", bytearray: "bytes", complex: "bytes",
                types.FunctionType: "function", types.BuiltinFunctionType: "method",
                types.MethodType: "method", types.CellType: "cell", types.ModuleType: "module",
                itertools.cycle: "cycle", staticmethod: "wrap", classmethod: "wrap", property: "wrap",
                types.GeneratorType: "suspended", types.CoroutineType: "suspended",
                types.AsyncGeneratorType: "suspended", weakref.ProxyType: "proxy", weakref.CallableProxyType: "proxy", types.MappingProxyType: "mapping", contextvars.ContextVar: "context",
                **dict.fromkeys(livingshapes.WEAK_BAGS, "weakbag")}
        self._known: dict[type, Any] = {kind: self.by_tag[tag] for kind, tag in tags.items()}
        self.saving = _Saving(self)

    def shape_of(self, kind: type) -> Any:
        """The shape of a type's instances."""
        found = self._known.get(kind)
        if found is None:
            found = self._known[kind] = self._find(kind)
        return found

    def _find(self, kind: type) -> Any:
        if issubclass(kind, type):
            return self.by_tag["class"]
        if declared := treatment(kind):
            return self._never if declared == NEVER else self.by_tag["opaque"]
        for base in kind.__mro__:
            if (special := self._special.get((base.__module__, base.__name__))) is not None:
                return special
            if tag := _LATE.get((base.__module__, base.__name__)):
                return self.by_tag[tag]
        if state_of(kind) is not None:
            return self.by_tag["native"]
        if has_hook(kind):
            return self.by_tag["own"]
        if issubclass(kind, enum.Enum):
            return self.by_tag["enum"]
        if issubclass(kind, random.Random):
            return self.by_tag["random"]
        if issubclass(kind, types.ModuleType):
            return self.by_tag["module"]
        if issubclass(kind, weakref.ref):
            return self.by_tag["weak"]
        if kind in (Reading, Converting):
            return self.by_tag["reduce"]
        if othershapes.is_kept(kind, self._user):
            return self.by_tag["opaque"]
        if othershapes.is_logger(kind):
            return self.by_tag["logger"]
        if issubclass(kind, io.IOBase) and not issubclass(kind, (io.BytesIO, io.StringIO)):
            return self.by_tag["file"]
        if kind.__name__ == "_lru_cache_wrapper":
            return self.by_tag["cache"]
        if kind.__name__ in _CALLABLES:
            return self.by_tag["global"]
        if issubclass(kind, threading.Thread):
            return self.by_tag["opaque" if kind.__module__ == "threading" and kind.__name__[0] == "_" else "thread"]
        is_object = self.by_tag["object"].takes(kind)
        return self.by_tag["object" if is_object else "reduce"]
