"""`rex replay --all`: each version gives what it gave alone, with the machine's files gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Iterator

import pytest

from commands import dask_cluster
from pace import first
from versionbench import ROOT, Bench, notebook

pytest.importorskip("IPython")
pytestmark = pytest.mark.usefixtures("tracing")

# What versions share they run once; then they must not see each other's files, nor each other's inputs.
SCRIPT = """import os, random, sys
# %% shared
out = open("shared.log", "w")
out.write("begun\\n")
os.makedirs("made/deep")
open("gone.txt", "w").write("x")
print(os.urandom(3).hex(), random.random())
# %% devices
import subprocess
device = os.open("/dev/urandom", os.O_RDONLY)
again = os.dup(device)
os.close(device)
parts = bytearray(2), bytearray(9)
print(os.readv(again, parts), parts, os.pread(again, 4, 0).hex(), open("/dev/random", "rb").read(5).hex())
# %% held
AUXV = "import ctypes; f = ctypes.CDLL(None).getauxval; f.restype = ctypes.c_void_p; print(ctypes.string_at(f(25), 16))"
print(os.read(again, 3).hex(), subprocess.run([sys.executable, "-c", AUXV], capture_output=True, check=True).stdout)
exec(AUXV)
# %% unflushed
out.write("still in the buffer\\n")
# %% own
WORD = "plain"
out.write(WORD)
os.remove("gone.txt") if WORD == "removes" else None
open(f"made/deep/{WORD}.txt", "w").write(WORD)
print(sorted(os.listdir("made/deep")), os.path.exists("gone.txt"))
# %% input
print(open("input.txt").read(), os.path.exists("only.txt"), os.environ.get("MODE"))
with open("input.txt", "a") as file:
    file.write("appended by " + WORD)
# %% helper
import helper
print(helper.NAME, sys.argv[1:])
# %% end
print(open("input.txt").read())
print(id(object) % 16, random.random(), os.urandom(3).hex())
"""


class Versions(Bench):
    """Six versions of the script; afterwards everything that they read is moved away."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.write("a.py", SCRIPT)
        self.write("input.txt", "first ")
        self.write("helper.py", "NAME = 'one'\n")
        self.keep("plain", "x", MODE="m")
        self.write("a.py", SCRIPT.replace('"plain"', '"removes"'))
        self.keep("removes", "x", MODE="m")
        self.write("a.py", SCRIPT.replace("# %% end", "# %% end\n# a remark"))
        self.keep("remark", "x", MODE="m")
        self.keep("variable", "y")
        self.write("input.txt", "second ")
        self.write("only.txt", "here")
        self.keep("input", "x", MODE="m")
        (self.work / "only.txt").unlink()
        self.write("input.txt", "first ")
        self.write("helper.py", "NAME = 'two'\n")
        self.keep("helper", "x", MODE="m")
        self.hidden = self.work.rename(place / "hidden")

    def keep(self, name: str, *words: str, **env: str) -> None:
        """Record one, and put the directory back as it was."""
        before = {path: path.read_bytes() for path in self.work.iterdir() if path.is_file()}
        self.record(name, *words, **env)
        for path in sorted(self.work.rglob("*"), reverse=True):
            if path not in before:
                path.rmdir() if path.is_dir() else path.unlink()
        for path, data in before.items():
            path.write_bytes(data)

    def replay(self, out: str, *options: str) -> dict[str, Any]:
        done = self.rex("replay", "--all", "-l", str(self.archive), "-o", out, "--json", *options, cwd=self.place)
        assert done.stdout, done.stderr
        return {**json.loads(done.stdout), "code": done.returncode, "said": done.stderr}


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Versions:
    return Versions(tmp_path_factory.mktemp("all"))


@pytest.mark.parametrize("options", first(2, [("--cache", "1G"), ("--cache", "1G", "-j", "2"), ("--cache", "0"),
                                              ("--cache", "1G", "--algorithm", "lfu"), ("--cache", "1G", "--sandbox")]), ids=" ".join)
