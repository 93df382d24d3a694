"""Training loops of libraries: which functions of which modules hold them (docs/hindsight.md, "Trainers").

An adapter is a list of `Trainer`. It is imported when a script imports the library, and never imports the library.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

from rex.values import dataclass


@dataclass(slots=True)
class Trainer:
    """One module of a library that holds training loops.

    Attributes:
        module: its name.
        functions: qualified names of the functions whose loops are instrumented.
        trains: what they call to compute (`booster.update`), as the source writes it; empty: all their loops are seen. The statements
            of a body from the first such call to the last are a block, which a replay skips as it skips a loop.
        drops: variables of theirs, or attributes of these, that hold iterators, which no checkpoint can, and that nothing reads once
            what they compute is over: the block, or without one the outermost loop.
        tested: the versions of the library that this was tried with.
    """

    module: str
    functions: tuple[str, ...]
    trains: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
    tested: str = ""


# Adapter by module: a script that imports none of these pays for this table alone.
_ADAPTERS = {
    "sklearn.neural_network._multilayer_perceptron": "sklearn_fit",
    "sklearn.ensemble._gb": "sklearn_fit",
    "xgboost.training": "xgboost_train", "xgboost.callback": "xgboost_train",
    "lightgbm.engine": "lightgbm_train",
    "lightning.pytorch.loops.fit_loop": "lightning_fit", "pytorch_lightning.loops.fit_loop": "lightning_fit",
    "transformers.trainer": "transformers_train",
    "keras.src.backend.torch.trainer": "keras_fit"}
# Modules that an adapter changes: it watches objects that were put back, lets iterators be captured, replaces id(),
# numbers what it makes apart, or names a loop that it leaves as it is.
WATCHED = {"xgboost.core": "xgboost_train", "lightgbm.basic": "lightgbm_train", "tqdm.std": "tqdm_bars",
           "keras.src.saving.serialization_lib": "keras_fit", "sklearn.model_selection._search": "sklearn_fit",
           "torch._functorch._aot_autograd.graph_capture_wrappers": "torch_compile"}
_own: dict[str, Trainer] = {}     # that the script named


def register(trainer: Trainer) -> None:
    """Learn of a trainer, before its module is imported."""
    _own[trainer.module] = trainer


def trainer_of(module: str) -> Trainer | None:
    """What is known of a module's training loops."""
    if module in _own:
        return _own[module]
    if (adapter := _ADAPTERS.get(module)) is None:
        return None
    trainers: tuple[Trainer, ...] = import_module(f"{__name__}.{adapter}").TRAINERS
    return next(each for each in trainers if each.module == module)


def watcher(module: str, refuse: Callable[[str], None]) -> Callable[[Any], None]:
    """What is called with a module once it is imported; refuse: what is called where the script wants what is not there."""
    return lambda found: import_module(f"{__name__}.{WATCHED[module]}").watch(found, refuse)   # type: ignore[no-any-return]
