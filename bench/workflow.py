"""Measures rex.workflow: python bench/workflow.py [SECTION...] [--plots DIR].

Sections: speed, fourteen, agreement, optimum, special, ratios, recipes. Without
one, all of them. `recipes` needs wfcommons, --plots needs matplotlib; without
them that part says so and is left out.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy

from rex.workflow import best as best_module
from rex.workflow.best import find_best
from rex.workflow.dag import Dag, Failures, Schedule
from rex.workflow.exhaustive import best_of_all, count_schedules
from rex.workflow.heuristics import Question, run_all
from rex.workflow.line import Line
from rex.workflow.linearize import descendant_weights, linearize, random_first
from rex.workflow.makespan import evaluate, expected_makespan
from rex.workflow.shapes import FAMILIES, generate, random_dag
from rex.workflow.simulate import simulate
from rex.workflow.special import solve_special

RECIPES = ("Blast", "Bwa", "Cycles", "Epigenomics", "Genome", "Montage", "Seismology", "Soykb", "Srasearch")


def describe_machine() -> str:
    """Processor, cores and versions: numbers mean nothing without them."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")
    return (f"{model}, {os.cpu_count()} cores, Linux {platform.release()}, "
            f"Python {platform.python_version()}, numpy {numpy.__version__}")


def median_ms(work: Callable[[], object], repeats: int = 5) -> float:
    """Median wall-clock milliseconds of a piece of work."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def measure_speed() -> None:
    """One evaluation, DF order, MTBF = W: nothing, 30 % of the weights, everything checkpointed."""
    print(f"{'family':12}{'tasks':>7}{'none':>10}{'30 %':>10}{'all':>10}   ms, median of 5")
    for count in (50, 200, 700, 2000, 5000):
        for family in FAMILIES:
            dag = generate(family, count)
            order = linearize(dag, "DF")
            heavy = sorted(range(len(dag)), key=lambda task: -dag.weights[task])
            sets = (frozenset(), frozenset(heavy[:int(0.3 * len(dag))]), frozenset(heavy) - dag.unkept)
            failures = Failures(dag.t_inf)
            cells = [median_ms(lambda: expected_makespan(dag, Schedule(order, kept), failures)) for kept in sets]
            print(f"{family:12}{len(dag):7}" + "".join(f"{cell:10.2f}" for cell in cells), flush=True)


def measure_fourteen() -> None:
    """All fourteen heuristics with full sweeps, and `best` with its default budget."""
    print(f"{'family':12}{'tasks':>7}{'MTBF':>8}{'14, s':>8}{'best of 14':>24}{'best, s':>9}{'best':>9}  overhead cut")
    for count in (50, 200):
        for family in FAMILIES:
            dag = generate(family, count)
            for share in (0.5, 5.0):
                failures = Failures(share * dag.t_inf)
                start = time.perf_counter()
                first = run_all(Question(dag, failures, full_sweep=True))[0]
                middle = time.perf_counter()
                found = find_best(Question(dag, failures)).plan.makespan.seconds / dag.t_inf
                end = time.perf_counter()
                known = first.makespan.seconds / dag.t_inf
                print(f"{family:12}{len(dag):7}{share:7g}W{middle - start:8.1f}{first.name:>15}{known:9.4f}"
                      f"{end - middle:9.1f}{found:9.4f}{1 - (found - 1) / (known - 1):10.0%}", flush=True)


def measure_agreement(cases: int = 400, runs: int = 5000) -> None:
    """z-scores of the simulator's mean against the formula, on random graphs and schedules."""
    draw = random.Random(2)
    scores = []
    for seed in range(cases):
        dag = random_dag(draw.randint(1, 12), draw, draw.choice((0.0, 0.1, 0.3, 0.6)))
        order = random_first(dag, seed)
        kept = frozenset(task for task in order if draw.random() < 0.4)
        failures = Failures(dag.t_inf * 10 ** draw.uniform(0.0, 1.5), draw.choice((0.0, 3.0)))
        expected = expected_makespan(dag, Schedule(order, kept), failures).seconds
        found = simulate(dag, Schedule(order, kept), failures, runs, seed)
        scores.append((found.mean_s - expected) / max(found.standard_error_s, 1e-12 * expected))
    print(f"{cases} graphs x {runs} runs: z mean {statistics.mean(scores):.3f}, sd {statistics.stdev(scores):.3f}, "
          f"largest {max(map(abs, scores)):.2f}, above 3: {sum(abs(z) > 3 for z in scores)}")


