"""Makes load.csv: a year of an hourly electric load, with days, weeks, seasons, noise and a few faults."""
import numpy as np
import pandas as pd

rng = np.random.default_rng(20)
hours = pd.date_range("2021-01-01", periods=365 * 24, freq="h")
t = np.arange(len(hours))
load = (50 + 12 * np.sin(2 * np.pi * (t - 8) / 24) + 6 * np.sin(2 * np.pi * t / (24 * 365))
        - 5 * (hours.day_of_week >= 5) + 3 * rng.standard_normal(len(t)))
load[rng.integers(0, len(t), 60)] *= 2.5
pd.DataFrame({"load": load.round(3)}, index=pd.Index(hours, name="hour")).to_csv("load.csv")
