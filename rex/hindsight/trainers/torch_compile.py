"""`torch.compile`: what the compiler made belongs to its process; a checkpoint has the module that was compiled."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable

_APART = 1 << 40      # numbers of hooks from this one on are not the script's


class _Compiled:
    """A module around the one that was compiled. It is not created again: its backend, hooks and tables of id() stay as they live."""

    is_fixed, is_derived = True, False
    pointers = ("dynamo_ctx", "forward", "_forward", "_torchdynamo_orig_callable", "_torchdynamo_wrapper_id", "get_compiler_config")

    def save(self, value: Any) -> bytes:
        return b""


STATES = {"OptimizedModule": _Compiled()}


def watch(wrappers: Any, refuse: Callable[[str], None]) -> None:
    """Number the hooks that the compiler sets on its graphs apart: a replay may compile later, or once more."""
    setup = wrappers.setup_stacktrace_preservation_hooks
    kind = sys.modules["torch.utils.hooks"].RemovableHandle
    next_apart = _APART

    @functools.wraps(setup)
    def apart(*arguments: Any) -> Any:
        nonlocal next_apart
        own, kind.next_id = kind.next_id, next_apart
        try:
            return setup(*arguments)
        finally:
            next_apart, kind.next_id = kind.next_id, own

    wrappers.setup_stacktrace_preservation_hooks = apart