def measure_optimum(cases: int = 200) -> None:
    """`best`, with its exhaustive search of tiny graphs and its special shapes turned off, against the optimum."""
    draw = random.Random(3)
    gaps: list[float] = []
    fourteen: list[float] = []
    limits = best_module._EXHAUSTIVE, best_module.solve_special
    best_module._EXHAUSTIVE, best_module.solve_special = 0, lambda dag, failures: None
    while len(gaps) < cases:
        dag = random_dag(draw.randint(4, 7), draw, draw.choice((0.2, 0.3, 0.5)))
        if count_schedules(dag, 20_000) > 20_000:
            continue
        failures = Failures(dag.t_inf * 10 ** draw.uniform(-1, 1), draw.choice((0.0, 2.0)))
        optimum = best_of_all(dag, failures)[1].log
        found = find_best(Question(dag, failures))
        gaps.append(math.expm1(found.plan.makespan.log - optimum))
        fourteen.append(math.expm1(found.heuristics[0].makespan.log - optimum))
    best_module._EXHAUSTIVE, best_module.solve_special = limits
    for name, values in (("best", gaps), ("best of the 14", fourteen)):
        print(f"{name:15} {cases} graphs of 4 to 7 tasks: mean gap {statistics.mean(values):.4%}, "
              f"largest {max(values):.4%}, optimal {sum(gap < 1e-9 for gap in values)}")


def measure_special(cases: int = 200) -> None:
    """Chains, forks and joins against every schedule."""
    draw = random.Random(4)
    shapes = {"chain": lambda n: [(i - 1,) if i else () for i in range(n)],
              "fork": lambda n: [(0,) if i else () for i in range(n)],
              "join": lambda n: [()] * (n - 1) + [tuple(range(n - 1))]}
    for name, build in shapes.items():
        worst = 0.0
        for _ in range(cases):
            count = draw.randint(2, 5 if name == "fork" else 6)
            costs = [tuple(draw.choice((0.0, draw.uniform(0, 1), draw.uniform(0, 15))) for _ in range(count))
                     for _ in range(2)]
            weights = tuple(draw.uniform(0.1, 10) for _ in range(count))
            dag = Dag(tuple(map(str, range(count))), weights, *costs, tuple(build(count)))
            failures = Failures(dag.t_inf * 10 ** draw.uniform(-1.3, 1.5), draw.choice((0.0, 4.0)))
            schedule = solve_special(dag, failures)
            assert schedule is not None
            found = expected_makespan(dag, schedule, failures).log
            worst = max(worst, math.expm1(found - best_of_all(dag, failures)[1].log))
        print(f"{name:6} {cases} random ones against every schedule: largest gap {worst:.1e}")


def ratios_of(dag: Dag, failures: Failures) -> dict[str, float]:
    """T/T_inf of nothing, everything, the best of the fourteen (grid sweeps), and best with a budget of 1 s."""
    order = linearize(dag, "DF")
    line = Line(dag, order)
    ends = {"nothing": [False] * len(dag), "everything": [task not in dag.unkept for task in order]}
    found = {name: evaluate(line, flags, failures).seconds for name, flags in ends.items()}
    best = find_best(Question(dag, failures, full_sweep=False), 1.0)
    if best.heuristics:
        found["best of 14"] = best.heuristics[0].makespan.seconds
    found["best"] = best.plan.makespan.seconds
    return {name: seconds / dag.t_inf for name, seconds in found.items()}


def measure_ratios(plots: Path | None) -> None:
    """T/T_inf against the number of tasks (MTBF 1e4 s) and against the MTBF (100 tasks)."""
    by_count: dict[str, list[tuple[float, dict[str, float]]]] = {family: [] for family in FAMILIES}
    by_mtbf: dict[str, list[tuple[float, dict[str, float]]]] = {family: [] for family in FAMILIES}
    for family in FAMILIES:
        for count in (50, 100, 200, 300):
            dag = generate(family, count)
            by_count[family].append((len(dag), ratios_of(dag, Failures(1e4))))
        dag = generate(family, 100)
        for share in (0.2, 0.5, 1.0, 2.0, 5.0, 20.0):
            by_mtbf[family].append((share, ratios_of(dag, Failures(share * dag.t_inf))))
        print_ratios(f"{family}, MTBF 1e4 s", "tasks", by_count[family])
        print_ratios(f"{family}, {len(dag)} tasks", "MTBF/W", by_mtbf[family])
    if plots is not None:
        draw_ratios(plots / "workflow-tasks.png", "tasks", by_count)
        draw_ratios(plots / "workflow-mtbf.png", "MTBF / work", by_mtbf)


