"""What no walk can keep: adapters of libraries tell how to read what lies behind pointers of C, and how to make tables of id() again."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable, Protocol

from rex.values import dataclass

# Adapter by class, and by the modules whose classes it watches in a replay.
_ADAPTERS = {("xgboost.core", "Booster"): "xgboost_train", ("xgboost.core", "DMatrix"): "xgboost_train",
             ("lightgbm.basic", "Booster"): "lightgbm_train", ("lightgbm.basic", "Dataset"): "lightgbm_train",
             ("keras.src.utils.tracking", "Tracker"): "keras_fit", ("keras.src.ops.function", "Function"): "keras_fit",
             ("keras.src.optimizers.base_optimizer", "BaseOptimizer"): "keras_fit",
             ("keras.src.trainers.epoch_iterator", "EpochIterator"): "keras_fit",
             ("keras.src.callbacks.callback_list", "CallbackList"): "keras_fit",
             ("torch._dynamo.eval_frame", "OptimizedModule"): "torch_compile"}
_own: dict[type, NativeState] = {}     # that the script named


Content = bytes | tuple[bytes, ...]


class NativeState(Protocol):
    """How instances of a class are kept.

    Attributes:
        pointers: names of attributes that lead into C, or are made of id(): no state.
        is_fixed: what lies behind them never changes. `save` then tells what it is known by, and nothing is put back.
        is_derived: what they hold follows from other attributes. `load` makes it, once all is put back.
    """

    pointers: tuple[str, ...]
    is_fixed: bool
    is_derived: bool

    def save(self, value: Any) -> Content:
        """What lies behind the pointers; equal for equal states. Of pieces, only those that changed are stored."""

    def load(self, value: Any, content: Any) -> None:
        """Put that in place of what lies behind the pointers now."""

    def new(self, kind: type) -> Any:
        """An instance to load into."""


@dataclass(slots=True)
class OwnState:
    """What a script said about a class by `hindsight.keep`."""

    save: Callable[[Any], bytes]
    load: Callable[[Any, bytes], None]
    pointers: tuple[str, ...]
    is_fixed: bool = False
    is_derived: bool = False

    def new(self, kind: Any) -> Any:
        """As `NativeState.new`, without a call of __init__."""
        return kind.__new__(kind)


def register(kind: type, state: NativeState) -> None:
    """Learn how instances of a class are kept."""
    _own[kind] = state


def state_of(kind: type) -> NativeState | None:
    """How instances of a class are kept, if it or a class that it is derived from has pointers of C."""
    for base in kind.__mro__:
        if base in _own:
            return _own[base]
        if (adapter := _ADAPTERS.get((base.__module__, base.__name__))) is not None:
            states: dict[str, NativeState] = import_module(f"rex.hindsight.trainers.{adapter}").STATES
            return states[base.__name__]
    return None
