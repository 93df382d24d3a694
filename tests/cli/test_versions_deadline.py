"""`rex replay --all --deadline`: as many versions as fit, and no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from versionbench import Bench

pytest.importorskip("IPython")
pytestmark = pytest.mark.usefixtures("tracing")

# The long version alone takes longer than the deadline, on any machine; the others hardly take any time.
SLEEPS = {"short": 0, "other": 0.01, "long": 4}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    made = Bench(tmp_path_factory.mktemp("deadline"))
    for name, seconds in SLEEPS.items():
        made.write("a.py", f"import time\n# %%\ntime.sleep({seconds})\nprint({name!r})\n")
        made.record(name)
    return made


def test_versions_that_fit_are_replayed(bench: Bench, tmp_path: Path) -> None:
    done = bench.rex("replay", "-l", str(bench.archive), "--all", "--check", "--deadline", "3.9s", "--cache", "1G", "--json",
                     "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert set(told["versions"]) == {"short", "other"} and told["identical"]
    assert told["of"] == 3 and told["at_most"] == 2 and told["planned"] <= told["deadline"] == 3.9
    assert "2 of 3 versions fit 3.90 s; no choice has more than 2 different ones" in done.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"short", "other", "short.ipynb", "other.ipynb"}


@pytest.mark.parametrize("words, said", [
    (["--all", "--deadline", "0.000001s"], "no version can be replayed in"),
    (["--all", "--deadline", "9s", "--dask", "tcp://127.0.0.1:1"], "for this machine alone"),
    (["--deadline", "9s"], "add --all"),
])
def test_what_no_deadline_can_do_is_refused(bench: Bench, tmp_path: Path, words: list[str], said: str) -> None:
    done = bench.rex("replay", "-l", str(bench.archive), *words, "-o", str(tmp_path / "out"))
    assert done.returncode == 125 and said in done.stderr, done.stderr
