"""Data that the script's beginning makes and no loop changes are no part of what checkpoints cost."""

from __future__ import annotations

from pathlib import Path

from hindsight_harness import Case

SCRIPT = """
    import hashlib, os, time
    import numpy as np
    data = np.frombuffer(hashlib.shake_256(os.environ.get("WHICH", "a").encode()).digest(24 << 20), np.uint8).copy()
    model = np.zeros(10)
    for epoch in range(8):
        for step in range(3):
            model += data[epoch * 1000 + step]
            time.sleep(0.02)
        #changes
        print("epoch", epoch, model[0])
    """
PRICE = ("--overhead", "0.5")    # enough for what changes, and never for the data


def test_data_are_not_stored_and_answers_are_exact(tmp_path: Path) -> None:
    case = Case(tmp_path, train=SCRIPT)
    case.record(*PRICE)
    assert "8 iterations" in case.summary and " 0 checkpoints" not in case.summary
    assert sum(path.stat().st_size for path in (tmp_path / "EXP").rglob("*") if path.is_file()) < 8 << 20
    case.add_after("train", "#changes", "print('probe', epoch, model[0], data[epoch])")
    truth = case.truth()
    assert case.replay("-j", "2") == truth and "loops skipped" in case.told


def test_data_that_a_later_epoch_changes_are_stored_then(tmp_path: Path) -> None:
    case = Case(tmp_path, train=SCRIPT)
    case.edit("train", "#changes", "data[7000] += epoch == 4\n    #changes")
    case.record(*PRICE)
    case.add_after("train", "#changes", "print('probe', epoch, model[0], int(data.sum(dtype=np.int64)))")
    assert case.replay() == case.truth()
