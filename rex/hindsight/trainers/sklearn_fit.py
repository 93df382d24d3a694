"""scikit-learn: estimators whose loop over epochs or stages is written in Python.

`SGDClassifier.fit` and the like loop in C: they have no borders inside. Their `partial_fit` is called by loops of the script.
Not listed: `HistGradientBoosting*` (its growers cannot be captured) and `GaussianMixture`: recordings lose time, and replays skip nothing.
"""

from rex.hindsight.trainers import Trainer

_TESTED = "scikit-learn 1.9.1"
TRAINERS = (
    Trainer("sklearn.neural_network._multilayer_perceptron", ("BaseMultilayerPerceptron._fit_stochastic",), tested=_TESTED),
    Trainer("sklearn.ensemble._gb", ("BaseGradientBoosting._fit_stages",), ("self._fit_stage",), tested=_TESTED))
