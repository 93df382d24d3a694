"""Executors: every version shows what it shows alone, whatever can and cannot be forked."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from pace import first
from rex.multiversion.execute import Replayer, Tally
from rex.multiversion.merge import VersionTree, merge
from rex.multiversion.worker_protocol import Orders
from rex.multiversion.parallel import ParallelReplayer
from rex.multiversion.planners import make_plan

from .barelab import BareLab, Silent
from .versions import make_version

pytest.importorskip("IPython")

PLENTY = 1 << 40


class PlainOrders(Orders):
    """Without manifests: all versions have one environment."""

    def _variables(self, name: str, state: Any) -> dict[str, str | None]:
        return {}


class Trial:
    """A tree of notebooks, run alone and together."""

    def __init__(self, place: Path, programs: list[list[str]], **facts: Any) -> None:
        self.place = place
        self.programs = programs
        self.versions = [make_version(f"v{i}", cells, **facts) for i, cells in enumerate(programs)]
        for version in self.versions:
            version.kind = "notebook"
        self.tree: VersionTree = merge(self.versions)

    def run(self, budget_bytes: int = PLENTY, workers: int = 1, algorithm: str = "best") -> Tally:
        self.lab, self.watch = BareLab(self.place), Silent()
        try:
            if workers > 1:
                return ParallelReplayer(self.tree, PlainOrders(None, self.versions), self.lab, self.watch,
                                        budget_bytes, workers).run()
            plan = make_plan(self.tree.execution, budget_bytes, algorithm)
            return Replayer(self.tree, PlainOrders(None, self.versions), self.lab, self.watch,
                            budget_bytes).run(plan.sequence.ops)
        finally:
            self.lab.close()

    def shown(self, tally: Tally) -> list[list[str]]:
        """The texts that each version shows, cell by cell."""
        found = []
        for version in self.versions:
            path = self.tree.path(self.tree.ends[version.name])
            found.append(["".join(_text(output) for output in tally.results[name]["outputs"]) for name in path])
        return found

    def alone(self) -> list[list[str]]:
        """The same with every version on its own."""
        found = []
        for cells in self.programs:
            single = Trial(self.place, [cells])
            found += single.shown(single.run())
        return found


def _text(output: dict[str, Any]) -> str:
    return output.get("text") or output.get("data", {}).get("text/plain") or output.get("ename", "")


def computed(trial: Trial) -> int:
    return len(trial.watch.computed)


SHARED = ["import random\nrandom.seed(3)", "data = [random.random() for _ in range(3)]\ndata",
          "import io\nbuffer = io.StringIO('a b c')"]
PROGRAMS = [SHARED + ["data.append(random.random())\ndata"],
            SHARED + ["print(random.random(), len(data), buffer.read(2))", "print(buffer.read(2), random.random())"],
            SHARED + ["print(random.random(), len(data), buffer.read(2))", "print(buffer.read(9), data)"],
            SHARED[:2]]


@pytest.mark.parametrize("workers", first(1, [2, 1]))
def test_together_is_as_alone(tmp_path: Path, workers: int) -> None:
    trial = Trial(tmp_path, PROGRAMS)
    tally = trial.run(workers=workers)
    assert computed(trial) == len(trial.tree.nodes) == 7, "every cell once"
    assert sorted(sum(trial.watch.ended, [])) == ["v0", "v1", "v2", "v3"]
    assert not tally.failed and not tally.notes
    assert trial.shown(tally) == trial.alone()


@pytest.mark.parametrize("workers", first(1, [2, 1]))
def test_without_a_cache_every_version_starts_anew(tmp_path: Path, workers: int) -> None:
    trial = Trial(tmp_path, PROGRAMS[:3])
    tally = trial.run(budget_bytes=0, workers=workers)
    assert tally.checkpoints == 0 and computed(trial) == 4 + 5 + 5
    assert trial.shown(tally) == trial.alone()


UNFORKABLE = {
    "thread": ("import threading\nstop = threading.Event()\nt = threading.Thread(target=stop.wait, daemon=True)\nt.start()",
               "it has other threads"),
    "socket": ("import socket\npair = socket.socketpair()", "it has an open socket"),
    "child": ("import subprocess\nc = subprocess.Popen(['sleep', '30'])", "it has a child process"),
    "pipe": ("import os\nends = os.pipe()", "it has an open pipe"),
    "shared memory": ("import mmap\nm = mmap.mmap(-1, 4096)", "it has writable memory that a fork would share"),
    "epoll": ("import select\ne = select.epoll()", "it has an open eventpoll"),
}


@pytest.mark.parametrize("kind", UNFORKABLE)
def test_what_cannot_be_forked_is_computed_again(tmp_path: Path, kind: str) -> None:
    code, why = UNFORKABLE[kind]
    end = "\ntry:\n    c.kill(); c.wait()\nexcept NameError:\n    pass"
    trial = Trial(tmp_path, [["x = 1", code, f"print(x + {i}){end}"] for i in range(2)])
    tally = trial.run()
    assert trial.shown(tally) == [["", "", "1\n"], ["", "", "2\n"]]
    assert [note for note in tally.notes if why in note], tally.notes
    assert computed(trial) > len(trial.tree.nodes)


def test_gnu_openmp_works_after_a_fork(tmp_path: Path) -> None:
    source = tmp_path / "sum.c"
    source.write_text("""double sum(int n) { double s = 0;
        #pragma omp parallel for num_threads(2) reduction(+:s)
        for (int i = 0; i < n; i++) s += i;
        return s; }""")
    try:
        subprocess.run(["gcc", "-fopenmp", "-shared", "-fPIC", "-o", tmp_path / "sum.so", source], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no gcc with OpenMP")
    load = "import ctypes\nlib = ctypes.CDLL('./sum.so')\nlib.sum.restype = ctypes.c_double\nlib.sum(1000)"
    trial = Trial(tmp_path, [["a = 1", load, f"print(lib.sum({n}))"] for n in (10, 100, 1000)])
    tally = trial.run()
    assert not tally.notes and computed(trial) == 5
    assert [each[-1] for each in trial.shown(tally)] == ["45.0\n", "4950.0\n", "499500.0\n"]


def test_offsets_of_open_files_are_each_versions_own(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("".join(f"line {i}\n" for i in range(5000)))
    begin = "import os\nfile = open('lines.txt', 'rb', buffering=0)\nfile.read(7)"
    trial = Trial(tmp_path, [[begin, f"print(file.read(7), {i})", "print(file.read(7))"] for i in range(3)])
    tally = trial.run()
    assert [each[2] for each in trial.shown(tally)] == ["b'line 2\\n'\n"] * 3


def test_a_state_knows_its_process_by_one_id(tmp_path: Path) -> None:
    """Else tempfile would draw anew after a fork, and multiprocessing take its own for another's."""
    begin = ("import os, signal, multiprocessing\ncame = []\nsignal.signal(signal.SIGUSR1, lambda *_: came.append(1))\n"
             "before = os.getpid()\nended = multiprocessing.get_context('fork').Process(target=int)\nended.start(); ended.join()")
    show = ("os.kill(os.getpid(), signal.SIGUSR1)\nfork = os.fork()\nif not fork:\n    os._exit(os.getpid() == before)\n"
            "print(os.getpid() == before, ended.is_alive(), came, os.waitpid(fork, 0)[1], {0})")
    trial = Trial(tmp_path, [[begin, show.format(i)] for i in range(3)])
    assert [each[1] for each in trial.shown(trial.run())] == [f"True False [1] 0 {i}\n" for i in range(3)]


