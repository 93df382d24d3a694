"""Loading or running again: by measured cost, and only what gives the very same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cloudpickle")
numpy = pytest.importorskip("numpy")

from rex.archive import Archive  # noqa: E402
from rex.state import Store, recompute, run_plainly, store as store_module  # noqa: E402
from .sessions import Session  # noqa: E402

LARGE = 3 << 20   # numbers


class Kept(Session):
    """A session whose states are in an archive only."""

    def __init__(self, folder: Path) -> None:
        super().__init__(check_loads=False)
        archive = Archive.create(folder / "archive")
        self.store = Store(archive, archive.begin("session"))
        self.again: list[str] = []
        self.run("import numpy as np, os")

    def keep(self, code: str) -> int:
        delta = self.run(code)
        self.store.save(delta)
        self.store.wait()
        return delta.node

    def go(self, node: int) -> Any:
        def run(code: str, namespace: dict[str, Any]) -> None:
            self.again.append(code)
            run_plainly(code, namespace)

        done = self.checkout(node, read=self.store.read, run=run)
        assert not done.failed and not done.inexact
        return done


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(store_module, "RECENT_BYTES", 0)
    session = Kept(tmp_path)
    yield session
    session.store.close()


def test_what_is_computed_sooner_than_loaded_is_computed(kept: Kept) -> None:
    node = kept.keep(f"grid = np.arange({LARGE}.).reshape(-1, 64)\nrow = grid[3]")
    kept.keep("grid = row = None")
    kept.tracker.costs.loaded(1 << 20, 60.0)   # a slow disk
    done = kept.go(node)
    assert done.recomputed == {"grid": recompute.WHY, "row": recompute.WHY} and len(kept.again) == 1
    assert kept["row"].base is kept["grid"].base is not None and kept["grid"].sum() == LARGE * (LARGE - 1) / 2
    kept.keep("grid[0, 0] = 5")
    kept.go(node)
    assert kept["grid"][0, 0] == 0 and len(kept.again) == 1   # patched: it lives


def test_what_is_loaded_sooner_is_loaded(kept: Kept) -> None:
    node = kept.keep(f"for _ in range(40): grid = np.arange({LARGE}.)")
    kept.keep("grid = None")
    kept.tracker.costs.loaded(1 << 30, 0.2)
    assert kept.go(node).loaded == {"grid"} and not kept.again


@pytest.mark.parametrize("code", [
    f"grid = np.random.default_rng().random({LARGE})", f"grid = np.full({LARGE}, float(id(object()) ^ os.getpid()))"])
def test_what_does_not_give_the_same_again_is_loaded(kept: Kept, code: str) -> None:
    node = kept.keep(code)
    before = kept["grid"].copy()
    for _ in range(2):
        kept.keep("grid = None")
        kept.tracker.costs.loaded(1 << 20, 60.0)
        assert kept.go(node).loaded == {"grid"}
        assert (kept["grid"] == before).all()
    assert len(kept.again) <= 1   # it is not tried twice


@pytest.mark.parametrize("before, code", [
    ("def make():\n    return np.zeros(%d)", "grid = make()"), ("calls = []", "grid = np.zeros(%d); np.seterr(all='warn')"),
    ("import time", "grid = np.zeros(%d); time.sleep(0)"), ("class K: pass\nk = K()", "grid = np.zeros(%d); k.x = 1")])
def test_cells_that_somebody_might_notice_are_not_run(kept: Kept, before: str, code: str) -> None:
    kept.keep(before.replace("%d", str(LARGE)))
    node = kept.keep(code.replace("%d", str(LARGE)))
    kept.keep("grid = None")
    kept.tracker.costs.loaded(1 << 20, 60.0)
    assert "grid" in kept.go(node).loaded and not kept.again
