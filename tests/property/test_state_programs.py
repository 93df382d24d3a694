"""Random programs over shared, nested, aliased objects, against a description of everything.

The oracle walks the whole namespace after each cell by itself and writes
down every value, and which objects are the same. No change may be missed, and after
a checkout the description must be the recorded one.
"""

from __future__ import annotations

import random
import re
import types
from typing import Any

import pytest

numpy = pytest.importorskip("numpy")
pytest.importorskip("cloudpickle")

from pace import first  # noqa: E402
from rex.archive import Archive  # noqa: E402
from rex.state import History, StateTracker, Store, checkout, load_history  # noqa: E402

NAMES = ("a", "b", "c", "d", "e", "f")
ATOMS = ("0", "7", "-3", "1.5", "'x'", "'word'", "None", "True", "b'z'", "2**70")
PRELUDE = """import numpy as np
class Box:
    limit = 1
    def __init__(self, v): self.v = v
    def put(self, v): self.w = v
    def touch(self): poke()
class Slim:
    __slots__ = ('v', 'w')
    def __init__(self, v): self.v = v
def make_counter(v):
    n = 0
    def up(k=1):
        nonlocal n
        n += k
        return n
    def kept(): return v, n
    return [up, kept]
def bump():
    global a
    a = [a]
def poke():
    try:
        b[200] = 5
    except Exception:
        b.append(0)
def get(o):
    return o
"""


class Oracle:
    """Numbers objects as it meets them and describes each once."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []

    def describe(self, names: list[str]) -> list[Any]:
        return [(name, self._of(self._namespace[name])) for name in names]

    def _of(self, value: Any) -> Any:
        if value is None or isinstance(value, (int, float, str, bytes, numpy.generic)):
            return type(value).__name__, repr(value)
        if isinstance(value, types.ModuleType) or (type(value) is tuple and not value):
            return repr(value)
        if id(value) in self._numbers:
            return "seen", self._numbers[id(value)]
        number = self._numbers[id(value)] = len(self._numbers)
        self._kept.append(value)
        return number, type(value).__name__, self._content(value)

    def _content(self, value: Any) -> Any:
        of = self._of
        if isinstance(value, (list, tuple)):
            return [of(one) for one in value]
        if isinstance(value, dict):
            return [(of(key), of(one)) for key, one in value.items()]
        if isinstance(value, (set, frozenset)):
            return sorted(re.sub(" at 0x[0-9a-f]+", "", repr(one)) for one in value)   # functions can be in it
        if isinstance(value, bytearray):
            return bytes(value)
        if isinstance(value, numpy.ndarray):
            return self._array(value)
        if isinstance(value, types.FunctionType):
            assert value.__globals__ is self._namespace
            cells = [of(cell) for cell in value.__closure__ or ()]
            return value.__code__.co_code, of(value.__defaults__), of(value.__dict__), cells
        if isinstance(value, types.CellType):
            return of(value.cell_contents)
        if isinstance(value, types.MethodType):
            return of(value.__self__), of(value.__func__)
        if isinstance(value, type):
            return [(key, of(one)) for key, one in sorted(vars(value).items())
                    if not key.startswith("__") and not isinstance(
                        one, types.MemberDescriptorType)]
        slots = [(key, of(getattr(value, key))) for key in ("v", "w")
                 if type(value).__name__ == "Slim" and hasattr(value, key)]
        return of(type(value)), of(getattr(value, "__dict__", None)), slots

    def _array(self, array: Any) -> Any:
        root = array
        while isinstance(root.base, numpy.ndarray):
            root = root.base
        offset = (array.__array_interface__["data"][0] - root.__array_interface__["data"][0])
        content = [self._of(one) for one in array.ravel()] if array.dtype.hasobject \
            else array.tobytes()
        return (str(array.dtype), array.shape, array.strides, offset, array.flags.writeable,
                content, None if root is array else self._of(root))


class Programmer:
    """Writes cells; what fails at run time is part of the game."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def _name(self) -> str:
        return self._random.choice(NAMES)

    def _value(self) -> str:
        pick = self._random.choice
        name, other = self._name(), self._name()
        return pick([pick(ATOMS), name, other, f"[{name}, {other}]", f"({name}, {pick(ATOMS)})",
                     f"{{'k': {name}, 'l': {other}}}", f"[{pick(ATOMS)}, [{name}]]",
                     f"Box({name})", f"Slim({name})", f"make_counter({name})", "{1, 2, 'x'}",
                     f"list({name})", f"dict(k={name})", f"get({name})", f"(lambda q={name}: q)",
                     "np.arange(12.).reshape(3, 4)", "np.arange(600, dtype='i8')",
                     "np.zeros((400, 500), order='F')", f"{name}[1:]", f"{name}.T",
                     f"{name}[::-2]", f"{name}.reshape(-1)[3:7]", "np.array([1, 'x', None], object)",
                     "['w%d' % i for i in range(3000)]", "{i: str(i) for i in range(1500)}",
                     "list(range(9000))", "bytearray(b'ab' * 40000)", f"{name}.v", f"{name}.put",
                     "set(range(1100))", "'long' * 20000", f"np.array([{name}] * 2, object)",
                     "np.full(2000, 'item', object)"])

    def statement(self) -> str:
        """One statement."""
        pick, name = self._random.choice, self._name()
        value = self._value()
        index = self._random.choice(["0", "1", "-1", "5", "4097", "0, 0"])
        return pick([*[f"{name} = {value}"] * 6, *[f"{name} = {self._name()}"] * 2,
                     f"{name}[{index}] = {value}",
                     f"{name}['k'] = {value}", f"{name}.append({value})", f"{name}.v = {value}",
                     f"{name}.put({value})", f"{name}[0][0] = {value}", f"{name}[0]({value})",
                     f"{name}[0]()", f"{name} += {value}", f"del {name}", f"{name}.update({value})",
                     f"{name}.add(5)", f"{name}[:] = {value}", f"{name}.pop()", f"{name}[1] += 1",
                     f"Box.limit = {value}", f"Box.extra = {value}", "bump()", *["poke()"] * 3, f"{name}.touch()",
                     f"{name}.sort()", f"{name}[200:210] = 2", f"{name}[200:210] = 3",
                     f"globals()['{name}'] = {value}", f"exec('{name} = [{name}]')",
                     f"{name}.flags.writeable = False", f"{name}.shape = -1", f"{name} = {name}",
                     f"print({name}, end='')", f"{name}.k = 3", f"{name}[2:1000] = 8",
                     f"[1 for {self._name()} in ({value}, 1)]", f"{name}, {self._name()} = "
                     f"{self._name()}, {value}", f"{name}.extend(range(2000))"])

    def cell(self) -> str:
        """Some statements; many of them fail, which must not end the cell."""
        return "\n".join(f"try:\n    {self.statement()}\nexcept Exception: pass"
                         for _ in range(self._random.randint(2, 8)))

    def pick(self, values: list[int]) -> int:
        return self._random.choice(values)


