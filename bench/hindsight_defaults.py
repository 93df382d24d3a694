"""Hindsight at its default settings beside an expert's hand-written checkpoints, on ordinary scripts of some seconds.

    python bench/hindsight_defaults.py [numpy] [sklearn] [torch] [--repeats N]

Per script: recording by a plain run; a probe in the loop over epochs, and one in the loop over steps with two workers,
each by the expert's. Wall-clock, and in brackets processor time of all processes, for machines that are shared. The expert
pickles what changes once per epoch, and writes a script for each question. All answers are compared.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hindsight import hindsight, python, run, shown

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
    for step in range(0, len(order), 100):
        rows = order[step:step + 100]
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
        #inner
    #outer
    print(epoch, model.score(X, y))
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


@dataclass
class Job:
    """A script, what an expert adds to it, and the questions."""

    script: str
    epochs: int
    save: str
    load: str
    outer: str
    inner: str

    def text(self, begin: object = 0, end: object = 0, load: str = "", outer: str = "", inner: str = "") -> str:
        """The script from one epoch to before another, with what is added to it."""
        filled = self.script.replace("BEGIN", str(begin)).replace("END", str(end or self.epochs))
        for mark, added in (("#load", load), ("#outer", outer), ("#inner", inner)):
            filled = filled.replace(mark, added)
        return filled


JOBS = {
    "numpy": Job(NUMPY, 30, "import pickle; pickle.dump((model, velocity, rng.bit_generator.state), open(f'ck{epoch}', 'wb'))",
                 "import pickle; model, velocity, rng.bit_generator.state = pickle.load(open(f'ck{at}', 'rb'))",
                 "print('probe', epoch, np.linalg.norm(model))", "print('probe', epoch, step, error[0]) if step % 1000 == 0 else None"),
    "sklearn": Job(SKLEARN, 30, "import pickle; pickle.dump((model, rng.get_state()), open(f'ck{epoch}', 'wb'))",
                   "import pickle; model, state = pickle.load(open(f'ck{at}', 'rb')); rng.set_state(state)",
                   "print('probe', epoch, np.linalg.norm(model.coef_))",
                   "print('probe', epoch, step, model.coef_[0, 0]) if step % 1000 == 0 else None"),
    "torch": Job(TORCH, 20, "torch.save((net.state_dict(), optimizer.state_dict(), torch.get_rng_state()), f'ck{epoch}')",
                 "a, b, c = torch.load(f'ck{at}', weights_only=False); net.load_state_dict(a); optimizer.load_state_dict(b); torch.set_rng_state(c)",
                 "print('probe', epoch, net[0].weight.norm().item())", "print('probe', epoch, step, loss.item()) if step % 100 == 0 else None"),
}
Took = tuple[float, float]     # wall-clock and processor seconds


def measure(job: Job) -> tuple[list[Took], int]:
    """Recording by plain, outer and inner probe by the expert's, each as a ratio; and how many checkpoints were kept."""
    with tempfile.TemporaryDirectory() as folder:
        def write(name: str, text: str) -> None:
            Path(folder, name).write_text(text)

        write("train.py", job.text())
        write("saving.py", job.text(outer=job.save))
        head = job.text(load="").partition("for epoch")[0]
        write("resuming.py", f"{head}for at in range({job.epochs}):\n    epoch = at\n    {job.load}\n    {job.outer}\n")
        middle = job.epochs // 2
        write("first.py", job.text(0, middle, inner=job.inner))
        write("second.py", job.text(middle, job.epochs, f"at = {middle - 1}; {job.load}", inner=job.inner))
        run(folder, python("saving.py"))
        plain = run(folder, python("train.py"))
        recorded = run(folder, hindsight("record", "-l", "EXP", "train.py"))
        kept = shown(folder, "EXP")["facts"]["checkpoints"]
        found = [_ratio(recorded, plain)]
        for added, words, theirs in (({"outer": job.outer}, (), [python("resuming.py")]),
                                     ({"inner": job.inner}, ("-j", "2"), [python("first.py"), python("second.py")])):
            write("train.py", job.text(**added))
            mine, expert = run(folder, hindsight("replay", "-l", "EXP", "--yes", *words, "train.py")), run(folder, *theirs)
            assert mine[2] == expert[2] and mine[2], "the answers differ"
            found.append(_ratio(mine, expert))
        return found, kept


def _ratio(mine: tuple[float, float, str], theirs: tuple[float, float, str]) -> Took:
    return mine[0] / theirs[0], mine[1] / theirs[1]


def main() -> None:
    """Print the table."""
    words = sys.argv[1:]
    repeats = int(words.pop(words.index("--repeats") + 1)) if "--repeats" in words else 3
    print(f"{'script':<9}{'checkpoints':>12}{'record/plain':>16}{'outer/expert':>16}{'inner -j2/expert':>18}")
    for name in [word for word in words if word in JOBS] or JOBS:
        found = [measure(JOBS[name]) for _ in range(repeats)]
        medians = [[statistics.median(ratios[which][what] for ratios, _ in found) for what in range(2)] for which in range(3)]
        kept = statistics.median(count for _, count in found)
        told = [f"{wall:.2f} ({cpu:.2f})" for wall, cpu in medians]
        print(f"{name:<9}{kept:>9.0f}/{JOBS[name].epochs:<2}{told[0]:>16}{told[1]:>16}{told[2]:>18}", flush=True)


if __name__ == "__main__":
    main()
