"""Kills a recorded pipeline at random moments and compares the mean time with the prediction: python bench/kills.py.

A pipeline of twelve steps that compute is recorded. It is replayed by a plan, killed after exponentially distributed
times, its local files wiped, and resumed, until it ends. The prediction takes the seconds of its steps, and of starting,
from runs without kills in between, so that other work on the machine slows both.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rex.workflow.dag import Failures, dag_as_json, read_dag, read_schedule
from rex.workflow.makespan import expected_makespan

ROOT = Path(__file__).resolve().parents[1]
EDGES = {"a": "", "b": "a", "c": "a", "d": "b c", "e": "d", "f": "d", "g": "e", "h": "f g", "i": "a", "j": "i h", "k": "j",
         "l": "k d"}
STEP = """import hashlib, sys, time
out, *ins = sys.argv[1:]
data = b"".join(open(name, "rb").read() for name in ins) + out.encode()
for _ in range(%d):
    data = hashlib.sha256(data).digest()
open(out, "wb").write(data * 4000)
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def rex(*args: str, cwd: Path) -> str:
    """Run rex; its standard output."""
    return subprocess.run([sys.executable, "-m", "rex.cli.main", *args], cwd=cwd, env=ENVIRONMENT, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True).stdout


def record(top: Path, rounds: int) -> None:
    """The pipeline in an archive EXP."""
    work = top / "work"
    work.mkdir()
    (work / "step.py").write_text(STEP % rounds)
    lines = [f"{sys.executable} -S step.py {name} {reads}" for name, reads in EDGES.items()]
    (work / "run.sh").write_text("set -e\n" + "\n".join(lines) + "\n")
    rex("record", "-l", "../EXP", "sh", "run.sh", cwd=work)
    shutil.rmtree(work)


class Attempt:
    """One start of the replay; `begun_s` is when its first pass began, 0 before."""

    def __init__(self, top: Path, out: str, store: str) -> None:
        self._out = top / out
        self.start_s = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rex.cli.main", "replay", "-l", "EXP", "--persist", "plan.json", "--store", store, "-o", out,
             "--resume", "--json"], cwd=top, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True)

    def wait_begin(self) -> float:
        """Seconds until the first pass."""
        while not list(self._out.glob(".rex-replay-*/pass0")) and self.process.poll() is None:
            time.sleep(0.002)
        self.begun_s = time.monotonic()
        return self.begun_s - self.start_s

    def end(self, after_s: float | None = None) -> dict[str, Any] | None:
        """The report; None if it was killed after so many seconds from its beginning."""
        try:
            told, _ = self.process.communicate(timeout=None if after_s is None else
                                               max(0.0, self.begun_s + after_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            return None
        assert self.process.returncode == 0, self.process.returncode
        return json.loads(told.splitlines()[-1])


def whole_run(top: Path) -> tuple[float, float, dict[str, float]]:
    """Without kills: seconds of it all after the start, of the start, and of each step."""
    for name in ("store0", "out0"):
        shutil.rmtree(top / name, ignore_errors=True)
    attempt = Attempt(top, "out0", "store0")
    starting_s = attempt.wait_begin()
    told = attempt.end()
    assert told is not None
    return time.monotonic() - attempt.begun_s, starting_s, told["seconds"]


def killed_run(top: Path, mtbf_s: float, draw: random.Random) -> tuple[float, int]:
    """Until it ends: seconds without the first start, and how often it was killed."""
    for name in ("store", "out"):
        shutil.rmtree(top / name, ignore_errors=True)
    kills, begin_s = 0, 0.0
    while True:
        attempt = Attempt(top, "out", "store")
        attempt.wait_begin()
        begin_s = begin_s or attempt.begun_s
        if attempt.end(draw.expovariate(1 / mtbf_s)) is not None:
            return time.monotonic() - begin_s, kills
        kills += 1
        shutil.rmtree(top / "out", ignore_errors=True)


def compare(top: Path, mtbf_s: float, runs: int) -> None:
    """Killed runs and whole ones by turns; then the prediction with what the whole ones took."""
    draw = random.Random(1)
    text = rex("schedule", "EXP:exp0", "--mtbf", str(mtbf_s), "--latency", "0.01", "--json", cwd=top)
    (top / "plan.json").write_text(text)
    times, kills, wholes = [], 0, []
    for number in range(runs):
        if number % 4 == 0:
            wholes.append(whole_run(top))
        seconds, its_kills = killed_run(top, mtbf_s, draw)
        times.append(seconds)
        kills += its_kills
        assert outputs(top / "out") == outputs(top / "out0"), "other results"
    dag = read_dag(json.loads(rex("workflow", "EXP:exp0", "--latency", "0.01", "--json", cwd=top)))
    told = dag_as_json(dag)
    saved = sum(seconds for each in wholes for seconds in each[2].values()) / len(wholes)
    rest = statistics.mean(each[0] for each in wholes) - saved       # the frame, and moving the results: with the last step
    for number, facts in enumerate(told["tasks"]):                   # type: ignore[arg-type, var-annotated]
        mean = statistics.mean(each[2].get(facts["id"], 0.0) for each in wholes)
        facts.update(weight=mean + (rest if number == len(dag) - 1 else 0.0), checkpoint_cost=0.0)
    measured = read_dag(told)
    schedule = read_schedule(json.loads(text), measured)
    starting_s = statistics.mean(each[1] for each in wholes)
    predicted = expected_makespan(measured, schedule, Failures(mtbf_s, starting_s)).seconds
    mean, error = statistics.mean(times), statistics.stdev(times) / math.sqrt(len(times))
    print(f"MTBF {mtbf_s:g} s: {runs} runs, {kills} kills, results identical; without kills {measured.t_inf:.2f} s, start "
          f"{starting_s:.2f} s; {len(schedule.checkpointed)} of {len(dag)} steps kept")
    print(f"  mean {mean:.2f} s, 95 % between {mean - 1.96 * error:.2f} and {mean + 1.96 * error:.2f}; predicted {predicted:.2f} s "
          f"(z {(mean - predicted) / error:+.2f})", flush=True)


def outputs(out: Path) -> dict[str, bytes]:
    """Results by name: what the plan does not keep may be missing in between."""
    return {path.name: path.read_bytes() for path in out.rglob("l") if path.is_file()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=150_000, help="hashes that each step computes")
    parser.add_argument("--mtbf", type=float, nargs="*", default=[4.0, 1.5])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        record(Path(folder), options.rounds)
        for mtbf_s in options.mtbf:
            compare(Path(folder), mtbf_s, options.runs)


if __name__ == "__main__":
    main()
