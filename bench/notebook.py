"""Notebook time travel beside Kishu 0.3.4, dill.dump_session and cloudpickle of the whole namespace.

    python bench/notebook.py [--tools rex,kishu,dill,cloudpickle] [--repeat 3] [NOTEBOOK...]

Run it with a Python that has all of them. Each notebook runs in an IPython shell of its own process,
plainly and with each tool; the seconds of a cell are the least of the repeats. `same`: states equal to
what they were, views and `is` relations included, after checking out every cell from the last to the first.
On a busy machine trust the CPU seconds of the main thread, in brackets, more than the seconds.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from notebook_cells import NOTEBOOKS, describe  # noqa: E402

TOOLS = ("plain", "rex", "kishu", "dill", "cloudpickle")


class Tool:
    """Plain IPython: nothing is kept."""

    def __init__(self, shell: Any, folder: str) -> None:
        self.shell, self.folder = shell, folder
        self.ids: list[Any] = []

    def after(self) -> None:
        """A cell has run; what the tool does is part of its time."""

    def settle(self) -> None:
        """Background work ends; not timed."""

    def go(self, index: int) -> None:
        """Back to the state after a cell."""

    def stored(self) -> int:
        """Bytes on disk."""
        return 0


class Rex(Tool):
    """This project's extension."""

    def __init__(self, shell: Any, folder: str) -> None:
        super().__init__(shell, folder)
        os.environ["REX_NOTEBOOK_ARCHIVE"] = os.path.join(folder, "archive")
        shell.run_cell("%load_ext rex.notebook", store_history=True)
        from rex.notebook import _extensions
        [extension] = _extensions.values()
        self.session = extension.session

    def after(self) -> None:
        self.ids.append(self.session.graph.head)

    def settle(self) -> None:
        self.session.keeper.store.wait()

    def go(self, index: int) -> None:
        done = self.session.checkout(str(self.ids[index]))
        if done.restored.failed or done.restored.recomputed:
            print(done.restored.failed, done.restored.recomputed, file=sys.stderr)

    def stored(self) -> int:
        return self.session.keeper.recording.stored_bytes


class Kishu(Tool):
    """As released, with its defaults."""

    def __init__(self, shell: Any, folder: str) -> None:
        super().__init__(shell, folder)
        os.environ["ENV_KISHU_TEST_MODE"] = "true"
        import nbformat
        path = Path(folder, "nb.ipynb")
        nbformat.write(nbformat.v4.new_notebook(), path)
        from kishu.jupyterint import KishuForJupyter
        from kishu.notebook_id import NotebookId
        self.kishu = KishuForJupyter(NotebookId("bench", path, "kernel"), ip=shell)
        self.kishu.set_session_id(1)
        self.kishu.install_kishu_hooks()

    def after(self) -> None:
        self.ids.append(self.kishu._kishu_branch.get_head().commit_id)

    def go(self, index: int) -> None:
        self.kishu.checkout(self.ids[index], skip_notebook=True)

    def stored(self) -> int:
        return self.kishu.database_path().stat().st_size


class Dill(Tool):
    """dill.dump_session after each cell."""

    def after(self) -> None:
        import dill
        module = sys.modules["__main__"]
        path = os.path.join(self.folder, f"{len(self.ids)}.dill")
        kept = {k: v for k, v in self.shell.user_ns.items() if not _is_own(k)}
        vars(module).update(kept)
        for name in set(vars(module)) - set(kept) - _MAIN:
            delattr(module, name)
        dill.dump_session(path)
        self.ids.append(path)

    def go(self, index: int) -> None:
        import dill
        dill.load_session(self.ids[index])
        _replace(self.shell.user_ns, {k: v for k, v in vars(sys.modules["__main__"]).items()
                                      if k not in _MAIN})

    def stored(self) -> int:
        return sum(os.path.getsize(path) for path in self.ids)


class Cloudpickle(Tool):
    """cloudpickle.dumps of all variables after each cell."""

    def after(self) -> None:
        import cloudpickle
        kept = {k: v for k, v in self.shell.user_ns.items() if not _is_own(k)}
        path = os.path.join(self.folder, f"{len(self.ids)}.pickle")
        with open(path, "wb") as file:
            file.write(cloudpickle.dumps(kept))
        self.ids.append(path)

    def go(self, index: int) -> None:
        import pickle
        with open(self.ids[index], "rb") as file:
            _replace(self.shell.user_ns, pickle.loads(file.read()))

    def stored(self) -> int:
        return sum(os.path.getsize(path) for path in self.ids)


