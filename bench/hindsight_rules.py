"""Which checkpoints the Flor paper's rule keeps, and which ours, on recorded costs of real scripts.

    python bench/hindsight_rules.py [numpy] [torch] ... [--overhead SHARE]

Each script (hindsight_scripts.py) is recorded once with a checkpoint at every epoch. That gives C, the seconds of each epoch, and M, what its
checkpoint took from the training: the pause, and its part of the writer's time. Then both rules decide on that trace, each knowing
only what came before. *Share* is what the kept ones took, of the epochs' time. *Regret* is by how much the replay of an outer probe
takes longer than with the best choice of checkpoints within the same share of the time, known afterwards; of the epochs' time.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Iterator

from hindsight import hindsight, run
from hindsight_scripts import Job, chosen, take_option

sys.path.insert(0, str(Path(__file__).parents[1]))
from rex.archive import Archive  # noqa: E402
from rex.hindsight.policy.borders import BESIDE, OVERHEAD, RESTORE_FACTOR, Occasion, Policy, Price  # noqa: E402
from rex.hindsight.trace.records import read_run  # noqa: E402

Trace = list[tuple[float, Price]]     # by epoch: its seconds, and what a checkpoint at its end takes


def record(job: Job) -> Trace:
    """The costs of a script."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        head, loop, rest = job.text().partition("for epoch in ")
        items, colon, body = rest.partition(":\n")
        Path(folder, "train.py").write_text(f"from rex import hindsight\n{head}{loop}hindsight.loop({items}){colon}{body}")
        wall_s, cpu_s, _ = run(folder, hindsight("record", "-l", "EXP", "--overhead", "1", "--granularity", "1000s", "train.py"))
        archive = Archive.open(f"{folder}/EXP")
        found = read_run(archive, archive.experiment("exp0"))
    stored = sum(border.checkpoint.stored_bytes for border in found.borders if border.checkpoint) or 1
    per_byte_s = found.end["writer_s"] * BESIDE / stored
    worked = min(1.0, cpu_s / wall_s)     # the pause is without waits for a processor, too
    return [(border.spent_s * worked, Price(border.checkpoint.pause_s, border.checkpoint.stored_bytes * per_byte_s))
            for border in found.borders[1:] if border.checkpoint and not border.position.endswith("!")]


def by_paper(trace: Trace, share: float) -> Iterator[bool]:
    """Equation 4: M/C < n/(k+1) * min(1/(1+c), share), with the last M known."""
    kept, price = 0, 0.0
    for number, (computed_s, own) in enumerate(trace, 1):
        is_kept = price / computed_s < number / (kept + 1) * min(1 / (1 + RESTORE_FACTOR), share)
        if is_kept:
            kept, price = kept + 1, own.total_s
        yield is_kept


def by_ours(trace: Trace, share: float) -> Iterator[bool]:
    """`Policy`, as the recorder uses it."""
    policy, looped_s, since_s = Policy(share), 0.0, 0.0
    for number, (computed_s, own) in enumerate(trace):
        looped_s, since_s = looped_s + computed_s, since_s + computed_s
        ahead_s = (len(trace) - number - 1) * looped_s / (number + 1)
        is_kept = policy.wants(Occasion("epoch", since_s, looped_s, True, ahead_s=ahead_s))
        if is_kept:
            policy.paid("epoch", own)
            policy.foresee(own if policy.taken > 1 else Price(own.pause_s / 2, own.writer_s / 2))
            since_s = 0.0
        yield is_kept


def replay_s(trace: Trace, kept: set[int]) -> float:
    """Seconds of an outer probe: an epoch is restored where its end is kept, and else executed."""
    return sum(own.pause_s * RESTORE_FACTOR if number in kept else computed_s for number, (computed_s, own) in enumerate(trace))


def best(trace: Trace, allowed_s: float) -> set[int]:
    """The choice that saves a replay most per second of recording, within so many seconds."""
    order = sorted(range(len(trace)), key=lambda n: -(trace[n][0] - trace[n][1].pause_s * RESTORE_FACTOR) / trace[n][1].total_s)
    kept: set[int] = set()
    for number in order:
        if trace[number][1].total_s <= allowed_s:
            allowed_s -= trace[number][1].total_s
            kept.add(number)
    return kept


def main() -> None:
    """Print the table."""
    words = sys.argv[1:]
    share = float(take_option(words, "--overhead", str(OVERHEAD)))
    print("| script | M / C, median | best: checkpoints | paper: checkpoints, share, regret | ours: checkpoints, share, regret |")
    print("|---|---|---|---|---|")
    for name, job in chosen(words):
        trace = record(job)
        whole_s = sum(computed_s for computed_s, _ in trace)
        ideal = best(trace, share * whole_s)
        cells = []
        for rule in (by_paper, by_ours):
            kept = {number for number, is_kept in enumerate(rule(trace, share)) if is_kept}
            paid_s = sum(trace[number][1].total_s for number in kept)
            regret_s = replay_s(trace, kept) - replay_s(trace, ideal)
            cells.append(f"{len(kept)}, {paid_s / whole_s:.1%}, {regret_s / whole_s:.0%}")
        ratio = sorted(own.total_s / computed_s for computed_s, own in trace)[len(trace) // 2]
        print(f"| {name} | {ratio:.3f} | {len(ideal)} of {len(trace)} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
