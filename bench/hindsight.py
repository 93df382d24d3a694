"""Tables of the hindsight room: overhead of recording, replay beside an expert's, pause, bytes.

    python bench/hindsight.py [record] [replay] [pause] [frozen]

CPU seconds (user and system, of all threads) beside wall-clock ones: the machine may be shared. Medians of
paired runs.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
REPEATS = 5

NUMPY = """
import sys
import numpy as np
size, epochs, work = map(int, sys.argv[1:4])
rng = np.random.default_rng(0)
data, truth = rng.normal(size=(2000, 100)), rng.normal(size=100)
model, ballast = np.zeros(100), rng.normal(size=size)
for epoch in range(epochs):
    for step in range(work):
        rows = rng.integers(0, 2000, 200)
        gradient = data[rows].T @ (data[rows] @ (model - truth)) / 200
        model -= 0.01 * gradient
        #inner
    ballast *= 0.999
    #outer
    print(epoch, float(np.abs(model - truth).max()))
"""
TORCH = """
import sys, torch
from torch import nn
width, epochs, work = map(int, sys.argv[1:4])
torch.manual_seed(0); torch.set_num_threads(1)
data = torch.randn(512, 64)
labels = (data[:, :4].sum(1) > 0).long()
body = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 256), nn.ReLU(), nn.Dropout(0.1))
net = nn.Sequential(body, nn.Linear(256, 2))
#frozen
optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], 1e-3)
for epoch in range(epochs):
    for step in range(work):
        rows = torch.randint(0, 512, (64,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(data[rows]), labels[rows])
        loss.backward()
        optimizer.step()
        #inner
    #outer
    print(epoch, loss.item())
"""
FROZEN = TORCH.replace("#frozen", "body.requires_grad_(False)")
SKLEARN = """
import sys
import numpy as np
from sklearn.linear_model import SGDClassifier
size, epochs, work = map(int, sys.argv[1:4])
rng = np.random.RandomState(0)
data = rng.normal(size=(4000, size))
labels = (data[:, 0] * data[:, 1] > 0).astype(int)
model = SGDClassifier(random_state=1)
for epoch in range(epochs):
    for step in range(work):
        rows = rng.permutation(4000)[:200]
        model.partial_fit(data[rows], labels[rows], classes=[0, 1])
    print(epoch, model.score(data, labels))
"""
# What an expert writes by hand: a pickle per epoch of what changes, true resume, a loop over the answers.
EXPERT = {"numpy": ("import pickle; pickle.dump((model, ballast, rng.bit_generator.state), open(f'ck{epoch}', 'wb'), 5)",
                    "import pickle; model, ballast, state = pickle.load(open(f'ck{at}', 'rb')); "
                    "rng.bit_generator.state = state"),
          "torch": ("torch.save((net.state_dict(), optimizer.state_dict(), torch.get_rng_state()), f'ck{epoch}')",
                    "a, b, c = torch.load(f'ck{at}', weights_only=False); net.load_state_dict(a); "
                    "optimizer.load_state_dict(b); torch.set_rng_state(c)")}
OUTER = {"numpy": "print('probe', epoch, np.linalg.norm(model))",
         "torch": "print('probe', epoch, net[1].weight.norm().item())"}
INNER = {"numpy": "print('probe', epoch, step, gradient[0]) if step % 100 == 0 else None",
         "torch": "print('probe', epoch, step, loss.item()) if step % 100 == 0 else None"}


def environment() -> dict[str, str]:
    """Ours, with one thread per process: the machine may be shared."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def run(folder: str, *commands: list[str]) -> tuple[float, float, str]:
    """Wall-clock and CPU seconds of commands side by side, and what the probes printed."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    running = [subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=environment()) for command in commands]
    outputs = [process.communicate() for process in running]
    wall = time.perf_counter() - begun
    assert not any(process.returncode for process in running), outputs
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    probes = [line for out, _ in outputs for line in out.splitlines() if line.startswith("probe")]
    return wall, cpu, "\n".join(probes)


def hindsight(*words: str) -> list[str]:
    """The command line of a hindsight command."""
    return [sys.executable, "-m", "rex.cli.main", "hindsight", *words]


def python(*words: str) -> list[str]:
    """The command line of a plain run."""
    return [sys.executable, *words]


LOOPS = {"numpy, small state": (NUMPY, "1000", 25, 2500), "numpy, 8 MB change": (NUMPY, "1000000", 25, 2500),
         "torch, 1 MB": (TORCH, "256", 25, 100), "torch, 15 MB": (TORCH, "4096", 25, 60),
         "torch, 95 % frozen": (FROZEN, "4096", 25, 60), "sklearn": (SKLEARN, "30", 25, 200)}


def bench_record() -> None:
    """Recording beside plain runs, epoch by epoch: start-up is left out."""
    print("recording with the default --overhead: CPU of all threads, ratio to plain runs, without start-up")
    print(f"{'loop':<20} {'ms/epoch':>8} {'ratio':>6}  {'quartiles':<11} {'checkpoints':>11}")
    medians = []
    for name, (script, size, epochs, work) in LOOPS.items():
        ratios, plain_s, count = [], [], 0
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "train.py").write_text(script)
            none, words = ["train.py", size, "0", "0"], ["train.py", size, str(epochs), str(work)]
            starts = [statistics.median(run(folder, command)[1] for _ in range(3)) for command in (
                python(*none), hindsight("record", "-l", "NONE", *none))]
            for repeat in range(REPEATS):
                plain = run(folder, python(*words))[1] - starts[0]
                mine = run(folder, hindsight("record", "-l", f"EXP{repeat}", *words))[1] - starts[1]
                ratios.append(mine / plain)
                plain_s.append(plain)
            count = shown(folder, "EXP0")["facts"]["checkpoints"]
        low, middle, high = statistics.quantiles(ratios, n=4)
        medians.append(middle)
        print(f"{name:<20} {statistics.median(plain_s) / epochs * 1e3:>8.0f} {middle:>6.3f}  "
              f"{low:.3f}-{high:.3f} {count:>11}", flush=True)
    print(f"{'average':<20} {'':>8} {statistics.mean(medians):>6.3f}")


def shown(folder: str, archive: str) -> dict[str, Any]:
    """What the archive tells of its first run."""
    done = subprocess.run(hindsight("show", f"{archive}:exp0", "--json"), cwd=folder, capture_output=True, text=True,
                          env=environment())
    found: dict[str, Any] = json.loads(done.stdout)
    return found


JOBS = {"numpy": (NUMPY, "1000", 40, 3000), "torch": (TORCH, "256", 40, 150)}


def bench_replay() -> None:
    """Probes outside and inside of the training loop beside an expert's, and beside running again."""
    print("replay, 40 epochs: seconds of CPU (wall); the expert has a pickle per epoch and a script made for the question")
    print(f"{'job':<6} {'probe':<16} {'rex':>13} {'expert':>13} {'ratio':>6} {'again':>7} {'faster':>7}")
    for name, (script, size, epochs, work) in JOBS.items():
        with tempfile.TemporaryDirectory() as folder:
            save, load = EXPERT[name]
            words = [size, str(epochs), str(work)]
            Path(folder, "saving.py").write_text(script.replace("#outer", save))
            outer, inner = script.replace("#outer", OUTER[name]), script.replace("#inner", INNER[name])
            head, loop = script.split("for epoch", 1)
            Path(folder, "resuming.py").write_text(
                f"{head}for epoch in range(epochs):\n    at = epoch\n    {load}\n    {OUTER[name]}\n")
            Path(folder, "half.py").write_text(
                f"{head}at, end = map(int, sys.argv[4:6])\nif at >= 0:\n    {load}\nfor epoch" + loop.replace(
                    "#inner", INNER[name]).replace("range(epochs)", "range(at + 1, end)"))
            run(folder, python("saving.py", *words))
            Path(folder, "train.py").write_text(script)
            run(folder, hindsight("record", "-l", "EXP", "train.py", *words))
            middle = str(epochs // 2)
            for probe, changed, mine, experts in (
                    ("outer", outer, hindsight("replay", "-l", "EXP", "train.py"), [python("resuming.py", *words)]),
                    ("inner, 2 workers", inner, hindsight("replay", "-l", "EXP", "-j", "2", "train.py"),
                     [python("half.py", *words, "-1", middle),
                      python("half.py", *words, str(epochs // 2 - 1), str(epochs))])):
                Path(folder, "train.py").write_text(changed)
                again, pairs = [], []
                for repeat in range(REPEATS):
                    if repeat < 2:
                        again.append(run(folder, python("train.py", *words)))
                    pairs.append((run(folder, mine), run(folder, *experts)))
                    assert pairs[-1][0][2] == pairs[-1][1][2] == again[0][2], "the values differ"
                _print_replay(name, probe, pairs, again)


def _print_replay(name: str, probe: str, pairs: list[Any], again: list[Any]) -> None:
    def middle(which: int, what: int) -> float:
        return statistics.median(pair[which][what] for pair in pairs)

    ratio = statistics.median(pair[0][1] / pair[1][1] for pair in pairs)
    run_again = statistics.median(each[1] for each in again)
    print(f"{name:<6} {probe:<16} {middle(0, 1):>5.2f} ({middle(0, 0):.2f}) {middle(1, 1):>5.2f} ({middle(1, 0):.2f}) "
          f"{ratio:>6.2f} {run_again:>7.2f} {run_again / middle(0, 1):>7.1f}", flush=True)


def bench_pause() -> None:
    """What the training thread pays for a checkpoint of changing memory."""
    import pickle

    import numpy as np

    from rex.archive import Archive
    from rex.hindsight.graph import walk_roots
    from rex.hindsight.kinds import Shapes
    from rex.hindsight.records import LogWriter
    from rex.hindsight.usercode import UserCode
    from rex.hindsight.writer import CheckpointWriter
    print("pause of the training thread, ms (CPU of the thread), all of the state changes")
    print(f"{'state':>8} {'rex':>7} {'pickle to file':>15} {'torch.save':>11}")
    for megabytes in (10, 100, 1000):
        with tempfile.TemporaryDirectory() as folder:
            archive = Archive.create(Path(folder, "EXP"))
            recording = archive.begin("run", {}, level=1)
            writer = CheckpointWriter(recording, LogWriter(recording.log_path))
            arrays = [np.random.default_rng(n).normal(size=megabytes * 125_000 // 10) for n in range(10)]
            ours, pickles, saves = [], [], []
            for number in range(REPEATS + 1):
                for array in arrays:
                    array += 1
                begun = time.thread_time()
                copier = writer.copier()
                snapshot = walk_roots(Shapes(UserCode()), copier, [("arrays", arrays)])
                writer.put(str(number), snapshot, copier.taken, 0.0)
                ours.append(time.thread_time() - begun)
                while len(writer.written) <= number:
                    time.sleep(0.01)
                begun = time.thread_time()
                with open(Path(folder, "p"), "wb") as file:
                    pickle.dump(arrays, file, 5)
                pickles.append(time.thread_time() - begun)
                saves.append(_torch_save(arrays, Path(folder, "t")))
            writer.close()
            recording.abandon()
        row = [statistics.median(times[1:]) * 1e3 for times in (ours, pickles, saves)]
        print(f"{megabytes:>6}MB {row[0]:>7.1f} {row[1]:>15.1f} {row[2]:>11.1f}")


def _torch_save(arrays: list[object], path: Path) -> float:
    try:
        import torch
    except ImportError:
        return float("nan")
    tensors = [torch.from_numpy(array) for array in arrays]
    begun = time.thread_time()
    torch.save(tensors, path)
    return time.thread_time() - begun


def bench_frozen() -> None:
    """Bytes per epoch of a job most of whose weights are frozen."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "train.py").write_text(FROZEN)
        run(folder, hindsight("record", "-l", "EXP", "--overhead", "1", "train.py", "4096", "10", "30"))
        checkpoints = shown(folder, "EXP")["checkpoints"]
    epochs = {c["position"].partition("/")[0].rpartition(":")[2] for c in checkpoints}
    stored = sum(c["stored"] for c in checkpoints[1:]) / (len(epochs) - 1)
    size = checkpoints[0]["size"]
    print(f"95 % frozen weights: {stored / 1e6:.2f} of {size / 1e6:.2f} MB stored per epoch ({stored / size:.3f})")


def main() -> None:
    """Print the tables that were asked for."""
    print(f"{platform.platform()}, Python {platform.python_version()}, "
          f"{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f}")
    parts = {"record": bench_record, "replay": bench_replay, "pause": bench_pause, "frozen": bench_frozen}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
