"""Widgets of ipywidgets: a live one takes on its former values, and the front end shows them."""

from __future__ import annotations

import pickle
import sys
from typing import Any

_MODULE = "ipywidgets.widgets.widget"


def is_widget(kind: type) -> bool:
    """Whether objects of a type are widgets."""
    module = sys.modules.get(_MODULE)
    return module is not None and issubclass(kind, module.Widget)


def reduce_widget(widget: Any) -> Any:
    """Which widget it is, and its values as the front end has them; its callbacks stay as they live."""
    if widget.comm is None:
        raise pickle.PicklingError("a widget that was closed")
    return live_widget, (widget.model_id, type(widget).__qualname__), _values(widget), None, None, set_widget


def callbacks(widget: Any) -> list[Any]:
    """What holds the functions that a widget calls."""
    module = sys.modules[_MODULE]
    return [widget._trait_notifiers, *(each for each in vars(widget).values() if isinstance(each, module.CallbackDispatcher))]


def _values(widget: Any) -> dict[str, Any]:
    keys = frozenset(widget.keys)
    return {name: value for name, value in widget._trait_values.items() if name in keys}


def live_widget(identity: str, kind: str) -> Any:
    """The widget that has this identity.

    Raises:
        LookupError: it was closed, or lived in another kernel.
    """
    module = sys.modules.get(_MODULE)
    found = module._instances.get(identity) if module is not None else None
    if found is None:
        raise LookupError(f"the {kind} was closed, or lived in another kernel")
    return found


def set_widget(widget: Any, values: dict[str, Any]) -> None:
    """Give a widget these values without a call of its observers, and send those that differ to the front end."""
    now = _values(widget)
    changed = {name for name, value in values.items() if name not in now or not _is_same(now[name], value)}
    widget._trait_values.update(values)
    if changed:
        widget.send_state(changed)


def set_no_widget(widget: Any, values: dict[str, Any]) -> None:
    """Refuse: a copy was wanted.

    Raises:
        pickle.UnpicklingError: always.
    """
    raise pickle.UnpicklingError("there is no second object of a widget")


def _is_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    try:
        return type(one) is type(other) and bool(one == other)
    except Exception:     # arrays
        return False
