"""Notebook time travel beside Kishu 0.3.4, dill.dump_session and cloudpickle of the whole namespace.

    python bench/notebook.py [--tools rex,kishu,dill,cloudpickle] [--repeat 5] [NOTEBOOK...|trivial|loops]

Run it with a Python that has all of them. Notebooks are those of notebook_cells.py, and by name those of
examples/notebooks. Each notebook runs in an IPython shell of its own process, plainly
and with each tool in turns. What a tool adds to a cell is the median over the turns of the difference to
the plain run of the same turn: in seconds that the user waits; in CPU seconds of the main thread, which are
the same where nobody else uses the machine; and in CPU seconds of the process and its children, what the tool
does in the background included. `same`: states equal to what they were, views and
`is` relations included, after checking out every cell from the last to the first; the worst turn counts.
"""

from __future__ import annotations

import argparse
import contextlib
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
from typing import Any, Callable, Iterator

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from notebook_cells import NOTEBOOKS, cells_of, describe  # noqa: E402


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

    def close(self) -> None:
        """The end of the session."""


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

    def close(self) -> None:
        self.shell.run_line_magic("rex", "off")


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

    def __init__(self, shell: Any, folder: str) -> None:
        super().__init__(shell, folder)
        self._names: dict[str, set[str]] = {}

    def after(self) -> None:
        import dill
        module = sys.modules["__main__"]
        path = os.path.join(self.folder, f"{len(self.ids)}.dill")
        kept = {k: v for k, v in self.shell.user_ns.items() if not _is_own(k)}
        others = {name: value for name, value in vars(module).items() if name not in kept and name not in _MAIN}
        for name in others:   # IPython's, which no dump survives
            delattr(module, name)
        vars(module).update(kept)
        self._names[path] = set(kept)
        try:
            dill.dump_session(path)
        finally:
            vars(module).update(others)
        self.ids.append(path)

    def go(self, index: int) -> None:
        import dill
        module = sys.modules["__main__"]
        for name in [name for name in vars(module) if not _is_own(name) and name not in _MAIN]:
            delattr(module, name)   # it only adds
        dill.load_session(self.ids[index])
        _replace(self.shell.user_ns, {name: vars(module)[name] for name in self._names[self.ids[index]]})

    def stored(self) -> int:
        return sum(os.path.getsize(path) for path in self.ids if path)


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
        return sum(os.path.getsize(path) for path in self.ids if path)


_MAIN = set(vars(sys.modules["__main__"]))
_MAKE: dict[str, Callable[[Any, str], Tool]] = {
    "plain": Tool, "rex": Rex, "kishu": Kishu, "dill": Dill, "cloudpickle": Cloudpickle}


def _is_own(name: str) -> bool:
    return name.startswith("_") or name in ("In", "Out", "get_ipython", "exit", "quit", "open")


def _replace(namespace: dict[str, Any], state: dict[str, Any]) -> None:
    for name in [n for n in namespace if not _is_own(n) and n not in state]:
        del namespace[name]
    namespace.update(state)


def cpu_seconds() -> float:
    """CPU seconds of this process, all its threads, and its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


class Meter:
    """Runs cells with a tool: what each takes, what fails, the states that there were."""

    def __init__(self, shell: Any, tool: Tool) -> None:
        self.shell, self.tool = shell, tool
        self.found: dict[str, Any] = {"seconds": [], "main": [], "cpu": [], "failures": [], "undo": [], "undo_cpu": []}
        self._states: list[Any] = []

    def run(self, code: str) -> None:
        """One cell; what is written in the background is part of its CPU seconds only."""
        start, start_main, start_cpu = time.perf_counter(), time.thread_time(), cpu_seconds()
        result = self.shell.run_cell(code, store_history=True)
        try:
            self.tool.after()
        except Exception as error:
            self.tool.ids.append(None)
            self._fail(error)
        self.found["seconds"].append(time.perf_counter() - start)
        self.found["main"].append(time.thread_time() - start_main)
        assert result.success, (code, result)
        self.tool.settle()
        self.found["cpu"].append(cpu_seconds() - start_cpu)
        self._states.append(self._describe())

    def undo_all(self) -> None:
        """Check out every cell's state, from the last to the first."""
        same, count = 0, len(self._states) - 1
        for index in range(count - 1, -1, -1):
            start, start_cpu = time.perf_counter(), cpu_seconds()
            try:
                self.tool.go(index)
            except Exception as error:
                self._fail(error)
                continue
            self.found["undo"].append(time.perf_counter() - start)
            self.found["undo_cpu"].append(cpu_seconds() - start_cpu)
            same += self._describe() == self._states[index]
        self.found |= {"stored": self.tool.stored(), "same": same, "of": count}

    def _describe(self) -> Any:
        return describe({k: v for k, v in self.shell.user_ns.items() if not _is_own(k) and k != "kishu"})

    def _fail(self, error: Exception) -> None:
        self.found["failures"].append(f"{type(error).__name__}: {error}"[:200])


