"""`rex tree` of plain recordings: which steps of several runs are one, and why others are not."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import run_rex

pytestmark = pytest.mark.usefixtures("tracing")

PIPELINE = """
sort in.txt > sorted.txt
grep -c "$1" sorted.txt > count.txt
uniq -c < sorted.txt | sort -rn > often.txt
test -f extra.txt && cat extra.txt
ls data > names.txt
cat count.txt often.txt > report.txt
echo done
"""
SHELLS = ("dash", "bash")


class Study:
    """A directory with a script, and an archive of its runs."""

    def __init__(self, top: Path, shell: str = "dash", script: str = PIPELINE) -> None:
        self.top, self.work, self.shell = top, top / "work", shell
        (self.work / "data").mkdir(parents=True)
        self.write("run.sh", script)
        self.write("in.txt", "b\na\nc\na\n")

    def write(self, name: str, text: str) -> None:
        (self.work / name).write_text(text)

    def record(self, *words: str, **changes: str) -> None:
        """Run the script anew, without what an earlier run left."""
        for path in self.work.glob("*.txt"):
            if path.name not in ("in.txt", "extra.txt"):
                path.unlink()
        run_rex("record", "-q", "-l", "../EXP", self.shell, "run.sh", *words, cwd=self.work, **changes)

    def tree(self) -> dict[str, Any]:
        return json.loads(run_rex("tree", "-l", "EXP", "--json", cwd=self.top).stdout)

    def differing(self) -> dict[str, list[str]]:
        """Of the second run's steps that the first does not have: why, by program."""
        tree = self.tree()
        return {step["command"].split()[0]: step["differs"] for step in tree["steps"] if step["runs"] == ["exp1"]}


@pytest.fixture(params=SHELLS)
def study(request: pytest.FixtureRequest, tmp_path: Path) -> Study:
    return Study(tmp_path, request.param)


def test_equal_runs_are_one_path(study: Study) -> None:
    study.record("a")
    os.utime(study.work / "in.txt", (1, 1))
    study.record("a")
    tree = study.tree()
    assert tree["runs"]["exp0"]["steps"] == tree["runs"]["exp1"]["steps"]
    assert [step["command"] for step in tree["steps"]] == [
        "sort in.txt", "grep -c a sorted.txt", "uniq -c | sort -rn", "ls data", "cat count.txt often.txt"]
    assert tree["steps"][4]["needs"] == ["s2", "s3"]
    assert not any(step["nondeterministic"] for step in tree["steps"])


def test_argument_changes_what_comes_after_it(study: Study) -> None:
    study.record("a")
    study.record("b")
    found = study.differing()
    assert set(found) == {"grep", "cat"}
    assert found["grep"] == ["argument 2: 'a' -> 'b'"]
    assert found["cat"][0].startswith("upstream step s6: ") and found["cat"][0].endswith("count.txt")


def test_input_changes_those_that_read_it(study: Study) -> None:
    study.record("a")
    study.write("in.txt", "b\na\nc\nd\n")
    study.record("a")
    found = study.differing()
    assert set(found) == {"sort", "grep", "uniq", "cat"}      # not ls
    assert found["sort"] == [f"input {study.work}/in.txt"]


def test_names_in_a_directory_are_inputs(study: Study) -> None:
    study.record("a")
    study.write("data/new", "")
    study.record("a")
    assert study.differing() == {"ls": [f"names in {study.work}/data"]}


def test_variable_is_given_to_all(study: Study) -> None:
    study.record("a", MODE="one")
    study.record("a", MODE="two")
    found = study.differing()
    assert set(found) == {"sort", "grep", "uniq", "ls", "cat"}
    assert found["ls"] == ["variable MODE: 'one' -> 'two'"]


def test_file_that_was_looked_for_is_an_input(tmp_path: Path) -> None:
    study = Study(tmp_path, script="cat in.txt extra.txt > all.txt\nexit 0\n")
    study.record()
    study.write("extra.txt", "x\n")
    study.record()
    assert f"input {study.work}/extra.txt: there now" in study.differing()["cat"]


def test_script_is_an_input(tmp_path: Path) -> None:
    study = Study(tmp_path, script="./tool > out.txt\n")
    for text in ("one", "two"):
        study.write("tool", f"#!/bin/sh\nsort in.txt\n# {text}\n")
        (study.work / "tool").chmod(0o755)
        study.record()
    assert study.differing() == {"./tool": [f"input {study.work}/tool"]}


def test_fork_of_a_shell_is_never_shared(tmp_path: Path) -> None:
    study = Study(tmp_path, script="(echo $SECRET; cat in.txt) | tail -1 > last.txt\n(sort in.txt; uniq in.txt) > both.txt\n")
    study.record()
    study.record()
    shared = [step["command"] for step in study.tree()["steps"] if len(step["runs"]) == 2]
    assert not any("tail" in command for command in shared)


def test_step_that_draws_random_numbers_is_told(tmp_path: Path) -> None:
    study = Study(tmp_path, script="head -c 8 /dev/urandom > r.txt\ncp in.txt copy.txt\n")
    study.record()
    study.record()
    steps = {step["command"].split()[0]: step for step in study.tree()["steps"] if "exp1" in step["runs"]}
    assert steps["head"]["nondeterministic"] and steps["head"]["differs"] == ["nondeterministic: randomness"]
    assert steps["cp"]["runs"] == ["exp0", "exp1"]


def test_appended_file_is_not_one_steps_output(tmp_path: Path) -> None:
    study = Study(tmp_path, script="{ sort in.txt; uniq in.txt; } > log.txt\necho end >> log.txt\n")
    study.record()
    outputs = [step["outputs"] for step in study.tree()["steps"]]
    assert all(set(each.values()) == {"unknown"} for each in outputs)


