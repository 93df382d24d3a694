"""Li et al., Kishu, PVLDB 18(4), 2024: the eight notebooks, the nearest that can be had (examples/notebooks), with the tools that can be had.

Figures are processor seconds of the process and its children, what a tool does in the background included, because the machine may be shared. Tools and
libraries that are not installed are named on the page.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
from typing import Any

import notebook as runs
from page import Missing, plot, table, write_csv

# The paper's name, ours, and the library that it needs.
NOTEBOOKS = {"Cluster": ("cluster", "sklearn"), "TPS": ("tabular", "sklearn"), "Sklearn": ("texts", "sklearn"), "HW-LM": ("linear_models", "sklearn"),
             "StoreSales": ("store_sales", "sklearn"), "Qiskit": ("quantum", "qiskit"), "TorchGPU": ("torch_train", "torch"), "Ray": ("data_pipeline", "ray")}
TOOLS = {"rex": "xxhash", "kishu": "kishu", "dill": "dill", "cloudpickle": "cloudpickle"}
TITLES = {"rex": "Rex", "kishu": "Kishu 0.3.4", "dill": "dill", "cloudpickle": "cloudpickle"}
LIMIT_S = 150
# By paper's notebook and tool: seconds of the plain run, what a run with the tool found.
Found = dict[tuple[str, str], tuple[float, dict[str, Any]]]


def is_there(library: str) -> bool:
    """Whether a library is installed."""
    return importlib.util.find_spec(library) is not None


def measure() -> Found:
    """Each notebook once plainly, and right after once with each tool."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    found: Found = {}
    for name, (ours, library) in NOTEBOOKS.items():
        if not is_there(library):
            continue
        plain = runs.in_process(f"run({ours!r}, 'plain')", LIMIT_S)
        if "cpu" not in plain:
            raise SystemExit(f"kishu: {ours} does not run: {plain['failures'][0]}")
        for tool in (tool for tool, needs in TOOLS.items() if is_there(needs)):
            found[name, tool] = sum(plain["cpu"]), runs.in_process(f"run({ours!r}, {tool!r})", LIMIT_S)
        print(f"kishu: {name}", flush=True)
    return found


def cells(plain_s: float, run: dict[str, Any]) -> tuple[str, ...]:
    """Of one tool on one notebook: added, stored, undo, and states that came back."""
    if "stored" not in run:
        return (run["failures"][0].partition(":")[0], "", "", "")
    undo = f"{1e3 * statistics.median(run['undo_cpu']):.0f} ms, {1e3 * max(run['undo_cpu']):.0f} ms" if run["undo_cpu"] else ""
    return (f"{100 * (sum(run['cpu']) / plain_s - 1):+.0f} %", f"{run['stored'] / 1e6:.2f} MB", undo, f"{run['same']} of {run['of']}")


def describe(found: Found) -> str:
    """Tables and a picture of what was measured."""
    rows, numbers = [], []
    for (name, tool), (plain_s, run) in found.items():
        rows.append((f"{name} ({NOTEBOOKS[name][0]}.py, {run.get('of', -1) + 1} cells, {plain_s:.1f} s)" if tool == "rex" else "", TITLES[tool], *cells(plain_s, run)))
        numbers.append((name, tool, f"{plain_s:.3f}", f"{sum(run.get('cpu', [])):.3f}", run.get("stored", ""), f"{statistics.median(run['undo_cpu']):.4f}" if run.get("undo_cpu") else "",
                        f"{max(run['undo_cpu']):.4f}" if run.get("undo_cpu") else "", run.get("same", ""), run.get("of", ""), len(run.get("failures", []))))
    link = write_csv("kishu.csv", ("notebook", "tool", "plain_cpu_s", "cpu_s", "stored_bytes", "undo_cpu_s_median", "undo_cpu_s_largest", "same", "of", "failures"), numbers)
    missing = [TITLES[tool] for tool, needs in TOOLS.items() if not is_there(needs)] + [f"{name} ({library})" for name, (_, library) in NOTEBOOKS.items() if not is_there(library)]
    return (f"One run each. Added: processor time over that of a plain run just before. Undo: median and largest of going back by one cell, from the last to the first. "
            f"Same: states that came back equal, views and shared objects included. In the picture notebooks are numbered as in the table. All numbers: {link}.\n\n{picture(found)}\n"
            + table(("notebook", "tool", "added", "stored", "undo", "same"), rows) + f"\n{gains(found)}"
            + (f"\nNot installed: {', '.join(missing)}.\n" if missing else ""))


def picture(found: Found) -> str:
    """Bytes and undo by notebook."""
    names = list(dict.fromkeys(name for name, _ in found))

    def curve(tool: str, key: str) -> list[tuple[float, float]]:
        points = []
        for place, name in enumerate(names, 1):
            run = found.get((name, tool), (0.0, {}))[1]
            if run.get("undo_cpu") and "stored" in run:
                points.append((place, run["stored"] / 1e6 if key == "stored" else 1e3 * statistics.median(run["undo_cpu"])))
        return points

    drawn = [tool for tool in TOOLS if any((name, tool) in found for name in names)]
    return plot("kishu.png", "bytes stored and time of an undo, by notebook", [
        ("bytes stored", "notebook", {TITLES[tool]: points for tool in drawn if (points := curve(tool, "stored"))}),
        ("undo, processor time", "notebook", {TITLES[tool]: points for tool in drawn if (points := curve(tool, "undo"))})], "MB, ms", columns=2, is_log=True)


def gains(found: Found) -> str:
    """Rex against the best of the other tools that gave every state back, and against the best that gave any."""
    lines = []
    for name in dict.fromkeys(name for name, _ in found):
        mine = found.get((name, "rex"), (0.0, {}))[1]
        others = [run for (other, tool), (_, run) in found.items() if other == name and tool != "rex" and run.get("undo_cpu") and "stored" in run]
        if not mine.get("stored") or not others:
            continue
        smaller = min(run["stored"] for run in others) / mine["stored"]
        faster = min(statistics.median(run["undo_cpu"]) for run in others) / max(1e-4, statistics.median(mine["undo_cpu"]))
        lines.append((name, f"{smaller:.2f}x", f"{faster:.2f}x", max(run["same"] / run["of"] for run in others), mine["same"] / mine["of"]))
    return ("Rex against the best other tool of each column, whether or not it gave the right state back:\n\n"
            + table(("notebook", "fewer bytes", "faster undo", "right, best other", "right, Rex"),
                    [(name, smaller, faster, f"{100 * theirs:.0f} %", f"{100 * mine:.0f} %") for name, smaller, faster, theirs, mine in lines]))


def make() -> str:
    """The part of the page.

    Raises:
        Missing: no notebook can run.
    """
    if not is_there("sklearn"):
        raise Missing("scikit-learn")
    return describe(measure())