@contextlib.contextmanager
def make_shell(tool_name: str) -> Iterator[tuple[Any, Tool]]:
    """An IPython shell in a folder of its own, with a tool."""
    from IPython.core.interactiveshell import InteractiveShell
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["IPYTHONDIR"] = folder
        shell = InteractiveShell.instance()
        shell.history_manager.enabled = False
        shell.run_cell("import sys, os\n1 + 1", store_history=True)   # caches of IPython itself
        try:
            tool = _MAKE[tool_name](shell, folder)
            yield shell, tool
            tool.close()
        finally:
            os.chdir("/")


def run(notebook: str, tool_name: str) -> dict[str, Any]:
    """One notebook with one tool, in this process."""
    with make_shell(tool_name) as (shell, tool):
        meter = Meter(shell, tool)
        for code in cells_of(notebook):
            meter.run(code)
        if tool_name != "plain":
            meter.undo_all()
        return meter.found


def run_loops(tool_name: str, repeat: int = 7) -> dict[str, float]:
    """CPU seconds of the main thread in loops over global names, the hooks left out; medians."""
    code = """import time
s, n, times = 0, 3, {}
def f(count):
    for i in range(count): i + n
t = time.thread_time()
for i in range(2_000_000): s += i
times['loop'] = time.thread_time() - t; t = time.thread_time()
f(2_000_000); times['function'] = time.thread_time() - t; t = time.thread_time()
sum(n + i for i in range(1_000_000)); times['generator'] = time.thread_time() - t"""
    with make_shell(tool_name) as (shell, tool):
        found = []
        for _ in range(repeat):
            shell.run_cell(code, store_history=True)
            found.append(dict(shell.user_ns["times"]))
        return {name: statistics.median(one[name] for one in found) for name in found[0]}


