"""What Rex knows of every system call: arguments, outputs, policy; and how to print one."""

from __future__ import annotations

import importlib

from rex.hints import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rex.syscalls.argspec import (Arg, Call, Dir, Hook, Key, NO_ARG, Op, Policy, Size, SizeKind,
                                      Stop, WORDS)
    from rex.syscalls.table import BY_NAME, CALLS

__all__ = ["Arg", "BY_NAME", "CALLS", "Call", "Dir", "Hook", "Key", "NO_ARG", "Op", "Policy", "Size",
           "SizeKind", "Stop", "WORDS"]


def __getattr__(name: str) -> Any:
    """The table is parsed when it is first asked for: commands that only need numbers start faster."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room = "table" if name in ("BY_NAME", "CALLS") else "argspec"
    return getattr(importlib.import_module(f"rex.syscalls.{room}"), name)
