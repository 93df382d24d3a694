"""Make a class again without the effects that its making had: those are in the state already.

A class statement runs the metaclass's `__new__` and the bases' `__init_subclass__`, which may fill registries.
"""

from __future__ import annotations

import contextlib
import types
from typing import Any, Callable, Iterator

from cloudpickle import cloudpickle

from rex.state.importable import is_importable

Arguments = dict[str, Any]


def make_class(constructor: Any, name: str, bases: tuple[type, ...], arguments: Arguments, tracker: str | None,
               extra: Any) -> type:
    """The class that is alive, or one without attributes; as `cloudpickle._make_skeleton_class`."""
    alive = cloudpickle._DYNAMIC_CLASS_TRACKER_BY_ID.get(tracker) if tracker is not None else None
    if alive is not None:
        return alive   # type: ignore[no-any-return]
    with _no_subclass_hooks(bases):
        made = types.new_class(name, bases, {"metaclass": _plain_maker(constructor)}, lambda space: space.update(arguments))
    return cloudpickle._lookup_class_or_track(tracker, made)   # type: ignore[no-any-return]


def make_foreign_class(constructor: Any, name: str, bases: tuple[type, ...], arguments: Arguments, tracker: str | None,
                       extra: Any) -> type:
    """A class of its own, although the one that was pickled may still live."""
    return make_class(constructor, name, bases, arguments, None, extra)


def _plain_maker(metaclass: Any) -> Callable[..., type]:
    """What makes a class of a metaclass; of the user's metaclasses only the library's part runs."""
    library = next((each for each in metaclass.__mro__ if is_importable(each)), type)
    if library is metaclass:
        return metaclass   # type: ignore[no-any-return]
    return lambda name, bases, space: library.__new__(metaclass, name, bases, space)


@contextlib.contextmanager
def _no_subclass_hooks(bases: tuple[type, ...]) -> Iterator[None]:
    """Within it the user's `__init_subclass__` of these classes and of those above them do nothing."""
    hooked = {each: vars(each)["__init_subclass__"] for base in bases for each in getattr(base, "__mro__", ())
              if "__init_subclass__" in vars(each) and not is_importable(each)}
    for each in hooked:
        type.__setattr__(each, "__init_subclass__", classmethod(lambda cls, **named: None))
    try:
        yield
    finally:
        for each, hook in hooked.items():
            type.__setattr__(each, "__init_subclass__", hook)
