"""Makes places.csv and districts.csv: shops and homes in clusters, centres of districts."""
import numpy as np
import pandas as pd

rng = np.random.default_rng(31)
towns = rng.uniform(10, 90, (25, 2))
spots = (towns[rng.integers(0, 25, 60000)] + rng.normal(0, 6, (60000, 2))).clip(0.01, 99.99).round(4)
kinds = rng.choice(["shop", "home"], 60000, p=[0.15, 0.85])
pd.DataFrame({"x": spots[:, 0], "y": spots[:, 1], "kind": kinds}).to_csv("places.csv", index=False)
pd.DataFrame(rng.uniform(0, 100, (300, 2)).round(3), columns=["x", "y"]).to_csv("districts.csv", index=False)
