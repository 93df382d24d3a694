"""The table of docs/state-classes.md: that it tells of every class, and, under stress, that it is true."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cloudpickle")

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import state_classes  # noqa: E402

_LEAST = 146   # classes
HANDLES = {"ray", "pyspark"}      # of objects in other processes: docs/state.md lists them among the limits


def told() -> dict[str, dict[str, list[str]]]:
    """The page's rows: library -> class -> change seen, reading stores nothing, came back, state correct."""
    found: dict[str, dict[str, list[str]]] = {}
    for section in (ROOT / "docs" / "state-classes.md").read_text().split("\n## ")[1:]:
        library, *lines = section.splitlines()
        rows = [[field.strip() for field in line.strip("| ").split(" | ")] for line in lines if line.startswith("| ")]
        found[library] = {row[0]: row[1:] for row in rows[1:]}
    return found


def test_the_page_tells_of_every_class() -> None:
    page = told()
    assert {name: list(rows) for name, rows in page.items()} == {
        **{name: [case[0] for case in cases] for name, (_, cases) in state_classes.LIBRARIES.items()},
        **dict.fromkeys(state_classes.NOT_TRIED, [])}
    states = {(library, row[3]) for library, rows in page.items() for row in rows.values()}
    assert sum(map(len, page.values())) >= _LEAST
    assert {library for library, state in states if state != "yes"} == HANDLES


@pytest.mark.stress
@pytest.mark.parametrize("library", state_classes.LIBRARIES)
def test_the_page_is_true(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    imports = state_classes.LIBRARIES[library][0]
    tried: Any = subprocess.run([sys.executable, "-c", "import os, io, tempfile\n" + imports], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(tried.stderr.strip().splitlines()[-1][:200])
    for (name, *_), done in zip(state_classes.LIBRARIES[library][1], state_classes.in_processes(library), strict=True):
        assert done["is_state_correct"] == (told()[library][name][3] == "yes"), (name, done.get("problem"))
        assert ("yes" if done["is_change_seen"] else "no") == told()[library][name][0], name
