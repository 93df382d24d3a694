"""Tables of hindsight: overhead of recording, replay beside an expert's, pause, bytes.

    python bench/hindsight.py [record] [replay] [long] [pause] [frozen]

All of it takes some forty minutes on two free cores. Wall-clock seconds, and CPU seconds (user and system, of all
threads and processes) for machines that are shared. Medians of paired runs, whose order alternates, or side by side. The
last table has each target beside what was measured.
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
REPEATS, RECORD_REPEATS, EMPTY_REPEATS, INNER_REPEATS, LONG_REPEATS = 7, 6, 4, 3, 3
TARGETS: list[tuple[str, float, str, float]] = []     # what, limit, <= or >=, measured

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
    """Ours, with one thread per process: the machine may be shared. Rex is compiled once, as where it is installed."""
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


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


# script, size, epochs, steps of the shortest epochs that a loop gets borders in, some 60 to 120 ms
LOOPS = {"numpy, small state": (NUMPY, "1000", 40, 2500), "numpy, 8 MB change": (NUMPY, "1000000", 40, 2500),
         "torch, 1 MB": (TORCH, "256", 12, 250), "torch, 95 % frozen": (FROZEN, "4096", 40, 50),
         "sklearn": (SKLEARN, "30", 30, 200)}
LONGER, FEWER = 6, 3     # the same with longer epochs, and not as many


# Told by each script as its loop begins: imports, which take as long and vary more, are no part of the ratio.
BEGINS = "import time; print('begins', time.time(), time.process_time(), file=sys.stderr); "


def looped(folder: str, plain: list[str], recorded: list[str], is_swapped: bool) -> list[tuple[float, float]]:
    """Wall-clock and CPU seconds of both from the beginning of their loop to the very end.

    They run side by side, each bound to a processor of its own: whatever changes the machine's speed changes that of
    both, and what the writer does beside the training is in the training's way.
    """
    processors = sorted(os.sched_getaffinity(0))[:2]
    if is_swapped:
        processors.reverse()
    running = {}
    for which, command in enumerate((plain, recorded)):
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment(),
                                   preexec_fn=lambda which=which: os.sched_setaffinity(0, {processors[which]}))   # type: ignore[misc]
        running[process.pid] = which, process
    took = [(0.0, 0.0)] * 2
    while running:
        pid, status, used = os.wait4(-1, 0)
        ended_s = time.time()
        which, process = running.pop(pid)
        assert process.stderr and not status, status
        begun_s, spent_s = next(tuple(map(float, line.split()[1:])) for line in process.stderr if line.startswith("begins"))
        process.stderr.close()
        process.returncode = 0
        took[which] = ended_s - begun_s, used.ru_utime + used.ru_stime - spent_s
    return took


def bench_record() -> None:
    """Recording beside plain runs, epoch by epoch: what comes before the loop is left out."""
    print("recording with the default --overhead: ratio to plain runs side by side, each on one processor, without start-up; CPU is that of all\n"
          "threads; counted: what the recorder itself finds that it costs, as a share of the plain loop")
    print(f"{'loop':<20} {'ms/epoch':>8} {'wall':>6}  {'quartiles':<11} {'CPU':>6}  {'quartiles':<11} {'counted':>7} {'checkpoints':>11}")
    rows = []
    for longer in (1, LONGER):
        for name, (script, size, epochs, work) in LOOPS.items():
            rows.append(_record_loop(name, script, size, epochs if longer == 1 else epochs // FEWER, work * longer))
    for which, word in enumerate(("wall", "CPU", "counted, +1")):
        column = [row[which] + (which == 2) for row in rows]
        TARGETS.append((f"record, dearest loop, {word}", 1.05, "<=", max(column)))
        TARGETS.append((f"record, average, {word}", 1.02, "<=", statistics.mean(column)))
        short, long = column[:len(LOOPS)], column[len(LOOPS):]
        print(f"average, {word}: {statistics.mean(short):.3f} of the shortest epochs, {statistics.mean(long):.3f} of longer ones")


def _record_loop(name: str, script: str, size: str, epochs: int, work: int) -> list[float]:
    """Print a line; the medians of wall-clock, CPU and what the recorder counts."""
    ratios: tuple[list[float], list[float]] = [], []
    plain_s, counted, counts = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "train.py").write_text(script.replace("for epoch", BEGINS + "\nfor epoch", 1))
        none, words = ["train.py", size, "0", "0"], ["train.py", size, str(epochs), str(work)]
        # Of a loop without iterations: the end of the interpreter, and for Rex the process around it.
        ends = [looped(folder, python(*none), hindsight("record", "-l", "NONE", *none), repeat % 2 > 0) for repeat in range(EMPTY_REPEATS)]
        empty = [[statistics.median(end[who][which] for end in ends) for which in range(2)] for who in range(2)]
        for repeat in range(RECORD_REPEATS):
            took = looped(folder, python(*words), hindsight("record", "-l", f"EXP{repeat}", *words), repeat % 2 > 0)
            for which in range(2):
                ratios[which].append((took[1][which] - empty[1][which]) / (took[0][which] - empty[0][which]))
            plain_s.append(took[0][0] - empty[0][0])
            facts = shown(folder, f"EXP{repeat}")["facts"]
            counted.append(facts["cost_s"] / plain_s[-1])
            counts.append(facts["checkpoints"])
    quartiles = [statistics.quantiles(each, n=4) for each in ratios]
    told = "  ".join(f"{middle:>6.3f}  {low:.3f}-{high:.3f}" for low, middle, high in quartiles)
    print(f"{name:<20} {statistics.median(plain_s) / epochs * 1e3:>8.0f} {told} {statistics.median(counted):>7.3f} "
          f"{statistics.median(counts):>11.0f}", flush=True)
    return [quartiles[0][1], quartiles[1][1], statistics.median(counted)]


def shown(folder: str, archive: str) -> dict[str, Any]:
    """What the archive says about its first run."""
    done = subprocess.run(hindsight("show", f"{archive}:exp0", "--json"), cwd=folder, capture_output=True, text=True,
                          env=environment())
    found: dict[str, Any] = json.loads(done.stdout)
    return found


JOBS = {"numpy": (NUMPY, "1000", 20, 16000), "torch": (TORCH, "256", 15, 400)}
LONG = TORCH, "256", 300, 800     # some five minutes: shorter ones are bound by what both sides import


class Job:
    """A script in a folder, recorded, and run once as an expert would: with a pickle per epoch."""

    def __init__(self, folder: str, name: str, script: str, size: str, epochs: int, work: int) -> None:
        self.folder, self.name, self.script, self.epochs = folder, name, script, epochs
        self.words = [size, str(epochs), str(work)]
        save, self._load = EXPERT[name]
        self._head, self._loop = script.split("for epoch", 1)
        Path(folder, "saving.py").write_text("import time\nspent = [0.0, 0.0]\n" + script.replace(
            "#outer", f"begun = time.perf_counter(), time.process_time(); {save}; spent[0] += time.perf_counter() - begun[0]; "
            f"spent[1] += time.process_time() - begun[1]; {OUTER[name]}") + "print('probe spent', *spent)\n")
        wall, cpu, told = run(folder, python("saving.py", *self.words))     # the probe too
        lines, _, spent = told.rpartition("\nprobe spent ")
        spent_s, spent_cpu_s = map(float, spent.split())
        self.again = wall - spent_s, cpu - spent_cpu_s, lines        # running again, without what only an expert does
        self._write(script)
        self.recorded = run(folder, hindsight("record", "-l", "EXP", "train.py", *self.words))

    def _write(self, script: str) -> None:
        Path(self.folder, "train.py").write_text(script)

    def _pair(self, number: int, mine: list[str], *theirs: list[str]) -> tuple[Any, Any]:
        """Rex, and the expert's processes side by side; who comes first alternates."""
        if number % 2:
            expert = run(self.folder, *theirs)
            return run(self.folder, mine), expert
        return run(self.folder, mine), run(self.folder, *theirs)

    def outer(self, number: int) -> tuple[Any, Any]:
        """A probe outside of the training loop: Rex, and the expert."""
        Path(self.folder, "resuming.py").write_text(
            f"{self._head}for epoch in range(epochs):\n    at = epoch\n    {self._load}\n    {OUTER[self.name]}\n")
        self._write(self.script.replace("#outer", OUTER[self.name]))
        return self._pair(number, hindsight("replay", "-l", "EXP", "train.py"), python("resuming.py", *self.words))

    def inner(self, number: int) -> tuple[Any, Any]:
        """A probe inside of it, two processes: Rex, and the expert."""
        Path(self.folder, "half.py").write_text(
            f"{self._head}at, end = map(int, sys.argv[4:6])\nif at >= 0:\n    {self._load}\nfor epoch" + self._loop.replace(
                "#inner", INNER[self.name]).replace("range(epochs)", "range(at + 1, end)"))
        self._write(self.script.replace("#inner", INNER[self.name]))
        middle = self.epochs // 2
        return self._pair(number, hindsight("replay", "-l", "EXP", "-j", "2", "train.py"),
                          python("half.py", *self.words, "-1", str(middle)),
                          python("half.py", *self.words, str(middle - 1), str(self.epochs)))


