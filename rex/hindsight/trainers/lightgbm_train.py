"""LightGBM: `train`, and what is built on it (`LGBMClassifier.fit`)."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import sys
import weakref
from typing import Any, Callable

from rex.hindsight.trainers import Trainer
from rex.hindsight.trainers.unready import Unready

TRAINERS = (Trainer("lightgbm.engine", ("train",), ("booster.update", "booster.eval_train", "booster.eval_valid"), tested="lightgbm 4.7.0"),)
_FIELDS = ("label", "weight", "init_score")
# Texts of models have gains in six digits.
_REFUSED = ("update", "add_valid", "rollback_one_iter", "_Booster__boost", "_Booster__inner_eval", "_Booster__inner_predict", "eval",
            "dump_model", "refit", "shuffle_models", "set_leaf_output")
_unready = Unready("a booster of LightGBM is trained further, or asked what its model's text does not tell: a checkpoint holds the text")


# They change trees that are there; training adds some, unless it drops others for a while (dart).
_CHANGE_TREES = ("rollback_one_iter", "shuffle_models", "set_leaf_output", "model_from_string")
_BLOCK_TREES = 16
_SIZES, _TREE, _END, _PARAMETERS = "tree_sizes=", "Tree=", "end of trees\n", "\nparameters:"


class _Booster:
    """A model's text in pieces: what stands before its trees, blocks of trees, what stands behind them.

    To write a tree as text takes long. So the text of those that were there is kept, and the last of them is compared.
    """

    pointers, is_fixed, is_derived = ("_handle",), False, False

    def __init__(self) -> None:
        self._trees: weakref.WeakKeyDictionary[Any, list[str]] = weakref.WeakKeyDictionary()

    def save(self, value: Any) -> tuple[bytes, ...]:
        if getattr(value, "_handle", None) is None:
            return ()
        trees, width = self._trees.get(value, []), value.num_model_per_iteration()
        begin = max(0, len(trees) // width - 1) if "dart" not in value.params.values() else 0
        head, added, tail = _parts(value, begin)
        if trees[begin * width:] != added[:len(trees) - begin * width]:
            begin, (head, added, tail) = 0, _parts(value, 0)
        trees = self._trees[value] = trees[:begin * width] + added
        blocks = [_TREE.join(("", *trees[at:at + _BLOCK_TREES])).encode() for at in range(0, len(trees), _BLOCK_TREES)]
        # The sets that it measures itself by are known to C alone: one with others is not the same.
        return f"{len(getattr(value, 'valid_sets', ()))}\n{head}".encode(), *blocks, tail.encode()

    def forget(self, value: Any) -> None:
        """Its trees may be others now."""
        self._trees.pop(value, None)

    def load(self, value: Any, content: tuple[bytes, ...]) -> None:
        basic = sys.modules["lightgbm.basic"]
        handle, count, text = ctypes.c_void_p(), ctypes.c_int(), _text(content)
        self.forget(value)
        basic._safe_call(basic._LIB.LGBM_BoosterLoadModelFromString(basic._c_str(text), ctypes.byref(count), ctypes.byref(handle)))
        if getattr(value, "_handle", None) is not None:
            basic._safe_call(basic._LIB.LGBM_BoosterFree(value._handle))
        value._handle = handle
        _unready.note(value)

    def new(self, kind: Any) -> Any:
        return kind.__new__(kind)


def _parts(booster: Any, begin: int) -> tuple[str, list[str], str]:
    """What stands before a model's trees, the trees from an iteration on without their numbers, and what stands behind them.

    Sizes of trees and counts of features follow from the trees.
    """
    text = booster.model_to_string(num_iteration=-1, start_iteration=begin)
    head, _, rest = text.partition(_SIZES)
    sizes, _, rest = rest.partition("\n")
    end = sum(map(int, sizes.split())) + 1
    trees = [tree.partition("\n")[2] for tree in rest[1:end].split(_TREE)[1:]]
    return head, trees, rest[end:].partition(_PARAMETERS)[2]


def _text(content: tuple[bytes, ...]) -> str:
    """The text of a model from its pieces."""
    head, *blocks, tail = map(bytes.decode, content)
    bodies = "".join(blocks).split(_TREE)[1:]
    trees = [f"{_TREE}{number}\n{body}" for number, body in enumerate(bodies)]
    return (f"{head.partition(chr(10))[2]}{_SIZES}{' '.join(str(len(tree)) for tree in trees)}\n\n{''.join(trees)}"
            f"{_END}\nfeature_importances:\n{_PARAMETERS}{tail}")


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


STATES: dict[str, Any] = {"Booster": _Booster(), "Dataset": _Dataset()}


def watch(basic: Any, refuse: Callable[[str], None]) -> None:
    """Have a replay skip nothing if it wants more of a booster than its model."""
    _unready.watch(basic.Booster, {**dict.fromkeys(_REFUSED, lambda *_, **__: True), "feature_importance": _wants_gains}, refuse)
    for name in _CHANGE_TREES:
        setattr(basic.Booster, name, _forgetting(getattr(basic.Booster, name)))
    reset = basic.Booster.reset_parameter

    @functools.wraps(reset)
    def reset_parameter(booster: Any, params: dict[str, Any]) -> Any:
        if not _unready.has(booster):
            return reset(booster, params)
        booster.params.update(params)     # in C they are for the next round, which such a booster does not compute
        return booster

    basic.Booster.reset_parameter = reset_parameter


def _forgetting(method: Any) -> Any:
    @functools.wraps(method)
    def changed(booster: Any, *arguments: Any, **named: Any) -> Any:
        STATES["Booster"].forget(booster)
        return method(booster, *arguments, **named)

    return changed


def _wants_gains(booster: Any, importance_type: str = "split", *_: Any, **__: Any) -> bool:
    return importance_type != "split"
