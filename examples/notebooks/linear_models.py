# A homework on linear models: least squares by hand, ridge, gradient descent, pictures; data are made here.
# %%
import numpy as np
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import make_regression
from sklearn.linear_model import Lasso, LinearRegression, Ridge
# %%
X, y, truth = make_regression(4000, 60, n_informative=10, noise=5.0, coef=True, random_state=3)
# %%
mean, scale = X.mean(0), X.std(0)
# %%
X -= mean
X /= scale
# %%
split = 3000
X_train, X_test, y_train, y_test = X[:split], X[split:], y[:split], y[split:]
# %%
exact = np.linalg.solve(X_train.T @ X_train, X_train.T @ y_train)
# %%
def error(weights):
    return float(np.mean((X_test @ weights - y_test) ** 2))
# %%
errors = {"exact": error(exact)}
# %%
weights, path = np.zeros(60), []
for step in range(400):
    weights -= 0.05 * X_train.T @ (X_train @ weights - y_train) / split
    path.append(weights.copy())
# %%
errors["descent"] = error(weights)
# %%
ridges = [Ridge(alpha).fit(X_train, y_train) for alpha in np.logspace(-2, 3, 20)]
# %%
errors["ridge"] = min(error(model.coef_) for model in ridges)
# %%
lasso = Lasso(0.5).fit(X_train, y_train)
# %%
table = pd.DataFrame({"truth": truth, "exact": exact, "lasso": lasso.coef_})
# %%
fig, ax = plt.subplots()
ax.plot([error(each) for each in path[::10]])
# %%
table["gap"] = (table.truth - table.lasso).abs()
# %%
path = path[-50:]
# %%
y_train[0] = 0.0
# %%
again = LinearRegression().fit(X_train, y_train)
