"""Notebooks of the usual kinds as lists of cells, and a description of a namespace that tells equal from not."""

from __future__ import annotations

import hashlib
import sys
import types
from pathlib import Path
from typing import Any

_TABLES = [
    "import numpy as np, pandas as pd, matplotlib.pyplot as plt",
    "from sklearn.ensemble import RandomForestRegressor\nfrom sklearn.linear_model import LinearRegression, Ridge\n"
    "from sklearn.model_selection import train_test_split\nfrom sklearn.preprocessing import StandardScaler",
    "rng = np.random.default_rng(0)\nn = 60000\ndf = pd.DataFrame(rng.random((n, 12)), columns=[f'x{i}' for i in range(12)])\n"
    "df['group'] = rng.integers(0, 40, n).astype(str)\ndf['y'] = df.x0 * 3 + df.x1 ** 2 + rng.normal(0, .1, n)",
    "df.describe()", "df['ratio'] = df.x0 / (df.x1 + 1)", "means = df.groupby('group').mean(numeric_only=True)",
    "df.loc[df.x3 < .01, 'x3'] = np.nan\ndf = df.fillna(0)", "sub = df[df.x2 > .9]",
    "merged = df.merge(means[['y']].rename(columns={'y': 'group_mean'}), left_on='group', right_index=True)",
    "X = merged.drop(columns=['group', 'y']); y = merged.y", "X1, X2, y1, y2 = train_test_split(X, y, random_state=0)",
    "scaler = StandardScaler().fit(X1)", "lin = LinearRegression().fit(scaler.transform(X1), y1)",
    "score = lin.score(scaler.transform(X2), y2)", "forest = RandomForestRegressor(8, max_depth=8, random_state=0).fit(X1, y1)",
    "forest.score(X2, y2)", "fig, ax = plt.subplots()\nax.hist(df.y, bins=50)", "ax.set_title('y')",
    "del df['ratio']", "ridge = Ridge().fit(X1, y1)", "summary = pd.Series({'lin': score, 'ridge': ridge.score(X2, y2)})"]
_ARRAYS = [
    "import numpy as np", "base = np.zeros((1000, 1000))", "left = base[:, :500]", "left += 1", "log = []",
    "net = {'w': np.ones((64, 64)), 'log': log}", "log.append(1)", "net['w'] *= 0.5",
    "frames = [np.full((200, 200), float(i)) for i in range(20)]", "first = frames[0]", "first[0] = 7", "m = base.mean()",
    "grid = base.reshape(100, 10000)", "grid[3] = 5", "frames[3] = frames[4]", "ref = net", "right = base[:, 500:]"]
_TINY = [
    "import numpy as np", "a = np.arange(10.)", "b = a[2:5]", "a[3] = 7", "c = a * 2", "m = np.outer(a, c)", "m[0] = 1", "v = m.T",
    "l = [a, b]", "l.append(c)", "d = {'l': l}", "d['x'] = 1", "s = float(m.sum())", "a += s", "del d['x']", "k = l", "k[0] = None"]
_TEXTS = [
    "import random\nrandom.seed(1)\nwords = ['w%d' % random.randrange(9999) for _ in range(60000)]",
    "lines = [' '.join(words[i:i + 8]) for i in range(0, 60000, 8)]", "counts = {}\nfor w in words: counts[w] = counts.get(w, 0) + 1",
    "top = sorted(counts, key=counts.get)[-10:]", "words[17] = 'changed'", "lines.append('end')", "n = len(lines)",
    "upper = [w.upper() for w in words]", "words.sort()", "longest = max(lines, key=len)", "pairs = list(zip(words, upper))", "del pairs"]
_TORCH = [
    "import torch\nfrom torch import nn\ntorch.manual_seed(0)", "data = torch.rand(2000, 64)\ntarget = data.sum(1, keepdim=True)",
    "model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1))",
    "optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)",
    "def train(epochs):\n    losses = []\n    for _ in range(epochs):\n        optimizer.zero_grad()\n"
    "        loss = nn.functional.mse_loss(model(data), target)\n        loss.backward()\n        optimizer.step()\n"
    "        losses.append(loss.item())\n    return losses",
    "history = train(20)", "history += train(20)", "with torch.no_grad(): error = (model(data) - target).abs().mean()",
    "best = {k: v.clone() for k, v in model.state_dict().items()}", "history += train(20)", "model.load_state_dict(best)",
    "half = data[:1000]", "half *= 2"]
