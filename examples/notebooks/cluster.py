# Grouping customers by what they buy; data are made here. Cells are separated by "# %%".
# %%
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler
# %%
rng = np.random.default_rng(0)
centres = rng.normal(size=(5, 8)) * 3
kind = rng.integers(0, 5, 12000)
df = pd.DataFrame(centres[kind] + rng.normal(size=(12000, 8)), columns=[f"spent_{n}" for n in range(8)])
df["joined"] = pd.Timestamp("2012-07-30") + pd.to_timedelta(rng.integers(0, 700, 12000), unit="D")
df.loc[rng.random(12000) < 0.02, "spent_3"] = np.nan
# %%
df.describe()
# %%
df = df.dropna()
# %%
df["days"] = (df.joined.max() - df.joined).dt.days
# %%
X = StandardScaler().fit_transform(df.drop(columns="joined"))
# %%
pca = PCA(3).fit(X)
# %%
reduced = pd.DataFrame(pca.transform(X), columns=["a", "b", "c"])
# %%
scores = []
for count in range(2, 7):
    model = KMeans(count, n_init=2, random_state=0).fit(reduced)
    scores.append(silhouette_score(reduced, model.labels_, sample_size=800, random_state=0))
# %%
best = int(np.argmax(scores)) + 2
# %%
model = KMeans(best, n_init=4, random_state=0).fit(reduced)
# %%
df["cluster"] = model.labels_
# %%
tree = AgglomerativeClustering(best).fit(reduced[:1500])
# %%
fig, ax = plt.subplots()
ax.scatter(reduced.a[:2000], reduced.b[:2000], c=model.labels_[:2000])
# %%
profile = df.groupby("cluster").mean(numeric_only=True)
# %%
df = df.drop(columns="days")
# %%
profile["size"] = df.cluster.value_counts()