def bench_replay() -> None:
    """Probes outside and inside of the training loop beside an expert's, and beside running again."""
    _print_head("replay: seconds of wall-clock (CPU); the expert has a pickle per epoch and scripts made for the question")
    for name, (script, size, epochs, work) in JOBS.items():
        with tempfile.TemporaryDirectory() as folder:
            job = Job(folder, name, script, size, epochs, work)
            for probe, once in (("outer", job.outer), ("inner, 2 workers", job.inner)):
                pairs = [once(number) for number in range(REPEATS if probe == "outer" else INNER_REPEATS)]
                assert all(mine[2] == theirs[2] and mine[2] for mine, theirs in pairs), "the values differ"
                assert probe != "outer" or pairs[0][0][2] == job.again[2]
                ratio, _ = _print_replay(name, probe, pairs, job.again)
                for which, word in enumerate(("wall", "CPU")):
                    TARGETS.append((f"{probe} probe, {name}, by the expert's {word}", 1.2 if probe == "outer" else 1.1, "<=",
                                    ratio[which]))


def bench_long() -> None:
    """A probe outside of the training loop, long after."""
    script, size, epochs, work = LONG
    with tempfile.TemporaryDirectory() as folder:
        job = Job(folder, "torch", script, size, epochs, work)
        pairs = [job.outer(number) for number in range(LONG_REPEATS)]
        assert all(mine[2] == theirs[2] == job.again[2] for mine, theirs in pairs), "the values differ"
        _print_head(f"a run of {job.again[0]:.0f} s (CPU {job.again[1]:.0f}), recorded in {job.recorded[0]:.0f} s "
                    f"(CPU {job.recorded[1]:.0f}), {epochs} epochs")
        ratio, faster = _print_replay("torch", "outer", pairs, job.again)
        TARGETS.append((f"outer probe, run of {job.again[0]:.0f} s, by the expert's wall", 1.2, "<=", ratio[0]))
        TARGETS.append((f"outer probe, run of {job.again[0]:.0f} s, faster than again", 20, ">=", faster[0]))


