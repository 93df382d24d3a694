"""Objects that a loop leaves alone are not looked at one by one; those that it changes are."""

from __future__ import annotations

import copy
import gc
import logging
import random
import socket
from collections import OrderedDict, defaultdict, deque
from typing import Any, Callable, Iterator

import numpy as np
import pytest
import xxhash

from rex.hindsight.capture.graph import Snapshot, walk_roots
from rex.hindsight.capture.interpreter import LOGGERS, Interpreter
from rex.hindsight.capture.kinds import Shapes
from rex.hindsight.capture.memory import Hasher, Sizer
from rex.hindsight.capture.restore import restore
from rex.hindsight.instrument.usercode import UserCode
from rex.hindsight.run.standing import Standing
from rex.state.parts import memory_at

SHAPES = Shapes(UserCode())


@pytest.fixture
def logger(monkeypatch: pytest.MonkeyPatch) -> Iterator[logging.Logger]:
    logger = logging.getLogger("rex-test-standing")
    other = logging.getLogger("rex-test-standing.other")
    monkeypatch.setattr("rex.hindsight.capture.interpreter._loggers", lambda _: [logger, other])    # not those of the tests around
    logger.setLevel(logging.INFO)
    handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.addHandler(handler)
    logger.addFilter(logging.Filter("one"))
    yield logger
    logger.handlers.clear(), logger.filters.clear()
    vars(logger).pop("beside", None)
    logger.setLevel(logging.NOTSET)
    logging.disable(0)


class Loggers:
    """The loggers as one saved state, restored over and over."""

    def __init__(self) -> None:
        self.interpreter, self.standing = Interpreter(), Standing(SHAPES.by_tag)
        self.interpreter.begin()
        self.saved = self.state()

    def state(self) -> Snapshot:
        saved = walk_roots(SHAPES, Hasher(), self.pairs())
        saved.digests()
        return saved

    def pairs(self) -> list[tuple[str, Any]]:
        return [(name, value) for name, value in self.interpreter.pairs() if name == LOGGERS]

    def is_seen_unchanged(self) -> bool:
        """What a comparison finds."""
        live = walk_roots(SHAPES, Hasher(), self.pairs(), self.standing.known)
        assert live.digests() == self.state().digests()
        return live.digests() == self.saved.digests()

    def restore(self) -> int:
        """How many objects were left alone."""
        live = self.pairs()
        known = self.standing.objects(self.saved, dict(live))
        told = {name: [value[0], [*value[1]]] for name, value in live}
        values, build = restore(self.saved, SHAPES, live, Kept(), known)   # they have no memory
        self.interpreter.bind(values, told)
        build.finish()
        self.standing.note(self.saved, values, build)
        assert self.state().digests() == self.saved.digests()
        return len(build.known.objects.keys() - build.known.unfilled)


def replaces_formatter(logger: logging.Logger) -> None:
    logger.handlers[0].setFormatter(logging.Formatter("%(levelname)s"))


def hides_moved_item(logger: logging.Logger) -> None:
    logger.handlers.append(logger.filters.pop())     # type: ignore[arg-type]   # all that they hold together is the same


CHANGES: list[Callable[[logging.Logger], object]] = [
    lambda logger: logger.setLevel(logging.DEBUG), lambda logger: setattr(logger.handlers[0], "level", 7),
    lambda logger: logger.filters.clear(), lambda logger: setattr(logger, "beside", [1]),
    lambda logger: setattr(logger.filters[0], "name", "two"), lambda logger: logger.handlers.append(logging.Handler()),
    lambda logger: setattr(logger.filters[0], "__class__", type("Other", (logging.Filter,), {})),
    lambda logger: setattr(logger, "disabled", True), lambda logger: logging.disable(30), replaces_formatter, hides_moved_item,
    lambda logger: vars(logger.filters[0]).update(nlem=vars(logger.filters[0]).pop("nlen"))]


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_is_restored(logger: logging.Logger, change: Callable[[logging.Logger], object]) -> None:
    loggers = Loggers()
    assert loggers.restore() == loggers.restore() == 0
    assert loggers.restore() == len(loggers.saved.nodes()) > 4
    assert loggers.is_seen_unchanged()
    change(logger)
    assert not loggers.is_seen_unchanged()
    loggers.restore()
    assert logger.isEnabledFor(logging.INFO) and not logger.isEnabledFor(logging.DEBUG)
    assert loggers.restore() == len(loggers.saved.nodes())


