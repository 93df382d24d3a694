"""Keras on torch: `Model.fit`. An epoch's steps and its validation are a block; callbacks at its end run behind it.

Keras keys tables by id(), which is another one in each process. They follow from the lists beside them.
It also writes id() into the files of models, where one object is part of two. There it is replaced by a number.
"""

from __future__ import annotations

from typing import Any, Callable

from rex.hindsight.trainers import Trainer

TRAINERS = (Trainer("keras.src.backend.torch.trainer", ("TorchTrainer.fit",), ("self.train", "self.evaluate"), tested="keras 3.15.0"),)


class _Derived:
    is_fixed, is_derived = False, True
    pointers: tuple[str, ...] = ()

    def save(self, value: Any) -> bytes:
        return b""

    def new(self, kind: Any) -> Any:
        return kind.__new__(kind)


class _Tracker(_Derived):
    pointers = ("stored_ids",)

    def load(self, value: Any, content: bytes) -> None:
        value.stored_ids = {name: {id(each) for each in store} for name, (_, store) in value.config.items()}


class _Optimizer(_Derived):
    pointers = ("_trainable_variables_indices",)

    def load(self, value: Any, content: bytes) -> None:
        if "_trainable_variables" in vars(value):
            vars(value)["_trainable_variables_indices"] = {id(each): place for place, each in enumerate(value._trainable_variables)}


class _Function(_Derived):
    pointers = ("_nodes",)

    def load(self, value: Any, content: bytes) -> None:
        if "_nodes_by_depth" in vars(value):
            vars(value)["_nodes"] = {f"{id(node.operation)}_ib-{node.operation._inbound_nodes.index(node)}"
                                     for nodes in value._nodes_by_depth.values() for node in nodes}


class _EpochIterator(_Derived):
    pointers = ("_epoch_iterator", "_current_iterator")     # each epoch creates new ones

    def save(self, value: Any) -> bytes:
        if value.steps_per_epoch:
            raise ValueError("with steps_per_epoch an epoch goes on in the data where the last one stopped, which no checkpoint can hold")
        return b""

    def load(self, value: Any, content: bytes) -> None:
        value._epoch_iterator = value._current_iterator = None


class _CallbackList(_Derived):
    pointers = ("_executor",)       # a pool of threads, which is idle at an epoch's borders

    def load(self, value: Any, content: bytes) -> None:
        pass


STATES = {"CallbackList": _CallbackList(), "EpochIterator": _EpochIterator(), "Tracker": _Tracker(), "BaseOptimizer": _Optimizer(), "Function": _Function()}

_NUMBERS = "shared_objects/numbers"


def watch(saving: Any, refuse: Callable[[str], None]) -> None:
    """Let a saved model name its shared objects by the order in which they are saved, the same in each process."""
    state, scope = saving.global_state, saving.ObjectSharingScope
    begin, end = scope.__enter__, scope.__exit__

    def __enter__(value: Any) -> Any:
        state.set_global_attribute(_NUMBERS, {})
        return begin(value)

    def __exit__(value: Any, *raised: Any) -> Any:
        state.set_global_attribute(_NUMBERS, None)
        return end(value, *raised)

    def number(value: object) -> int:
        """In place of `id`. The table holds the object: another could have its address before all is saved."""
        known = state.get_global_attribute(_NUMBERS)
        return known.setdefault(id(value), (len(known) + 1, value))[0]   # type: ignore[no-any-return]

    scope.__enter__, scope.__exit__, saving.id = __enter__, __exit__, number