def in_process(call: str, limit_s: float = 900) -> dict[str, Any]:
    """What a call of this module's functions returns in a process of its own."""
    program = (f"import sys; sys.path[:0] = {sys.path[:2]!r}; import json, notebook; "
               f"print('@' + json.dumps(notebook.{call}))")
    try:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=limit_s,
                              env={**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"})
    except subprocess.TimeoutExpired:
        return {"failures": ["takes too long"]}
    line = next((one for one in reversed(done.stdout.splitlines()) if one.startswith("@")), None)
    if line is None:
        told = [text for text in done.stderr.splitlines() if text[:1].isalpha() and "Error" in text]
        return {"failures": [told[0][:200] if told else f"status {done.returncode}"]}
    if os.environ.get("BENCH_DEBUG"):
        print(done.stderr[-2000:], file=sys.stderr)
    return json.loads(line[1:])


def added(runs: list[dict[str, Any]], plain: list[dict[str, Any]], key: str) -> list[float]:
    """What a tool adds to each cell: the median over the turns."""
    pairs = [(one[key], other[key]) for one, other in zip(runs, plain) if key in one]
    return [statistics.median(with_tool[at] - without[at] for with_tool, without in pairs)
            for at in range(len(plain[0][key]))] if pairs else []


def print_notebook(notebook: str, tools: list[str], repeat: int) -> None:
    """Lines of the table."""
    plain, runs = [], {tool: [] for tool in tools}
    for _ in range(repeat):   # in turns: the machine's mood is everybody's
        plain.append(in_process(f"run({notebook!r}, 'plain')"))
        for tool in tools:
            runs[tool].append(in_process(f"run({notebook!r}, {tool!r})"))
    keys = ("seconds", "main", "cpu")
    total = {key: sum(statistics.median(one[key][at] for one in plain) for at in range(len(plain[0][key])))
             for key in keys}
    for tool in tools:
        title = f"| {notebook} ({len(plain[0]['main'])} cells, {1e3 * total['main']:.0f} ms) | {tool} |"
        adds = {key: added(runs[tool], plain, key) for key in keys}
        last = next((one for one in reversed(runs[tool]) if "stored" in one), runs[tool][-1])
        if not adds["main"]:
            print(f"{title} {last['failures'][0]} | | | | | | |", flush=True)
            continue
        if os.environ.get("BENCH_CELLS"):
            print(tool, [round(1e3 * one, 2) for one in adds["main"]], file=sys.stderr)
        undo = [seconds for one in runs[tool] for seconds in one.get("undo", [])]
        failures = f"; {len(last['failures'])} failures: {last['failures'][0]}" if last["failures"] else ""
        print(f"{title} {' | '.join(f'{sum(adds[key]) / total[key]:.2f}x' for key in keys)} | "
              f"{1e3 * statistics.median(adds['main']):.1f} ms | "
              f"{last['stored'] / 1e6:.2f} MB | {f'{1e3 * statistics.median(undo):.1f} ms' if undo else '-'} | "
              f"{min(one.get('same', 0) for one in runs[tool])} of {last['of']}{failures} |", flush=True)


def print_loops(repeat: int) -> None:
    """Loops at the top level beside plain ones: that user code is not slowed down."""
    turns = [(in_process("run_loops('plain')"), in_process("run_loops('rex')")) for _ in range(repeat)]
    print("\nloops over global names, with Rex beside plain: " + ", ".join(
        f"{name} {statistics.median(rex[name] / plain[name] for plain, rex in turns):.3f}x" for name in turns[0][0]))


def run_trivial(cells: int) -> dict[str, float]:
    """What trivial cells wait for, at the beginning and in the end; the graph they make."""
    with make_shell("rex") as (shell, tool):
        session, times = tool.session, []

        def timed(hook: Callable[[Any], None]) -> Callable[[Any], None]:
            def run_hook(argument: Any) -> None:
                start = time.perf_counter()
                hook(argument)
                times.append(time.perf_counter() - start)
            return run_hook

        for event, hook in (("pre_run_cell", session._before_cell), ("post_run_cell", session._after_cell)):
            shell.events.unregister(event, hook)
            shell.events.register(event, timed(hook))
        shell.run_cell("data = list(range(100))", store_history=True)
        for number in range(cells):
            shell.run_cell(f"v{number % 50} = {number}", store_history=True)
        waits = [a + b for a, b in zip(times[0::2], times[1::2])]
        start = time.perf_counter()
        changes = session.graph.difference(2, session.graph.head)
        difference = time.perf_counter() - start
        tool.settle()
        start = time.perf_counter()
        from rex.notebook.index import read_graph
        graph = read_graph(session.keeper.archive.experiment(session.keeper.name))
        return {"first": statistics.median(waits[1:101]), "last": statistics.median(waits[-100:]),
                "difference": difference, "changes": len(changes), "reading": time.perf_counter() - start,
                "nodes": len(graph.nodes), "log": os.path.getsize(session.keeper.recording.log_path)}


def print_trivial(repeat: int, cells: int = 1000) -> None:
    """Trivial cells, all run at once."""
    runs = [in_process(f"run_trivial({cells})") for _ in range(repeat)]
    found = {key: statistics.median(one[key] for one in runs) for key in runs[0]}
    print(f"\ntrivial cells, run all at once: {1e3 * found['first']:.2f} ms added at first, {1e3 * found['last']:.2f} ms "
          f"after {cells}; difference of two states {cells} cells apart ({found['changes']:.0f} variables) "
          f"{1e3 * found['difference']:.1f} ms; graph of {found['nodes']:.0f} nodes read from the archive in "
          f"{1e3 * found['reading']:.0f} ms; log {found['log'] / 1e6:.2f} MB")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("notebooks", nargs="*", default=[*NOTEBOOKS, "trivial", "loops"])
    parser.add_argument("--tools", default="rex,kishu,dill,cloudpickle")
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    print(f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores, "
          f"load {os.getloadavg()[0]:.1f}, {given.repeat} turns\n")
    print("| notebook (cells, CPU) | tool | waited | CPU, main thread | CPU, all | per cell, median | stored | "
          "undo, median | same |\n|---|---|---|---|---|---|---|---|---|")
    for notebook in given.notebooks:
        if notebook not in ("trivial", "loops"):
            print_notebook(notebook, given.tools.split(","), given.repeat)
    if "trivial" in given.notebooks:
        print_trivial(given.repeat)
    if "loops" in given.notebooks:
        print_loops(given.repeat)


if __name__ == "__main__":
    main()
