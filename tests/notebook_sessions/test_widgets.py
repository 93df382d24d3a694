"""Widgets go back with the variables and the cells, in a real kernel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytest.importorskip("ipywidgets", reason="ipywidgets is not installed")
pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")

from notebook_sessions.kernels import Kernel  # noqa: E402


def test_cells_variables_and_widgets_are_checked_out_together(tmp_path: Path) -> None:
    with Kernel(tmp_path) as kernel:
        kernel.run("from ipywidgets import IntSlider, VBox", cell_id="a")
        shown = kernel.run("s = IntSlider(3)\nbox = VBox([s])\ns", cell_id="b")
        then = kernel.run("s.observe(lambda change: seen.append(1), names='value')\nseen = []\nn = s.value\nn", cell_id="c")
        kernel.run("s.max = 300; s.value = 250; n = 70", cell_id="d")
        kernel.run("n", cell_id="c")
        told = kernel.run(f"%rex checkout {then.count} --cells")
        assert "could not" not in told.text and {"value": 3, "max": 100} in [each.get("state") for each in told.updates]
        assert kernel.value("(n, s.value, s.max, box.children[0] is s, seen)") == (3, 3, 100, True, [])
        kernel.run("s.value = 4")
        assert kernel.value("(s.value, seen)") == (4, [1])     # its callback lives
        cells = json.loads((tmp_path / f"notebook-{then.count}.ipynb").read_text())["cells"]
        found = {cell["id"]: cell for cell in cells}
        assert found["c"]["execution_count"] == then.count and found["c"]["outputs"][0]["data"]["text/plain"] == "3"
        assert found["b"]["outputs"][0]["data"] == shown.results[0] and "d" not in found
        kernel.run(f"%rex show {then.count}:s")     # no second object of it can be
        assert kernel.value("s.value") == 4


def test_a_widget_that_was_closed_is_computed_again(tmp_path: Path) -> None:
    with Kernel(tmp_path) as kernel:
        kernel.run("from ipywidgets import IntSlider")
        kernel.run("s = IntSlider(3)\nn = 1")
        kernel.run("s.close()\ns = None\nn = 2")
        told = kernel.run("%rex undo").text
        assert "computed again: s (LookupError: the IntSlider was closed, or lived in another kernel)" in told
        assert kernel.value("(s.value, n)") == (3, 1)
