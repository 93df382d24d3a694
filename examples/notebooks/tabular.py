# A competition's table: features, folds, models, a blend; data are made here.
# %%
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import KFold
from sklearn.preprocessing import OrdinalEncoder
# %%
rng = np.random.default_rng(1)
n = 20000
train = pd.DataFrame(rng.random((n, 10)), columns=[f"cont{i}" for i in range(10)])
for i in range(4):
    train[f"cat{i}"] = rng.choice(list("ABCDE"), n)
train["target"] = train.cont0 * 3 + np.sin(6 * train.cont1) + (train.cat0 == "A") + rng.normal(0, 0.3, n)
test = train.sample(4000, random_state=1).drop(columns="target").reset_index(drop=True)
# %%
train.isna().sum()
# %%
features = [name for name in train if name != "target"]
categories = [name for name in features if name.startswith("cat")]
# %%
encoder = OrdinalEncoder().fit(train[categories])
# %%
train[categories] = encoder.transform(train[categories])
test[categories] = encoder.transform(test[categories])
# %%
folds = list(KFold(3, shuffle=True, random_state=0).split(train))
# %%
out = np.zeros((n, 2))
models = {"ridge": [], "forest": []}
# %%
for fit, held in folds:
    model = Ridge().fit(train.iloc[fit][features], train.target.iloc[fit])
    out[held, 0] = model.predict(train.iloc[held][features])
    models["ridge"].append(model)
# %%
for fit, held in folds:
    model = RandomForestRegressor(6, max_depth=8, random_state=0).fit(train.iloc[fit][features], train.target.iloc[fit])
    out[held, 1] = model.predict(train.iloc[held][features])
    models["forest"].append(model)
# %%
errors = [mean_squared_error(train.target, out[:, i]) ** 0.5 for i in range(2)]
# %%
boosted = HistGradientBoostingRegressor(max_iter=30, random_state=0).fit(train[features], train.target)
# %%
blend = out @ np.array([0.2, 0.8])
# %%
blend_error = mean_squared_error(train.target, blend) ** 0.5
# %%
submission = pd.DataFrame({"id": np.arange(len(test)), "target": boosted.predict(test[features])})
# %%
submission.target = submission.target.clip(train.target.min(), train.target.max())
# %%
del models["ridge"]