_MAIN = set(vars(sys.modules["__main__"]))
_MAKE: dict[str, Callable[[Any, str], Tool]] = {
    "plain": Tool, "rex": Rex, "kishu": Kishu, "dill": Dill, "cloudpickle": Cloudpickle}


def _is_own(name: str) -> bool:
    return name.startswith("_") or name in ("In", "Out", "get_ipython", "exit", "quit", "open")


def _replace(namespace: dict[str, Any], state: dict[str, Any]) -> None:
    for name in [n for n in namespace if not _is_own(n) and n not in state]:
        del namespace[name]
    namespace.update(state)


def run(notebook: str, tool_name: str) -> dict[str, Any]:
    """One notebook with one tool, in this process."""
    from IPython.core.interactiveshell import InteractiveShell
    cells = NOTEBOOKS[notebook]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["IPYTHONDIR"] = folder
        shell = InteractiveShell.instance()
        shell.history_manager.enabled = False
        shell.run_cell("import sys, os\n1 + 1", store_history=True)   # caches of IPython itself
        tool = _MAKE[tool_name](shell, folder)
        seconds, cpu, states, failures = [], [], [], []
        for code in cells:
            start, start_cpu = time.perf_counter(), time.thread_time()
            result = shell.run_cell(code, store_history=True)
            try:
                tool.after()
            except Exception as error:
                tool.ids.append(None)
                failures.append(f"{type(error).__name__}: {error}"[:200])
            seconds.append(time.perf_counter() - start)
            cpu.append(time.thread_time() - start_cpu)
            assert result.success, (code, result)
            tool.settle()
            if tool_name != "plain":
                states.append(describe({k: v for k, v in shell.user_ns.items()
                                        if not _is_own(k) and k != "kishu"}))
        found: dict[str, Any] = {"seconds": seconds, "cpu": cpu, "failures": failures}
        if tool_name != "plain":
            found["stored"] = tool.stored()
            undo, same = [], 0
            for index in range(len(cells) - 2, -1, -1):
                start = time.perf_counter()
                try:
                    tool.go(index)
                except Exception as error:
                    failures.append(f"{type(error).__name__}: {error}"[:200])
                    continue
                undo.append(time.perf_counter() - start)
                now = describe({k: v for k, v in shell.user_ns.items()
                                if not _is_own(k) and k != "kishu"})
                same += now == states[index]
            found |= {"undo": undo, "same": same, "of": len(cells) - 1}
        os.chdir("/")
        return found


