# Forecasting what shops sell: time series, lags, seasons; data are made here.
# %%
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_log_error
# %%
rng = np.random.default_rng(4)
days = pd.date_range("2013-01-01", "2016-08-15")
shops, goods = [f"shop{n}" for n in range(8)], [f"good{n}" for n in range(6)]
index = pd.MultiIndex.from_product([days, shops, goods], names=["date", "shop", "good"])
season = 20 + 8 * np.sin(2 * np.pi * days.dayofyear / 365.25) + 5 * (days.dayofweek >= 5)
sales = pd.DataFrame({"sales": np.repeat(season, 48) * rng.gamma(9, 1 / 9, len(index))}, index=index)
# %%
oil = pd.Series(60 + rng.normal(0, 1, len(days)).cumsum(), index=days, name="oil")
oil[rng.random(len(days)) < 0.3] = np.nan
# %%
oil = oil.interpolate().bfill()
# %%
holidays = pd.DataFrame({"date": rng.choice(days, 60, replace=False), "kind": rng.choice(["national", "local"], 60)}).set_index("date").sort_index()
# %%
by_day = sales.groupby("date").sales.mean()
# %%
rolling = by_day.rolling(28, center=True).mean()
# %%
wide = sales.sales.unstack(["shop", "good"])
# %%
features = pd.DataFrame(index=days)
features["oil"] = oil
# %%
for k in (1, 2, 3):
    features[f"sin{k}"] = np.sin(2 * np.pi * k * days.dayofyear / 365.25)
    features[f"cos{k}"] = np.cos(2 * np.pi * k * days.dayofyear / 365.25)
# %%
features = features.join(pd.get_dummies(days.to_series().dt.dayofweek, prefix="day", dtype=float))
# %%
features["holiday"] = features.index.isin(holidays.index).astype(float)
# %%
for lag in (1, 7, 14):
    features[f"lag{lag}"] = by_day.shift(lag)
# %%
features = features.dropna()
wide = wide.loc[features.index]
# %%
model = LinearRegression().fit(features[:-30], wide[:-30])
# %%
forecast = pd.DataFrame(model.predict(features[-30:]), index=features.index[-30:], columns=wide.columns).clip(0)
# %%
score = mean_squared_log_error(wide[-30:], forecast) ** 0.5
# %%
fig, ax = plt.subplots()
forecast.iloc[:, :4].plot(ax=ax)
# %%
wide = wide.drop(columns=wide.columns[-1])
