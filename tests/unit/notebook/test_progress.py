"""Short work says nothing; long work says how far it is, and leaves nothing behind."""

from __future__ import annotations

import pytest

from rex.notebook import progress


def test_short_work_is_silent_and_long_work_is_not(
        capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.Progress() as telling:
        telling.tell("restoring a", 0.0)
        now[0] = 0.9
        telling.tell("restoring b", 0.5)
    assert capsys.readouterr().err == ""
    with progress.Progress() as telling:
        for now[0] in (1.0, 2.5, 2.6, 3.0):
            telling.tell("restoring df", now[0] / 4)
    shown = capsys.readouterr().err.split("\r")
    assert shown[1].startswith("rex: restoring df (62% done)") and "75%" in shown[2]
    assert len(shown) == 5 and not shown[-1] and not shown[-2].strip()
