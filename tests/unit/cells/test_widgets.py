"""What is shown in Output widgets stays in them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("IPython", reason="the extra versions is not installed")

from rex.cells import widgets  # noqa: E402
from rex.cells.shell import Outputs  # noqa: E402


class Widget:
    """As ipywidgets' Output behaves without a front end."""

    def __init__(self) -> None:
        self.outputs: tuple[dict[str, Any], ...] = ()

    def _flush(self) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> bool:
        return True


def stream(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def test_what_is_shown_within_goes_to_the_innermost_widget() -> None:
    outputs = Outputs()
    widgets._adapt(Widget, SimpleNamespace(outputs=outputs))
    one, two = Widget(), Widget()
    outputs.rich("display_data", {"text/plain": "x"}, None)
    outputs.note_display("id")
    with one:
        outputs.stream("stdout", "1")
        with two:
            outputs.stream("stdout", "2")
        outputs.update("id", {"text/plain": "y"}, None)      # of a display around it
        outputs.stream("stdout", "3")
        raise ValueError
    with two:
        outputs.clear()
        outputs.stream("stdout", "4")
    with one:
        outputs.stream("stdout", "5")
    assert (one.outputs, two.outputs) == ((stream("135"),), (stream("4"),))
    assert [each["data"] for each in outputs.take()] == [{"text/plain": "y"}]


def test_states_are_told_when_they_change(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {"state": {}}
    states = widgets.States()
    monkeypatch.delitem(widgets.sys.modules, "ipywidgets", raising=False)
    assert states.take() is None
    monkeypatch.setitem(widgets.sys.modules, "ipywidgets", SimpleNamespace(Widget=SimpleNamespace(get_manager_state=lambda: state)))  # type: ignore[arg-type]
    assert states.take() is None
    state["state"]["a"] = 1
    assert states.take() == state and states.take() is None
    state["state"]["a"] = object()       # no JSON
    assert states.take() is None
