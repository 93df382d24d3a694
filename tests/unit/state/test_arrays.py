"""Tensors over one storage, by a stand-in: the real library is large."""

from __future__ import annotations

import sys
import types

import pytest

pytest.importorskip("cloudpickle")

from .sessions import Session  # noqa: E402


class Tensor:
    """Has a storage, as torch's has."""

    def __init__(self, storage: list[float]) -> None:
        self.storage = storage

    def untyped_storage(self) -> "Tensor":
        return self

    def data_ptr(self) -> int:
        return id(self.storage)

    def __reduce__(self) -> object:
        return Tensor, (list(self.storage),)   # a copy, as pickles of tensors hold


def test_tensors_that_share_a_storage_are_one_co_variable_to_recompute(
        monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(check_loads=False)
    torch = types.ModuleType("torch")
    torch.Tensor = Tensor   # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(Tensor, "__module__", "torch")
    session.namespace["Made"] = Tensor
    session.run("s = Made([1.0])")
    delta = session.run("t = Made([1.0]); v = Made(t.storage)")
    assert delta.changed["t"] is delta.changed["v"]
    assert "share memory" in delta.changed["t"].broken and delta.changed.get("s") is None
