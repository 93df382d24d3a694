"""Whole sessions through a real Jupyter kernel: checkouts, branches, crashes, the shell commands."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

pytest.importorskip("ipykernel")
pytest.importorskip("jupyter_client")
pytest.importorskip("cloudpickle")
pytest.importorskip("numpy")

from click.testing import CliRunner  # noqa: E402

from commands import run_rex  # noqa: E402
from rex.archive import COMPLETE, INCOMPLETE, Archive  # noqa: E402
from rex.archive.check import check  # noqa: E402
from rex.archive.gc import collect  # noqa: E402
from rex.cli.group import cli  # noqa: E402
from rex.notebook.index import read_graph  # noqa: E402

from .kernels import TIMEOUT_S, Kernel  # noqa: E402


def until(is_so: Callable[[], bool]) -> None:
    """Wait for what a kernel does beside its cells."""
    deadline_s = time.monotonic() + TIMEOUT_S
    while not is_so():
        assert time.monotonic() < deadline_s
        time.sleep(0.05)


def rex(*words: str) -> str:
    done = CliRunner().invoke(cli, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """One kernel for tests that do not mind what ran before."""
    with Kernel(tmp_path_factory.mktemp("session")) as running:
        yield running


def test_a_dropped_column_comes_back_in_the_same_kernel(kernel: Kernel) -> None:
    kernel.run("import numpy as np\ntable = {'a': np.arange(3000.), 'b': np.ones(3000)}\n"
               "view = table['b'][:10]\nalias = table")
    before = kernel.run("fitted = [table, table['a'].sum()]").count
    kernel.run("del table['b']")
    kernel.run("fitted.clear()")
    done = kernel.run(f"%rex checkout {before}")
    assert f"at {before}" in done.text and not done.error
    assert kernel.value("sorted(table), len(fitted), alias is table, fitted[0] is table") == (
        ["a", "b"], 2, True, True)
    kernel.run("view[0] = 5")
    assert kernel.value("float(table['b'][0])") == 5.0


def test_numbers_are_those_of_the_prompts(kernel: Kernel) -> None:
    first = kernel.run("n = 1").count
    kernel.run("%rex log")   # leaves a gap
    second = kernel.run("n = 2").count
    assert second == first + 2
    kernel.run(f"%rex checkout {first}")
    assert kernel.value("n") == 1
    kernel.run("%rex checkout -1")
    assert kernel.run("n").error.startswith("NameError")


def test_undo_goes_back_step_by_step(kernel: Kernel) -> None:
    for value in range(3):
        kernel.run(f"steps = {value}")
    kernel.run("%rex undo")
    assert kernel.value("steps") == 1
    kernel.run("%rex undo")
    assert kernel.value("steps") == 0
    kernel.run("steps = 'other'")
    assert "branch-" in kernel.run("%rex log").text


def test_branches_and_tags_name_states(kernel: Kernel) -> None:
    kernel.run("m = 'base'")
    kernel.run("%rex tag base-state")
    kernel.run("%rex branch try-one")
    kernel.run("m = 'one'")
    kernel.run("%rex checkout base-state")
    kernel.run("%rex branch try-two")
    kernel.run("m = 'two'")
    for name, value in (("try-one", "one"), ("try-two", "two"), ("base-state", "base")):
        kernel.run(f"%rex checkout {name}")
        assert kernel.value("m") == value
    kernel.run("%rex checkout try-one")
    kernel.run("m += '!'")
    shown = kernel.run("%rex branch").text
    assert "* " in shown and "try-two" in shown
    kernel.run("%rex checkout try-two")
    kernel.run("%rex checkout try-one")
    assert kernel.value("m") == "one!"
    assert "m " in kernel.run("%rex diff try-two try-one").text
    kernel.run("%rex tag -d base-state")
    assert "no cell, tag or branch" in kernel.run("%rex checkout base-state").text


def test_cells_that_raise_are_nodes_with_what_they_did(kernel: Kernel) -> None:
    kernel.run("partial = []")
    failed = kernel.run("partial.append(1)\n1 / 0\npartial.append(2)")
    assert failed.error.startswith("ZeroDivisionError")
    kernel.run("partial.append(3)")
    kernel.run(f"%rex checkout {failed.count}")
    assert kernel.value("partial") == [1]
    assert "ZeroDivisionError" in kernel.run(f"%rex show {failed.count}").text
    broken = kernel.run("this is no Python")
    assert "this is no Python" in kernel.run(f"%rex show {broken.count}").text
    kernel.run("%rex checkout -1")
    assert kernel.value("partial") == [1]


def test_one_variable_from_the_past_leaves_the_present_alone(kernel: Kernel) -> None:
    then = kernel.run("story = ['once']\nteller = story").count
    kernel.run("story.append('upon')")
    kernel.run(f"old = %rex show {then}:story")
    assert kernel.value("old, story, teller is story, old is story") == (
        ["once"], ["once", "upon"], True, False)
    assert "['once']" in kernel.run(f"%rex show {then}:teller").text


def test_what_cannot_be_kept_is_computed_again(kernel: Kernel) -> None:
    kernel.run("def count():\n    yield from range(9)\nimport threading")
    then = kernel.run("numbers = count()\nnext(numbers)\nlock = threading.Lock()").count
    kernel.run("next(numbers), next(numbers); lock.acquire()")
    done = kernel.run(f"%rex checkout {then}")
    assert "computed again: numbers" in done.text
    assert kernel.value("next(numbers), lock.locked()") == (1, False)


def test_functions_see_the_live_variables_after_a_checkout(kernel: Kernel) -> None:
    then = kernel.run("factor = 2\ndef scale(v):\n    return v * factor").count
    kernel.run("def scale(v):\n    return 0")
    kernel.run(f"%rex checkout {then}")
    kernel.run("factor = 10")
    assert kernel.value("scale(3)") == 30


def test_magics_await_and_background_threads(kernel: Kernel) -> None:
    kernel.run("slow = []\nimport asyncio, threading")
    kernel.run("%time slow.append(1)")
    kernel.run("%%time\nslow.append(2)")
    timed = kernel.run("other = await asyncio.sleep(0, 'waited')").count
    kernel.run("worker = threading.Thread(target=lambda: slow.append('thread'))\n"
               "worker.start(); worker.join()")
    threaded = kernel.run("done = True").count
    kernel.run("slow.clear()\n!true")
    kernel.run(f"%rex checkout {timed}")
    assert kernel.value("slow, other") == ([1, 2], "waited")
    kernel.run(f"%rex checkout {threaded}")
    assert kernel.value("slow") == [1, 2, "thread"]


def test_cells_whose_magic_runs_their_body_are_whole_cells(kernel: Kernel) -> None:
    kernel.run("whole = caught = empty = 0")
    then = kernel.run("%%capture caught\nprint('hi')\nwhole = 5").count
    blank = kernel.run("%%capture empty\n ").count
    kernel.run("whole = caught = empty = None")
    kernel.run(f"%rex checkout {then}")
    assert kernel.value("caught.stdout, whole, empty") == ("hi\n", 5, 0)
    assert "%%capture caught" in kernel.run("%rex log").text
    kernel.run(f"%rex checkout {blank}")
    assert kernel.value("empty.stdout") == ""


def test_random_numbers_repeat_and_output_history_stays(kernel: Kernel) -> None:
    kernel.run("import random")
    seeded = kernel.run("random.seed(3); np.random.seed(3)").count
    first = kernel.value("(lambda: (random.random(), float(np.random.rand())))()")
    kernel.run("random.random()")
    kernel.run(f"%rex checkout {seeded}")
    assert kernel.value("(lambda: (random.random(), float(np.random.rand())))()") == first
    kernel.run("[1, 2]")
    kernel.run("_.append(3)\nkept = _")   # an object that only the output history held
    assert kernel.value("kept") == [1, 2, 3]
    kernel.run("kept.append(4)")
    kernel.run("%rex undo")
    assert kernel.value("kept") == [1, 2, 3]


def test_looking_from_outside_adds_no_cell_and_our_words_change_nothing(kernel: Kernel) -> None:
    before = kernel.run("%rex log -n 999").text.count("●")
    kernel.run("1 + 1", store_history=False)
    kernel.run("%rex help")
    assert kernel.run("%rex log -n 999").text.count("●") == before
    kernel.run("hidden = 5", store_history=False)   # but a change is never lost
    assert kernel.run("%rex log -n 999").text.count("●") == before + 1
    assert "rex: " in kernel.run("%rex checkout").text + kernel.run("%rex nonsense").text


def test_the_log_is_html_in_notebooks_and_hides_nothing_hostile(kernel: Kernel) -> None:
    kernel.run("tricky = '<script>alert(1)</script>'")
    [data] = kernel.run("%rex log").results
    assert "<table" in data["text/html"] and "<script>" not in data["text/html"]
    assert "&lt;script&gt;" in data["text/html"]


def test_a_shell_talks_to_the_live_kernel(kernel: Kernel) -> None:
    archive = str(kernel.folder / "__default")
    then = kernel.run("shell = 1").count
    kernel.run("shell = 2")

    def told() -> Any:
        return json.loads(rex("notebook", "log", archive, "--json"))

    until(lambda: "shell = 2" in told()["cells"][-1]["code"])      # it is written beside what comes next
    assert told()["state"] == "recording" and told()["cells"][-1]["changed"]["shell"]["view"]["text"] == "2"
    assert "~  shell" in rex("notebook", "diff", archive, str(then), "head")
    assert "at " in rex("notebook", "checkout", archive, str(then))
    assert kernel.value("shell") == 1
    rex("notebook", "tag", archive, "from-shell")
    until(lambda: "from-shell" in rex("notebook", "tag", archive))
    rex("notebook", "undo", archive)
    assert kernel.run("shell").error.startswith("NameError")


def test_a_killed_kernel_loses_the_running_cell_only(tmp_path: Path) -> None:
    kernel = Kernel(tmp_path)
    kernel.run("import numpy as np\ndata = np.arange(50_000.)\npart = data[:10]")
    kernel.run("data[0] = -1\nmodel = {'of': data}")
    last = kernel.run("total = data.sum()\nlarge = np.random.default_rng(0).random(4 << 20)\nprint('seen')").count
    kernel.client.execute("import time\nlost = 1\nprint('running')\ntime.sleep(60)")
    while kernel.client.get_iopub_msg(timeout=TIMEOUT_S)["msg_type"] != "stream":
        pass
    kernel.kill()   # while the last cell is being compressed
    archive = Archive.open(tmp_path / "__default")
    [crashed] = archive.experiments()
    assert crashed.state == INCOMPLETE and set(read_graph(crashed).nodes) <= set(range(1, last + 1))   # the others wait beside it
    collect(archive)   # takes nothing that is needed
    assert all(problem.is_harmless for problem in check(archive))
    with Kernel(tmp_path) as again:
        assert f"at {last}" in again.run("%rex resume").text
        assert again.value("float(data[0]), part.base is data, model['of'] is data, int(total)") == (
            -1.0, True, True, sum(range(50_000)) - 1)
        assert again.value("bool((large == np.random.default_rng(0).random(4 << 20)).all())")
        assert "seen" in again.run(f"%rex show {last}").text
        assert again.run("more = 1").count > last
        again.run("%rex checkout 2")
        assert again.value("float(data[0])") == 0.0
    assert [e.state for e in Archive.open(archive.path).experiments()] == [COMPLETE, COMPLETE]
    assert check(archive) == []


def test_a_notebook_is_resumed_from_a_shell(tmp_path: Path) -> None:
    notebook = tmp_path / "study.ipynb"
    notebook.write_text(json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    (tmp_path / "elsewhere").mkdir()
    kernel = Kernel(tmp_path, JPY_SESSION_NAME=str(notebook))
    kernel.run("import numpy as np\nx = np.arange(5000.)")
    last = kernel.run("x[0] = 5\ny = [x]").count
    kernel.kill()
    resume = ["-m", "rex.cli.main", "notebook", "resume", str(notebook)]
    shown = run_plain(tmp_path / "elsewhere", "float(x[0]), y[0] is x\nz = x.sum()\n%rex log\n", resume).stdout
    assert f"at {last} on main" in shown and "(5.0, True)" in shown and "-x" not in shown, shown
    with resumed_kernel(tmp_path, resume) as client:   # the session of the terminal, at its last state
        found: list[str] = []
        client.execute_interactive("print(y[0] is x, float(z), 'np' in globals())", timeout=60,
                                   output_hook=lambda message: found.append(str(message["content"].get("text"))))
        assert f"True {float(sum(range(5000)) + 5)} True\n" in found
        client.execute_interactive("x[0] = 6", timeout=60)
        assert "at " in rex("notebook", "undo", str(notebook))
        found.clear()
        client.execute_interactive("print(float(x[0]))", timeout=60,
                                   output_hook=lambda message: found.append(str(message["content"].get("text"))))
        assert "5.0\n" in found
        client.shutdown(reply=True, timeout=60)
    assert [e.state for e in Archive.open(tmp_path / "__default").experiments()] == [COMPLETE] * 3


def test_sessions_are_experiments_like_others(tmp_path: Path) -> None:
    with Kernel(tmp_path, REX_NOTEBOOK_ARCHIVE=str(tmp_path / "A")) as kernel:
        kernel.run("import numpy as np\nbig = np.random.rand(100_000)\nprint('hello')")
        kernel.run("big[7] = 7\nsmall = 'x' * 5000\nsmall")
    path = str(tmp_path / "A")
    archive = Archive.open(path)
    [listed] = json.loads(rex("ls", path, "--json"))[0]["experiments"]
    assert listed["state"] == "complete" and listed["stored_bytes"] > 700_000
    collect(archive)
    assert check(archive) == []
    rex("export", path, "-o", str(tmp_path / "out.rex"))
    rex("import", str(tmp_path / "out.rex"), "-l", str(tmp_path / "B"))
    there = Archive.open(tmp_path / "B")
    assert check(there) == []
    assert read_graph(there.experiment("nb")).nodes.keys() == {1, 2, 3}   # without an index file
    assert "hello" in rex("notebook", "show", str(there.path), "2")
    with Kernel(tmp_path, REX_NOTEBOOK_ARCHIVE=str(there.path)) as kernel:
        kernel.run(f"%rex resume {there.path}:nb --at 2")
        assert kernel.value("bool(big[7] != 7), 'small' in globals()") == (True, False)


def test_cells_and_variables_are_checked_out_together(tmp_path: Path) -> None:
    saved = {"cells": [
        {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": "# Study"},
        {"cell_type": "code", "id": "one", "metadata": {}, "source": "v = 'stale'", "outputs": [],
         "execution_count": None},
        {"cell_type": "code", "id": "two", "metadata": {}, "source": "print(v)", "outputs": [],
         "execution_count": None}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    notebook = tmp_path / "study.ipynb"
    notebook.write_text(json.dumps(saved))
    with Kernel(tmp_path, JPY_SESSION_NAME=str(notebook)) as kernel:
        kernel.run("v = 1", cell_id="one")
        then = kernel.run("print(v)", cell_id="two").count
        kernel.run("v = 2", cell_id="one")
        kernel.run("print(v)", cell_id="two")
        kernel.run(f"%rex checkout {then} --cells")
        assert kernel.value("v") == 1
        written = json.loads((tmp_path / f"study-{then}.ipynb").read_text())
        sources = {cell["id"]: "".join(cell["source"]) for cell in written["cells"]}
        assert sources["one"] == "v = 1" and sources["intro"] == "# Study"
        assert [c["outputs"] for c in written["cells"] if c["id"] == "two"][0][0]["text"] == "1\n"
        assert json.loads(notebook.read_text()) == saved
        saved["cells"][0]["source"] = "# Edited"
        notebook.write_text(json.dumps(saved))
        assert "exists" in kernel.run(f"%rex checkout {then} --cells").text
        told = kernel.run("%rex checkout main --cells --force").text   # over the notebook itself
        assert "study-before-1.ipynb" in told and json.loads((tmp_path / "study-before-1.ipynb").read_text()) == saved
        rewritten = json.loads(notebook.read_text())
        assert ["".join(c["source"]) for c in rewritten["cells"] if c["id"] == "one"] == ["v = 2"]
    assert Archive.open(tmp_path / "__default").experiment("study").manifest.extra["notebook"]["path"]
    import nbformat
    nbformat.validate(nbformat.from_dict(written))


def test_off_and_on_again(tmp_path: Path) -> None:
    with Kernel(tmp_path) as kernel:
        kernel.run("x = 1")
        assert "kept as" in kernel.run("%rex off").text
        kernel.run("x = 2")
        assert "Rex is off" in kernel.run("%rex log").text
        kernel.run(f"%rex on -l {tmp_path / 'other'} -e mine")
        kernel.run("x = 3")
        kernel.run("x = 4")
        kernel.run("%rex undo")
        assert kernel.value("x") == 3
    assert Archive.open(tmp_path / "other").experiment("mine").state == COMPLETE


@contextlib.contextmanager
def resumed_kernel(folder: Path, resume: list[str]) -> Iterator[Any]:
    """A client of the kernel that `rex notebook resume --kernel` starts."""
    from jupyter_client.blocking.client import BlockingKernelClient
    process = subprocess.Popen([sys.executable, *resume, "--kernel"], cwd=folder, env={
        **os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "JUPYTER_RUNTIME_DIR": str(folder / "run")},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline_s = time.monotonic() + TIMEOUT_S
        files: list[Path] = []
        while not any(file.read_text().endswith("}") for file in files) and time.monotonic() < deadline_s:   # written whole
            time.sleep(0.1)
            files = list((folder / "run").glob("kernel-*.json"))
        client = BlockingKernelClient(connection_file=str(files[0]))
        client.load_connection_file()
        client.start_channels()
        client.wait_for_ready(timeout=TIMEOUT_S)
        yield client
        client.stop_channels()
        process.wait(TIMEOUT_S)
    finally:
        process.kill()


def run_plain(folder: Path, code: str, program: list[str] | None = None) -> Any:
    root = str(Path(__file__).parents[2])
    return subprocess.run([sys.executable, *(program or ["-m", "IPython", "--no-banner", "--simple-prompt"])],
                          input=code, capture_output=True, text=True, cwd=folder, timeout=60,
                          env={"PYTHONPATH": root, "HOME": str(folder), "PATH": "/usr/bin:/bin"})


def test_plain_ipython_in_a_terminal(tmp_path: Path) -> None:
    done = run_plain(tmp_path, "%load_ext rex.notebook\nx = [1]\nx.append(2)\n%rex undo\nprint('x is', x)\n"
                     "%rex log\n")
    assert "x is [1]" in done.stdout and "●" in done.stdout, done.stdout + done.stderr
    assert Archive.open(tmp_path / "__default").experiment("ipython").state == COMPLETE


def test_sessions_compare_record_and_do_not_replay(tmp_path: Path) -> None:
    path = str(tmp_path / "A")
    for value in (1, 1, 2):
        with Kernel(tmp_path, REX_NOTEBOOK_ARCHIVE=path) as kernel:
            kernel.run(f"x = {value}\ny = [x, 'same']")
            kernel.run("z = 'same'")
            kernel.run("print('z is', z)")
    runner = CliRunner()
    same = runner.invoke(cli, ["expdiff", f"{path}:nb", f"{path}:nb-2"])
    assert same.exit_code == 0 and "variables    same" in same.output, same.output
    told = json.loads(runner.invoke(cli, ["expdiff", f"{path}:nb", f"{path}:nb-3", "--json"]).stdout)
    [variables] = [one for one in told["components"] if one["name"] == "variables"]
    assert {one["item"] for one in variables["differences"]} == {"x", "y"}, told
    for words in (["replay", "-l", path, "-e", "nb"], ["log", f"{path}:nb"]):
        from rex.errors import UsageError
        with pytest.raises(UsageError, match="notebook session"):
            runner.invoke(cli, words, catch_exceptions=False)
    done = run_rex("record", "--cells", "-q", "-l", path, "-e", "again", f"{path}:nb-3", cwd=tmp_path)
    assert "z is same" in done.stdout
    assert Archive.open(path).experiment("again").manifest.extra["cells"]["count"] >= 3


def test_storage_is_bounded_and_the_current_branch_stays(tmp_path: Path) -> None:
    archive = tmp_path / "A"
    with Kernel(tmp_path, REX_NOTEBOOK_ARCHIVE=str(archive), REX_NOTEBOOK_MAX_SIZE="6M") as kernel:
        kernel.run("import numpy as np\nr = np.random.default_rng(0)\nkeep = r.random(100_000)")
        first = kernel.run("big = r.random(200_000)\nhead = float(big[0])").count
        kernel.run(f"%rex tag start {first}")
        for number in range(8):
            kernel.run("%rex checkout start")
            kernel.run(f"big = np.random.default_rng({number}).random(200_000)")
        kernel.run("%rex checkout start")
        numbers = itertools.count()
        kernel.run(f"small = {next(numbers)}")
        until(lambda: "small = 0" in rex("notebook", "log", str(archive), "--json"))      # ten times 1.6 MB were written

        def is_bounded() -> bool:      # each cell looks, and what is too much goes beside the next
            kernel.run(f"small = {next(numbers)}")
            with contextlib.suppress(FileNotFoundError):
                return sum(file.stat().st_size for file in (archive / "packs").iterdir()) < 8_000_000
            return False

        until(is_bounded)
        kernel.run("%rex checkout -1")
        assert kernel.value("float(big[0]) == head, small") == (True, next(numbers) - 2)
        dropped = kernel.run("%rex checkout branch-1").text
        assert "given up to stay below" in dropped or "computed again" in dropped
        assert kernel.value("float(big[0]) == float(np.random.default_rng(1).random(200_000)[0])")
    assert check(Archive.open(archive)) == []
