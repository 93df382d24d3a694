"""Tables of the hindsight room: overhead of recording, replay beside an expert's, pause, bytes.

    python bench/hindsight.py [record] [replay] [pause] [frozen]

CPU seconds (user and system, of all threads) beside wall-clock ones: the machine may be shared. Medians of
paired runs.
"""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
REPEATS = 5

TRAIN = """
import sys, time
import numpy as np
rng = np.random.default_rng(0)
size, epochs, work = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
data = rng.normal(size=(2000, 100))
truth = rng.normal(size=100)
model = np.zeros(100)
ballast = rng.normal(size=size)
for epoch in range(epochs):
    for step in range(work):
        rows = rng.integers(0, 2000, 200)
        gradient = data[rows].T @ (data[rows] @ (model - truth)) / 200
        model -= 0.01 * gradient
    ballast *= 0.999
    print(epoch, float(np.abs(model - truth).max()))
"""
# What an expert writes by hand: a pickle per epoch of what changes.
SAVING = TRAIN.replace("    ballast *=", "    import pickle; pickle.dump((model, rng.bit_generator.state), "
                       "open(f'ckpt{epoch}.pkl', 'wb'), 5)\n    ballast *=")
RESUMING = """
import pickle, sys
import numpy as np
epochs = int(sys.argv[2])
rng = np.random.default_rng(0)
data = rng.normal(size=(2000, 100))
truth = rng.normal(size=100)
for epoch in range(epochs):
    model, state = pickle.load(open(f'ckpt{epoch}.pkl', 'rb'))
    print('probe', epoch, np.linalg.norm(model))
"""


def run(folder: str, *command: str) -> tuple[float, float]:
    """Wall-clock and CPU seconds of a command."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1",
                               "OPENBLAS_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - begun, cpu


def hindsight(*words: str) -> list[str]:
    """The command line of a hindsight command."""
    return [sys.executable, "-m", "rex.cli.main", "hindsight", *words]


def bench_record() -> None:
    """Recording beside plain runs."""
    print("recording: ratio to plain runs, start-up of both left out (a run with no epochs)")
    print(f"{'state':>8} {'epochs':>6} {'CPU':>6} {'wall':>6}")
    for size, epochs, work in ((1000, 40, 1500), (1_000_000, 40, 1500), (10_000_000, 20, 3000)):
        ratios = []
        for repeat in range(REPEATS):
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, "train.py").write_text(TRAIN)
                words = [str(size), str(epochs), str(work)]
                none = [str(size), "0", "0"]
                times = [run(folder, *command, "train.py", *arguments)
                         for command in ([sys.executable], hindsight("record", "-l", f"EXP{repeat}"))
                         for arguments in (words, none)]
                ratios.append([(times[2][i] - times[3][i]) / (times[0][i] - times[1][i]) for i in (1, 0)])
        cpu, wall = (statistics.median(r[i] for r in ratios) for i in (0, 1))
        print(f"{size * 8 / 1e6:>6.0f}MB {epochs:>6} {cpu:>6.3f} {wall:>6.3f}")


def bench_replay() -> None:
    """An outer probe beside the expert's resuming, and beside running again."""
    print("replay of an outer probe, 40 epochs: seconds of CPU (wall)")
    rows: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        words = ["1000", "40", "8000"]
        Path(folder, "saving.py").write_text(SAVING)
        Path(folder, "resuming.py").write_text(RESUMING)
        script = Path(folder, "train.py")
        script.write_text(TRAIN)
        run(folder, sys.executable, "saving.py", *words)
        run(folder, *hindsight("record", "-l", "EXP", "train.py", *words))
        script.write_text(TRAIN.replace("    ballast *=",
                                        "    print('probe', epoch, np.linalg.norm(model))\n    ballast *="))
        for _ in range(REPEATS):
            rows.setdefault("run again", []).append(run(folder, sys.executable, "train.py", *words))
            rows.setdefault("expert", []).append(run(folder, sys.executable, "resuming.py", *words))
            rows.setdefault("rex", []).append(run(folder, *hindsight("replay", "-l", "EXP", "train.py")))
    for name, times in rows.items():
        wall, cpu = (statistics.median(t[i] for t in times) for i in (0, 1))
        print(f"  {name:<10} {cpu:>7.2f} ({wall:.2f})")


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


FROZEN = """
import numpy as np
rng = np.random.default_rng(0)
body = [rng.normal(size=1_200_000) for _ in range(10)]
head = rng.normal(size=600_000)
for epoch in range(10):
    for step in range(300):
        head += 1e-4 * rng.normal(size=600_000)[::-1]
"""


def bench_frozen() -> None:
    """Bytes per epoch of a job most of whose weights are frozen."""
    import json
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "train.py").write_text(FROZEN.replace("range(300)", "range(20)"))
        run(folder, *hindsight("record", "-l", "EXP", "--overhead", "1", "train.py"))
        done = subprocess.run(hindsight("show", "EXP:exp0", "--json"), cwd=folder, capture_output=True,
                              text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        checkpoints = json.loads(done.stdout)["checkpoints"]
    stored = sum(c["stored"] for c in checkpoints[1:]) / (len(checkpoints) - 1)
    size = checkpoints[0]["size"]
    print(f"95 % frozen weights: {stored / 1e6:.1f} of {size / 1e6:.1f} MB per checkpoint ({stored / size:.3f})")


def main() -> None:
    """Print the tables that were asked for."""
    print(f"{platform.platform()}, Python {platform.python_version()}, "
          f"{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f}")
    parts = {"record": bench_record, "replay": bench_replay, "pause": bench_pause, "frozen": bench_frozen}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
