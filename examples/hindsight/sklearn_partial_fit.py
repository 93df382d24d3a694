"""A linear classifier of scikit-learn, fed in pieces."""

import sys

import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 6

rng = np.random.RandomState(0)
data = rng.normal(size=(4000, 30))
labels = (data[:, 0] * data[:, 1] > 0).astype(int)
scaler = StandardScaler()
model = SGDClassifier(random_state=1)

for epoch in range(EPOCHS):
    for rows in np.array_split(rng.permutation(4000), 40):
        scaler.partial_fit(data[rows])
        model.partial_fit(scaler.transform(data[rows]), labels[rows], classes=[0, 1])
    print(f"epoch {epoch}: right {model.score(scaler.transform(data), labels):.4f}")
