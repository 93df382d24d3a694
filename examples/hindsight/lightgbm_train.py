"""Boosted trees of LightGBM, with a callback."""

import sys

import lightgbm
import numpy as np

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40

rng = np.random.default_rng(0)
data = rng.normal(size=(6000, 30))
labels = (data[:, 0] * data[:, 1] + 0.5 * rng.normal(size=6000) > 0).astype(int)
train = lightgbm.Dataset(data[:5000], labels[:5000])
test = lightgbm.Dataset(data[5000:], labels[5000:], reference=train)


def progress(state):
    """Print the loss of each round."""
    loss = state.evaluation_result_list[0][2]
    print(f"round {state.iteration}: loss {loss:.6f}")


parameters = {"objective": "binary", "bagging_fraction": 0.7, "bagging_freq": 1, "seed": 1, "num_threads": 1, "deterministic": True,
              "verbose": -1}
model = lightgbm.train(parameters, train, ROUNDS, valid_sets=[test], valid_names=["test"], callbacks=[progress])
print(f"trees {model.num_trees()}: mean {model.predict(data[5000:]).mean():.6f}")
