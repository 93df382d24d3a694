"""Tables of rex.state: tracking, capture, undo; beside cloudpickle and dill.

    python bench/state.py

Times are foreground milliseconds: what the next cell waits for. `stored` is
raw bytes new to the archive.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import cloudpickle  # noqa: E402
import dill  # noqa: E402

from rex.archive import Archive  # noqa: E402
from rex.state import History, StateTracker, Store, checkout, load_history  # noqa: E402

LISTS = ["import random\nrandom.seed(1)\nwords = ['w%d' % random.randrange(9999) for _ in range(60000)]",
         "lines = [' '.join(words[i:i + 8]) for i in range(0, 60000, 8)]",
         "counts = {}\nfor w in words: counts[w] = counts.get(w, 0) + 1",
         "top = sorted(counts, key=counts.get)[-10:]", "words[17] = 'changed'",
         "lines.append('end')", "n = len(lines)", "upper = [w.upper() for w in words]",
         "words.sort()", "longest = max(lines, key=len)", "pairs = list(zip(words, upper))",
         "del pairs"]
ARRAYS = ["import numpy as np", "base = np.zeros((300, 300))", "left = base[:, :150]",
          "left += 1", "log = []", "net = {'w': np.ones((64, 64)), 'log': log}", "log.append(1)",
          "net['w'] *= 0.5", "frames = [np.full((50, 50), i) for i in range(20)]",
          "first = frames[0]", "first[0] = 7", "m = base.mean()", "grid = base.reshape(100, 900)",
          "grid[3] = 5", "frames[3] = frames[4]", "ref = net", "right = base[:, 150:]"]
TEN = ["import numpy as np\narrays = [np.random.rand(8 << 20) for _ in range(10)]",
       "x = arrays[0].mean()", "arrays[3][5] = 1", "x = arrays[1].max()", "arrays[4][:] = np.random.rand(8 << 20)",
       "arrays[5] = np.ones(8 << 20)"]


class Bench:
    """Runs cells in a namespace of their own, tracked and stored."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self.folder = tempfile.TemporaryDirectory()
        self.archive = Archive.create(os.path.join(self.folder.name, "archive"))
        self.recording = self.archive.begin("bench")
        self.store = Store(self.archive, self.recording)
        self.tracker = StateTracker(self.namespace)

    def run(self, code: str) -> tuple[float, float]:
        """Seconds of the cell, and of what we add to it."""
        start = time.perf_counter()
        self.tracker.before_cell(code)
        before = time.perf_counter()
        exec(compile(code, "<cell>", "exec"), self.namespace)
        after = time.perf_counter()
        self.store.save(self.tracker.after_cell())
        return after - before, before - start + time.perf_counter() - after

    def close(self) -> None:
        self.store.close()
        self.tracker.close()
        self.recording.abandon()
        self.folder.cleanup()


def whole_dumps(cells: list[str], module: Any) -> tuple[float, int]:
    """Seconds and bytes of dumping the whole namespace after each cell."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    seconds, size = 0.0, 0
    for code in cells:
        exec(compile(code, "<cell>", "exec"), namespace)
        start = time.perf_counter()
        state = {k: v for k, v in namespace.items() if not k.startswith("__")}
        size += len(module.dumps(state))
        seconds += time.perf_counter() - start
    return seconds, size


def print_notebook(title: str, cells: list[str]) -> None:
    """Overhead per cell, bytes, and what undo takes."""
    bench = Bench()
    times = []
    for code in cells:
        times.append(bench.run(code))
        bench.store.wait()
    plain, added = sum(t[0] for t in times), [t[1] for t in times]
    undo = []
    for node in range(len(cells), 0, -1):
        start = time.perf_counter()
        checkout(bench.tracker, node, bench.store.read)
        undo.append(time.perf_counter() - start)
    stored = bench.recording.new_bytes
    bench.close()
    others = [whole_dumps(cells, module) for module in (cloudpickle, dill)]
    print(f"| {title} ({len(cells)}) | {1e3 * plain:.0f} | {1e3 * sum(added):.1f} "
          f"({sum(added) / plain:.2f}x) | {1e3 * statistics.median(added):.2f} | "
          f"{stored / 1e6:.2f} | {1e3 * statistics.median(undo):.1f} | "
          + " | ".join(f"{1e3 * s:.0f} ms, {b / 1e6:.1f} MB" for s, b in others) + " |", flush=True)


def print_ten_arrays() -> None:
    """Ten arrays of 64 MB in a list."""
    bench = Bench()
    print("\n| ten 64 MB arrays: cell | cell ms | added ms | new MB | undo ms |\n"
          "|---|---|---|---|---|")
    rows = []
    for code in TEN:
        before = bench.recording.new_bytes
        plain, added = bench.run(code)
        bench.store.wait()
        rows.append((code, plain, added, bench.recording.new_bytes - before))
    for node in range(len(TEN) - 1, 0, -1):
        start = time.perf_counter()
        checkout(bench.tracker, node, bench.store.read)
        rows[node] += (time.perf_counter() - start,)
    for code, plain, added, new, *undo in rows:
        text = code.replace("\n", "; ")
        print(f"| `{text:.40}` | {1e3 * plain:.1f} | {1e3 * added:.2f} | {new / 1e6:.2f} | "
              f"{f'{1e3 * undo[0]:.1f}' if undo else ''} |")
    bench.close()


def print_long_session(cells: int = 1000) -> None:
    """Trivial cells: flat, and differences of states."""
    bench = Bench()
    bench.run("data = list(range(100))")
    added = [bench.run(f"v{i} = {i}\nv{i // 2} += 1")[1] for i in range(cells)]
    bench.store.wait()
    start = time.perf_counter()
    changed = bench.tracker.history.difference(1, bench.tracker.head)
    difference = time.perf_counter() - start
    start = time.perf_counter()
    history: History = load_history(bench.archive, bench.archive.experiment("bench"))
    loading = time.perf_counter() - start
    start = time.perf_counter()
    checkout(bench.tracker, cells - 1, bench.store.read)
    undo = time.perf_counter() - start
    first, last = (statistics.median(part) * 1e3 for part in (added[:100], added[-100:]))
    print(f"\n{cells} trivial cells: {first:.2f} ms added per cell at first, {last:.2f} ms at the "
          f"end; difference of two states ({len(changed)} variables) {1e3 * difference:.1f} ms; "
          f"undo {1e3 * undo:.1f} ms; the history of {len(history.deltas)} read in "
          f"{1e3 * loading:.0f} ms")
    bench.close()


def main() -> None:
    """Print every table."""
    print(f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores\n")
    print("| notebook (cells) | plain ms | added ms | median per cell | stored MB | undo median ms "
          "| cloudpickle of all | dill of all |\n|---|---|---|---|---|---|---|---|")
    print_notebook("text lists", LISTS)
    print_notebook("tiny arrays, views, shared lists", ARRAYS)
    print_ten_arrays()
    print_long_session()


if __name__ == "__main__":
    main()
