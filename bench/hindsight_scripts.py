"""Ten ordinary training scripts, what an expert adds to each to have checkpoints, and two questions: see hindsight_defaults.py."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Iterator


@dataclass
class Job:
    """A script, what an expert adds to it, and the questions.

    Attributes:
        script: has BEGIN and END for its epochs, and marks #load, #outer, #inner.
        data, state: their sizes, as the table says them; the state is what changes from epoch to epoch.
        save, load: what the expert adds. load: empty where training does not go on exactly from what a library saves.
        show: what the expert's script for the outer question loads instead, if not `load`.
    """

    script: str
    epochs: int
    data: str
    state: str
    save: str
    load: str
    outer: str
    inner: str
    show: str = ""

    def text(self, begin: object = 0, end: object = 0, load: str = "", outer: str = "", inner: str = "") -> str:
        """The script from one epoch to before another, with what is added to it."""
        filled = self.script.replace("BEGIN", str(begin)).replace("END", str(end or self.epochs))
        for mark, added in (("#load", load), ("#outer", outer), ("#inner", inner)):
            filled = filled.replace(mark, added)
        return filled


NUMPY = """
import sys, numpy as np
rng = np.random.default_rng(7)
X = rng.normal(size=(12500, 200))
w = rng.normal(size=200)
y = X @ w + rng.normal(size=12500)
model, velocity = np.zeros(200), np.zeros(200)
#load
for epoch in range(BEGIN, END):
    order = rng.permutation(len(X))
    for step in range(0, len(order), 2):
        rows = order[step:step + 2]
        error = X[rows] @ model - y[rows]
        velocity = 0.9 * velocity - 0.0005 * (X[rows].T @ error)
        model = model + velocity
        #inner
    #outer
    print(epoch, float(np.abs(model - w).max()))
"""
LARGE_DATA = """
import sys, numpy as np
rng = np.random.default_rng(7)
X = rng.random((125000, 1000), np.float32)
y = X[:, :10].sum(1)
model = np.zeros(1000, np.float32)
#load
for epoch in range(BEGIN, END):
    for step in range(60):
        rows = slice(step * 2000, step * 2000 + 2000)
        error = X[rows] @ model - y[rows]
        model -= 1e-6 * (X[rows].T @ error)
        #inner
    #outer
    print(epoch, float(np.abs(error).mean()))
"""
FACTORS = """
import sys, numpy as np
rng = np.random.default_rng(7)
users, items = rng.integers(0, 60000, 600000), rng.integers(0, 20000, 600000)
stars = rng.integers(1, 6, 600000).astype(np.float64)
U, V = rng.normal(size=(60000, 32)) * 0.1, rng.normal(size=(20000, 32)) * 0.1
#load
for epoch in range(BEGIN, END):
    order = rng.permutation(600000)
    for step in range(0, 600000, 6000):
        rows = order[step:step + 6000]
        u, v = users[rows], items[rows]
        error = stars[rows] - (U[u] * V[v]).sum(1)
        U[u] += 0.02 * error[:, None] * V[v]
        V[v] += 0.02 * error[:, None] * U[u]
        #inner
    #outer
    print(epoch, float((error ** 2).mean()))
"""
LARGE_STATE = """
import sys, numpy as np
rng = np.random.default_rng(7)
X = rng.random((400000, 8))
centres = X[:64].copy()
shares = np.full((400000, 64), 1 / 64)
#load
for epoch in range(BEGIN, END):
    for step in range(0, 400000, 20000):
        rows = slice(step, step + 20000)
        distance = (X[rows] ** 2).sum(1)[:, None] - 2 * X[rows] @ centres.T + (centres ** 2).sum(1)
        weight = np.exp(-8 * (distance - distance.min(1)[:, None]))
        shares[rows] = 0.5 * shares[rows] + 0.5 * weight / weight.sum(1)[:, None]
        #inner
    centres = shares.T @ X / shares.sum(0)[:, None]
    #outer
    print(epoch, float(centres.sum()))
