"""A namespace with its tracker, for tests that run cells."""

from __future__ import annotations

from typing import Any

from rex.state import Delta, Restored, StateTracker, checkout


class Session:
    """Runs cells the way a notebook would."""

    def __init__(self, **options: Any) -> None:
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self.tracker = StateTracker(self.namespace, **options)

    def run(self, code: str) -> Delta:
        self.tracker.before_cell(code)
        is_complete = True
        try:
            exec(compile(code, "<cell>", "exec"), self.namespace)
        except Exception:
            is_complete = False
        return self.tracker.after_cell(is_complete)

    def changed(self, code: str) -> set[str]:
        """The variables that a cell changed, those of the environment left out."""
        return {name for name in self.run(code).changed if not name.startswith("<")}

    def checkout(self, node: int, **options: Any) -> Restored:
        return checkout(self.tracker, node, **options)

    def __getitem__(self, name: str) -> Any:
        return self.namespace[name]
