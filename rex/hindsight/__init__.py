"""Hindsight logging: log statements added after a training run (docs/hindsight.md).

By hand, in a script that `rex hindsight record` runs (or plain Python, where they do nothing):

    from rex import hindsight
    for epoch in hindsight.loop(range(24)):       # checkpoints at every iteration, however short
        with hindsight.skip_block("training"):    # executed, or restored
            ...
        hindsight.log("loss", loss)
    hindsight.save(net, "model")                  # in the background
    hindsight.trainer("somelib.engine", "Engine.run", trains=["self.step"])    # a loop of a library
"""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterable, Iterator, Sequence, TypeVar

_Item = TypeVar("_Item")
_Value = TypeVar("_Value")

__all__ = ["keep", "load", "log", "loop", "save", "skip_block", "trainer"]


def _session() -> Any:
    from rex.hindsight.trace import current
    return current.session


def loop(iterable: Iterable[_Item]) -> Iterable[_Item]:
    """Mark a for loop: its iterations have borders, whatever its body takes."""
    return iterable


def skip_block(name: str = "") -> contextlib.AbstractContextManager[None]:
    """Mark a block that replay may skip by restoring what it changed; for `with` alone."""
    return contextlib.nullcontext()


def trainer(module: str, *functions: str, trains: Sequence[str] = (), drops: Sequence[str] = ()) -> None:
    """Tell which functions of a library's module hold training loops; call it before the script imports that module.

    Args:
        functions: qualified names (`Trainer.fit`).
        trains: what those loops call to compute (`self.step`), as the source of the module writes it.
        drops: variables of those functions (`batches`), or their attributes (`self.batches`), that hold iterators, and that nothing
            reads once what those loops compute is over: they become None.
    """
    from rex.hindsight.trainers import Trainer, register
    session = _session()
    if session is not None and module in sys.modules:
        session.note_unseen(module, "hindsight.trainer was called after the module was imported")
    register(Trainer(module, functions, tuple(trains), tuple(drops)))


def keep(kind: type[_Value], save: Callable[[_Value], bytes], load: Callable[[_Value, bytes], None], pointers: Sequence[str] = ()) -> None:
    """Tell how instances of a class are kept whose content lies behind pointers of C; call it before the loops begin.

    Args:
        save: gives the content as bytes, equal for equal contents.
        load: puts it back in place. An instance that is gone is made by `__new__` alone, and then loaded.
        pointers: names of attributes that are no state.
    """
    from rex.hindsight.trainers.native import OwnState, register
    register(kind, OwnState(save, load, tuple(pointers)))


def log(name: str, value: _Value) -> _Value:
    """Keep a value under a name with the iteration of the main loop; returns the value."""
    session = _session()
    if session is not None:
        session.value(name, value)
    return value


def save(value: Any, name: str = "saved") -> None:
    """Keep an object as it is now: copied at once, stored in the background."""
    session = _session()
    if session is not None:
        session.save(name, value)


def load(archive: str, name: str = "saved", experiment: str | None = None) -> Iterator[Any]:
    """Every object that a run saved under a name, in order; loading runs code of its classes.

    Raises:
        NotFound: there is no such run.
    """
    from rex.hindsight.replay.saved import load_saved
    return load_saved(archive, name, experiment)
