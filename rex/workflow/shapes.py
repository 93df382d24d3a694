"""Generated workflows in the shapes that the literature measures, for tests and benchmarks.

Shapes follow Bharathi et al., "Characterization of Scientific Workflows", WORKS
2008: the levels and who reads whom. Task times are drawn around averages in that
paper's proportions, so that a task takes about 10 s (Montage), 220 s (LIGO), 25 s
(CyberShake) and over 1,000 s (Genome), as in Aupy et al., IJNC 6(1), 2016, section 7.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from rex.errors import UsageError
from rex.workflow.dag import Dag


class _Builder:
    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self.ids: list[str] = []
        self.weights: list[float] = []
        self.preds: list[tuple[int, ...]] = []

    def add(self, kind: str, mean_s: float, preds: Sequence[int]) -> int:
        """One more task; its number."""
        self.ids.append(f"{kind}_{len(self.ids)}")
        self.weights.append(max(mean_s * 0.01, self._draw.gauss(mean_s, mean_s * 0.3)))
        self.preds.append(tuple(preds))
        return len(self.ids) - 1

    def build(self, cost_share: float) -> Dag:
        """The graph with checkpoints and recoveries that cost a share of each weight."""
        costs = tuple(cost_share * weight for weight in self.weights)
        sizes = tuple(int(cost * 100e6) for cost in costs)
        return Dag(tuple(self.ids), tuple(self.weights), costs, costs, tuple(self.preds), sizes)


def montage(count: int, seed: int, cost_share: float) -> Dag:
    """Projections, overlaps of neighbours, one fit, backgrounds, one mosaic."""
    out = _Builder(seed)
    images = max(2, round((count - 5) / 4))
    projected = [out.add("mProject", 13.0, ()) for _ in range(images)]
    overlaps = []
    for step in (1, 2):
        overlaps += [out.add("mDiffFit", 10.0, (projected[i], projected[i + step]))
                     for i in range(images - step)]
    spare = count - 5 - 2 * images
    overlaps = overlaps[:max(1, spare)]
    del out.ids[images + len(overlaps):], out.weights[images + len(overlaps):]
    del out.preds[images + len(overlaps):]
    model = out.add("mBgModel", 30.0, (out.add("mConcatFit", 20.0, overlaps),))
    flat = [out.add("mBackground", 10.0, (image, model)) for image in projected]
    table = out.add("mImgtbl", 5.0, flat)
    mosaic = out.add("mAdd", 30.0, (*flat, table))
    out.add("mShrink", 10.0, (mosaic,))
    return out.build(cost_share)


def ligo(count: int, seed: int, cost_share: float) -> Dag:
    """Groups of template banks and inspirals joined by coincidence tests, twice."""
    out = _Builder(seed)
    width = 5 if count < 150 else 9
    groups = max(1, round(count / (4 * width + 2)))
    for _ in range(groups):
        first = [out.add("Inspiral1", 460.0, (out.add("TmpltBank", 18.0, ()),)) for _ in range(width)]
        test = out.add("Thinca1", 5.0, first)
        second = [out.add("Inspiral2", 460.0, (out.add("TrigBank", 5.0, (test,)),)) for _ in range(width)]
        out.add("Thinca2", 5.0, second)
    return out.build(cost_share)


def cybershake(count: int, seed: int, cost_share: float) -> Dag:
    """A few extractions, each read by many syntheses; two archives at the end."""
    out = _Builder(seed)
    pairs = max(1, round((count - 2) / 2.1))
    sites = max(1, round(count * 0.05))
    extracted = [out.add("ExtractSGT", 110.0, ()) for _ in range(sites)]
    synthesis = [out.add("Seismogram", 48.0, (extracted[i % sites],)) for i in range(pairs)]
    peaks = [out.add("PeakVal", 1.0, (one,)) for one in synthesis]
    out.add("ZipSeis", 40.0, synthesis)
    out.add("ZipPSA", 40.0, peaks)
    return out.build(cost_share)


def genome(count: int, seed: int, cost_share: float) -> Dag:
    """Lanes of chains between a split and a merge, joined by one alignment at the end."""
    out = _Builder(seed)
    lanes = max(1, round(count / 50))
    chains = max(1, round((count - 3 - 2 * lanes) / (4 * lanes)))
    merged = []
    for _ in range(lanes):
        split = out.add("fastQSplit", 875.0, ())
        ends = []
        for _ in range(chains):
            task = split
            for kind, mean_s in (("filterContams", 62.5), ("sol2sanger", 12.5), ("fastq2bfq", 37.5), ("map", 5000.0)):
                task = out.add(kind, mean_s, (task,))
            ends.append(task)
        merged.append(out.add("mapMerge", 250.0, ends))
    total = out.add("mapMerge", 500.0, merged)
    out.add("pileup", 1375.0, (out.add("maqIndex", 1125.0, (total,)),))
    return out.build(cost_share)


FAMILIES: dict[str, Callable[[int, int, float], Dag]] = {
    "Montage": montage, "LIGO": ligo, "CyberShake": cybershake, "Genome": genome}


def generate(family: str, count: int, seed: int = 0, cost_share: float = 0.1) -> Dag:
    """A workflow of about `count` tasks.

    Raises:
        UsageError: there is no such family.
    """
    if family not in FAMILIES:
        raise UsageError(f"no workflow shape {family!r}", "", f"choose one of {', '.join(FAMILIES)}")
    return FAMILIES[family](max(count, 12), seed, cost_share)


def random_dag(count: int, draw: random.Random, density: float = 0.4, free_costs: bool = True) -> Dag:
    """Any graph of `count` tasks: random edges, costs from nothing to more than the work."""
    weights = tuple(draw.uniform(0.5, 10.0) for _ in range(count))
    spread = (lambda: draw.choice((0.0, draw.uniform(0, 1), draw.uniform(0, 5), draw.uniform(0, 15))))
    if not free_costs:
        checkpoints = recoveries = tuple(0.1 * weight for weight in weights)
    else:
        checkpoints = tuple(spread() for _ in range(count))
        recoveries = tuple(spread() for _ in range(count))
    preds = tuple(tuple(pred for pred in range(task) if draw.random() < density) for task in range(count))
    return Dag(tuple(f"t{index}" for index in range(count)), weights, checkpoints, recoveries, preds)
