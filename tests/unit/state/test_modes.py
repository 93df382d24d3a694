"""What libraries do for the whole process, and what their generators gave first, comes back with a cell."""

from __future__ import annotations

import decimal
import os
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

pytest.importorskip("cloudpickle")
numpy = pytest.importorskip("numpy")

from rex.state import modes  # noqa: E402
from .sessions import Session  # noqa: E402

_MODES = {"decimal.getcontext().prec = 6": "str(decimal.Decimal(1) / 3)",
          "decimal.getcontext().rounding = decimal.ROUND_UP": "str(round(decimal.Decimal('0.123'), 2))",
          "np.set_printoptions(precision=2)": "str(np.array([1 / 3]))",
          "np.seterr(divide='raise')": "np.geterr()['divide']",
          "sys.setrecursionlimit(1777)": "sys.getrecursionlimit()"}


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = modes.capture()
    yield
    for name, value in before.items():
        modes.restore(name, value)


@pytest.mark.parametrize("change, shown", _MODES.items())
def test_a_checkout_gives_back_the_modes_of_libraries(change: str, shown: str) -> None:
    session = Session()
    session.run("import decimal, sys\nimport numpy as np")
    first = eval(shown, session.namespace)
    one, other = session.run("x = 1").node, session.run(change).node
    second = eval(shown, session.namespace)
    assert second != first
    for node, wanted in ((one, first), (other, second), (one, first)):
        assert not session.checkout(node).failed
        assert eval(shown, session.namespace) == wanted


def test_a_limit_that_the_calls_exceed_is_named() -> None:
    session = Session()
    session.run("import sys\nsys.setrecursionlimit(300)")
    session.run("sys.setrecursionlimit(3000)")

    def deeper(depth: int) -> dict[str, str]:
        return deeper(depth - 1) if depth else session.checkout(1).failed

    assert "RecursionError" in deeper(400)[modes.LIMIT]


def test_a_cell_that_is_computed_again_rounds_as_it_did() -> None:
    session = Session()
    session.run("import decimal\ndecimal.getcontext().prec = 5")
    made = session.run("third = str(decimal.Decimal(1) / 3)\nagain = (each for each in [str(decimal.Decimal(1) / 3)])").node
    session.run("decimal.getcontext().prec = 9; next(again)")
    assert set(session.checkout(made).recomputed) == {"again"}
    assert next(session["again"]) == session["third"] == "0.33333" and decimal.getcontext().prec == 5


_DRAWS = """
from tests.unit.state.sessions import Session
session = Session(check_loads=False)
session.run({before!r})
node = session.run({code!r}).node
for _ in range(2):
    session.run("x = list(again)")
    done = session.checkout(node)
    assert set(done.recomputed) == {{"again"}} and not done.failed, done
    session.run("x = list(again)")
    assert session["x"] == [session["drawn"]]
"""


@pytest.mark.parametrize("before", ["", "pass"])
@pytest.mark.parametrize("code", ["import random\ndrawn = random.random()", "import numpy as np\ndrawn = np.random.rand()",
                                  "import numpy.random\ndrawn = numpy.random.normal()",
                                  "import torch\ndrawn = torch.rand(1).item()"])
def test_the_first_draw_is_the_same_when_a_cell_is_computed_again(before: str, code: str) -> None:
    if "torch" in code:
        pytest.importorskip("torch")
    code = f"{code}\nagain = (each for each in [drawn])"
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", _DRAWS.format(before=before, code=code)], check=True, cwd=root,
                   env={**os.environ, "PYTHONPATH": os.pathsep.join((str(root), os.environ.get("PYTHONPATH", "")))}, timeout=120)
