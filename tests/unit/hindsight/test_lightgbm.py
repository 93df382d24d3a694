"""A booster of LightGBM in pieces: the same model, and the same pieces whenever they were taken."""

from __future__ import annotations

from typing import Any

import pytest

lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed")
numpy = pytest.importorskip("numpy")

from rex.hindsight.trainers import lightgbm_train  # noqa: E402

BOOSTER = lightgbm_train.STATES["Booster"]


def booster(**params: Any) -> tuple[Any, Any]:
    """One that is not trained yet, and its data."""
    data = numpy.random.default_rng(0).normal(size=(400, 4))
    classes = (data[:, 0] * data[:, 1] > 0).astype(int) + (data[:, 2] > 1) * ("num_class" in params)
    params = {"objective": "binary", "num_leaves": 4, "verbosity": -1, "num_threads": 1, **params}
    return lightgbm.Booster(params, lightgbm.Dataset(data, classes)), data


def without_counts(text: str) -> str:
    return text.partition("\nfeature_importances:")[0] + text.partition("\nparameters:")[2]


@pytest.mark.parametrize("params", [{}, {"objective": "multiclass", "num_class": 3}, {"boosting": "dart"},
                                    {"boosting": "rf", "bagging_fraction": 0.5, "bagging_freq": 1}])
def test_pieces_are_the_model_whenever_they_were_taken(params: dict[str, Any]) -> None:
    made, data = booster(**params)
    for number in range(20):
        if number % 3 == 0:
            content = BOOSTER.save(made)
            BOOSTER.forget(made)
            assert BOOSTER.save(made) == content
            assert without_counts(lightgbm_train._text(content)) == without_counts(made.model_to_string(num_iteration=-1))
        made.update()
    other, _ = booster(**params)
    BOOSTER.load(other, BOOSTER.save(made))
    assert (other.predict(data) == made.predict(data)).all() and BOOSTER.save(other) == BOOSTER.save(made)
    assert (other.feature_importance() == made.feature_importance()).all()


def test_what_does_not_change_stays_the_same_piece() -> None:
    made, _ = booster()
    for _ in range(40):
        made.update()
    before = BOOSTER.save(made)
    made.update()
    assert [one == other for one, other in zip(before, BOOSTER.save(made))] == [True, True, True, False, True]


@pytest.mark.parametrize("name", ["set_leaf_output", "rollback_one_iter", "shuffle_models"])
def test_trees_that_change_later_are_seen(name: str) -> None:
    made, _ = booster()
    for _ in range(6):
        made.update()
    BOOSTER.save(made)
    change = lightgbm_train._forgetting(getattr(lightgbm.Booster, name))
    change(made, *{"set_leaf_output": (1, 0, 5.0)}.get(name, ()))
    content = BOOSTER.save(made)
    BOOSTER.forget(made)
    assert content == BOOSTER.save(made)
