"""`rex record --cells`: where the lineages of versions part, and that they part nowhere else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rex.multiversion.versions import Version

from versionbench import Bench, notebook

pytest.importorskip("IPython")
pytestmark = pytest.mark.usefixtures("tracing")

SCRIPT = """import os
import sys
RATE = 2
# %% load
rows = [int(line) for line in open("data.txt")]
# %% first
first = [RATE * row for row in rows]
print(sum(first))
# %% variable
print(os.environ.get("MODE"))
# %% helper
import helper
print(helper.twice(1))
# %% random
import random
print(os.urandom(4).hex(), random.random())
# %% arguments
print(sys.argv[1:])
with open("out.txt", "w") as file:
    file.write("written")
# %% end
print(open("out.txt").read(), __name__)
"""
LOAD, FIRST, VARIABLE, HELPER, RANDOM, ARGUMENTS, END = range(1, 8)


def parted_at(one: Version, two: Version) -> int | None:
    """The first cell whose lineages differ; None if all are equal."""
    assert one.base == two.base
    pairs = enumerate(zip(one.cells, two.cells))
    return next((i for i, (a, b) in pairs if a.lineage != b.lineage), None)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    bench = Bench(tmp_path_factory.mktemp("versions"))
    bench.write("a.py", SCRIPT)
    bench.write("data.txt", "1\n2\n3\n")
    bench.write("helper.py", "def twice(x):\n    return 2 * x\n")
    return bench


@pytest.fixture(scope="module")
def first(bench: Bench) -> Version:
    return bench.record("first", "x", MODE="fast")


@pytest.fixture
def changed(bench: Bench, first: Version) -> "Bench":
    kept = {name: (bench.work / name).read_bytes() for name in ("a.py", "data.txt", "helper.py")}
    yield bench
    for name, data in kept.items():
        (bench.work / name).write_bytes(data)


def test_the_output_is_that_of_python(bench: Bench, first: Version) -> None:
    said = bench.last.stdout
    plain = subprocess.run([sys.executable, "a.py", "x"], cwd=bench.work, text=True, capture_output=True,
                           env={**os.environ, "MODE": "fast", "PYTHONDONTWRITEBYTECODE": "1"})   # it leaves no helper.pyc
    assert plain.returncode == 0 and _without_random(said) == _without_random(plain.stdout)
    assert [cell.how for cell in first.cells] == ["ok"] * 8
    assert first.cells[END].outputs == [{"output_type": "stream", "name": "stdout", "text": "written __main__\n"}]


def _without_random(text: str) -> list[str]:
    return [line for i, line in enumerate(text.splitlines()) if i != RANDOM - FIRST]


def test_comments_keep_all_lineages(changed: Bench, first: Version) -> None:
    changed.write("a.py", SCRIPT.replace("RATE = 2", "# a remark\n\nRATE = 2    # another"))
    (changed.work / "unrelated.txt").write_text("a file beside it")
    assert parted_at(first, changed.record("comment", "x", MODE="fast")) is None


def test_code_parts_versions_where_it_changed(changed: Bench, first: Version) -> None:
    changed.write("a.py", SCRIPT.replace("RATE * row", "RATE + row"))
    assert parted_at(first, changed.record("code", "x", MODE="fast")) == FIRST


def test_one_byte_of_data_parts_versions_where_it_is_read(changed: Bench, first: Version) -> None:
    changed.write("data.txt", "1\n2\n4\n")
    version = changed.record("data", "x", MODE="fast")
    assert parted_at(first, version) == LOAD
    tree = json.loads(changed.rex("tree", "-l", str(changed.archive), "--json").stdout)
    node = next(n for n in tree["nodes"] if n["ends"] == ["data"])
    while len(node["versions"]) == 1 and not node["differs"]:
        node = next(n for n in tree["nodes"] if n["id"] == node["parent"])
    assert node["differs"] == [f"file {changed.work}/data.txt"]


def test_a_variable_parts_versions_where_it_is_asked_for(changed: Bench, first: Version) -> None:
    assert parted_at(first, changed.record("variable", "x", MODE="slow")) == VARIABLE
    assert parted_at(first, changed.record("unset", "x")) == VARIABLE
    assert parted_at(first, changed.record("other", "x", MODE="fast", NOBODY_ASKS="1")) is None


def test_the_time_of_a_file_parts_versions_where_it_is_asked_for(bench: Bench) -> None:
    bench.write("times.py", "import os\nx = 1\n# %%\nprint(open('data.txt').read())\n# %%\nprint(os.path.getmtime('data.txt'))\n")
    one = bench.record("times", path="times.py")
    assert parted_at(one, bench.record("same", path="times.py")) is None
    os.utime(bench.work / "data.txt", (1, 1))
    assert parted_at(one, bench.record("touched", path="times.py")) == 2


def test_a_library_parts_versions_where_it_is_imported(changed: Bench, first: Version) -> None:
    changed.write("helper.py", "def twice(x):\n    return 3 * x\n")
    assert parted_at(first, changed.record("library", "x", MODE="fast")) == HELPER


def test_the_seed_parts_versions_where_the_system_is_asked(changed: Bench, first: Version) -> None:
    version = changed.record("seed", "x", options=("--seed", "1"), MODE="fast")
    assert version.base != first.base or parted_at(first, version) == RANDOM
    again = changed.record("again", "x", MODE="fast")
    assert again.cells[RANDOM].outputs == first.cells[RANDOM].outputs != version.cells[RANDOM].outputs


def test_arguments_part_versions_where_they_are_looked_at(changed: Bench, first: Version) -> None:
    assert parted_at(first, changed.record("arguments", "y", MODE="fast")) == ARGUMENTS


def test_a_version_replays_as_any_experiment(bench: Bench, first: Version) -> None:
    hidden = bench.work.rename(bench.place / "hidden")
    bench.work.mkdir()
    try:
        done = bench.rex("replay", "-l", str(bench.archive), "-e", "first", "-o", str(bench.place / "out"), "--check")
    finally:
        bench.work.rmdir()
        hidden.rename(bench.work)
    assert done.returncode == 0, done.stderr


# ------------------------------------------------------------------ notebooks

CELLS = [
    "import time, datetime, os\nclass Model:\n    def __init__(self, n):\n        self.n = n\nmodel = Model(3)",
    "x = 1 + 1\nx",
    "!echo shell $((1 + 1))\nlines = !printf 'a\\nb\\n'\nprint(lines)",
    "%%capture caught\nprint('captured')",
    "from IPython.display import HTML, display\ndisplay(HTML('<b>bold</b>'))",
    # Closed and joined: leaving a `with` block kills workers, unless they were quicker, and that is an event.
    "import multiprocessing\ndef both():\n    pool = multiprocessing.get_context('fork').Pool(2)\n"
    "    found = pool.map(abs, [-1, -2])\n    pool.close(); pool.join()\n    return found\nboth()",
    "when = datetime.datetime.now()",
    "import threading\nstop = threading.Event()\nthread = threading.Thread(target=stop.wait, daemon=True)\nthread.start()",
    "stop.set(); thread.join()",
    "def fails():\n    raise KeyError('here')\nfails()",
    "print('never run')",
]


def test_a_notebook_with_all_kinds_of_cells(bench: Bench) -> None:
    bench.write("n.ipynb", notebook(CELLS))
    one = bench.record("n1", path="n.ipynb", status=1)
    assert "KeyError: 'here'" in bench.last.stderr
    assert [cell.how for cell in one.cells] == ["ok"] * 9 + ["error"]
    shown = [cell.outputs for cell in one.cells]
    assert shown[1] == [{"output_type": "execute_result", "data": {"text/plain": "2"}, "metadata": {},
                         "execution_count": 2}]
    assert shown[2] == [{"output_type": "stream", "name": "stdout", "text": "shell 2\n['a', 'b']\n"}]
    assert shown[4][0]["data"]["text/html"] == "<b>bold</b>"
    assert shown[5][0]["data"]["text/plain"] == "[1, 2]"
    assert shown[9][0]["ename"] == "KeyError"
    assert [bool(cell.unforkable) for cell in one.cells] == [False] * 7 + [True] + [False] * 2
    two = bench.record("n2", path="n.ipynb", status=1)
    assert parted_at(one, two) == 6, "the clock is what two runs do not share, and nothing before it"


def test_input_is_refused_by_name(bench: Bench) -> None:
    bench.write("i.ipynb", notebook(["print('before')", "input('name? ')"]))
    version = bench.record("input", path="i.ipynb", status=1)
    assert version.cells[1].how == "error" and "cells run unattended" in version.cells[1].outputs[0]["evalue"]


@pytest.mark.parametrize("words, env, code, why", [
    (("none.py",), {}, 125, "no such file: none.py"),
    (("data.txt.ipynb",), {}, 125, "it is no notebook"),
    (("a.py",), {"REX_ENGINE": "reference"}, 125, "native engine")])
def test_refusals_are_one_line(bench: Bench, words: tuple[str, ...], env: dict[str, str], code: int, why: str) -> None:
    shutil.copy(bench.work / "data.txt", bench.work / "data.txt.ipynb")
    done = bench.rex("record", "--cells", "-l", str(bench.place / "refused"), "--", *words, **env)
    assert done.returncode == code and why in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not (bench.place / "refused").exists()