def test_every_version_is_as_recorded(versions: Versions, options: tuple[str, ...]) -> None:
    out = "out" + "".join(options).replace("-", "_")
    kept = sorted(os.listdir(versions.place))
    report = versions.replay(out, "--check", *options)
    assert report["code"] == 0 and report["identical"], (report["versions"], report["said"])
    assert len(report["versions"]) == 6
    assert sorted(os.listdir(versions.place)) == sorted(kept + [out]), "written beside OUTDIR"
    found = sorted(os.listdir(versions.place / out))
    assert found == sorted([*report["versions"], *(f"{name}.ipynb" for name in report["versions"])])
    work = versions.place / out / "removes" / str(versions.work).lstrip("/")
    assert (work / "shared.log").read_text() == "begun\nstill in the buffer\nremoves"
    assert os.listdir(work / "made" / "deep") == ["removes.txt"] and not (work / "gone.txt").exists()
    text = (versions.place / out / "input" / str(versions.work).lstrip("/") / "input.txt").read_text()
    assert text == "second appended by plain"


def test_what_is_shared_is_computed_once(versions: Versions) -> None:
    report = versions.replay("once", "--cache", "1G")
    assert report["computed_again"] == 0 and report["restores"] >= 3
    again = versions.replay("again", "--cache", "0")
    assert again["computed_again"] > 0 and again["checkpoints"] == 0


def test_notebooks_are_left_executed(versions: Versions) -> None:
    import nbformat
    versions.replay("notebooks", "--cache", "1G")
    read = nbformat.read(versions.place / "notebooks" / "variable.ipynb", as_version=4)
    nbformat.validate(read)
    assert "first  False None" in read.cells[6].outputs[0].text
    assert read.cells[7].outputs[0].text == "one ['y']\n"


