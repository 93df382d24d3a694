"""Linear regression by stochastic gradient descent, in plain numpy."""

import sys
import time

import numpy as np

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 12

rng = np.random.default_rng(7)
features = rng.normal(size=(20000, 200))
weights = rng.normal(size=200)
target = features @ weights + rng.normal(size=20000)

model = np.zeros(200)
velocity = np.zeros(200)
rate = 0.05
started = time.time()

for epoch in range(EPOCHS):
    order = rng.permutation(len(features))
    total = 0.0
    for begin in range(0, len(order), 50):
        rows = order[begin:begin + 50]
        error = features[rows] @ model - target[rows]
        gradient = features[rows].T @ error / len(rows)
        velocity = 0.9 * velocity - rate * gradient
        model = model + velocity
        total += float(error @ error)
    rate *= 0.9
    print(f"epoch {epoch}: loss {total / len(order):.6f} after {time.time() - started:.1f} s")

print(f"distance {np.linalg.norm(model - weights):.6f}")
