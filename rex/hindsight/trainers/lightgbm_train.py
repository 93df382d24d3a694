"""LightGBM: `train`, and what is built on it (`LGBMClassifier.fit`)."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import sys
from typing import Any, Callable

from rex.hindsight.trainers import Trainer
from rex.hindsight.trainers.unready import Unready

TRAINERS = (Trainer("lightgbm.engine", ("train",), ("booster.update", "booster.eval_train", "booster.eval_valid"), tested="lightgbm 4.7.0"),)
_FIELDS = ("label", "weight", "init_score")
# Texts of models have gains in six digits.
_REFUSED = ("update", "add_valid", "rollback_one_iter", "_Booster__boost", "_Booster__inner_eval", "_Booster__inner_predict", "eval",
            "dump_model", "refit", "shuffle_models", "set_leaf_output")
_unready = Unready("a booster of LightGBM is trained further, or asked what its model's text does not tell: a checkpoint holds the text")


class _Booster:
    pointers, is_fixed, is_derived = ("_handle",), False, False

    def save(self, value: Any) -> bytes:
        if getattr(value, "_handle", None) is None:
            return b""
        # The sets that it measures itself by are known to C alone: one with others is not the same.
        return f"{len(getattr(value, 'valid_sets', ()))}\n{value.model_to_string(num_iteration=-1)}".encode()

    def load(self, value: Any, content: bytes) -> None:
        basic = sys.modules["lightgbm.basic"]
        handle, count, text = ctypes.c_void_p(), ctypes.c_int(), content.decode().partition("\n")[2]
        basic._safe_call(basic._LIB.LGBM_BoosterLoadModelFromString(basic._c_str(text), ctypes.byref(count), ctypes.byref(handle)))
        if getattr(value, "_handle", None) is not None:
            basic._safe_call(basic._LIB.LGBM_BoosterFree(value._handle))
        value._handle = handle
        _unready.note(value)

    def new(self, kind: Any) -> Any:
        return kind.__new__(kind)


class _Dataset:
    pointers, is_fixed, is_derived = ("_handle",), True, False

    def save(self, value: Any) -> bytes:
        if value._handle is None:
            return b""
        digest = hashlib.sha256(repr((value.num_data(), value.num_feature())).encode())
        for name in _FIELDS:
            field = value.get_field(name)
            digest.update(b"" if field is None else field.tobytes())
        return digest.digest()


STATES = {"Booster": _Booster(), "Dataset": _Dataset()}


def watch(basic: Any, refuse: Callable[[str], None]) -> None:
    """Have a replay skip nothing if it wants more of a booster than its model."""
    _unready.watch(basic.Booster, {**dict.fromkeys(_REFUSED, lambda *_, **__: True), "feature_importance": _wants_gains}, refuse)
    reset = basic.Booster.reset_parameter

    @functools.wraps(reset)
    def reset_parameter(booster: Any, params: dict[str, Any]) -> Any:
        if not _unready.has(booster):
            return reset(booster, params)
        booster.params.update(params)     # in C they are for the next round, which such a booster does not compute
        return booster

    basic.Booster.reset_parameter = reset_parameter


def _wants_gains(booster: Any, importance_type: str = "split", *_: Any, **__: Any) -> bool:
    return importance_type != "split"
