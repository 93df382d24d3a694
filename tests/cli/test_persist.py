"""Recorded pipelines, run again step by step: persisted, killed, resumed, and what is left in the end."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from commands import REX, contents, environment, run_rex
from pace import first
from rex.cli.doctor_command import trace_child, why_not

TIMEOUT_S = 60
WHY_NOT = why_not(trace_child)
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=f"tracing is not permitted here: {WHY_NOT}")

# What makes steps depend on each other: files, pipes, redirections, one file that several write,
# a file moved, changed in place, removed; and a shell that reads, writes and decides itself.
PIPELINE = """set -e
mkdir -p out
{ /bin/echo one; seq 1 2000; /bin/echo two; } > out/log
sort -r out/log > out/sorted
n=$(wc -l < out/sorted)
echo "lines $n" >> out/log
sha256sum out/log out/sorted > out/sums
cp out/sums out/sums2
ln -s sums2 out/link
tr a-z A-Z < out/sums2 > out/upper
mv out/upper out/final
if test -s out/final; then cat out/final out/log | gzip -n -c > out/final.gz; fi
date > out/when
rm out/sorted
echo end >> out/log
cat out/link
"""
MAKEFILE = """all: report
in:
\techo input > $@
a: in
\tsed s/i/A/ in > $@
b: in
\tsed s/i/B/ in > $@; date +%N >> $@
c: a b
\tcat a b | sort | tee $@ > c.copy
d: c
\tsort c.copy | uniq -c > $@
e: c
\tmd5sum c > $@
f: d e
\tcat d e > $@; rm d
g: f
\tgzip -c -n f > $@
h: f
\twc f > $@
i: g h
\tcat g h > $@
report: i a
\tcp i $@; echo done >> $@
"""

DRIVER = """import subprocess
with open("o1", "w") as f: subprocess.run(["seq", "1", "500"], stdout=f, check=True)
with open("o2", "w") as f:
    f.write("head\\n"); f.flush()
    subprocess.run(["tail", "-5", "o1"], stdout=f, check=True)
    subprocess.run(["sha256sum", "o1"], stdout=f, check=True)
