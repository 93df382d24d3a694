"""Hindsight at its default settings beside an expert's hand-written checkpoints, on ten ordinary scripts of some seconds.

    python bench/hindsight_defaults.py [numpy] [torch] ... [--repeats N]

A word means the scripts whose names begin with it; no word means all that can be imported. Per script: recording by a plain
run; a probe in the loop over epochs, and one in the loop over steps with two workers, each beside the expert's time and the
limit for it. Wall-clock seconds, and in brackets processor seconds of all processes, for machines that are shared. The expert
pickles what changes once per epoch, and writes a script for each question. All answers are compared.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from hindsight import hindsight, python, run, shown
from hindsight_scripts import Job, chosen, take_option

RECORD_LIMIT, OUTER_LIMIT, INNER_LIMIT, MORE_S = 1.05, 1.3, 1.2, 0.4     # targets: so many times the other's, and the last for a start
Took = tuple[float, float]     # wall-clock and processor seconds


def measure(job: Job) -> tuple[list[tuple[Took, Took]], int]:
    """What recording takes and a plain run, what an outer probe takes and the expert, the same of an inner one; and how many epochs have checkpoints."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        def write(name: str, text: str) -> None:
            Path(folder, name).write_text(text)

        write("train.py", job.text())
        write("saving.py", job.text(outer=job.save))
        head = job.text().partition("for epoch")[0]
        write("resuming.py", f"{head}for at in range({job.epochs}):\n    epoch = at\n    {job.show or job.load}\n    {job.outer}\n")
        middle = job.epochs // 2
        write("first.py", job.text(0, middle, inner=job.inner))
        if job.load:
            write("second.py", job.text(middle, job.epochs, f"at = {middle - 1}; {job.load}", inner=job.inner))
        else:     # nothing to go on from
            write("second.py", job.text(inner=f"if epoch >= {middle}: {job.inner}"))
        run(folder, python("saving.py"))
        plain = run(folder, python("train.py"))
        recorded = run(folder, hindsight("record", "-l", "EXP", "train.py"))
        kept = len({number for each in shown(folder, "EXP")["checkpoints"] if (number := _epoch(each["position"]))})
        found = [(recorded[:2], plain[:2])]
        for added, words, theirs in (({"outer": job.outer}, (), [python("resuming.py")]),
                                     ({"inner": job.inner}, ("-j", "2"), [python("first.py"), python("second.py")])):
            write("train.py", job.text(**added))
            mine, expert = run(folder, hindsight("replay", "-l", "EXP", "--yes", *words, "train.py")), run(folder, *theirs)
            assert mine[2] == expert[2] and mine[2], "the answers differ"
            found.append((mine[:2], expert[:2]))
        return found, kept


def _epoch(position: str) -> str:
    """The epoch that a checkpoint lies in; none for the one at the end of the loop over epochs."""
    return position.partition("/")[0].rpartition(":")[2] if ":" in position.partition("/")[0] else ""


def _cell(pairs: list[tuple[Took, Took]], factor: float, more_s: float) -> str:
    """Medians of ours and theirs, and whether that is within the limit by the clock."""
    (mine, mine_cpu), (other, other_cpu) = ([statistics.median(pair[side][what] for pair in pairs) for what in range(2)] for side in range(2))
    mark = "" if mine <= factor * other + more_s else " !"
    return f"{mine:.2f} / {other:.2f} ({mine_cpu:.2f} / {other_cpu:.2f}){mark}"


def main() -> None:
    """Print the table, as docs/hindsight.md has it."""
    words = sys.argv[1:]
    repeats = int(take_option(words, "--repeats", "1"))
    print("| script | data | state | checkpoints | record / plain, s | outer probe / expert, s | inner probe, two workers / expert, s |")
    print("|---|---|---|---|---|---|---|")
    for name, job in chosen(words):
        found = [measure(job) for _ in range(repeats)]
        cells = [_cell([pairs[which] for pairs, _ in found], factor, more_s) for which, (factor, more_s) in enumerate(
            ((RECORD_LIMIT, 0.0), (OUTER_LIMIT, MORE_S), (INNER_LIMIT, MORE_S)))]
        kept = statistics.median(count for _, count in found)
        print(f"| {name} | {job.data} | {job.state} | {kept:.0f} of {job.epochs} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