class Session:
    """A namespace with its tracker and what the oracle wrote down."""

    def __init__(self, history: History | None = None, use_pages: bool = True) -> None:
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self.tracker = StateTracker(self.namespace, history, use_pages=use_pages,
                                    check_loads=False)
        self.recorded: dict[int, list[Any]] = {}
        self.codes: dict[int, str] = {}

    def names(self) -> list[str]:
        return sorted(name for name in self.namespace if not name.startswith("__"))

    def describe(self) -> list[Any]:
        return Oracle(self.namespace).describe(self.names())

    def singles(self) -> dict[str, Any]:
        return {name: Oracle(self.namespace).describe([name]) for name in self.names()}

    def run(self, code: str) -> Any:
        before, whole = self.singles(), self.describe()
        self.tracker.before_cell(code)
        try:
            exec(compile(code, "<cell>", "exec"), self.namespace)
        except Exception:
            pass
        delta = self.tracker.after_cell()
        after = self.singles()
        missed = {name for name in after if after[name] != before.get(name)
                  and name not in delta.changed}
        assert not missed, (code, missed)
        assert before.keys() - after.keys() == delta.removed
        assert self.describe() == whole or delta.changed or delta.removed, code
        self.recorded[delta.node] = self.describe()
        self.codes[delta.node] = code
        return delta

    def check(self, node: int, read: Any = None) -> None:
        restored = checkout(self.tracker, node, read)
        assert not restored.failed and not restored.inexact, restored
        assert self.describe() == self.recorded[node], (node, self.codes)


@pytest.fixture(autouse=True)
def no_output(capsys: pytest.CaptureFixture[str]) -> None:
    """Cells print."""


@pytest.mark.parametrize("use_pages", [True, False])
@pytest.mark.parametrize("seed", first(6, range(40)))
def test_no_change_is_missed_and_every_state_comes_back(seed: int, use_pages: bool) -> None:
    programmer, session = Programmer(seed), Session(use_pages=use_pages)
    session.run(PRELUDE)
    for _ in range(25):
        session.run(programmer.cell())
        if programmer.pick([0, 0, 0, 1]):
            session.check(programmer.pick(list(session.recorded)))
    for node in session.recorded:
        session.check(node)
    session.tracker.close()


@pytest.mark.parametrize("seed", first(2, range(100, 106)))
def test_states_come_back_in_another_process_from_the_archive(seed: int, tmp_path: Any) -> None:
    programmer, session = Programmer(seed), Session()
    archive = Archive.create(tmp_path / "archive")
    with archive.begin("session") as recording:
        store = Store(archive, recording)
        for code in [PRELUDE, *(programmer.cell() for _ in range(15))]:
            store.save(session.run(code))
        store.wait()
        later = Session(load_history(archive, archive.experiment("session")))
        later.recorded, later.codes = session.recorded, session.codes
        for node in later.recorded:
            later.check(node, archive.read)
        store.close()
