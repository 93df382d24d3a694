"""Give a compiler that reads a function's code the code that the user wrote, not the instrumented code.

Python reports each read of `function.__code__` as an audit event before it answers the read. The function is given
its plain code at that moment, for good. So numba, torch.compile, cloudpickle and others meet nothing of Rex's.
A reader that takes no more than the function's name, file or parameters does not count (`inspect.signature`, hydra).
"""

from __future__ import annotations

import dis
import os
import sys
import threading
import types
from typing import Any, Callable

from rex.hindsight.instrument.usercode import UserCode

_FACTS = frozenset("co_filename co_firstlineno co_name co_qualname co_flags co_varnames co_argcount "
                   "co_kwonlyargcount co_posonlyargcount".split())
_NEVER_PARTS = "inspect"     # it takes parameters, files and lines; only getmembers hands the code on
_HANDS_ON = "getmembers"


class PlainCode:
    """Watches who reads the code of instrumented functions."""

    def __init__(self, user: UserCode, note: Callable[[str, types.CodeType], None]) -> None:
        """
        Args:
            user: knows the plain code of instrumented code.
            note: is called, in this process only, with the module and the instrumented code of a function that is
                plain from now on.
        """
        self._user, self._note = user, note
        self._reading: set[int] = set()      # threads that are within `_read`
        self._pid = os.getpid()
        self._takes_facts: dict[tuple[types.CodeType, int], bool] = {}

    def install(self) -> None:
        """Get a call for every read from now on."""
        read = self._read

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            if event == "object.__getattr__" and arguments[1] == "__code__":
                read(arguments[0], sys._getframe(1))

        sys.addaudithook(hook)

    def _read(self, function: Any, reader: types.FrameType) -> None:
        thread = threading.get_ident()
        module = reader.f_globals.get("__name__") or ""
        if thread in self._reading or module.startswith("rex.") or not isinstance(function, types.FunctionType):
            return
        self._reading.add(thread)
        try:
            code = function.__code__
            plain = self._user.plain(code)
            if plain is None or self._is_of_facts(module, reader):
                return
            function.__code__ = plain
            if os.getpid() == self._pid:
                self._note(function.__globals__.get("__name__", ""), code)
        finally:
            self._reading.discard(thread)

    def _is_of_facts(self, module: str, reader: types.FrameType) -> bool:
        """Whether the reader takes the name, the file or the parameters of the code, and nothing else."""
        code = reader.f_code
        if module == _NEVER_PARTS:
            return code.co_name != _HANDS_ON
        place = code, reader.f_lasti
        if place not in self._takes_facts:
            self._takes_facts[place] = _takes_fact(*place)
        return self._takes_facts[place]


def _takes_fact(code: types.CodeType, offset: int) -> bool:
    """Whether `x.__code__` at this offset is followed by `.co_filename` or another fact that no instrumentation changes."""
    is_read = False
    for instruction in dis.get_instructions(code):
        if is_read:
            return instruction.opname == "LOAD_ATTR" and instruction.argval in _FACTS
        is_read = instruction.offset == offset and instruction.opname == "LOAD_ATTR" and instruction.argval == "__code__"
    return False
