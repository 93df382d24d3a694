"""Makes network.csv, suppliers.csv and regions.csv: a random, connected pipe network."""
import numpy as np
import pandas as pd

rng = np.random.default_rng(11)
N = 90
places = rng.random((N, 2))
pairs = set()
for i in range(1, N):
    nearest = np.argsort(((places[:i] - places[i]) ** 2).sum(1))[:3]
    pairs.update((int(j), i) for j in nearest)
pairs = sorted(pairs)
length = [float(np.hypot(*(places[a] - places[b]))) for a, b in pairs]
pd.DataFrame({"a": [f"n{a:02d}" for a, _ in pairs], "b": [f"n{b:02d}" for _, b in pairs],
              "cost": np.round(length, 4), "capacity": rng.integers(60, 160, len(pairs))}).to_csv("network.csv", index=False)
pd.DataFrame({"node": [f"n{i:02d}" for i in rng.choice(N, 12, replace=False)], "cost": rng.uniform(1, 3, 12).round(3),
              "capacity": 120}).to_csv("suppliers.csv", index=False)
pd.DataFrame({"node": [f"n{i:02d}" for i in rng.choice(N, 40, replace=False)],
              "demand": rng.uniform(5, 20, 40).round(2)}).to_csv("regions.csv", index=False)
