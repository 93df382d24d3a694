"""scikit-learn: estimators whose loop over epochs or stages is written in Python.

`SGDClassifier.fit` and the like loop in C: they have no borders inside. Their `partial_fit` is called by loops of the script.
Not listed: `HistGradientBoosting*` (its growers cannot be captured) and `GaussianMixture`: recordings lose time, and replays skip nothing.
Searches fit clones in other processes or in calls of joblib: they are named when one is run.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from rex.hindsight.trace import current
from rex.hindsight.trainers import Trainer

_TESTED = "scikit-learn 1.9.1"
TRAINERS = (
    Trainer("sklearn.neural_network._multilayer_perceptron", ("BaseMultilayerPerceptron._fit_stochastic",), tested=_TESTED),
    Trainer("sklearn.ensemble._gb", ("BaseGradientBoosting._fit_stages",), ("self._fit_stage",), tested=_TESTED))


def watch(search: Any, refuse: Callable[[str], None]) -> None:
    """Name each kind of search that the script runs."""
    fit, named = search.BaseSearchCV.fit, set[str]()

    @functools.wraps(fit)
    def named_fit(value: Any, *arguments: Any, **options: Any) -> Any:
        kind = type(value).__name__
        if kind not in named and current.session is not None:
            named.add(kind)
            current.session.note_unseen(search.__name__, f"{kind}.fit loops over candidates; a replay runs or skips all of it")
        return fit(value, *arguments, **options)

    search.BaseSearchCV.fit = named_fit
