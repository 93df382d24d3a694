"""Aupy, Benoit, Casanova, Robert, IJNC 6(1), 2016: Figures 5 to 10, with generated workflows of the same families."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import replace

from page import Panel, plot, table, write_csv
from rex.workflow.dag import Dag, Failures
from rex.workflow.heuristics import NAMES, OURS, Question, run_heuristic
from rex.workflow.shapes import FAMILIES, generate

COUNTS = (50, 100, 200)
COSTS = {"0.1 w": (0.1, 0.0), "0.01 w": (0.01, 0.0), "5 s": (0.0, 5.0), "10 s": (0.0, 10.0)}
MTBF_S = {"Montage": 1e3, "LIGO": 1e3, "CyberShake": 1e3, "Genome": 1e4}
# The checkpoint strategy that the paper finds best on each family.
PUBLISHED = {"Montage": "CkptW", "LIGO": "CkptW", "CyberShake": "CkptC", "Genome": "CkptW"}
RULES = ("CkptW", "CkptC", "CkptD", "CkptPer", "CkptNvr", "CkptAlws")
# One measured point: family, cost, tasks, heuristic -> T / T_inf.
Ratios = dict[tuple[str, str, int, str], float]


def workflow(family: str, count: int, cost: str) -> Dag:
    """A workflow whose checkpoints and recoveries cost a share of each task, or the same seconds."""
    share, seconds = COSTS[cost]
    dag = generate(family, count, cost_share=share or 0.1)
    if seconds:
        costs = (seconds,) * len(dag)
        dag = replace(dag, checkpoint_costs=costs, recovery_costs=costs)
    return dag


def measure() -> Ratios:
    """Every heuristic on every workflow."""
    found: Ratios = {}
    for family in FAMILIES:
        for cost in COSTS:
            for count in COUNTS:
                dag = workflow(family, count, cost)
                question = Question(dag, Failures(MTBF_S[family]), full_sweep=False)
                for name in (*NAMES, *OURS):
                    found[family, cost, count, name] = math.exp(run_heuristic(question, name).makespan.log - math.log(dag.t_inf))
            print(f"aupy: {family}, c = {cost}", flush=True)
    return found


def of_rule(found: Ratios, family: str, cost: str, count: int, rule: str) -> float:
    """The best of the paper's orders with a checkpoint strategy."""
    return min(found[family, cost, count, name] for name in NAMES if name.endswith(f"-{rule}"))


def panels(found: Ratios, cost: str) -> Iterable[Panel]:
    """A row of panels by order, with the strategy that the paper finds best; a row by strategy, with the best order."""
    for family in FAMILIES:
        rule = PUBLISHED[family]
        yield (f"{family}, {rule}", "tasks", {order: [(count, found[family, cost, count, f"{order}-{rule}"]) for count in COUNTS]
                                              for order in ("DF", "DFall", "BF", "BFall", "RF")})
    for family in FAMILIES:
        yield (f"{family}, best order", "tasks", {rule: [(count, of_rule(found, family, cost, count, rule)) for count in COUNTS]
                                                  for rule in RULES})


def judge(found: Ratios) -> str:
    """The paper's ranking beside ours, by family and cost."""
    rows = []
    for family in FAMILIES:
        for cost in COSTS:
            means = {rule: statistics.mean(of_rule(found, family, cost, count, rule) for count in COUNTS) for rule in RULES}
            best = min(means, key=lambda rule: means[rule])
            published = PUBLISHED[family]
            orders = [min(("DF", "BF", "RF"), key=lambda order: found[family, cost, count, f"{order}-{published}"]) for count in COUNTS]
            rows.append((family, cost, published, best, f"{means[best]:.4f}", f"+{100 * (means[published] / means[best] - 1):.2f} %",
                         f"+{100 * (means['CkptAlws'] / means[best] - 1):.2f} %", f"+{100 * (means['CkptPer'] / means[best] - 1):.2f} %",
                         " ".join(orders)))
    return table(("family", "c", "paper: best", "here: best", "T/T_inf", "paper's best", "CkptAlws", "CkptPer", "best order at 50, 100, 200"), rows)


def successors(found: Ratios) -> str:
    """Direct successors, as published, against all descendants."""
    pairs = [(f"order {order}", [(f"{order}-{rule}", f"{order}all-{rule}") for rule in ("CkptW", "CkptC", "CkptPer")])
             for order in ("DF", "BF")]
    pairs += [("rule CkptD", [(f"{order}-CkptD", f"{order}-CkptDall") for order in ("DF", "BF", "RF")])]
    rows = []
    for family in FAMILIES:
        for what, names in pairs:
            gains = [found[family, cost, count, ours] / found[family, cost, count, theirs] - 1
                     for cost in COSTS for count in COUNTS for theirs, ours in names]
            rows.append((family, what, f"{100 * statistics.mean(gains):+.2f} %", f"{100 * min(gains):+.2f} %", f"{100 * max(gains):+.2f} %",
                         f"{sum(gain > 1e-9 for gain in gains)} : {sum(gain < -1e-9 for gain in gains)} of {len(gains)}"))
    return table(("family", "what counts", "all descendants take", "at best", "at worst", "direct : all better"), rows)


def make() -> str:
    """The part of the page."""
    return describe(measure())


def describe(found: Ratios) -> str:
    """What was measured: pictures and tables."""
    link = write_csv("aupy-heuristics.csv", ("family", "c", "tasks", "mtbf_s", "heuristic", "ratio"),
                     [(family, cost, count, MTBF_S[family], name, f"{ratio:.6g}") for (family, cost, count, name), ratio in found.items()])
    pictures = "\n".join(plot(f"aupy-{cost.replace(' ', '').replace('.', '')}.png", f"T/T_inf of the heuristics, c = {cost}",
                              list(panels(found, cost)), "T / T_inf", leaves="CkptNvr") for cost in COSTS)
    return (f"MTBF {MTBF_S['LIGO']:,.0f} s (Genome {MTBF_S['Genome']:,.0f} s), c = r. Upper row: orders; lower row: checkpoint strategies (CkptNvr leaves most panels at the top). "
            f"All numbers: {link}.\n\n{pictures}\n{judge(found)}\n"
            f"Means over {', '.join(map(str, COUNTS))} tasks; percentages are above the best strategy here.\n\n"
            f"Successors read as direct successors, as published, or as all descendants (ours):\n\n{successors(found)}")