def test_a_driver_may_set_the_time_of_a_steps_output(tmp_path: Path) -> None:
    study = Study(tmp_path, script="sort in.txt > sorted.txt\npython3 -c 'import os; os.utime(\"sorted.txt\")'\n")
    for _ in range(2):
        study.record()
    assert [step["runs"] for step in study.tree()["steps"] if step["command"] == "sort in.txt"] == [["exp0", "exp1"]]


def test_random_names_that_are_gone_in_the_end_do_not_count(tmp_path: Path) -> None:
    program = "import os, tempfile\nwith tempfile.TemporaryDirectory() as top:\n    open(top + '/x', 'w')\nopen('made.txt', 'w').write('x')\n"
    study = Study(tmp_path, script="python3 program.py\n")
    study.write("program.py", program)
    for _ in range(2):
        study.record()
    assert [step["runs"] for step in study.tree()["steps"] if "made.txt" in str(step["outputs"])] == [["exp0", "exp1"]]


def test_a_program_that_computes_and_needs_some_help_is_a_step(tmp_path: Path) -> None:
    study = Study(tmp_path)
    program = "import subprocess; sum(i % 7 for i in range(30000000)); subprocess.run(['true']); subprocess.run(['true']); open('made.txt', 'w').write('x')"
    for _ in range(2):
        run_rex("record", "-q", "-l", "../EXP", os.path.realpath(sys.executable), "-c", program, cwd=study.work)
        (study.work / "made.txt").unlink()
    assert [step["runs"] for step in study.tree()["steps"]] == [["exp0", "exp1"]]
    run_rex("replay", "-q", "-l", "EXP", "--all", "--check", "-o", "out", "--report", "report.json", cwd=study.top)
    assert json.loads((study.top / "report.json").read_text())["runs"]["exp1"]["put_back"] == ["s1"]


def test_runs_in_other_directories_share_steps(tmp_path: Path) -> None:
    one, two = Study(tmp_path / "one"), Study(tmp_path / "two")
    for study in (one, two):
        study.record("a", PWD="/")
    run_rex("export", str(two.top / "EXP:exp0"), "-o", str(tmp_path / "two.rex"), cwd=tmp_path)
    run_rex("import", "-l", str(one.top / "EXP"), str(tmp_path / "two.rex"), cwd=tmp_path)
    shared = [step["command"] for step in one.tree()["steps"] if len(step["runs"]) == 2]
    assert {"sort in.txt", "ls data"} <= set(shared)


def test_cache_of_facts_changes_nothing(study: Study, tmp_path: Path) -> None:
    study.record("a")
    study.record("b")
    first = study.tree()
    assert study.tree() == first
    for kept in Path(os.environ.get("REX_CACHE", tmp_path)).glob("steps/*"):
        kept.write_bytes(b"\x1f\x8b damaged")
    assert study.tree() == first


def test_text_and_pictures(study: Study) -> None:
    study.record("a")
    study.record("b")
    text = run_rex("tree", "-l", "EXP", cwd=study.top, COLUMNS="200").stdout
    assert "2 runs, 7 distinct steps" in text and "not s2: argument 2: 'a' -> 'b'" in text
    assert run_rex("tree", "-l", "EXP", "--format", "svg", cwd=study.top).stdout.startswith("<svg")
    assert "digraph" in run_rex("tree", "-l", "EXP", "--format", "dot", cwd=study.top).stdout


def test_a_step_with_a_part_that_was_put_back_is_the_step_without(tmp_path: Path) -> None:
    script = "BEGIN { for (i = 0; i < 40000000; i++) n += i; system(\"sort -o sorted.txt in.txt\"); print n }\n"
    study = Study(tmp_path, "awk", script)
    for text, words in ((script, ()), (script + "# 1\n", ("--reuse",)), (script + "# 1\n", ())):
        study.write("run.sh", text)
        (study.work / "sorted.txt").unlink(missing_ok=True)
        done = run_rex("record", "-l", "../EXP", *words, "awk", "-f", "run.sh", cwd=study.work)
        assert ("reused 1 step" in done.stderr) == bool(words)
    tree = study.tree()
    assert [run["steps"] for run in tree["runs"].values()] == [["s1"], ["s2"], ["s2"]]
    found = run_rex("replay", "-l", "EXP", "--all", "--check", "-o", "out", cwd=study.top)
    assert "of 3 steps 1 were put back" in found.stderr


def test_a_recipe_that_was_put_back_is_the_steps_in_it(tmp_path: Path) -> None:
    study = Study(tmp_path)
    compute = "awk 'BEGIN { for (i = 0; i < 3000000; i++) n += i; print n }' >"
    recipes = f"all: n.txt\ns.txt: in.txt\n\t{compute} s.txt; {compute} t.txt\nn.txt: s.txt\n\twc -l s.txt > n.txt\n"
    for text, words in ((recipes, ()), (recipes + "# 1\n", ("--reuse",)), (recipes + "# 2\n", ())):
        study.write("Makefile", text)
        for name in ("s.txt", "t.txt", "n.txt"):
            (study.work / name).unlink(missing_ok=True)
        done = run_rex("record", "-l", "../EXP", *words, "make", cwd=study.work)
        assert ("reused 2 steps" in done.stderr) == bool(words)
    tree = study.tree()
    assert [run["steps"] for run in tree["runs"].values()] == [["s1", "s2", "s3"]] * 3
    assert [step["command"].split()[0] for step in tree["steps"]] == ["awk", "awk", "wc"]
    found = run_rex("replay", "-l", "EXP", "--all", "--check", "-o", "out", cwd=study.top)
    assert "of 9 steps 3 were put back" in found.stderr
