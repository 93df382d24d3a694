"""`rex replay --all` of plain recordings and `rex sweep`, on a Dask cluster of two local workers."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import REX, dask_cluster, environment, run_rex
from rex import cluster as clusters
from rex.errors import OwnFailure

pytestmark = pytest.mark.usefixtures("tracing")

Workers = list[subprocess.Popen[bytes]]
SCRIPT = "sort in.txt > sorted.txt\nhead -c $1 sorted.txt > first.txt\ntouch here.$1\nwhile test -e ../wait; do sleep 0.05; done\ncat first.txt\n"


@pytest.fixture
def made(tmp_path: Path) -> Iterator[tuple[Path, str, Workers]]:
    """A study with its first run, and a cluster."""
    with dask_cluster(tmp_path, REX_CACHE=str(tmp_path / "cache")) as (address, workers):
        (tmp_path / "work").mkdir()
        (tmp_path / "work" / "run.sh").write_text(SCRIPT)
        (tmp_path / "work" / "in.txt").write_text("b\na\n")
        (tmp_path / "other.txt").write_text("d\nc\n")
        run_rex("record", "-q", "-l", "../EXP", "sh", "run.sh", "1", cwd=tmp_path / "work")
        yield tmp_path, address, workers


def swept(top: Path, *words: str) -> list[dict[str, Any]]:
    return list(json.loads(run_rex("sweep", "-l", "EXP", "-e", "exp0", "-q", "--json", *words, cwd=top).stdout)["runs"])


def test_a_cluster_does_the_same(made: tuple[Path, str, Workers]) -> None:
    top, address, _ = made
    words = ("--arg", "2=2,3", "--file", "in.txt=work/in.txt,other.txt", "--dask", address)
    runs = swept(top, *words)
    assert [(run["parameters"]["arg2"], run["exit_status"], run["outputs"]["first.txt"]["size"]) for run in runs] == [("2", 0, 2), ("2", 0, 2), ("3", 0, 3), ("3", 0, 3)]
    assert [run["was_there"] for run in swept(top, *words, "--resume")] == [True] * 4
    found = json.loads(run_rex("replay", "-l", "EXP", "--all", "--check", "--json", "-o", "out", "--dask", address, cwd=top).stdout)
    assert found["identical"] and set(found["runs"]) == {"exp0", *(run["experiment"] for run in runs)}
    assert (top / "out/exp0.stdout").read_text() == "a" and not [name for name in os.listdir(top / "out") if name.startswith(".")]


def test_a_worker_that_dies_loses_nothing(made: tuple[Path, str, Workers]) -> None:
    top, address, workers = made
    (top / "wait").touch()
    sweep = subprocess.Popen([*REX, "sweep", "-l", "EXP", "-e", "exp0", "--arg", "2=2,3", "--json", "-q", "-o", "kept", "--dask", address], cwd=top,
                             env=environment(), stdout=subprocess.PIPE, text=True)
    while len(list((top / "kept").glob("**/here.*"))) < 2:        # both workers run one
        assert sweep.poll() is None
        time.sleep(0.05)
    workers[0].kill()
    (top / "wait").unlink()
    runs = json.loads(sweep.communicate()[0])["runs"]
    assert sweep.returncode == 0 and [run["outputs"]["first.txt"]["size"] for run in runs] == [2, 3]
    assert run_rex("replay", "-l", "EXP", "-e", runs[1]["experiment"], "--check", cwd=top).returncode == 0


def test_a_cluster_without_workers_is_told(made: tuple[Path, str, Workers], monkeypatch: pytest.MonkeyPatch) -> None:
    _, address, workers = made
    monkeypatch.setattr(clusters, "_PATIENCE_S", 2)
    with clusters.connect(address) as client, pytest.raises(OwnFailure, match="lost all its workers"):
        for worker in workers:
            worker.kill()
        list(clusters.ended(client, time.sleep, [600]))
