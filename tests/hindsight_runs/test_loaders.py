"""Data loaders with worker processes, and what scikit-learn hands out one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight_harness import Case

LOADER = """
    import random
    import torch
    class Data(torch.utils.data.Dataset):
        seen = 0
        def __len__(self):
            return 24
        def __getitem__(self, place):
            self.seen += 1      # workers that persist go on counting
            return torch.randn(3) + random.random() + place + self.seen
    torch.manual_seed(5)
    weight = torch.zeros(3)
    loader = torch.utils.data.DataLoader(Data(), 8, shuffle=True, num_workers=2OPTIONS)
    for epoch in range(3):
        for batch in loader:
            weight = weight * 0.5 + batch.mean(0)
        print("epoch", epoch)
    """


@pytest.mark.parametrize("options", ("", ", persistent_workers=True"))
def test_a_loader_with_workers(tmp_path: Path, options: str) -> None:
    pytest.importorskip("torch")
    case = Case(tmp_path, train=LOADER.replace("OPTIONS", options))
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, weight.tolist())")
    assert case.replay() == case.truth()
    assert ("3 loops skipped" in case.told) == (not options)
    assert ("without persistent_workers=True its loop can be skipped" in case.told) == bool(options)


@pytest.mark.parametrize("folds", ("list(folds)", "folds"))
def test_folds_of_scikit_learn(tmp_path: Path, folds: str) -> None:
    pytest.importorskip("sklearn")
    case = Case(tmp_path, train=f"""
        import numpy as np
        from sklearn.linear_model import SGDClassifier
        from sklearn.model_selection import KFold
        draws = np.random.RandomState(0)
        data = draws.normal(size=(60, 3))
        labels = (data[:, 0] > 0).astype(int)
        folds = KFold(3, shuffle=True, random_state=draws).split(data)
        for train, test in {folds}:
            model = SGDClassifier(random_state=draws)
            for turn in range(4):
                model.partial_fit(data[train], labels[train], classes=[0, 1])
            print("fold", model.score(data[test], labels[test]))
        """)
    case.record()
    case.add_after("train", 'print("fold"', "print('probe', float(model.coef_.sum()), model.t_)")
    assert case.replay() == case.truth()
    assert ("3 loops skipped" in case.told) == (folds != "folds")