open("o3", "w").write(subprocess.run(["wc", "-l", "o1"], capture_output=True, text=True).stdout)
subprocess.run(["sort", "-r"], stdin=open("o2"), stdout=open("o4", "w"), check=True)
subprocess.run("cat o3 o4 | tr a-z A-Z > o5", shell=True, check=True)
"""
SIDE_BY_SIDE = """seq 1 100 > a & seq 5 50 > b & wait
paste a b > c
(cd /; pwd) > d
cat < c | while read x y; do echo $y $x; done > e
for i in 1 2 3; do expr $i + 1 >> f; done
sed -i s/3/X/ f
find . -name '[a-f]' | sort | xargs -n2 sha256sum > g
"""
TREES = """mkdir -p x/y; for i in 1 2 3; do seq $i 20 > x/y/$i; done
cp -r x z; mv z w; rm -r x
echo more >> w/y/1; cat w/y/1 > both
diff <(sort w/y/1) <(sort w/y/2) > df
chmod 600 both; touch -d @1000 both
mkdir q; cd q; echo hi | tee one > two; cd ..; rm -f w/y/3
"""
BUILD = {"Makefile": "prog: a.o b.o\n\tgcc -o prog a.o b.o\n\t./prog > out.txt\n%.o: %.c h.h\n\tgcc -O1 -c $< -o $@\n"
                     "h.h:\n\techo '#define N 5' > h.h\n",
         "a.c": '#include "h.h"\n#include <stdio.h>\nint f(void); int main(void) { printf("%d %d\\n", N, f()); }\n',
         "b.c": '#include "h.h"\nint f(void) { return N * 2; }\n'}
OTHERS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "driver": ((sys.executable, "-S", "d.py"), {"d.py": DRIVER}),
    "side by side": (("sh", "r.sh"), {"r.sh": SIDE_BY_SIDE}),
    "trees": (("bash", "r.sh"), {"r.sh": TREES}),
    "build": (("make", "-s", "-j2"), BUILD)}


class Pipeline:
    """A pipeline recorded in a directory of its own, and what it left there."""

    def __init__(self, top: Path, words: tuple[str, ...], files: dict[str, str]) -> None:
        self.top, self.work = top, top / "work"
        self.work.mkdir(parents=True)
        for name, text in files.items():
            (self.work / name).write_text(text)
        run_rex("record", "-l", str(top / "EXP"), *words, cwd=self.work)
        self.left = contents(self.work)
        shutil.rmtree(self.work)

    def cleared(self) -> "Pipeline":
        """As it is before a plan has been run."""
        for path in [self.top / "store", *self.top.glob("out*")]:
            shutil.rmtree(path, ignore_errors=True)
        return self

    def schedule(self, *args: str) -> dict[str, Any]:
        """A plan, written to plan.json."""
        done = run_rex("schedule", "EXP:exp0", "--latency", "0.001", "--json", *args, cwd=self.top)
        (self.top / "plan.json").write_text(done.stdout)
        return json.loads(done.stdout)

    def replay(self, out: str, *args: str, **changes: str) -> dict[str, Any]:
        """Run the plan; its report."""
        done = run_rex("replay", "-l", "EXP", "--persist", "plan.json", "--store", "store", "-o", out, "--json", *args,
                   cwd=self.top, **changes)
        return json.loads(done.stdout.splitlines()[-1])

    def outputs(self, out: str) -> dict[str, Any]:
        found = self.top / out
        return contents(Path(f"{found}{self.work}"))


@pytest.fixture(scope="module")
def recorded_shell(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    return Pipeline(tmp_path_factory.mktemp("shell"), ("sh", "run.sh"), {"run.sh": PIPELINE})


@pytest.fixture(scope="module")
def recorded_make(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    if not shutil.which("make"):
        pytest.skip("make is not installed")
    return Pipeline(tmp_path_factory.mktemp("make"), ("make",), {"Makefile": MAKEFILE})


@pytest.fixture
def shell(recorded_shell: Pipeline) -> Pipeline:
    return recorded_shell.cleared()


@pytest.fixture
def make(recorded_make: Pipeline) -> Pipeline:
    return recorded_make.cleared()


def test_the_graph_of_a_makefile_is_that_of_its_rules(make: Pipeline) -> None:
    told = json.loads(run_rex("workflow", "-l", "EXP", "-e", "exp0", "--group", "depth", "--json", cwd=make.top).stdout)
    made: dict[str, set[str]] = {}       # file -> files of other steps that went into it, in a chain of steps of one rule
    for task in told["tasks"]:
        read = {path.rpartition("/")[2] for paths in task["reads"].values() for path in paths}
        for path in {**task["outputs"], **task["results"]}:
            name = path.rpartition("/")[2]
            made[name] = made.get(name, set()) | read - {name}
    assert made["a"] == {"in"} and made["b"] == {"in"} and made["c.copy"] == {"a", "b"}
    assert made["d"] == {"c.copy"} and made["e"] == {"c"} and made["f"] == {"d", "e"} and made["report"] == {"i"}
    steps = [task for task in told["tasks"] if task["processes"]]
    assert len(steps) >= 10 and sum(task["seconds"] for task in steps) < 1.1 * told["duration_s"]
    for form in ("dot", "svg"):
        assert "c.copy" in run_rex("workflow", "EXP:exp0", "--format", form, cwd=make.top).stdout


def test_schedule_lists_files(make: Pipeline) -> None:
    told = run_rex("schedule", "EXP:exp0", "--mtbf", "0.1", "--latency", "0", cwd=make.top).stdout
    for word in ("nothing", "everything", "MTBF x3", "persist", "of step"):
        assert word in told
    plan = make.schedule("--mtbf", "0.1")
    assert plan["experiment"] == "exp0" and set(plan["persist"]) == set(plan["checkpointed"])
    assert all(path.startswith(str(make.work)) for files in plan["persist"].values() for path in files)


@pytest.mark.parametrize("engine", first(1, ["native", "reference"]))
@pytest.mark.parametrize("grouping", first(1, ["depth", "none"]))
def test_step_by_step_gives_what_was_recorded(shell: Pipeline, grouping: str, engine: str) -> None:
    shell.schedule("--mtbf", "1", "--group", grouping)
    told = shell.replay("out1", REX_ENGINE=engine)
    assert told["differing"] == {} and told["divergences"] == 0 and not told["left_out"]
    assert shell.outputs("out1") == {name: left for name, left in shell.left.items() if name != "run.sh"}
    again = shell.replay("out2", "--resume", "--complete", REX_ENGINE=engine)
    assert set(again["steps_run"]) < set(told["steps_run"])
    assert shell.outputs("out2") == shell.outputs("out1")


def test_an_order_of_its_own_takes_several_passes(make: Pipeline) -> None:
    plan = make.schedule("--mtbf", "0.05")
    told = json.loads(run_rex("workflow", "EXP:exp0", "--json", cwd=make.top).stdout)
    preds = {task["id"]: set(task["preds"]) for task in told["tasks"]}
    order: list[str] = []
    while len(order) < len(preds):      # the last that may run comes first
        order.append([task for task in preds if task not in order and preds[task] <= set(order)][-1])
    (make.top / "plan.json").write_text(json.dumps({**plan, "order": order, "checkpointed": []}))
    done = make.replay("out")
    assert done["passes"] > 1 and done["steps_run"] == [task for task in order if task[:2] not in ("0-", "0.")]
    assert done["differing"] == {} and make.outputs("out") == {
        name: left for name, left in make.left.items() if name != "Makefile"}


@pytest.mark.parametrize("name", first(2, OTHERS))
def test_whatever_was_lost_the_rest_is_made_again(name: str, tmp_path: Path) -> None:
    words, files = OTHERS[name]
    if not all(map(shutil.which, (words[0], "gcc"))):
        pytest.skip("make or gcc is not installed")
    pipeline, draw = Pipeline(tmp_path, words, files), random.Random(name)
    left = {path: state for path, state in pipeline.left.items() if path not in files}
    pipeline.schedule("--mtbf", "1", "--group", "none")
    first = pipeline.replay("out")
    assert first["differing"] == {} and first["divergences"] == 0 and pipeline.outputs("out") == left
    for number in range(2):
        records = sorted((tmp_path / "store" / "steps").iterdir())
        for lost in draw.sample(records, len(records) // 2):
            lost.unlink()
        again = pipeline.replay(f"out{number}", "--resume", "--complete")
        assert again["differing"] == {} and pipeline.outputs(f"out{number}") == left


def test_bad_requests(make: Pipeline) -> None:
    make.schedule("--mtbf", "1")
    common = ("replay", "-l", "EXP", "--persist", "plan.json", "-o", "out")
    assert "give both" in run_rex(*common, cwd=make.top, code=125).stderr
    make.replay("out1")
    told = run_rex(*common, "--store", "store", cwd=make.top, code=125).stderr
    assert "--resume" in told and "Traceback" not in told
    (make.top / "bad.json").write_text('{"order": ["1-nobody"], "checkpointed": []}')
    told = run_rex("replay", "-l", "EXP", "--persist", "bad.json", "--store", "s2", "-o", "out", cwd=make.top, code=125).stderr
    assert "1-nobody" in told
    plan = json.loads((make.top / "plan.json").read_text())
    (make.top / "plan.json").write_text(json.dumps({**plan, "group": "none"}))
    assert run_rex(*common, "--store", "store", "--resume", cwd=make.top, code=125).stderr.count("\n") == 1


def kill_until_done(pipeline: Pipeline, kills: int, draw: random.Random, longest_s: float) -> int:
    """Start, kill after a random time, wipe what is local, resume; the kills that struck a run."""
    struck = 0
    for attempt in range(kills + 1):
        process = subprocess.Popen(
            [*REX, "replay", "-l", "EXP", "--persist", "plan.json", "--store", "store", "-o", "out", "--resume", "-q"],
            cwd=pipeline.top, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        try:
            process.wait(TIMEOUT_S if attempt == kills else draw.uniform(0, longest_s))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            struck += 1
        _, said = process.communicate(timeout=TIMEOUT_S)     # ends only when all who hold the pipe are gone
        assert process.returncode in (0, -signal.SIGKILL), said.decode()
        if process.returncode == 0:
            break
        shutil.rmtree(pipeline.top / "out", ignore_errors=True)
    return struck


def survive(pipeline: Pipeline, kills: int, seed: int) -> None:
    """Runs that are killed, up to eight times each, until so many kills have struck."""
    draw, struck = random.Random(seed), 0
    pipeline.schedule("--mtbf", "0.1")
    begin = time.monotonic()
    whole = pipeline.replay("out-whole")
    longest_s = 0.9 * (time.monotonic() - begin)
    results = pipeline.outputs("out-whole")
    assert whole["differing"] == {} and len(whole["steps_run"]) >= 10
    between = {name for task in json.loads(run_rex("workflow", "EXP:exp0", "--json", cwd=pipeline.top).stdout)["tasks"]
               for name in task["outputs"]}
    while struck < kills:
        shutil.rmtree(pipeline.top / "store", ignore_errors=True)
        struck += kill_until_done(pipeline, min(kills, 8), draw, longest_s)
        left = pipeline.outputs("out")
        for name, state in results.items():
            if str(pipeline.work / name) not in between or name in left:
                assert left.get(name) == state, name
        assert set(left) <= set(results)
        shutil.rmtree(pipeline.top / "out")


@pytest.mark.parametrize("name", ["shell", "make"])
def test_kills_do_not_change_the_results(name: str, request: pytest.FixtureRequest) -> None:
    survive(request.getfixturevalue(name), 4, 1)


@pytest.mark.stress
@pytest.mark.parametrize("name", ["shell", "make"])
def test_hundreds_of_kills_do_not_change_the_results(name: str, request: pytest.FixtureRequest) -> None:
    survive(request.getfixturevalue(name), 200, 2)