def in_process(notebook: str, tool: str, limit_s: float = 900) -> dict[str, Any]:
    """One run in a process of its own."""
    program = (f"import sys; sys.path[:0] = {sys.path[:2]!r}; import json, notebook; "
               f"print('@' + json.dumps(notebook.run({notebook!r}, {tool!r})))")
    try:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=limit_s,
                              env={**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"})
    except subprocess.TimeoutExpired:
        return {"failures": ["takes too long"]}
    line = next((one for one in reversed(done.stdout.splitlines()) if one.startswith("@")), None)
    if line is None:
        return {"failures": [done.stderr.strip().splitlines()[-1][:200] if done.stderr else "?"]}
    if os.environ.get("BENCH_DEBUG"):
        print(done.stderr[-2000:], file=sys.stderr)
    return json.loads(line[1:])


def least(runs: list[dict[str, Any]], key: str = "seconds") -> list[float]:
    """The least seconds of each cell."""
    found = [one[key] for one in runs if key in one]
    return [min(times) for times in zip(*found)]


def print_notebook(notebook: str, tools: list[str], repeat: int) -> None:
    """Lines of the table."""
    plain_runs, runs = [], {tool: [] for tool in tools}
    for _ in range(repeat):   # in turns: the machine's mood is everybody's
        plain_runs.append(in_process(notebook, "plain"))
        for tool in tools:
            if not runs[tool] or "seconds" in runs[tool][-1] and sum(runs[tool][-1]["seconds"]) < 60:
                runs[tool].append(in_process(notebook, tool))
    plain = least(plain_runs)
    for tool in tools:
        with_tool = least(runs[tool])
        last = runs[tool][-1]
        if not with_tool:
            print(f"| {notebook} | {tool} | {last['failures'][0]} | | | | |", flush=True)
            continue
        added = [max(0.0, a - b) for a, b in zip(with_tool, plain)]
        plain_cpu, tool_cpu = least(plain_runs, "cpu"), least(runs[tool], "cpu")
        added_cpu = sum(max(0.0, a - b) for a, b in zip(tool_cpu, plain_cpu)) / sum(plain_cpu)
        undo = [one for each in runs[tool] for one in each.get("undo", [])]
        failures = f"; {len(last['failures'])} failures: {last['failures'][0]}" if last["failures"] else ""
        print(f"| {notebook} ({len(plain)} cells, {1e3 * sum(plain):.0f} ms) | {tool} | {sum(added) / sum(plain):.2f}x ({added_cpu:.2f}x) | "
              f"{1e3 * statistics.median(added):.1f} ms | {last['stored'] / 1e6:.2f} MB | "
              f"{1e3 * statistics.median(undo):.1f} ms | {last['same']} of {last['of']}{failures} |" if undo else
              f"| {notebook} | {tool} | {sum(added) / sum(plain):.2f}x ({added_cpu:.2f}x) | {1e3 * statistics.median(added):.1f} ms | "
              f"{last['stored'] / 1e6:.2f} MB | - | 0 of {last['of']}{failures} |", flush=True)


def print_trivial(cells: int = 1000) -> None:
    """What a trivial cell waits for, at the beginning and after a thousand."""
    from IPython.core.interactiveshell import InteractiveShell
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shell = InteractiveShell.instance()
        shell.history_manager.enabled = False
        tool = Rex(shell, folder)
        session, times = tool.session, []
        before, after = session._before_cell, session._after_cell

        def timed(hook: Callable[[Any], None]) -> Callable[[Any], None]:
            def run_hook(argument: Any) -> None:
                start = time.perf_counter()
                hook(argument)
                times.append(time.perf_counter() - start)
            return run_hook

        for event, hook in (("pre_run_cell", before), ("post_run_cell", after)):
            shell.events.unregister(event, hook)
            shell.events.register(event, timed(hook))
        shell.run_cell("data = list(range(100))", store_history=True)
        for number in range(cells):
            shell.run_cell(f"v{number % 50} = {number}", store_history=True)
        added = [a + b for a, b in zip(times[0::2], times[1::2])]
        start = time.perf_counter()
        changes = session.graph.difference(2, session.graph.head)
        difference = time.perf_counter() - start
        tool.settle()
        start = time.perf_counter()
        from rex.notebook.index import read_graph
        graph = read_graph(session.keeper.archive.experiment(session.keeper.name))
        reading = time.perf_counter() - start
        log = os.path.getsize(session.keeper.recording.log_path)
        os.chdir("/")
        print(f"\ntrivial cells, run all at once: {1e3 * statistics.median(added[1:101]):.2f} ms added at first, "
              f"{1e3 * statistics.median(added[-100:]):.2f} ms after {cells}; difference of two states {cells} cells apart "
              f"({len(changes)} variables) {1e3 * difference:.1f} ms; graph of {len(graph.nodes)} nodes read from the "
              f"archive in {1e3 * reading:.0f} ms; log {log / 1e6:.2f} MB")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("notebooks", nargs="*", default=list(NOTEBOOKS))
    parser.add_argument("--tools", default="rex,kishu,dill,cloudpickle")
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    tools = given.tools.split(",")
    print(f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores, "
          f"load {os.getloadavg()[0]:.1f}\n")
    print("| notebook | tool | overhead (its foreground CPU) | added per cell, median | stored | undo, median | same |\n|---|---|---|---|---|---|---|")
    for notebook in given.notebooks:
        if notebook in NOTEBOOKS:
            print_notebook(notebook, tools, given.repeat)
    if "rex" in tools and (not given.notebooks or "trivial" in given.notebooks or given.notebooks == list(NOTEBOOKS)):
        sys.stdout.flush()
        print_trivial()


if __name__ == "__main__":
    main()
