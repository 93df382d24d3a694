"""Files that libraries write in C, files too large to be kept, and pickles: as recorded where loops were skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight_harness import Case

TENSORS = """
    import numpy as np
    from safetensors.numpy import load_file, save_file
    weight = np.ones(4)
    for epoch in range(4):
        for step in range(5):
            weight = weight * 0.9 + epoch + step
            save_file({"w": weight}, "inner.safetensors")
            save_file({"w": np.full(400_000, weight.sum())}, filename="large.safetensors")
        save_file({"w": weight}, "outer.safetensors")
        print("epoch", epoch)
    print("end", load_file("outer.safetensors")["w"].sum())
    """


def test_files_that_safetensors_writes(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    case = Case(tmp_path, train=TENSORS)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, load_file('inner.safetensors')['w'].sum())")
    assert case.replay() == case.truth() and "4 loops skipped" in case.told and "added statements wrote" not in case.told
    assert case.replay("-j", "2") == case.truth()
    case.edit("train", "load_file('inner", "load_file('large")
    assert case.replay() == case.truth()
    assert "nothing skipped" in case.told and "large.safetensors is needed, which was too large to be kept" in case.told


SAVES = {
    "h5py": ("import h5py", "with h5py.File('saved', 'w') as file: file['w'] = weight", "h5py.File('saved')['w'][:].sum()"),
    "xgboost": ("import xgboost; data = xgboost.DMatrix(np.eye(4), np.arange(4.0))",
                "xgboost.train({'base_score': float(weight.sum())}, data, 1).save_model('saved.json')", "open('saved.json').read()"),
    "lightgbm": ("import lightgbm; data = lightgbm.Dataset(np.eye(40), np.arange(40.0), params={'verbose': -1, 'min_data_in_leaf': 1}).construct()",
                 "lightgbm.train({'verbose': -1, 'learning_rate': 1 / weight.sum()}, data, 1).save_model('saved.txt')", "open('saved.txt').read()")}


@pytest.mark.parametrize("name", SAVES)
def test_files_that_other_libraries_write(tmp_path: Path, name: str) -> None:
    pytest.importorskip(name)
    start, save, load = SAVES[name]
    case = Case(tmp_path, train=f"""
        import zlib
        import numpy as np
        {start}
        def save(weight, step):
            {save}
        weight = np.ones(4)
        for epoch in range(3):
            for step in range(4):
                weight = weight * 0.9 + epoch + step
                save(weight, step)
            print("epoch", epoch)
        """)
    case.record()
    case.add_after("train", 'print("epoch"', f"print('probe', epoch, zlib.crc32(str({load}).encode()))")
    assert case.replay() == case.truth()
    assert "3 loops skipped" in case.told and "added statements wrote" not in case.told


def test_an_added_statement_reads_a_large_file(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        total = 0
        for epoch in range(3):
            for step in range(5):
                total += epoch * step
                with open("large", "w") as file:
                    file.write(f"{total:8}" * 200_000)
            print("epoch", epoch)
        """)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, open('large').read()[-8:])")
    assert case.replay() == case.truth() and "large is needed, which was too large to be kept" in case.told


def test_names_in_a_pickle_are_one_object_as_they_were(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        import pickle
        class Schedule:
            def __init__(self):
                self.mode, self.phases = "cosine", [{"from": "low", "to": "high"}, {"from": "high", "to": "low"}]
                self.order = ["high", "low", "cosine", ("low", "high")]
        schedule, total = Schedule(), 0
        for epoch in range(3):
            for step in range(5):
                total += epoch * step
            with open(f"schedule{epoch}.pickle", "wb") as file:
                pickle.dump((vars(schedule), total), file)
            print("epoch", epoch)
        """)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, total)")
    assert case.replay() == case.truth() and "3 loops skipped" in case.told