"""
SKLEARN = """
import sys, numpy as np
from sklearn.linear_model import SGDClassifier
rng = np.random.RandomState(0)
X = rng.normal(size=(12000, 50))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
model = SGDClassifier(random_state=1)
#load
for epoch in range(BEGIN, END):
    order = rng.permutation(len(X))
    for step in range(0, len(order), 50):
        rows = order[step:step + 50]
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
        #inner
    #outer
    print(epoch, model.score(X, y))
"""
PERCEPTRON = """
import sys, numpy as np
from sklearn.neural_network import MLPClassifier
rng = np.random.RandomState(0)
X = rng.normal(size=(10000, 100))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
model = MLPClassifier((200, 100), random_state=1, batch_size=100)
#load
for epoch in range(BEGIN, END):
    order = rng.permutation(len(X))
    for step in range(0, len(order), 1000):
        rows = order[step:step + 1000]
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
        #inner
    #outer
    print(epoch, model.loss_)
"""
TORCH = """
import sys, torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(500, 1, 16, 16)
y = (X[:, 0, :8].mean((1, 2)) > 0).long()
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(2304, 128), nn.ReLU(), nn.Linear(128, 2))
optimizer = torch.optim.Adam(net.parameters(), 1e-3)
#load
for epoch in range(BEGIN, END):
    order = torch.randperm(len(X))
    for step in range(0, len(X), 25):
        rows = order[step:step + 25]
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(X[rows]), y[rows])
        loss.backward()
        optimizer.step()
        #inner
    #outer
    print(epoch, loss.item())
"""
ENCODER = """
import sys, torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randint(0, 2000, (2000, 24))
y = (X[:, :4].sum(1) % 2).long()
net = nn.Sequential(nn.Embedding(2000, 256), nn.TransformerEncoder(nn.TransformerEncoderLayer(256, 4, 1024, 0.0, batch_first=True), 5),
                    nn.Flatten(), nn.Linear(24 * 256, 2))
optimizer = torch.optim.AdamW(net.parameters(), 1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
#load
for epoch in range(BEGIN, END):
    order = torch.randperm(len(X))[:80]
    for step in range(0, 80, 8):
        rows = order[step:step + 8]
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(X[rows]), y[rows])
        loss.backward()
        optimizer.step()
        #inner
    scheduler.step()
    #outer
    print(epoch, loss.item())
"""
JAX = """
import sys, functools, jax, numpy as np
import jax.numpy as jnp
key = jax.random.PRNGKey(0)
X = jnp.asarray(np.random.default_rng(0).normal(size=(20000, 64)).astype(np.float32))
y = (X[:, 0] * X[:, 1] > 0).astype(np.float32)
weights = [jax.random.normal(jax.random.PRNGKey(n), shape) * 0.05 for n, shape in enumerate(((64, 320), (320, 320), (320, 1)))]

def error_of(weights, X, y):
    for each in weights[:-1]:
        X = jnp.tanh(X @ each)
    return jnp.mean((X @ weights[-1] - y[:, None]) ** 2)

@jax.jit
def update(weights, X, y):
    error, slopes = jax.value_and_grad(error_of)(weights, X, y)
    return [each - 0.1 * slope for each, slope in zip(weights, slopes)], error

#load
for epoch in range(BEGIN, END):
    key, drawn = jax.random.split(key)
    order = jax.random.permutation(drawn, len(X))
    for step in range(0, len(X), 500):
        rows = order[step:step + 500]
        weights, error = update(weights, X[rows], y[rows])
        #inner
    #outer
    print(epoch, float(error))
"""
LIGHTGBM = """
import sys, numpy as np, lightgbm
rng = np.random.default_rng(0)
X = rng.normal(size=(60000, 40))
y = (X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=60000) > 0).astype(int)
data = lightgbm.Dataset(X, y)
booster = lightgbm.Booster({"objective": "binary", "num_leaves": 63, "num_threads": 1, "verbosity": -1, "deterministic": True}, data)
#load
for epoch in range(BEGIN, END):
    for step in range(8):
        booster.update()
        #inner
    #outer
    print(epoch, booster.num_trees(), booster.predict(X[:100]).sum())
