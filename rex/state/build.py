"""Functions that pickles of states name: they build objects when a state is loaded."""

from __future__ import annotations

import enum
import functools
import pickle
import threading
import types
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import logging


def make_function(code: bytes, namespace: dict[str, Any], name: str,
                  closure: tuple[types.CellType, ...] | None) -> types.FunctionType:
    """A function over the live namespace; `set_function` does the rest."""
    return types.FunctionType(pickle.loads(code), namespace, name, None, closure)


def set_function(function: types.FunctionType, state: tuple[Any, ...]) -> None:
    """Give a function its attributes, and its closure what it closes over."""
    attributes, slots, contents = state
    function.__dict__.clear()
    function.__dict__.update(attributes)
    for name, value in slots.items():
        setattr(function, name, value)
    for cell, content in zip(function.__closure__ or (), contents):
        if content:
            cell.cell_contents = content[0]


def function_state(function: types.FunctionType) -> tuple[Any, ...]:
    """What `set_function` takes; contents of cells come wrapped, for they may be empty."""
    slots = {name: getattr(function, name) for name in
             ("__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__",
              "__annotations__")}
    return function.__dict__, slots, tuple(cell_state(c) for c in function.__closure__ or ())


def is_full(cell: types.CellType) -> bool:
    """Whether a cell of a closure holds a value."""
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def cell_state(cell: types.CellType) -> tuple[Any, ...]:
    """The content of a cell in a tuple, which is empty when the cell is."""
    return (cell.cell_contents,) if is_full(cell) else ()


def make_lock(is_locked: bool) -> Any:
    """A lock."""
    lock = threading.Lock()
    if is_locked:
        lock.acquire()
    return lock


def make_rlock(count: int) -> Any:
    """A lock that this thread has taken so many times."""
    lock = threading.RLock()
    for _ in range(count):
        lock.acquire()
    return lock


def make_logger(name: str, level: int, is_passing_on: bool, is_disabled: bool) -> logging.Logger:
    """The logger of that name, set like this."""
    import logging     # it takes a while
    logger = logging.getLogger(name)
    logger.setLevel(level)
    logger.propagate, logger.disabled = is_passing_on, is_disabled
    return logger


def make_cached(function: Any, parameters: dict[str, Any]) -> Any:
    """A function with an empty cache of results."""
    return functools.lru_cache(**parameters)(function)


def set_cached(function: Any, state: tuple[dict[str, Any], list[Any], int, int]) -> None:
    """Give a cached function its attributes, its results and its counts."""
    from rex.state.caches import fill, set_counts
    attributes, calls, hits, misses = state
    function.__dict__.update(attributes)
    fill(function, calls)
    set_counts(function, hits, misses)


def make_own(kind: type) -> Any:
    """An instance of a class that tells its own state; its `__init__` is not called."""
    return kind.__new__(kind)


def set_own(value: Any, state: tuple[Any]) -> None:
    """Give it the one state in the tuple."""
    from rex.state.declared import restore_own
    restore_own(value, *state)


def make_weak(kind: type) -> Any:
    """An empty weak collection."""
    return kind()


def fill_weak(collection: Any, items: list[Any]) -> None:
    """Fill a weak collection; what nothing else holds leaves it again."""
    collection.update(items)


def dead_reference() -> Any:
    """A weak reference to what is gone."""
    return weakref.ref(type("Gone", (), {})())


def make_cell() -> types.CellType:
    """An empty cell."""
    return types.CellType()


def set_cell(cell: types.CellType, content: tuple[Any, ...]) -> None:
    """Fill a cell that no walked function closes over."""
    if content:
        cell.cell_contents = content[0]


def module_globals(name: str) -> dict[str, Any]:
    """The namespace of an importable module."""
    from cloudpickle import cloudpickle
    return vars(cloudpickle.subimport(name))


def set_class(kind: type, state: tuple[dict[str, Any], Any]) -> type:
    """Give a class its attributes; one that is still alive loses those it got since."""
    from cloudpickle import cloudpickle
    if issubclass(kind, enum.Enum):   # its members are not in the state
        for member in kind:
            for name in [n for n in vars(member) if not (n.startswith("_") and n.endswith("_"))]:
                delattr(member, name)
        return cloudpickle._class_setstate(kind, state)
    for name in vars(kind).keys() - state[0].keys():
        if not (name.startswith("__") and name.endswith("__")) and name != "_abc_impl" \
                and not isinstance(vars(kind)[name], types.MemberDescriptorType):
            delattr(kind, name)
    return cloudpickle._class_setstate(kind, state)


def make_array(data: bytes, dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...],
               is_writeable: bool) -> Any:
    """A small array that owns a copy of the data."""
    import numpy
    array = empty_array(dtype, shape, strides)
    flat_memory(array)[:] = numpy.frombuffer(data, numpy.uint8)
    array.flags.writeable = is_writeable
    return array


def empty_array(dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """An array that owns memory laid out by these strides, dense in some order of the axes."""
    import numpy
    array = numpy.empty(shape, dtype)
    if array.strides != strides and array.size:
        array = numpy.empty(shape, dtype, order="F")
    if array.strides != strides and array.size:
        order = sorted(range(len(shape)), key=lambda axis: (-strides[axis], axis))
        sample = numpy.empty([shape[axis] for axis in order], dtype)
        array = numpy.empty_like(sample.transpose(numpy.argsort(order)), order="K")
    return array


def flat_memory(array: Any) -> Any:
    """The bytes of an array that owns its memory, as a writeable array."""
    import numpy
    flat = array.T if not array.flags.c_contiguous and array.flags.f_contiguous else array
    if not flat.flags.c_contiguous:
        order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
        flat = array.transpose(order)
    return flat.reshape(-1).view(numpy.uint8)


def make_objects(shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """An array of objects; `set_objects` fills it."""
    return empty_array(object, shape, strides)


def set_objects(array: Any, state: tuple[list[Any], bool]) -> None:
    """Fill an array of objects."""
    flat = flat_objects(array)
    for index, value in enumerate(state[0]):   # slices would take nested lists apart
        flat[index] = value
    array.flags.writeable = state[1]


def flat_objects(array: Any) -> Any:
    """An array of objects as one row over the same memory; None if it is not dense."""
    if array.flags.c_contiguous:
        return array.reshape(-1)
    return array.T.reshape(-1) if array.flags.f_contiguous else None


def make_view(root: Any, dtype: Any, shape: tuple[int, ...], offset: int,
              strides: tuple[int, ...], is_writeable: bool) -> Any:
    """An array that looks into another's memory, or into a bytes-like object."""
    import numpy
    if is_writeable and isinstance(root, numpy.ndarray) and not root.flags.writeable:
        root.flags.writeable = True   # it was made read-only after the view was taken
        try:
            return make_view(root, dtype, shape, offset, strides, True)
        finally:
            root.flags.writeable = False
    buffer = root
    if isinstance(root, numpy.ndarray) and not root.flags.c_contiguous:
        order = sorted(range(root.ndim), key=lambda axis: -root.strides[axis])
        buffer = root.transpose(order)
    view = numpy.ndarray(shape, dtype, buffer, offset, strides)
    if not is_writeable:
        view.flags.writeable = False
    return view
