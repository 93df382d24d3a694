"""`rex record --reuse`: a step that sets times of files, or keeps them, is put back with these, if they would be the same now."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from commands import kept_times
from test_reuse import Study

pytestmark = pytest.mark.usefixtures("tracing")

_LONG_AGO = 10**18


class Timed(Study):
    """A study whose files were made long ago, and which compares their times too."""

    def again(self, script: str = "") -> tuple[set[str], dict[str, int]]:
        """Run it with reuse, as a script with another end. Returns the programs put back, and the times that are not of the run."""
        self.clear()
        self.write("run.sh", (script or (self.work / "run.sh").read_text()) + "# more\n")
        began_ns = time.time_ns()
        found = self.programs()
        return found, {name: ns for name, ns in kept_times(self.work, began_ns).items() if name not in ("run.sh", "in.txt")}


def timed(top: Path, script: str) -> Timed:
    study = Timed(top, script)
    os.utime(study.work / "in.txt", ns=(_LONG_AGO, _LONG_AGO))
    study.record()
    return study


SETS = {
    "a time of a new file": ("sh -c 'sort in.txt > a.txt; touch -d @5 a.txt'\n", {"a.txt": 5 * 10**9}),
    "before 1970": ("sh -c 'sort in.txt > a.txt; touch -d @-5.5 a.txt'\n", {"a.txt": -55 * 10**8}),
    "in the future": ("sh -c 'sort in.txt > a.txt; touch -d 2100-01-01T00:00:00Z a.txt'\n", {"a.txt": 4102444800 * 10**9}),
    "a copy with its time": ("cp -p in.txt a.txt\n", {"a.txt": _LONG_AGO}),
    "a time that moves along": ("sh -c 'cp -p in.txt t; mv t a.txt'\n", {"a.txt": _LONG_AGO}),
    "a link": ("sh -c 'ln -s in.txt a.txt; touch -h -d @5 a.txt'\n", {"a.txt": 5 * 10**9}),
    "a file that goes": ("sh -c 'cp -p in.txt t; sort t > a.txt; rm t'\n", {}),
    "a directory": ("sh -c 'mkdir a.txt; cp -p in.txt a.txt; touch -d @5 a.txt'\n", {"a.txt/in.txt": _LONG_AGO}),
}


@pytest.mark.parametrize("name", SETS)
def test_times_are_put_back(name: str, tmp_path: Path) -> None:
    script, times = SETS[name]
    study = timed(tmp_path, script)
    assert study.again() == ({script.split()[0]}, times)
    if name == "a directory":
        assert (study.work / "a.txt").stat().st_mtime == 5


CHANGES = {
    "of what was copied": "cp -p in.txt a.txt\n",
    "of what was touched like another": "sh -c 'sort in.txt > a.txt; touch -r in.txt a.txt'\n",
    "of what moved": "sh -c 'mv in.txt a.txt'\n",
    "of what got another mode": "chmod u+x in.txt\n",
    "of what got another time of access": "touch -a in.txt\n",
    "of what was opened and not written": "sh -c 'exec 3<> in.txt'\n",
}


@pytest.mark.parametrize("name", CHANGES)
def test_another_time_is_another_result(name: str, tmp_path: Path) -> None:
    study = timed(tmp_path, CHANGES[name])
    study.write("in.txt", "b\na\nc\na\n")
    (study.work / "in.txt").chmod(0o644)
    os.utime(study.work / "in.txt", (7, 7))
    began_ns = time.time_ns()
    study.edit("\n", "\n# more\n")
    assert study.programs() == set()
    assert 7 * 10**9 in kept_times(study.work, began_ns).values()


@pytest.mark.parametrize("copy", ("cp -p s.txt a.txt", "sh -c 'tar cf t s.txt; mkdir d; tar xf t -C d; mv d/s.txt a.txt; rm -r t d'"))     # whole seconds
def test_time_of_a_file_of_the_run_is_not_known(copy: str, tmp_path: Path) -> None:
    study = timed(tmp_path, f"sort in.txt > s.txt\n{copy}\n")
    assert study.again()[0] - {"rm"} == {"sort"}          # a.txt must be as old as s.txt is


def test_time_that_another_step_sets_later(tmp_path: Path) -> None:
    script = "sort in.txt > s.txt\npython3 -c 'import os; os.utime(\"s.txt\", (5, 5))'\n"
    study = timed(tmp_path, script)
    assert study.again() == ({"sort"}, {"s.txt": 5 * 10**9})
    assert study.again(script.replace("(5, 5)", "(6, 6)")) == ({"sort"}, {"s.txt": 6 * 10**9})


def test_a_time_in_the_future_that_was_set_counts(tmp_path: Path) -> None:
    study = timed(tmp_path, "cp in.txt a.txt\ntouch -d 2100-01-01 a.txt\nfind a.txt -newermt 2100-06-01 > f.txt\n")
    study.clear()
    study.edit("2100-01-01", "2100-12-01")
    study.record()
    assert (study.work / "f.txt").read_text() == "a.txt\n"
