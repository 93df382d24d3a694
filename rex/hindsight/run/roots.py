"""Where the live state begins: frames, modules, loops, random generators; and binding it again."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
import types
from importlib import import_module
from typing import Any, Iterator

from rex.hindsight.capture.graph import EMPTIED
from rex.hindsight.capture.interpreter import LOGGERS, Interpreter, is_ours
from rex.hindsight.capture.library_patches import LENT, Lent
from rex.hindsight.capture.shapes import Cannot
from rex.hindsight.instrument.rewrite import PREFIX
from rex.hindsight.instrument.usercode import UserCode
from rex.hindsight.run.files import Descriptors, Files
from rex.state import environment, modes

_SPECIAL = frozenset("""__builtins__ __loader__ __spec__ __file__ __cached__ __name__ __doc__
    __package__ __path__ __annotations__ __warningregistry__""".split())
# What torch.compile puts into the module of a function.
_COMPILED = "__compiled_fn_", "__resume_at_", "__import_", "__builtins_dict__"
_CUDA, _FILES, _DESCRIPTORS = "<cuda.random>", "<files>", "<os.open>"
# There once the library is imported: where an added statement did that, the recorded state has none.
OF_LIBRARIES = frozenset((modes.TORCH, _CUDA, modes.NUMPY, modes.DECIMAL))
_BEGUN_IN = os.path.abspath(os.curdir)
_IS_OLD = sys.version_info < (3, 13)   # later f_locals writes through by itself


def is_copy(root: str) -> bool:
    """Whether the value of a root is made again each time, of plain data: nothing else can refer to it."""
    return root.startswith("<") and not root.startswith((LENT, "<loop ")) and root not in (LOGGERS, _FILES, _DESCRIPTORS)


def is_state(name: str) -> bool:
    """Whether a name holds the user's state."""
    return not name.startswith((PREFIX, *_COMPILED)) and name not in _SPECIAL


class Roots:
    """The names of the live state at one place of the program, innermost frame given."""

    def __init__(self, frame: types.FrameType, modules: dict[str, Any],
                 outermost: types.FrameType | None, loops: list[Any], kept: set[str],
                 withheld: frozenset[str], files: Files | None, code: UserCode, lent: Lent,
                 interpreter: Interpreter) -> None:
        """
        Args:
            modules: the user's modules by name.
            outermost: frame of the outermost loop; libraries' frames around it are left alone.
            loops: loop entries from outside in; each has an `iterator`.
            kept: names that probes bind: no part of the state.
            withheld: variables of the environment that are credentials, or that added statements set.
            files: what the script wrote.
            code: tells which variables only added statements look at.
            lent: what the user's code may put into libraries.
            interpreter: what the script may set in it.
        """
        self._frames = _frames(frame, modules, outermost)
        self._modules = modules
        self._loops = loops
        self._kept, self._withheld, self._files, self._code, self._lent = kept, withheld, files, code, lent
        self._interpreter = interpreter
        self._live: dict[str, Any] = {}      # what no variable holds, as `pairs` found it

    def pairs(self) -> Iterator[tuple[str, Any]]:
        """Every name with its value, in an order that depends on the names only.

        Files are looked at once all others were walked, which writes out what open ones have in their buffers.
        """
        return itertools.chain(self._named(), self._of_files())

    def _of_files(self) -> Iterator[tuple[str, Any]]:
        if self._files is None:
            return
        if files := self._files.state():
            yield _FILES, files
        if self._files.has_descriptors:
            yield _DESCRIPTORS, Descriptors()

    def _named(self) -> list[tuple[str, Any]]:
        found: list[tuple[str, Any]] = []
        for label, frame in self._frames:
            kept = self._kept | self._code.fresh(frame.f_code)
            space = frame.f_locals   # its order changes when a nested function looks at one more
            found += [(f"{label}.{name}", space[name]) for name in sorted(space)
                      if is_state(name) and name not in kept]
        for module in sorted(self._modules):
            label = "" if module == "__main__" else f"{module}."
            space = vars(self._modules[module])
            found += [(f"{label}{name}", space[name]) for name in sorted(space)
                      if is_state(name) and name not in self._kept]
        found += [(f"<loop {depth}>", loop.iterator) for depth, loop in enumerate(self._loops)]
        outside = environment.capture()
        if modes.TORCH in outside:
            outside |= _of_torch(self._code, outside[modes.TORCH])
        if outside.get(environment.CWD, "").startswith(_BEGUN_IN):   # a replay may begin elsewhere
            outside[environment.CWD] = os.path.relpath(outside[environment.CWD], _BEGUN_IN)
        variables = outside[environment.ENVIRON]
        outside[environment.ENVIRON] = {name: variables[name] for name in sorted(variables)
                                        if name not in self._withheld}
        ours = self._interpreter.pairs()
        self._live = _copied({**dict(ours), **outside})     # these very dicts and lists are given other content
        return [*found, *self._lent.pairs(), *ours, *sorted(outside.items())]

    def bind(self, values: dict[str, Any]) -> None:
        """Let every name hold its value; names that were unbound are unbound."""
        for label, frame in self._frames:
            wanted = {name[len(label) + 1:]: value for name, value in values.items()
                      if name.startswith(label + ".")}
            _bind_frame(frame, wanted, self._kept | self._code.fresh(frame.f_code))
        for module in sorted(self._modules):
            label = "" if module == "__main__" else f"{module}."
            space = vars(self._modules[module])
            gone = [name for name in space if is_state(name) and name not in self._kept
                    and f"{label}{name}" not in values]
            for name in gone:
                del space[name]
        if _FILES not in values and self._files is not None and self._files.written:
            self._files.restore({})
        self._lent.bind(values)
        self._interpreter.bind(values, self._live)
        getattr(sys.modules.get("torch"), "clear_autocast_cache", int)()     # it has copies of weights as they were
        frames = tuple(f"{label}." for label, _ in self._frames)
        for root, value in values.items():
            if root.startswith(frames):   # a frame may be called <listcomp>()
                continue
            if root.startswith("<"):
                self._bind_special(root, value)
            else:
                module, _, name = root.rpartition(".")
                vars(self._modules[module or "__main__"])[name] = value

    def _bind_special(self, root: str, value: Any) -> None:
        if root.startswith(LENT) or is_ours(root) or root in (_DESCRIPTORS, EMPTIED):
            pass   # all at once
        elif root in self._live and self._live[root] == value:
            pass   # to set some of it takes long
        elif root == _FILES:
            if self._files is not None:
                self._files.restore(value)
        elif root.startswith("<loop "):
            self._loops[int(root[6:-1])].iterator = value
        elif root == _CUDA:
            torch = import_module("torch")
            torch.cuda.set_rng_state_all([torch.frombuffer(bytearray(data), dtype=torch.uint8)
                                          for data in value])
        elif root == environment.CWD:
            os.chdir(os.path.join(_BEGUN_IN, value))
        elif root == environment.ENVIRON:
            kept = {name: os.environ[name] for name in self._withheld if name in os.environ}
            environment.restore(root, {**value, **kept})
        else:
            environment.restore(root, value)