_ORDER = [
    "import numpy as np, pandas as pd\ndf = pd.DataFrame(np.arange(400000.).reshape(-1, 4), columns=list('abcd'))",
    "def clean(frame):\n    return frame[frame.a > limit]", "limit = 1000", "small = clean(df)", "model = {'mean': small.mean()}",
    "df['e'] = df.a + df.b", "small = clean(df)", "limit = 200000", "small = clean(df)", "model['mean'] = small.mean()",
    "df = df.drop(columns='c')", "small = clean(df)", "limit = 1000", "small = clean(df)", "del model['mean']"]
_TEN = ["import numpy as np\nrng = np.random.default_rng(0)\narrays = [rng.random(8 << 20) for _ in range(10)]",
        "x = arrays[0].mean()", "arrays[4][:] = rng.random(8 << 20)", "arrays[3][5] = 1"]

NOTEBOOKS: dict[str, list[str]] = {"tables": _TABLES, "arrays": _ARRAYS, "tiny arrays": _TINY, "text lists": _TEXTS,
                                   "torch": _TORCH, "out of order": _ORDER, "ten 64 MB arrays": _TEN}


def cells_of(name: str) -> list[str]:
    """The cells of a notebook of this module, or of examples/notebooks.

    Raises:
        FileNotFoundError: there is none.
    """
    if name in NOTEBOOKS:
        return NOTEBOOKS[name]
    text = (Path(__file__).parents[1] / "examples" / "notebooks" / f"{name}.py").read_text(encoding="utf-8")
    return [cell.strip() for cell in text.split("# %%\n")[1:]]


def describe(namespace: dict[str, Any]) -> list[Any]:
    """Every variable's content, and which objects are the same; equal for equal states."""
    return _Description().of_all(namespace)


class _Description:
    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []

    def of_all(self, namespace: dict[str, Any]) -> list[Any]:
        return [(name, self._of(namespace[name])) for name in sorted(namespace)]

    def _of(self, value: Any) -> Any:
        kind = type(value)
        if value is None or kind in (int, float, str, bytes, bool, complex):
            return repr(value) if kind is not str or len(value) < 50 else _digest(value.encode())
        if isinstance(value, (types.ModuleType, type)) or kind is tuple and not value:
            return getattr(value, "__name__", "()")
        if kind.__module__ == "numpy" and kind.__name__ not in ("ndarray",) and hasattr(value, "item"):
            return repr(value)
        if id(value) in self._numbers:
            return f"#{self._numbers[id(value)]}"
        number = self._numbers[id(value)] = len(self._numbers)
        self._kept.append(value)
        return number, kind.__name__, self._content(value, kind)

    def _content(self, value: Any, kind: type) -> Any:
        numpy, torch, pandas = (sys.modules.get(name) for name in ("numpy", "torch", "pandas"))
        if kind in (list, tuple):
            plain = {str, int, float, type(None)}
            if len(value) > 1000 and set(map(type, value)) <= plain:
                return len(value), _digest(repr(value).encode())
            return [self._of(one) for one in value]
        if kind is dict:
            if len(value) > 1000 and {type(one) for one in value.values()} <= {int, str, float}:
                return len(value), _digest(repr(value).encode())
            return [(self._of(k), self._of(v)) for k, v in value.items()]
        if numpy is not None and kind is numpy.ndarray:
            root = value
            while isinstance(root.base, numpy.ndarray):
                root = root.base
            content = [self._of(one) for one in value.ravel()] if value.dtype.hasobject else _digest(value.tobytes())
            return str(value.dtype), value.shape, content, None if root is value else self._of(root)
        if torch is not None and isinstance(value, torch.Tensor):
            at = ("storage", value.untyped_storage().data_ptr())
            storage = self._numbers.setdefault(at, len(self._numbers))   # type: ignore[call-overload]
            return (str(value.dtype), value.shape, value.stride(), _digest(value.detach().numpy().tobytes()),
                    value.requires_grad, storage, self._of(value.grad))
        if pandas is not None and isinstance(value, (pandas.DataFrame, pandas.Series)):
            columns = list(map(str, value.columns)) if hasattr(value, "columns") else value.name
            return columns, value.shape, int(pandas.util.hash_pandas_object(value).sum())
        if isinstance(value, types.FunctionType):
            return value.__name__, _digest(value.__code__.co_code)
        if kind.__module__.partition(".")[0] in ("sklearn", "torch") and hasattr(value, "__dict__"):
            return [(k, self._of(v)) for k, v in sorted(vars(value).items()) if not callable(v)]
        return kind.__name__


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()
