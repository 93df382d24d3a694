"""Classes that `%rex never`, `%rex leave` or the user's files name, in a session; and what hooks of classes do wrong."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

from rex.errors import NotFound, UsageError
from rex.notebook.graph import Graph
from rex.state import Delta
from rex.state.declared import SAVE, declare, from_config


class Classes:
    """How a session treats objects of classes.

    Attributes:
        held: treatments by the name of a class; "" stores its objects.
    """

    def __init__(self) -> None:
        """Begin with what the user's files say.

        Raises:
            UsageError: they make no sense.
        """
        self.held = self._configured = from_config()
        self._told: set[str] = set()

    def follow(self, graph: Graph) -> None:
        """Treat objects as the files and a session's notes say, which count more."""
        self.held = self._configured | graph.classes
        declare(self.held)

    def forget(self) -> None:
        """Treat no class otherwise than others any more."""
        declare({})

    def failures(self, delta: Delta) -> set[str]:
        """What hooks of classes did wrong at the end of a cell, as lines for the user, each once."""
        found = {f"{version.why_not}; a checkout computes it again" for version in delta.versions if SAVE in version.why_not} - self._told
        self._told |= found
        return found


def name_of_class(text: str, namespace: dict[str, Any], how: str) -> str:
    """The full name of a class of the notebook, or of a module; one that is not imported yet is taken for what is written.

    Args:
        text: as the user wrote it. how: the command that it was written for.
    Raises:
        UsageError, NotFound: it is no class; there is none.
    """
    first, *rest = text.split(".")
    if first in namespace:
        return _checked(_follow(namespace[first], rest, text), text, how)
    module, _, path = text.rpartition(".")
    if module in sys.modules:
        return _checked(_follow(sys.modules[module], [path], text), text, how)
    if not module or not _is_there(first):
        raise NotFound(f"no class {text} in this kernel", "", "write it as MODULE.CLASS, or run the cell that makes it first")
    return text


def _follow(value: Any, names: list[str], text: str) -> Any:
    for name in names:
        if not hasattr(value, name):
            raise NotFound(f"no class {text}", f"{getattr(value, '__name__', value)!s:.60} has no {name}", "check the spelling")
        value = getattr(value, name)
    return value


def _checked(kind: Any, text: str, how: str) -> str:
    if not isinstance(kind, type):
        name = type(kind).__qualname__
        raise UsageError(f"{text} is no class", f"it is an object of {name}", f"for all such objects: %rex {how} {name}")
    if kind.__module__ == "builtins":
        raise UsageError(f"{text} is a class of Python's own", "these are always stored", "name a class of a library or of the notebook")
    return f"{kind.__module__}.{kind.__qualname__}"


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ValueError:
        return False
