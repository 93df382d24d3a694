"""The code of the user's modules as the recording knows it, whatever was added since."""

from __future__ import annotations

import ast
import sys
import types
from typing import Any, Iterable

from rex.hindsight.instrument.rewrite import MARKER
from rex.state.build import is_full


class UserCode:
    """Code objects by module, and which variables of functions around them they used when recorded.

    A statement that is added to a function may look at a variable of a function around it: then the
    live function has a cell more than the recorded one.
    """

    def __init__(self) -> None:
        self._modules: dict[str, list[types.CodeType]] = {}
        self._free: dict[types.CodeType, tuple[str, ...]] = {}
        self._libraries: dict[str, list[types.CodeType]] = {}
        self._mentioned: dict[str, tuple[int, bool]] = {}
        # By id, as code objects are slow to hash; both codes stay alive.
        self._plain: dict[int, types.CodeType] = {}          # of instrumented functions
        self._instrumented: dict[int, types.CodeType] = {}   # of plain ones

    def __contains__(self, module: object) -> bool:
        return module in self._modules

    def add(self, module: str, code: types.CodeType, recorded: types.CodeType | None = None,
            added: Iterable[ast.AST] = (), plain: types.CodeType | None = None) -> None:
        """Learn of a module's instrumented code.

        Args:
            recorded: the instrumented code of the recorded source, if that is another.
            added: statements that were added since.
            plain: the module's code without instrumentation.
        """
        if plain is not None and plain is not code:
            self.pair(code, plain)
        spans = [(node.lineno, node.end_lineno) for node in added]   # type: ignore[attr-defined]
        codes = [each for each in all_codes(code) if not any(
            one <= each.co_firstlineno <= last for one, last in spans) or each is code]
        self._modules[module] = codes
        if recorded is None:
            return
        theirs: dict[str, list[types.CodeType]] = {}
        for each in all_codes(recorded):
            theirs.setdefault(each.co_qualname, []).append(each)
        for name in theirs:
            mine = [each for each in codes if each.co_qualname == name]
            if len(mine) == len(theirs[name]):
                self._free.update((new, old.co_freevars) for new, old in zip(mine, theirs[name]))

    def pair(self, code: types.CodeType, plain: types.CodeType) -> None:
        """Learn of instrumented code, and of the same code without instrumentation."""
        theirs: dict[tuple[str, int], list[types.CodeType]] = {}
        for each in all_codes(plain):
            theirs.setdefault((each.co_qualname, each.co_firstlineno), []).append(each)
        for each in all_codes(code)[1:]:
            found = theirs.get((each.co_qualname, each.co_firstlineno))
            if found and not each.co_name.startswith("<"):     # expressions are not instrumented
                other = found.pop(0)
                self._plain[id(each)], self._instrumented[id(other)] = other, each

    def plain(self, code: types.CodeType) -> types.CodeType | None:
        """What the user wrote of an instrumented function; None of any other code."""
        return self._plain.get(id(code))

    def instrumented(self, code: types.CodeType) -> types.CodeType:
        """The instrumented code of a plain function; any other code as it is."""
        return self._instrumented.get(id(code), code)

    def mentions(self, name: str) -> bool:
        """Whether a name stands anywhere in the code of the user's modules."""
        known = self._mentioned.get(name)
        if known is None or known[0] != len(self._modules):
            known = len(self._modules), any(name in code.co_names for codes in self._modules.values() for code in codes)
            self._mentioned[name] = known
        return known[1]

    def free(self, code: types.CodeType) -> tuple[str, ...]:
        """Names of the variables around it that a function used when it was recorded."""
        return self._free.get(self.instrumented(code), code.co_freevars)

    def fresh(self, code: types.CodeType) -> set[str]:
        """Names of those that it uses since statements were added."""
        return set(code.co_freevars).difference(self.free(code))

    def same(self, module: str, name: str) -> list[types.CodeType]:
        """Every code object of a qualified name, in order."""
        codes = self._modules.get(module) or self._libraries.get(module)
        if codes is None:
            live = sys.modules.get(module)
            codes = self._libraries[module] = codes_of(live) if live else []
        return [code for code in codes if code.co_qualname == name]


def all_codes(code: types.CodeType) -> list[types.CodeType]:
    """A code object and those within it, in order."""
    found = [code]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found += all_codes(constant)
    return found


def markers_of(code: types.CodeType) -> list[str]:
    """The markers of an instrumented function and of the functions within it."""
    return [name for each in all_codes(code) for name in each.co_names if name.startswith(MARKER)]


def codes_of(module: types.ModuleType) -> list[types.CodeType]:
    """Every code object that a module's functions and classes lead to, in order."""
    found: dict[types.CodeType, None] = {}
    queue: list[Any] = list(vars(module).values())
    seen: set[int] = set()
    while queue:
        value = queue.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        value = getattr(value, "__func__", value)
        if isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
            queue.append(value.__code__)
            queue += [cell.cell_contents for cell in value.__closure__ or () if is_full(cell)]
        elif isinstance(value, type) and value.__module__ == module.__name__:
            queue += list(vars(value).values())
        elif isinstance(value, types.CodeType):
            found[value] = None
            queue += value.co_consts
    return list(found)
