"""Random programs through the extension, against a description of the whole namespace.

The oracle and the programs are those of the state room; here they run as cells of an IPython shell,
with branches, undo, a crash, and a new session that goes on.
"""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("IPython")
pytest.importorskip("cloudpickle")
pytest.importorskip("numpy")

from IPython.core.interactiveshell import InteractiveShell  # noqa: E402

from rex.notebook.session import Options, Session  # noqa: E402

_SPEC = importlib.util.spec_from_file_location(
    "state_programs", Path(__file__).parents[1] / "property" / "test_state_programs.py")
assert _SPEC and _SPEC.loader
programs = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(programs)


class Notebook:
    """A shell with a session; what the oracle said of each node."""

    def __init__(self, archive: Path) -> None:
        self.shell = InteractiveShell()
        self.shell.history_manager.enabled = False
        self.archive = archive
        self.warnings: list[str] = []
        self.session = Session(self.shell, Options(str(archive)), self.warnings.append)
        self.session.start()
        self.recorded: dict[int, Any] = {}

    def describe(self) -> Any:
        names = sorted(name for name in self.shell.user_ns if not self.session._is_own_name(name))
        return programs.Oracle(self.shell.user_ns).describe(names)

    def run(self, code: str) -> None:
        self.shell.run_cell(code, store_history=True)
        assert not self.warnings
        self.recorded[self.session.graph.head] = self.describe()

    def check(self, where: str) -> None:
        done = self.session.checkout(where)
        assert not done.restored.failed and not done.restored.inexact, done
        assert self.describe() == self.recorded[self.session.graph.head]


@pytest.mark.parametrize("seed", range(300, 306))
def test_every_state_comes_back_through_branches_and_a_crash(
        seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    programmer, chance = programs.Programmer(seed), random.Random(seed)
    notebook = Notebook(tmp_path / "A")
    notebook.run(programs.PRELUDE)
    for number in range(16):
        notebook.run(programmer.cell())
        pick = chance.random()
        if pick < 0.2:
            notebook.check(str(chance.choice(list(notebook.recorded))))
        elif pick < 0.3 and len(notebook.recorded) > 1:
            notebook.check(chance.choice(list(notebook.session.graph.branches)))
        elif pick < 0.4 and notebook.session.graph.nodes[notebook.session.graph.head].parent:
            notebook.check("-1")
    for node in notebook.recorded:
        notebook.check(str(node))
    keeper = notebook.session.keeper
    assert keeper is not None
    keeper.store.wait()
    keeper.recording.abandon()   # as a killed kernel leaves it

    later = Notebook(tmp_path / "A")
    later.recorded = notebook.recorded
    later.session.resume(str(tmp_path / "A"), keeper.name)
    assert later.describe() == later.recorded[later.session.graph.head]
    for node in list(later.recorded)[::3]:
        later.check(str(node))
    later.run(programmer.cell())
    assert later.session.stop()