def _print_head(title: str) -> None:
    print(f"{title}\n{'job':<6} {'probe':<16} {'rex':>14} {'expert':>14} {'ratio':>13} {'again':>16} {'faster':>13}")


def _print_replay(name: str, probe: str, pairs: list[Any], again: Any) -> tuple[list[float], list[float]]:
    """Print a line; the ratio to the expert's and how much faster than running again, each wall-clock and CPU."""
    def both(mine: list[float]) -> str:
        return f"{mine[0]:.2f} ({mine[1]:.2f})"

    mine, theirs = ([statistics.median(pair[who][what] for pair in pairs) for what in range(2)] for who in range(2))
    ratio = [statistics.median(pair[0][what] / pair[1][what] for pair in pairs) for what in range(2)]
    faster = [again[what] / mine[what] for what in range(2)]
    print(f"{name:<6} {probe:<16} {both(mine):>14} {both(theirs):>14} {both(ratio):>13} {both(again[:2]):>16} "
          f"{both(faster):>13}", flush=True)
    return ratio, faster


def bench_pause() -> None:
    """What the training thread pays for a checkpoint of changing memory."""
    import pickle

    import numpy as np

    from rex.archive import Archive
    from rex.hindsight.capture.graph import walk_roots
    from rex.hindsight.capture.kinds import Shapes
    from rex.hindsight.trace.records import LogWriter
    from rex.hindsight.instrument.usercode import UserCode
    from rex.hindsight.record.writer import CheckpointWriter
    print("pause of the training thread, ms (its CPU), all of the state changes")
    print(f"{'state':>8} {'rex':>15} {'pickle to file':>15} {'torch.save':>15} {'ratio to torch.save':>20}")
    for megabytes in (10, 100, 1000):
        with tempfile.TemporaryDirectory() as folder:
            archive = Archive.create(Path(folder, "EXP"))
            recording = archive.begin("run", {}, level=1, is_light=True)
            writer = CheckpointWriter(recording, LogWriter(recording.log_path))
            writer.linger_s = 0.0
            arrays = [np.random.default_rng(n).normal(size=megabytes * 125_000 // 10) for n in range(10)]
            ours, pickles, saves = [], [], []
            for number in range(REPEATS + 1):
                for array in arrays:
                    array += 1
                begun = time.perf_counter(), time.thread_time()
                copier = writer.copier()
                snapshot = walk_roots(Shapes(UserCode()), copier, [("arrays", arrays)])
                writer.put(str(number), snapshot, copier.finish(), 0.0)
                ours.append(_since(begun))
                while len(writer.written) <= number:
                    time.sleep(0.01)
                begun = time.perf_counter(), time.thread_time()
                with open(Path(folder, "p"), "wb") as file:
                    pickle.dump(arrays, file, 5)
                pickles.append(_since(begun))
                saves.append(_torch_save(arrays, Path(folder, "t")))
            writer.close()
            recording.abandon()
        row = [[statistics.median(time[what] for time in times[1:]) * 1e3 for what in range(2)]
               for times in (ours, pickles, saves)]
        told = " ".join(f"{wall:>7.1f} {f'({cpu:.1f})':>7}" for wall, cpu in row)
        if megabytes == 1000:
            TARGETS.append(("pause for 1 GB, by torch.save's", 0.2, "<=", row[0][0] / row[2][0]))
        print(f"{megabytes:>6}MB {told} {row[0][0] / row[2][0]:>12.3f} ({row[0][1] / row[2][1]:.3f})", flush=True)


def _since(begun: tuple[float, float]) -> tuple[float, float]:
    return time.perf_counter() - begun[0], time.thread_time() - begun[1]


def _torch_save(arrays: list[Any], path: Path) -> tuple[float, float]:
    try:
        import torch
    except ImportError:
        return float("nan"), float("nan")
    tensors = [torch.from_numpy(array) for array in arrays]
    begun = time.perf_counter(), time.thread_time()
    torch.save(tensors, path)
    return _since(begun)


def bench_frozen() -> None:
    """Bytes per epoch of a job most of whose weights are frozen."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "train.py").write_text(FROZEN)
        run(folder, hindsight("record", "-l", "EXP", "--overhead", "1", "train.py", "4096", "10", "30"))
        checkpoints = shown(folder, "EXP")["checkpoints"]
    epochs = {c["position"].partition("/")[0].rpartition(":")[2] for c in checkpoints}
    stored = sum(c["stored"] for c in checkpoints[1:]) / (len(epochs) - 1)
    size = checkpoints[0]["size"]
    TARGETS.append(("95 % frozen, stored per epoch by the state", 0.1, "<=", stored / size))
    print(f"95 % frozen weights: {stored / 1e6:.2f} of {size / 1e6:.2f} MB stored per epoch ({stored / size:.3f})")


def main() -> None:
    """Print the tables that were asked for."""
    print(f"{platform.platform()}, Python {platform.python_version()}, "
          f"{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f}")
    parts = {"record": bench_record, "replay": bench_replay, "long": bench_long, "pause": bench_pause, "frozen": bench_frozen}
    begun = time.perf_counter()
    for name in sys.argv[1:] or parts:
        parts[name]()
    print(f"\n{'target':<50} {'limit':>8} {'measured':>9}   (all values were identical; {time.perf_counter() - begun:.0f} s, "
          f"load {os.getloadavg()[0]:.1f})")
    for what, limit, sign, value in TARGETS:
        print(f"{what:<50} {sign} {limit:>5} {value:>9.3f}   {'met' if (value <= limit if sign == '<=' else value >= limit) else 'MISSED'}")


if __name__ == "__main__":
    main()
