"""Widgets (ipywidgets) without a front end: an Output widget takes what is shown in it, and a notebook gets the state of all.

Runs inside recorded experiments: it imports nothing of Rex.
"""

from __future__ import annotations

import json
import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Sequence

_MODULE = "ipywidgets.widgets.widget_output"


class _Finder:
    """Finds the module of Output widgets as Python does, and adapts the class once the module has run."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != _MODULE:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and spec.loader:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                _adapt(module.Output, self._shell)

            spec.loader.exec_module = exec_module   # type: ignore[method-assign]
        return spec


def watch(shell: Any) -> None:
    """Adapt Output widgets when a program imports them."""
    sys.meta_path.insert(0, _Finder(shell))     # type: ignore[arg-type]


def _adapt(output: Any, shell: Any) -> None:
    """Let Output widgets take what is shown within them, which is a front end's work otherwise."""
    leave = output.__exit__

    def __enter__(self: Any) -> None:
        self._flush()
        shell.outputs.enter(self.outputs)

    def __exit__(self: Any, *error: Any) -> Any:
        try:
            return leave(self, *error)
        finally:
            self.outputs = tuple(shell.outputs.leave())

    output.__enter__, output.__exit__ = __enter__, __exit__


class States:
    """The state of all widgets, each time that it is another."""

    def __init__(self) -> None:
        self._told = ""

    def take(self) -> dict[str, Any] | None:
        """What a notebook holds of all widgets, as ipywidgets embeds it; None if there are none, or nothing changed."""
        module = sys.modules.get("ipywidgets")
        try:
            state = module.Widget.get_manager_state() if module else {}
            text = json.dumps(state)
        except Exception:       # a widget of the program's own that cannot be embedded
            return None
        if not state.get("state") or text == self._told:
            return None
        self._told = text
        found: dict[str, Any] = state
        return found