def test_widgets_are_left_with_their_state(tmp_path: Path) -> None:
    pytest.importorskip("ipywidgets", reason="ipywidgets is not installed (the extra test)")
    bench = Bench(tmp_path)
    bench.write("w.ipynb", notebook(["import ipywidgets as w\nout = w.Output(); number = w.IntSlider(value=3); out",
                                     "with out:\n    print('inside')\nprint('outside'); number.value = 7"]))
    bench.record("w", path="w.ipynb")
    done = bench.rex("replay", "--all", "-l", str(bench.archive), "-o", "out", "--check", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    left = json.loads((tmp_path / "out" / "w.ipynb").read_text(encoding="utf-8"))
    assert [each["text"] for each in left["cells"][1]["outputs"]] == ["outside\n"]
    models = left["metadata"]["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    shown = left["cells"][0]["outputs"][0]["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert [each["text"] for each in models[shown]["state"]["outputs"]] == ["inside\n"]
    assert [each["state"]["value"] for each in models.values() if each["model_name"] == "IntSliderModel"] == [7]


def test_another_output_is_found(versions: Versions, tmp_path: Path) -> None:
    """A notebook that tells the time does not replay to the same text, and the report says which cell."""
    bench = Bench(tmp_path)
    bench.write("t.ipynb", notebook(["import time", "print(time.time())", "open('o.txt', 'w').write(str(time.time()))\n1"]))
    bench.record("t", path="t.ipynb")
    done = bench.rex("replay", "--all", "-l", str(bench.archive), "-o", "out", "--check", "--json", cwd=tmp_path)
    report = json.loads(done.stdout)["versions"]["t"]
    assert done.returncode == 1 and list(report["cells"]) == ["2"] and len(report["files"]) == 1
    assert "cell 2" in done.stderr


KINDS = [
    "import multiprocessing, os, pickle, random, subprocess, sys\nrandom.seed(4)\nclass Model:\n    def __init__(self, n):\n"
    "        self.n = n\n    def __repr__(self):\n        return f'{self.__module__}.Model({self.n})'\nmodel = Model(random.random())\nmodel",
    "!echo shell $((1 + 1))\nlines = !cat\nlines",
    "def square(x):\n    return Model(x * x)\ndef both():\n    with multiprocessing.get_context('fork').Pool(2) as pool:\n"
    "        return pool.map(square, range(4))\nprint(both(), pickle.loads(pickle.dumps(model)))",
    "1 / 0",
    "%%bash\necho $0\nread line || echo nothing",
    "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(3) as pool:\n    print(list(pool.map(str, range(5))))",
    "print(subprocess.run(['cat'], capture_output=True).stdout)\ntry:\n    sys.stdin.read()\nexcept EOFError as error:\n    print(error)",
    "import asyncio\nawait asyncio.sleep(0.01)\nprint(WHO, both(), random.random(), random.SystemRandom().random(), os.urandom(3))",
    "raise KeyError(WHO)",
    "print('never')",
]


def test_notebooks_with_all_kinds_of_cells(tmp_path: Path) -> None:
    """Classes, shell lines, pools, seeds, cells that raise: the same together as alone."""
    bench = Bench(tmp_path)
    for who in ("1", "2"):
        cells = json.loads(notebook([cell.replace("WHO", who) for cell in KINDS]))
        cells["cells"][3]["metadata"]["tags"] = ["raises-exception"]
        bench.write("k.ipynb", json.dumps(cells))
        version = bench.record(f"k{who}", path="k.ipynb", status=1)
        assert [cell.how for cell in version.cells] == ["ok"] * 8 + ["error"]
    assert "cells run unattended" in version.cells[6].outputs[0]["text"]
    for number, options in enumerate([("--cache", "1G"), ("--cache", "0"), ("--cache", "1G", "-j", "2")]):
        done = bench.rex("replay", "--all", "-l", str(bench.archive), "-o", f"out{number}", "--check", "--json", *options,
                         cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["restores"] == (0 if "0" in options else 1)


# Folders that the run makes, and looks into as programs do.
FOLDERS = """import glob, os, shutil
os.makedirs("made/deep", exist_ok=True)
open("made/deep/own", "w").write("1")
os.mkdir("new")
open("new/own", "w").write("2")
os.rename("new", "moved")
# %% looks
for folder in ("made", "moved"):
    print([(base, sorted(folders), sorted(files)) for base, folders, files in os.walk(folder)], glob.glob(folder + "/*"))
print([os.path.exists(path) for path in ("made/deep/mine", "moved/mine", "made/mine/mine")])
shutil.rmtree("made")
os.mkdir("made")
print(os.listdir("made"))
"""


def test_folders_of_this_machine_are_not_seen_in_those_that_the_run_makes(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("a.py", FOLDERS)
    bench.record("v")
    for path in ("made/deep/mine", "moved/mine", "made/mine/mine", "new/mine"):
        (bench.work / path).parent.mkdir(parents=True, exist_ok=True)
        bench.write(path, "this machine's")
    done = bench.rex("replay", "--all", "-l", str(bench.archive), "-o", str(tmp_path / "out"), "--check")
    assert done.returncode == 0, done.stderr


ENDS = {"exit3": ("e.ipynb", notebook(["x = 1", "import sys; print(x); sys.exit(3)", "print('no')"]), 3, "1\n"),
        "exit": ("e.ipynb", notebook(["x = 1", "exit(); print('yes')", "print('no')"]), 0, "yes\n"),
        "os-exit": ("e.ipynb", notebook(["print(1)", "import os; print(2); os._exit(5)", "print('no')"]), 5, "2\n"),
        "script": ("a.py", "x = 1\nprint(x)\nexit(4)\nprint('no')\n", 4, ""),
        "child": ("a.py", "import os\nif os.fork() == 0: os._exit(7)\nprint(os.waitstatus_to_exitcode(os.wait()[1]))\n", 0, "7\n")}


def test_programs_that_end_themselves_in_a_cell(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for name, (path, text, status, shown) in ENDS.items():
        bench.write(path, text)
        version = bench.record(name, path=path, status=status)
        last = "".join(output.get("text", "") for output in version.cells[-1].outputs if output.get("name") == "stdout")
        assert last == shown and version.cells[-1].how == ("ok" if name == "child" else "exit")
    done = bench.rex("replay", "--all", "-l", str(bench.archive), "-o", str(tmp_path / "out"), "--check")
    assert done.returncode == 0, done.stderr


def test_updates_change_the_display_that_they_name(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    cells = ["from IPython.display import display, update_display\nshown = display('first', display_id='one'); print('text')",
             "display('again', display_id='one')\nshown.update('second')", "update_display('third', display_id='one')",
             "update_display('nobody', display_id='unknown')"]
    bench.write("u.ipynb", notebook(cells))
    version = bench.record("u", path="u.ipynb")
    texts = [[output.get("data", {}).get("text/plain", output.get("text")) for output in cell.outputs] for cell in version.cells]
    assert texts == [["'third'", "text\n"], ["'third'"], [], []]
    done = bench.rex("replay", "--all", "-l", str(bench.archive), "-o", str(tmp_path / "out"), "--check")
    assert done.returncode == 0, done.stderr
    read = json.loads((tmp_path / "out" / "u.ipynb").read_text())
    assert read["cells"][0]["outputs"][0]["data"]["text/plain"] == "'third'"


@pytest.fixture
def figure(tmp_path: Path) -> Iterator[Bench]:
    pytest.importorskip("matplotlib")
    pytest.importorskip("matplotlib_inline")
    yield Bench(tmp_path)


def test_figures_are_compared_byte_by_byte(figure: Bench) -> None:
    cells = ["import matplotlib.pyplot as plt", "plt.plot([1, 3, 2])", "%matplotlib inline\nplt.bar([1, 2], [3, 5])"]
    figure.write("f.ipynb", notebook(cells))
    figure.record("f5", path="f.ipynb")
    done = figure.rex("replay", "--all", "-l", str(figure.archive), "-o", "out", "--check", cwd=figure.place)
    assert done.returncode == 0, done.stderr
    read = json.loads((figure.place / "out" / "f5.ipynb").read_text())
    assert "image/png" in read["cells"][2]["outputs"][-1]["data"]


@pytest.mark.parametrize("words, why", [
    (("--all", "-e", "plain"), "is named plain"), (("--all", "--cache", "x"), "bad --cache"),
    (("--all", "--checkpoint", "criu"), "a process has one tracer"), (("--all", "-o", "."), "not empty")])
def test_refusals(versions: Versions, words: tuple[str, ...], why: str) -> None:
    done = versions.rex("replay", "-l", str(versions.archive), *words, cwd=versions.place)
    assert done.returncode == 125 and why in done.stderr and done.stderr.count("\n") == 1


def test_an_archive_without_versions_replays_its_plain_runs(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.rex("record", "-q", "-l", str(bench.archive), "--", "true")
    done = bench.rex("replay", "-l", str(bench.archive), "--all")
    assert done.returncode == 0 and "replayed 1 runs" in done.stderr


@pytest.fixture
def cluster(versions: Versions) -> Iterator[str]:
    with dask_cluster(versions.place, REX_CACHE=str(versions.place / "cache")) as (address, _):
        yield address


def test_a_dask_cluster_gives_the_same(versions: Versions, cluster: str) -> None:
    report = versions.replay("dask", "--check", "--cache", "1G", "--dask", cluster)
    assert report["code"] == 0 and report["identical"], (report["versions"], report["said"])
    assert len(report["versions"]) == 6 and (versions.place / "dask" / "input.ipynb").exists()


def test_a_cluster_that_is_not_there_is_told(versions: Versions) -> None:
    pytest.importorskip("distributed")
    done = versions.rex("replay", "-l", str(versions.archive), "--all", "-o", str(versions.place / "none"),
                        "--dask", "tcp://127.0.0.1:1", cwd=versions.place)
    assert done.returncode == 125 and "no Dask scheduler" in done.stderr