def test_idle_event_loops_are_each_versions_own(tmp_path: Path) -> None:
    """IPython keeps one after `await`; in both branches it must wake up by itself, and by other threads."""
    begin = ["x = 1", "import asyncio, threading\nawait asyncio.sleep(0.01)", "%%bash\ntrue", "mine = asyncio.new_event_loop()"]
    end = "threading.Timer(0.05, mine.call_soon_threadsafe, [mine.stop]).start()\nmine.run_forever()\nprint({0})"
    trial = Trial(tmp_path, [[*begin, end.format(i), "await asyncio.sleep(0.01)"] for i in range(3)])
    tally = trial.run()
    assert not tally.notes and computed(trial) == 4 + 3 * 2
    assert [each[4] for each in trial.shown(tally)] == ["0\n", "1\n", "2\n"]


def test_nameless_files_are_each_versions_own(tmp_path: Path) -> None:
    begin = "import tempfile\nfile = tempfile.TemporaryFile()\nfile.write(b'shared ')\nfile.flush()"
    more = "file.write(b'{0}')\nfile.flush()\nposition = file.tell()"
    trial = Trial(tmp_path, [[begin, more.format(i), "file.seek(0)\nprint(position, file.read())"] for i in range(2)])
    tally = trial.run()
    assert [each[2] for each in trial.shown(tally)] == ["8 b'shared 0'\n", "8 b'shared 1'\n"]