def test_other_loggers_are_told_of(logger: logging.Logger) -> None:
    loggers = Loggers()
    loggers.restore(), loggers.restore()
    other = logging.getLogger("rex-test-standing.other")
    other.setLevel(logging.ERROR)
    assert not loggers.is_seen_unchanged()
    loggers.restore()
    assert other.level == logging.NOTSET and other.isEnabledFor(logging.INFO)


def test_a_logger_that_a_variable_holds_now_is_looked_at(logger: logging.Logger) -> None:
    loggers = Loggers()
    loggers.restore(), loggers.restore()
    pairs = [("held", logger.handlers[0]), *loggers.pairs()]
    plain, seen = (walk_roots(SHAPES, Hasher(), pairs, *known).digests() for known in ((), (loggers.standing.known,)))
    assert plain == seen


def walked(loggers: Loggers, times: int = 1) -> Snapshot:
    """What a recording finds, walk after walk."""
    for _ in range(times):
        found = walk_roots(SHAPES, Hasher(), loggers.pairs(), loggers.standing.known, loggers.standing.met)
    assert found.digests() == loggers.state().digests()
    return found


def test_loggers_that_came_again_are_known_until_they_change(logger: logging.Logger) -> None:
    loggers = Loggers()
    root = walked(loggers, 2).roots[0]
    assert walked(loggers).roots[0] is root
    logger.handlers[0].setLevel(logging.ERROR)
    now = walked(loggers).roots[0]
    assert now is not root and walked(loggers).roots[0] is now


def test_plain_data_is_known_while_it_is_the_same() -> None:
    standing = Standing(SHAPES.by_tag)

    def walk(value: Any) -> tuple[Any, bytes]:
        found, alone = (walk_roots(SHAPES, Hasher(), [("<plain>", value)], *known) for known in ((standing.known, standing.met), ()))
        assert found.digests() == alone.digests()
        return found.roots[0], found.roots[0].digest

    first, digest = walk({"a": 1, "b": ("x", 2.0)})
    assert walk({"a": 1, "b": ("x", 2.0)})[0] is first
    assert digest not in {walk(other)[1] for other in ({"a": True, "b": ("x", 2.0)}, {"a": 1, "b": ("x", 2)}, {"b": ("x", 2.0), "a": 1})}


def test_memory_of_plain_data_is_taken_each_time() -> None:
    standing = Standing(SHAPES.by_tag)
    for _ in range(3):
        sizer = Sizer()
        walk_roots(SHAPES, sizer, [("<plain>", [b"x" * 9000])], standing.known, standing.met)
        assert sizer.size_bytes == 9000


@pytest.mark.parametrize("beside", [lambda: socket.socket(), lambda: id(SHAPES), lambda: b"x" * 9000, lambda: np.arange(9)],
                         ids=["opaque", "an address", "bytes", "an array"])
def test_loggers_that_nodes_do_not_tell_of_are_walked_each_time(logger: logging.Logger, beside: Callable[[], Any]) -> None:
    vars(logger)["beside"] = beside()
    loggers = Loggers()
    first = walked(loggers, 3)
    again = walked(loggers)
    assert again.roots[0] is not first.roots[0] and again.opaque == first.opaque


class Part:
    """What a state is made of."""

    def __init__(self, **own: Any) -> None:
        vars(self).update(own)


class Ended(Part):
    """Somebody sees its end."""

    def __del__(self) -> None:
        pass


class Hashed(Part):
    """It has its place in a table by its content."""

    def __hash__(self) -> int:
        return hash(self.one)

    def __eq__(self, other: Any) -> bool:
        return type(other) is Hashed and self.one == other.one