"""

_TORCH = ("torch.save((net.state_dict(), optimizer.state_dict(), torch.get_rng_state()), f'ck{epoch}')",
          "a, b, c = torch.load(f'ck{at}', weights_only=False); net.load_state_dict(a); optimizer.load_state_dict(b); torch.set_rng_state(c)")


def _pickled(names: str, generator: str = "") -> tuple[str, str]:
    """Keep variables in a file of each epoch, and set them again."""
    get, put = {"": ("", ""), "default_rng": ("rng.bit_generator.state, ", "rng.bit_generator.state, "),
                "RandomState": ("rng.get_state(), ", "drawn, ")}[generator]
    after = "; rng.set_state(drawn)" if generator == "RandomState" else ""
    return (f"import pickle; pickle.dump(({get}{names}), open(f'ck{{epoch}}', 'wb'), 5)",
            f"import pickle; {put}{names} = pickle.load(open(f'ck{{at}}', 'rb')){after}")


def _every(count: int, what: str) -> str:
    return f"print('probe', epoch, step, {what}) if step % {count} == 0 else None"


JOBS = {
    "numpy": Job(NUMPY, 90, "20 MB", "5 kB", *_pickled("model, velocity", "default_rng"),
                 "print('probe', epoch, np.linalg.norm(model))", _every(1000, "error[0]")),
    "numpy, large data": Job(LARGE_DATA, 40, "500 MB", "4 kB", *_pickled("model,"),
                             "print('probe', epoch, np.linalg.norm(model))", _every(20, "error[0]")),
    "numpy, factors": Job(FACTORS, 25, "14 MB", "20 MB", *_pickled("U, V", "default_rng"),
                          "print('probe', epoch, np.linalg.norm(U))", _every(1200, "error[0]")),
    "numpy, large state": Job(LARGE_STATE, 10, "26 MB", "205 MB", *_pickled("centres, shares"),
                              "print('probe', epoch, shares[:, 0].sum())", _every(40000, "weight[0, 0]")),
    "sklearn": Job(SKLEARN, 80, "5 MB", "10 kB", *_pickled("model,", "RandomState"),
                   "print('probe', epoch, np.linalg.norm(model.coef_))", _every(1000, "model.coef_[0, 0]")),
    "sklearn, perceptron": Job(PERCEPTRON, 40, "8 MB", "1 MB", *_pickled("model,", "RandomState"),
                               "print('probe', epoch, np.linalg.norm(model.coefs_[0]))", _every(2000, "model.loss_")),
    "torch": Job(TORCH, 20, "1 MB", "4 MB", *_TORCH, "print('probe', epoch, net[0].weight.norm().item())", _every(100, "loss.item()")),
    "torch, encoder": Job(ENCODER, 6, "1 MB", "55 MB", _TORCH[0].replace("optimizer.state_dict()", "optimizer.state_dict(), scheduler.state_dict()"),
                          _TORCH[1].replace("a, b, c =", "a, b, d, c =") + "; scheduler.load_state_dict(d)",
                          "print('probe', epoch, net[3].weight.norm().item())", _every(40, "loss.item()")),
    "jax": Job(JAX, 20, "5 MB", "0.5 MB", *_pickled("key, weights"), "print('probe', epoch, float(jnp.linalg.norm(weights[1])))",
               _every(5000, "float(error)")),
    "lightgbm": Job(LIGHTGBM, 20, "19 MB", "1 MB", "booster.save_model(f'ck{epoch}')", "",
                    "print('probe', epoch, booster.num_trees(), booster.feature_importance().tolist())",
                    _every(4, "booster.num_trees()"), "booster = lightgbm.Booster(model_file=f'ck{at}')"),
}


def chosen(words: list[str]) -> Iterator[tuple[str, Job]]:
    """The scripts whose names begin with a word, or all without words; those whose library is not installed are left out."""
    for name, job in JOBS.items():
        if (not words or name.startswith(tuple(words))) and importlib.util.find_spec(name.partition(",")[0]):
            yield name, job


def take_option(words: list[str], name: str, default: str) -> str:
    """The value behind an option, which is taken out of the words together with it."""
    if name not in words:
        return default
    at = words.index(name)
    value = words[at + 1]
    del words[at:at + 2]
    return value
