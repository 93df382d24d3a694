"""Boosted trees of XGBoost, with a callback and early stopping."""

import sys

import numpy as np
import xgboost

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40

rng = np.random.default_rng(0)
data = rng.normal(size=(6000, 30)).astype(np.float32)
labels = (data[:, 0] * data[:, 1] + 0.5 * rng.normal(size=6000) > 0).astype(int)
train = xgboost.DMatrix(data[:5000], labels[:5000])
test = xgboost.DMatrix(data[5000:], labels[5000:])


class Progress(xgboost.callback.TrainingCallback):
    """Prints the loss of each round."""

    def after_iteration(self, model, epoch, evals_log):
        loss = evals_log["test"]["logloss"][-1]
        print(f"round {epoch}: loss {loss:.6f}")
        return False


parameters = {"objective": "binary:logistic", "max_depth": 6, "eta": 0.1, "seed": 1, "nthread": 1}
model = xgboost.train(parameters, train, ROUNDS, evals=[(test, "test")], early_stopping_rounds=10, verbose_eval=False,
                      callbacks=[Progress()])
print(f"best round {model.best_iteration}: loss {model.best_score:.6f}")
