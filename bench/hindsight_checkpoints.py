"""What a checkpoint costs a training loop, all told: epochs of one run, in turn with one at their beginning and without.

    python bench/hindsight_checkpoints.py [EPOCHS] [NAME...]

Neighbouring epochs are a tenth of a second apart, so that a machine whose speed drifts does so for both. *Beside* is by how much
an epoch with a checkpoint is longer than those around it, its pause not included: cold caches, and the writer's thread, which
takes turns with the training at Python's lock. Medians, and where 90 of 100 medians of resampled epochs lie. *Counted* is what the recorder
charges itself for, before what it adds for what it cannot see: pause and the writer's processor time.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from hindsight import LOOPS, ROOT, environment, hindsight

LEAST_S, SAMPLES = 0.02, 400     # shorter spans are no epochs
# In the recorded process: a checkpoint at the start of every second iteration of the outermost loop.
EVERY_SECOND = """
import sys
if "rex.hindsight.runner" in " ".join(sys.orig_argv):
    from rex.hindsight.policy.borders import Policy
    usual, outermost, count = Policy.wants, [], [0]
    def wants(self, border):
        if self.price is None:
            border.is_end, border.ahead_s = True, 1000.0
            return usual(self, border)
        if border.is_end or outermost[:1] not in ([], [border.kind]):
            return border.is_last
        outermost.append(border.kind)
        count[0] += 1
        return count[0] % 2 == 0
    Policy.wants = wants
"""


def epochs_of(folder: str, words: list[str]) -> tuple[list[tuple[float, bool]], dict[str, float]]:
    """Seconds of each epoch, and whether it began with a checkpoint; the run's facts."""
    from rex.archive import Archive
    from rex.hindsight.trace.records import read_run
    Path(folder, "sitecustomize.py").write_text(EVERY_SECOND)
    env = environment()
    env["PYTHONPATH"] = f"{folder}:{ROOT}"
    subprocess.run(hindsight("record", "-l", "EXP", *words), cwd=folder, env=env, capture_output=True, check=True)
    archive = Archive.open(Path(folder, "EXP"))
    experiment = archive.experiment("exp0")
    run = read_run(archive, experiment)
    taken = {checkpoint.position for checkpoint in run.checkpoints}
    spans = [(border.spent_s, before.position in taken) for before, border in zip(run.borders, run.borders[1:])]
    return [span for span in spans[5:] if span[0] >= LEAST_S], experiment.manifest.extra["hindsight"]


def beside(epochs: list[tuple[float, bool]]) -> list[float]:
    """By how much each epoch with a checkpoint is longer than those around it, or those than it."""
    found = []
    for (before_s, was), (spent_s, has), (after_s, will) in zip(epochs, epochs[1:], epochs[2:]):
        if was == will != has:
            longer_s = spent_s - (before_s + after_s) / 2
            found.append(longer_s if has else -longer_s)
    return found


def main() -> None:
    """Print a line for each loop."""
    count, names = (sys.argv[1:2] or ["120"])[0], sys.argv[2:]
    print(f"{'loop':<20} {'ms/epoch':>8} {'pause ms':>9} {'beside ms':>10}  {'90 %':<15} {'all told':>9} {'counted':>8} {'ratio':>6}")
    for name, (script, size, _, work) in LOOPS.items():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "train.py").write_text(script)
            epochs, facts = epochs_of(folder, ["train.py", size, count, str(work)])
        found = beside(epochs)
        medians = sorted(statistics.median(random.choices(found, k=len(found))) for _ in range(SAMPLES))
        middle, low, high = (value * 1e3 for value in (statistics.median(found), medians[SAMPLES // 20], medians[-SAMPLES // 20]))
        pause, writer = (facts[which] / facts["checkpoints"] * 1e3 for which in ("pause_s", "writer_s"))
        epoch = statistics.median(spent_s for spent_s, has in epochs if not has) * 1e3
        print(f"{name:<20} {epoch:>8.0f} {pause:>9.2f} {middle:>10.2f}  {f'{low:.2f} to {high:.2f}':<15} {pause + middle:>9.2f} "
              f"{pause + writer:>8.2f} {(pause + middle) / (pause + writer):>6.2f}", flush=True)


if __name__ == "__main__":
    main()