def test_collections_do_not_touch_the_pages_of_a_checkpoint(tmp_path: Path) -> None:
    trial = Trial(tmp_path, [["x = [[i] for i in range(1000)]", f"import gc\nprint(gc.get_freeze_count() > 1000, {i})"]
                             for i in range(2)])
    assert [each[1] for each in trial.shown(trial.run())][1] == "True 1\n"


def test_a_process_that_dies_costs_a_recomputation(tmp_path: Path) -> None:
    once = ("import os, signal\nif not os.path.exists('died'):\n    open('died', 'w').close()\n"
            "    os.kill(os.getpid(), signal.SIGKILL)")
    trial = Trial(tmp_path, [["x = 1", "y = x + 1", once, f"print(y + {i})"] for i in range(2)])
    tally = trial.run()
    assert not tally.failed and "computed again" in tally.notes[0]
    assert [each[3] for each in trial.shown(tally)] == ["2\n", "3\n"]


def test_a_cell_that_dies_twice_is_tried_without_the_other_checkpoints(tmp_path: Path) -> None:
    """It may have been their memory that it lacked; they are computed again where they are needed."""
    dies = ("tries = open('tries', 'a'); tries.write('x'); tries.close()\n"
            "if os.path.getsize('tries') < 3:\n    os.kill(os.getpid(), 9)\nprint('lives')")
    trial = Trial(tmp_path, [["import os", "y = 1", dies], ["import os", "y = 1", "print(y)"], ["import os", "print(2)"]])
    tally = trial.run()
    assert not tally.failed and [each[-1] for each in trial.shown(tally)] == ["lives\n", "1\n", "2\n"]


@pytest.mark.parametrize("workers", first(1, [2, 1]))
def test_a_cell_that_always_dies_takes_only_its_versions_with_it(tmp_path: Path, workers: int) -> None:
    dies = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    trial = Trial(tmp_path, [["x = 1", dies, "print(2)"], ["x = 1", "print(x)"]])
    tally = trial.run(workers=workers)
    assert list(tally.failed) == ["2a"] and trial.watch.ended == [["v1"]]
    assert tally.results["2b"]["outputs"][0]["text"] == "1\n"


@pytest.mark.parametrize("workers", first(1, [2, 1]))
def test_the_budget_holds_whatever_the_plan_believed(tmp_path: Path, workers: int) -> None:
    grow = "block = bytearray(64 << 20)\nfor i in range(0, len(block), 4096):\n    block[i] = 1"
    rewrite = "for i in range(0, len(block), 4096):\n    block[i] = {0}\nimport time\ntime.sleep(0.3)\nprint(block[4096])"
    trial = Trial(tmp_path, [["x = 1", grow, rewrite.format(i)] for i in range(2, 5)])
    tally = trial.run(budget_bytes=48 << 20, workers=workers)
    assert tally.peak_bytes <= 48 << 20
    assert any("too large" in note for note in tally.notes)
    assert [each[2] for each in trial.shown(tally)] == ["2\n", "3\n", "4\n"]


def test_a_raising_cell_ends_its_version_as_recorded(tmp_path: Path) -> None:
    trial = Trial(tmp_path, [["x = 1", "1 / 0"], ["x = 1", "print(x)"]])
    tally = trial.run()
    assert not tally.failed and [each[-1] for each in trial.shown(tally)] == ["ZeroDivisionError", "1\n"]


def test_a_cell_that_raises_only_now_is_told(tmp_path: Path) -> None:
    trial = Trial(tmp_path, [["x = 1", "1 / 0", "print(2)"], ["x = 1", "print(x)"]])
    assert trial.run().failed == {"2a": "it raises, and did not when it was recorded"}