class Slotted:
    __slots__ = ("one", "two")


class Kept:
    """Memory by its digest, as a checkpoint has it."""

    is_whole = True

    def __init__(self) -> None:
        self._known: dict[bytes, bytes] = {}

    def take(self, address: int, size_bytes: int, item_bytes: int = 1) -> bytes:
        data = bytes(memory_at(address, size_bytes))
        return self._known.setdefault(digest := xxhash.xxh3_128_digest(data), data) and digest

    def read(self, digest: bytes) -> bytes:
        return self._known[digest]

    def write(self, digest: bytes, address: int, size_bytes: int) -> None:
        memory_at(address, size_bytes)[:] = self._known[digest]

    def is_at_hand(self, digest: bytes, address: int, size_bytes: int) -> bool:
        return True


class States:
    """A program's variables, saved, changed and restored; what is known of them must never be told."""

    def __init__(self, draw: random.Random) -> None:
        self.draw, self.memory, self.standing = draw, Kept(), Standing(SHAPES.by_tag)
        self.variables: dict[str, Any] = {}
        self.told: Any = {"one": [1, (2.0, "x")]}      # told of by a copy
        self.saved: list[Snapshot] = []
        self.known = 0
        for name in "abcd":
            self.variables[name] = self.make(3)

    def make(self, depth: int) -> Any:
        kind = self.draw.choice(_KINDS if depth else _LEAVES)
        return kind(lambda: self.make(depth - 1) if depth else None, self)

    def any_part(self) -> Any:
        """Some object that a variable reaches; it may be shared then."""
        found = self.variables[self.draw.choice(sorted(self.variables))]
        for _ in range(self.draw.randrange(4)):
            own = getattr(found, "__dict__", None)
            if inside := [each for each in gc.get_referents(found, own) if type(each) in _SHARED and each is not own]:
                found = self.draw.choice(inside)
        return found if type(found) in _SHARED else 7

    def live(self) -> Snapshot:
        """The state as a walk of everything finds it, and one of what is not known."""
        found = walk_roots(SHAPES, self.memory, self.pairs().items())
        assert walk_roots(SHAPES, self.memory, self.pairs().items(), self.standing.known).digests() == found.digests()
        return found

    def restore(self, saved: Snapshot) -> None:
        live = self.pairs()
        known = self.standing.objects(saved, live)
        self.variables, build = restore(saved, SHAPES, live.items(), self.memory, known)
        build.finish()
        self.standing.note(saved, self.variables, build)
        self.told = self.variables.pop("<told>")
        assert all(key in table for table in self.tables() for key in list(table))
        self.known += len(build.known.objects)
        assert self.live().digests() == saved.digests()

    def tables(self) -> list[Any]:
        """All dicts and sets that variables reach."""
        found, queue = {}, list(self.variables.values())
        while queue:
            if id(each := queue.pop()) not in found and type(each) in (*_SHARED, frozenset, deque, Hashed, Ended):
                found[id(each)] = each
                queue += gc.get_referents(each, getattr(each, "__dict__", None))
        return [each for each in found.values() if isinstance(each, (dict, set, frozenset))]

    def pairs(self) -> dict[str, Any]:
        return {**self.variables, "<told>": copy.deepcopy(self.told)}

    def change(self) -> None:
        """What a program may do between two borders."""
        if self.draw.random() < 0.3:
            for each in self.tables():      # as a program would, that makes it anew
                if isinstance(each, (dict, set)) and each and type(key := next(iter(each))) is Hashed:
                    item = each.pop(key) if isinstance(each, dict) else each.remove(key)
                    key.one = self.draw.randrange(9)
                    each.update({key: item} if isinstance(each, dict) else {key})
            self.told = {"one": [self.draw.choice([1, True, 1.0]), (2.0, self.draw.choice("xy"))]}
        part = self.any_part()
        spaces = [each for each in (part, getattr(part, "__dict__", None)) if isinstance(each, dict) and each]
        if spaces and self.draw.random() < 0.7:
            space, name = spaces[0], self.draw.choice(list(spaces[0]))
            self.draw.choice([lambda: space.update({name: self.make(1)}), lambda: space.pop(name), lambda: space.update(
                new=self.any_part()), lambda: space.update({name: space.pop(name)})])()
        elif isinstance(part, list) and len(part) > 1 and type(part[0]) is type(part[1]) is list and part[0]:
            part[1].insert(0, part[0].pop())     # all that they hold together is the same
        elif isinstance(part, Slotted):
            one, other = ("one", "two") if hasattr(part, "one") else ("two", "one")
            setattr(part, other, getattr(part, one))
            delattr(part, one)
        elif isinstance(part, list) and part:
            self.draw.choice([part.pop, part.reverse, lambda: part.append(self.any_part()), part.sort
                              if all(type(each) is int for each in part) else part.reverse])()
        elif isinstance(part, bytearray):
            part[self.draw.randrange(len(part))] ^= 1
        elif isinstance(part, Part) and self.draw.random() < 0.3:
            part.__class__ = self.draw.choice([Part, Ended])
        elif self.draw.random() < 0.3:
            self.variables[self.draw.choice("abcde")] = self.any_part()