def _copied(value: Any) -> Any:
    if type(value) is dict:
        return {name: _copied(each) for name, each in value.items()}
    return list(map(_copied, value)) if type(value) is list else value


def _of_torch(code: UserCode, of_torch: dict[str, Any]) -> dict[str, Any]:
    """What torch has beside its modes, which gain how many threads it uses."""
    torch = sys.modules["torch"]
    if code.mentions("set_num_threads"):   # else it is the machine's
        of_torch["threads"] = torch.get_num_threads()
    if not torch.cuda.is_initialized():
        return {}
    return {_CUDA: [state.cpu().numpy().tobytes() for state in torch.cuda.get_rng_state_all()]}


def _frames(frame: types.FrameType, modules: dict[str, Any],
            outermost: types.FrameType | None) -> list[tuple[str, types.FrameType]]:
    """Frames with variables of their own, from outside in, each with a label."""
    found: list[tuple[str, types.FrameType]] = []
    each: types.FrameType | None = frame
    is_outside = False
    while each is not None:
        name = each.f_globals.get("__name__", "")
        is_users = name in modules and vars(modules[name]) is each.f_globals
        if name.startswith("rex.hindsight."):
            if is_outside:
                break
            each = each.f_back
            continue
        if is_users and each.f_locals is not each.f_globals or not is_users and not is_outside:
            found.append((each.f_code.co_qualname, each))
        is_outside = is_outside or each is outermost
        each = each.f_back
    found.reverse()
    return [(f"{name}()~{depth}" if sum(n == name for n, _ in found[:depth]) else f"{name}()", each)
            for depth, (name, each) in enumerate(found)]


def _bind_frame(frame: types.FrameType, wanted: dict[str, Any], kept: set[str]) -> None:
    space = frame.f_locals
    for name in [n for n in space if is_state(n) and n not in kept and n not in wanted]:
        if not _IS_OLD:
            raise Cannot(f"{name} would have to be unbound")   # it came later than the border
        del space[name]
    space.update(wanted)
    if _IS_OLD:
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(1))
