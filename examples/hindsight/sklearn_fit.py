"""Estimators of scikit-learn whose loops are in the library: boosting with a monitor, then a small network."""

import sys

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.neural_network import MLPClassifier

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 12

rng = np.random.RandomState(0)
data = rng.normal(size=(3000, 20))
labels = (data[:, 0] * data[:, 1] + 0.3 * data[:, 2] > 0).astype(int)


def monitor(stage, booster, variables):
    """Stop once the last stages brought nothing."""
    gain = booster.oob_improvement_[max(0, stage - 3):stage + 1].mean()
    print(f"stage {stage}: gain {gain:.5f}")
    return gain < 0


booster = GradientBoostingClassifier(n_estimators=EPOCHS, subsample=0.5, random_state=1)
booster.fit(data, labels, monitor=monitor)
print(f"boosting: right {booster.score(data, labels):.4f}")

network = MLPClassifier((50,), max_iter=EPOCHS, tol=0, random_state=2, verbose=True)
network.fit(np.c_[data, booster.decision_function(data)], labels)
print(f"network: loss {network.loss_:.6f}")
