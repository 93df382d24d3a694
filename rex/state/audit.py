"""Python's audit events, watched by one hook: a hook cannot be taken out, and each makes every `id()` dearer."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable

Told = Callable[[str, tuple[Any, ...]], None]

_watching: list[Told] = []
_is_installed = False


def watch(told: Told) -> None:
    """Tell a function of each event of this process from now on."""
    global _is_installed
    if not _is_installed:
        sys.addaudithook(_hook)
        _is_installed = True
    _watching.append(told)


def unwatch(told: Told) -> None:
    """Notify it no more; one that was never added is passed over."""
    with contextlib.suppress(ValueError):
        _watching.remove(told)


def is_installed() -> bool:
    """Whether the hook is there: to watch costs nothing more then."""
    return _is_installed


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    for told in _watching:
        told(event, arguments)
