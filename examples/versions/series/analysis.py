# %% imports
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.metrics import mean_absolute_error

# %% load
load = pd.read_csv("load.csv", parse_dates=["hour"], index_col="hour")
load.describe()

# %% clean
CAP = 3.5
z = (load - load.mean()) / load.std()
load = load.where(z.abs() < CAP).interpolate()
load.tail(3)

# %% features
frame = pd.DataFrame({"load": load["load"]})
for lag in (1, 2, 24, 48, 168):
    frame[f"lag{lag}"] = load["load"].shift(lag)
for window in (6, 24, 168):
    frame[f"mean{window}"] = load["load"].shift(1).rolling(window).mean()
    frame[f"quantile{window}"] = load["load"].shift(1).rolling(window).quantile(0.9)
frame["hour"] = frame.index.hour
frame["weekday"] = frame.index.day_of_week
frame = frame.dropna()
frame.shape

# %% split
cut = int(0.8 * len(frame))
train, test = frame[:cut], frame[cut:]
inputs = [name for name in frame if name != "load"]

# %% forest
forest = RandomForestRegressor(n_estimators=8, min_samples_leaf=3, random_state=0)
forest.fit(train[inputs], train["load"])
forest_guess = forest.predict(test[inputs])
print("forest", round(mean_absolute_error(test["load"], forest_guess), 4))

# %% boosting
boosting = HistGradientBoostingRegressor(max_iter=60, learning_rate=0.08, random_state=0)
boosting.fit(train[inputs], train["load"])
boosting_guess = boosting.predict(test[inputs])
print("boosting", round(mean_absolute_error(test["load"], boosting_guess), 4))

# %% blend
WEIGHT = 0.5
guess = WEIGHT * forest_guess + (1 - WEIGHT) * boosting_guess
print("blend", round(mean_absolute_error(test["load"], guess), 4))
pd.DataFrame({"load": test["load"], "guess": guess}).to_csv("forecast.csv", float_format="%.4f")

# %% picture
fig, ax = plt.subplots(figsize=(8, 3))
ax.plot(test["load"].to_numpy()[:168], label="measured")
ax.plot(guess[:168], label="forecast")
ax.legend()
