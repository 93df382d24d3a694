"""XGBoost: `train`, and what is built on it (`XGBClassifier.fit`)."""

from __future__ import annotations

import ctypes
import hashlib
import json
import sys
from typing import Any, Callable

from rex.hindsight.trainers import Trainer
from rex.hindsight.trainers.unready import Unready

_TESTED = "xgboost 3.2.0"
TRAINERS = (
    Trainer("xgboost.training", ("train",), ("bst.update",), tested=_TESTED),
    Trainer("xgboost.callback", ("CallbackContainer.after_iteration",), ("model.eval_set",), tested=_TESTED))
_SHARES = ("subsample", "colsample_bytree", "colsample_bylevel", "colsample_bynode")
_FIELDS = ("label", "weight", "base_margin")
_unready = Unready("a booster that draws random numbers (subsample, colsample, dart, gblinear) is trained further: no checkpoint "
                   "holds where XGBoost's generator stands")


class _Booster:
    pointers, is_fixed, is_derived = ("handle",), False, False

    def save(self, value: Any) -> bytes:
        return bytes(value.__getstate__()["handle"])

    def load(self, value: Any, content: bytes) -> None:
        held = (ctypes.c_char * len(content)).from_buffer(bytearray(content))
        core = sys.modules["xgboost.core"]
        core._check_call(core._LIB.XGBoosterUnserializeFromBuffer(value.handle, held, ctypes.c_uint64(len(content))))
        _unready.note(value)

    def new(self, kind: Any) -> Any:
        made = kind.__new__(kind)
        made.__init__()
        return made


class _DMatrix:
    pointers, is_fixed, is_derived = ("handle",), True, False

    def save(self, value: Any) -> bytes:
        digest = hashlib.sha256(repr((value.num_row(), value.num_col(), value.num_nonmissing(), value.feature_names)).encode())
        for name in _FIELDS:
            digest.update(value.get_float_info(name).tobytes())
        return digest.digest()


STATES = {"Booster": _Booster(), "DMatrix": _DMatrix()}


def watch(core: Any, refuse: Callable[[str], None]) -> None:
    """Have a replay skip nothing if it trains a booster further that was put back, and that draws random numbers."""
    _unready.watch(core.Booster, {"update": _draws, "boost": _draws}, refuse)


def _draws(booster: Any, *_: Any, **__: Any) -> bool:
    facts = json.loads(booster.save_config())["learner"]["gradient_booster"]
    return facts["name"] != "gbtree" or any(float(value) < 1 for name, value in _pairs(facts) if name in _SHARES)


def _pairs(facts: dict[str, Any]) -> Any:
    for name, value in facts.items():
        if isinstance(value, dict):
            yield from _pairs(value)
        elif isinstance(value, str):
            yield name, value
