"""Standard streams that are open are left alone."""

from __future__ import annotations

import os

import pytest

from rex.standard import hold_closed


def test_open_streams_need_no_null_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some containers have none, or one that only root may open."""
    monkeypatch.setattr(os, "devnull", "/no/such/device")
    hold_closed()