_LEAVES: list[Callable[[Any, States], Any]] = [
    lambda _, states: states.draw.randrange(3), lambda _, states: states.draw.choice([1, 1.0, True, None, "x", 2 ** 40]),
    lambda _, states: bytearray(states.draw.randbytes(5)), lambda _, states: bytearray(5000), lambda _, states: b"same",
    lambda _, states: len]


def _hashed(states: States) -> Hashed:
    return Hashed(one=states.draw.randrange(9))


def _slotted(make: Any, states: States) -> Slotted:
    made = Slotted()
    setattr(made, states.draw.choice(["one", "two"]), make())
    return made


_KINDS: list[Callable[[Any, States], Any]] = [*_LEAVES[:3], *3 * [
    lambda make, _: Part(one=make(), two=make()), lambda make, _: [make(), make()], lambda make, _: {"one": make(), 2: make()}],
    lambda make, _: (make(), make()), lambda make, _: {1, 2, "x"}, lambda make, _: OrderedDict(one=make(), two=make()),
    lambda make, _: defaultdict(list, one=make()), lambda make, _: deque([make()], 3), lambda make, _: Ended(one=make()),
    lambda make, states: states.any_part() if states.variables else 5, _slotted,
    lambda _, states: frozenset([_hashed(states)]), lambda make, states: {_hashed(states): make()}, lambda _, states: {_hashed(states)},
    lambda _, states: [kept := _hashed(states), {(1, kept): kept}]]
_SHARED = (Part, Slotted, list, dict, bytearray, OrderedDict, defaultdict, tuple, set)


@pytest.mark.parametrize("seed", range(300))
def test_what_is_known_changes_nothing(seed: int) -> None:
    states = States(random.Random(seed))
    saved = [states.live()]
    for _ in range(3):
        for part in [each for each in map(lambda _: states.any_part(), range(3)) if isinstance(each, bytearray)]:
            part[0] ^= 1
        states.change() if seed % 2 else None
        saved.append(states.live())
    for each in saved:
        each.digests()
    for _ in range(20):
        states.restore(states.draw.choice(saved))
        for _ in range(states.draw.randrange(3)):
            states.change()
            states.live()


def test_what_only_its_contents_change_is_known() -> None:
    states = States(random.Random(1))
    part = Part(data=bytearray(5), rate=1.0, inside=[OrderedDict(one=Part(two=(1, 2)))])
    states.variables = {"a": part, "b": {"same": part, "own": [bytearray(9)]}}
    saved = []
    for number in range(2):
        part.data[0], part.rate, states.variables["b"]["own"][0][3] = number, number / 2, number
        saved.append(states.live())
        saved[-1].digests()
    for each in saved * 3:
        states.known = 0
        states.restore(each)
    assert states.known == sum(len(root.nodes) for root in saved[0].roots if root.name != "<told>")
    assert states.variables["a"] is part and part.data[0] == 1 and part.rate == 0.5