def print_ratios(title: str, axis: str, rows: Sequence[tuple[float, dict[str, float]]]) -> None:
    """One table of T/T_inf."""
    names = list(rows[0][1])
    print(f"{title}\n  {axis:>8}" + "".join(f"{name:>12}" for name in names))
    for x, ratios in rows:
        print(f"  {x:8g}" + "".join(f"{ratios[name]:12.4g}" for name in names), flush=True)


def draw_ratios(path: Path, axis: str, series: dict[str, list[tuple[float, dict[str, float]]]]) -> None:
    """One figure with a panel for each family; says so where matplotlib is missing."""
    try:
        import matplotlib
    except ImportError:
        print(f"no matplotlib: {path.name} was not drawn")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    columns = 4 if len(series) <= 4 else 3
    figure, grid = pyplot.subplots(-(-len(series) // columns), columns, squeeze=False, layout="constrained",
                                   figsize=(3.6 * columns, 3.0 * -(-len(series) // columns)))
    for panel, (family, rows) in zip(grid.flat, series.items()):
        for name in rows[0][1]:
            panel.plot([x for x, _ in rows], [min(ratios[name], 1e3) for _, ratios in rows], marker="o", markersize=3, label=name)
        shown = [ratio for _, ratios in rows for name, ratio in ratios.items() if name != "nothing"]
        panel.set(title=family, xlabel=axis, ylabel="T / T_inf", xscale="log", ylim=(1, 1 + 1.25 * (max(shown) - 1)))
        panel.set_xticks([x for x, _ in rows], [f"{x:g}" for x, _ in rows])
        panel.minorticks_off()
    grid.flat[0].legend(fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80)
    print(f"drew {path}")


def recipe_dag(name: str, count: int) -> Dag | None:
    """A WfCommons recipe of about so many tasks, with storage of 100 MB/s and 0.5 s latency; None: too few for it."""
    import tempfile

    from wfcommons import WorkflowGenerator
    from wfcommons.wfchef import recipes

    from rex.workflow.dag import read_json
    from rex.workflow.wfcommons import Storage, read_wfcommons
    random.seed(1)
    numpy.random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "instance.json"
        try:
            WorkflowGenerator(getattr(recipes, f"{name}Recipe").from_num_tasks(count)).build_workflow().write_json(path)
        except ValueError:
            return None
        return read_wfcommons(read_json(path), Storage())


def measure_recipes(plots: Path | None) -> None:
    """WfCommons recipes, storage of 100 MB/s with 0.5 s latency: against tasks (MTBF W/2) and MTBF (200 tasks)."""
    try:
        import wfcommons  # noqa: F401
    except ImportError as error:
        print(f"no wfcommons ({error}): recipes left out")
        return
    by_count: dict[str, list[tuple[float, dict[str, float]]]] = {}
    by_mtbf: dict[str, list[tuple[float, dict[str, float]]]] = {}
    for name in RECIPES:
        dags = [dag for dag in (recipe_dag(name, count) for count in (60, 120, 200)) if dag]
        by_count[name] = [(len(dag), ratios_of(dag, Failures(0.5 * dag.t_inf))) for dag in dags]
        by_mtbf[name] = [(share, ratios_of(dags[-1], Failures(share * dags[-1].t_inf))) for share in (0.25, 1.0, 4.0)]
        print_ratios(f"{name}, MTBF W/2", "tasks", by_count[name])
        print_ratios(f"{name}, {len(dags[-1])} tasks", "MTBF/W", by_mtbf[name])
    if plots is not None:
        draw_ratios(plots / "workflow-recipes-tasks.png", "tasks", by_count)
        draw_ratios(plots / "workflow-recipes-mtbf.png", "MTBF / work", by_mtbf)


def main() -> None:
    """Run the sections named on the command line."""
    sections: dict[str, Callable[[], None]] = {
        "speed": measure_speed, "fourteen": measure_fourteen, "agreement": measure_agreement,
        "optimum": measure_optimum, "special": measure_special,
        "ratios": lambda: measure_ratios(options.plots), "recipes": lambda: measure_recipes(options.plots)}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(sections))
    parser.add_argument("--plots", type=Path, help="draw figures into this folder")
    options = parser.parse_args()
    unknown = set(options.sections) - set(sections)
    if unknown:
        parser.error(f"no section {unknown.pop()!r}")
    print(describe_machine())
    for name in options.sections or sections:
        print(f"\n== {name}: {(sections[name].__doc__ or 'T/T_inf').splitlines()[0]}", flush=True)
        sections[name]()


if __name__ == "__main__":
    main()
