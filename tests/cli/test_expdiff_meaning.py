"""`rex expdiff` with tolerances on real recordings."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from commands import rex, run_rex

pytestmark = pytest.mark.usefixtures("tracing")
SCRIPT = "echo name,p > out.csv; echo a,0.5 >> out.csv; date +'finished at %s.%N' > run.log; echo a,$(date +%N) | cut -c1-2; date +'pid %N' >&2"


def record(folder: Path, *command: str, **environment: str) -> None:
    run_rex("record", "-q", "-l", "A", "--", *command, cwd=folder, code=0, **environment)


def test_runs_that_differ_in_dates_alone_are_the_same_where_these_are_ignored(tmp_path: Path) -> None:
    for _ in range(2):
        record(tmp_path, "sh", "-c", SCRIPT)
    differ = rex("expdiff", "A:exp0", "A:exp1", cwd=tmp_path, code=1)
    assert "outputs          1 differs" in differ and "numbers: 1 of 1 differ" in differ
    same = rex("expdiff", "A:exp0", "A:exp1", "--ignore", "finished at .*", "--ignore", r"pid \d+", cwd=tmp_path)
    assert same.startswith("rules: --ignore 'finished at .*' --ignore 'pid \\d+'\nA:exp0 and A:exp1 are the same\n")
    assert f"not counted      {tmp_path}/run.log: same within tolerance (1 ignored)" in same
    assert "not counted      standard error: same within tolerance (1 ignored)" in same


@pytest.mark.stress
def test_the_last_digits_under_another_kernel_of_blas(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    if "openblas" not in str(numpy.show_config(mode="dicts")).lower():
        pytest.skip("numpy has another library than OpenBLAS")
    (tmp_path / "p.py").write_text("import numpy\nx = numpy.random.default_rng(1).random((200, 200))\nnumpy.save('product.npy', x @ x @ x)\n")
    for kernel in ("Prescott", "Haswell"):
        record(tmp_path, sys.executable, "p.py", OPENBLAS_CORETYPE=kernel, OPENBLAS_NUM_THREADS="1")
    strict, loose = (json.loads(rex("expdiff", "A:exp0", "A:exp1", *words, "--json", cwd=tmp_path, code=1)) for words in ([], ["--rtol", "1e-12"]))
    counts = {each["name"]: each["count"] for each in strict["components"]}
    assert counts["outputs"] == 1 and counts["environment"] == 1
    assert {each["name"]: each["count"] for each in loose["components"]}["outputs"] == 0
    verdict = loose["within_tolerance"][0]["verdict"]
    assert verdict["outcome"] == "within" and 0 < verdict["within"] <= 40000


@pytest.mark.stress
def test_an_hdf5_file_that_is_written_in_another_order(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    (tmp_path / "p.py").write_text("import sys, h5py\nwith h5py.File('out.h5', 'w') as file:\n    for name in sys.argv[1]:\n        file[name] = [ord(name)] * 9\n")
    for order in ("ab", "ba"):
        record(tmp_path, sys.executable, "p.py", order)
    told = json.loads(rex("expdiff", "A:exp0", "A:exp1", "--ulps", "1", "--json", cwd=tmp_path, code=1))
    assert [each["verdict"]["sentence"] for each in told["within_tolerance"]] == ["same values, other bytes"]
