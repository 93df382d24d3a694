"""Whatever a state is made of comes back, in the objects that were there."""

from __future__ import annotations

import collections
import copy
import functools
import io
import itertools
import random
import types
import weakref
from typing import Any, Callable, Optional, Union

import numpy as np
import pytest

from rex.hindsight.capture import shapes
from rex.hindsight.capture.shapes import Cannot

from .worlds import World


class Plain:
    shared: list[int] = []

    def __init__(self) -> None:
        self.x = 1


class Slotted:
    __slots__ = ("a", "b")


class Bag(list[int]):
    pass


def _counter() -> Callable[[], int]:
    n = 0

    def count() -> int:
        nonlocal n
        n += 1
        return n

    return count


def _plain() -> Plain:
    made = Plain()
    made.x = [1, made]   # type: ignore[assignment]
    return made


def _slotted() -> Slotted:
    made = Slotted()
    made.a = 1
    return made


# What it is, how it changes, what to look at.
STATES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "list": (lambda: [1, [2]], lambda v: (v.append(3), v[1].clear()), repr),
    "dict": (lambda: {"a": 1, (1, 2): {}}, lambda v: (v.pop("a"), v.update(b=2)), repr),
    "set": (lambda: {1, "a"}, lambda v: v.add(None), lambda v: sorted(map(repr, v))),
    "frozen": (lambda: [frozenset({1, 2})], lambda v: v.__setitem__(0, frozenset()), repr),
    "deque": (lambda: collections.deque([1, 2], 3), lambda v: v.extend([3, 4, 5]), repr),
    "ordered": (lambda: collections.OrderedDict(a=1, b=2), lambda v: v.move_to_end("a"), repr),
    "default": (lambda: collections.defaultdict(list, a=[1]), lambda v: v["b"].append(1), repr),
    "counter": (lambda: collections.Counter("aab"), lambda v: v.update("bc"), repr),
    "bytearray": (lambda: bytearray(b"abc"), lambda v: v.extend(b"d" * 9000), bytes),
    "long_bytes": (lambda: [b"x" * 9000], lambda v: v.clear(), repr),
    "object": (_plain, lambda v: setattr(v, "y", 2), lambda v: (sorted(vars(v)), v.x[1] is v)),
    "slots": (_slotted, lambda v: (setattr(v, "b", 2), delattr(v, "a")),
              lambda v: (hasattr(v, "a"), hasattr(v, "b"))),
    "subclass": (lambda: Bag([1]), lambda v: (v.append(2), setattr(v, "n", 1)), lambda v: (list(v), vars(v))),
    "closure": (_counter, lambda v: v(), lambda v: v.__closure__[0].cell_contents),
    "array": (lambda: np.arange(6.0), lambda v: v.fill(0), lambda v: v.tolist()),
    "large_array": (lambda: np.arange(300_000.0), lambda v: v.fill(0), lambda v: v.sum()),
    "dtype": (lambda: np.zeros(3, [("a", "i4"), ("b", "f8", (2,))]), lambda v: v["b"].fill(1), repr),
    "objects": (lambda: np.array([[1], None], object), lambda v: v[0].append(2), lambda v: v.tolist()),
    "read_only": (lambda: np.arange(3), lambda v: v.setflags(write=False), lambda v: v.flags.writeable),
    "random": (lambda: random.Random(1), lambda v: v.random(), lambda v: v.getstate()),
    "generator": (lambda: np.random.default_rng(1), lambda v: v.random(), lambda v: repr(v.bit_generator.state)),
    "legacy": (lambda: np.random.RandomState(1), lambda v: v.rand(), lambda v: repr(v.get_state())),
    "count": (lambda: [itertools.count(3)], lambda v: next(v[0]), repr),
    "iterator": (lambda: [iter([1, 2, 3])], lambda v: next(v[0]), lambda v: v[0].__length_hint__()),
    "text": (lambda: io.StringIO("ab"), lambda v: v.write("xyz"), lambda v: (v.getvalue(), v.tell())),
    "partial": (lambda: functools.partial([].append), lambda v: v(1), lambda v: list(v.func.__self__)),
    "namespace": (lambda: types.SimpleNamespace(a=1), lambda v: setattr(v, "a", 2), repr),
    "mapping": (lambda: [types.MappingProxyType({"a": [1]})], lambda v: v[0]["a"].append(2), repr),
    "hint": (lambda: [Optional[int], Union], lambda v: v.clear(), lambda v: (v[0] == Optional[int], v[-1] is Union) if v else ()),
    "exception": (lambda: [ValueError(1)], lambda v: v.append(KeyError()), repr),
}


@pytest.mark.parametrize("name", sorted(STATES))
def test_it_comes_back_in_place(world: World, name: str) -> None:
    make, change, look = STATES[name]
    value = make()
    before, digests = look(value), world.digests(value=value)
    world.save(value=value)
    change(value)
    assert world.digests(value=value) != digests
    restored = world.restore(0, value=value)["value"]
    assert look(restored) == before and world.digests(value=restored) == digests
    assert restored is value or name in ("text", "partial")   # they pickle by themselves


@pytest.mark.parametrize("name", sorted(set(STATES) - {"closure"}))   # its code needs its module
def test_it_is_made_anew(world: World, name: str) -> None:
    make, _, look = STATES[name]
    value = make()
    before, digests = look(value), world.digests(value=value)
    world.save(value=value)
    restored = world.restore(0)["value"]
    assert restored is not value and look(restored) == before
    assert world.digests(value=restored) == digests


def test_aliases_and_views_stay(world: World) -> None:
    base = np.zeros((4, 6))
    state = {"a": base, "b": base, "view": base[1:3, ::2], "row": base[2]}
    world.save(**state)
    base += 1
    live = dict(state, a=base.copy(), view=None)
    found = world.restore(0, **live)
    assert found["a"] is found["b"] and found["view"].base is found["a"] and found["row"].base is found["a"]
    found["view"][:] = 7
    assert found["a"][1, 0] == 7 and found["a"].sum() == 7 * 6


def test_states_of_many_checkpoints(world: World) -> None:
    rng = np.random.default_rng(0)
    frozen, head = rng.normal(size=400_000), rng.normal(size=200_000)
    kept = []
    for _ in range(5):
        head += rng.normal(size=head.size)
        kept.append(head.copy())
        world.save(frozen=frozen, head=head)
    sizes = [checkpoint.stored_bytes for checkpoint in world.written()]
    assert all(size < 1.1 * head.nbytes for size in sizes[1:])
    for number in (3, 0, 4):
        found = world.restore(number, frozen=frozen, head=head)
        assert found["head"] is head and (head == kept[number]).all()
        assert (frozen == world.restore(0)["frozen"]).all()


def test_sets_do_not_depend_on_addresses(world: World) -> None:
    def state() -> tuple[Any, Any]:
        things = [object() for _ in range(20)]
        return set(things[::3]), things

    digests = []
    kept = []
    for _ in range(4):
        some, things = state()
        kept.append(things)
        digests.append(world.digests(some=some, things=things))
    assert all(each == digests[0] for each in digests)


def test_caches_of_functions_of_the_user(world: World) -> None:
    def half(x: float) -> list[float]:
        return [x / 2]

    world.shapes.by_tag["cache"]._user._modules[__name__] = []
    memo, small = functools.lru_cache(None)(half), functools.lru_cache(2)(half)
    memo(1)[0] = 9
    small(1)
    world.save(memo=memo, small=small)
    memo(2), memo.cache_clear(), memo(3)
    assert world.restore(0, memo=memo, small=small)["memo"] is memo
    assert memo(1) == [9] and memo.cache_info().currsize == 1


def test_bounded_caches_hold_their_results_in_the_order_of_use(world: World) -> None:
    calls: list[tuple[Any, ...]] = []

    def pair(one: Any, *, other: Any = 0) -> list[Any]:
        calls.append((one, other))
        return [one, other]

    key = Plain()
    world.shapes.by_tag["cache"]._user._modules[__name__] = []
    small = functools.lru_cache(3, typed=True)(pair)
    small(1), small(1.0), small(key, other="x")[1:], small(1)
    small(key, other="x").append(9)
    world.save(key=key, small=small)
    info, before = small.cache_info(), len(calls)
    for number in range(5):
        small(number)
    assert world.restore(0, key=key, small=small)["small"] is small
    assert small.cache_info() == info
    assert small(key, other="x") == [key, "x", 9] and small(1) == [1, 0] and len(calls) == before     # of what it closes over, too
    small(2), small(key, other="x"), small(1), small(1.0)     # the one that was used last before goes first
    assert calls[-2:] == [(2, 0), (1.0, 0)]


def test_a_cache_of_a_function_in_c_is_refused_when_it_holds_other_results(world: World) -> None:
    small = functools.lru_cache(2)(abs)
    small.__module__ = __name__
    world.shapes.by_tag["cache"]._user._modules[__name__] = []
    small(-1)
    world.save(small=small)
    world.restore(0, small=small)
    small(-2)
    with pytest.raises(Cannot, match="the cache of abs holds other results"):
        world.restore(0, small=small)


@pytest.mark.parametrize("steps", range(8))
def test_cycles_go_on_where_they_stood(world: World, steps: int) -> None:
    turns = itertools.cycle("abc")
    for _ in range(steps):
        next(turns)
    coming = [next(each) for each in [copy.deepcopy(turns)] for _ in range(9)]
    digest = world.digests(turns=turns)
    for number in range(3):     # what was restored can be saved again
        world.save(turns=turns)
        turns = world.restore(number)["turns"]
        assert world.digests(turns=turns) == digest
    assert [next(turns) for _ in range(9)] == coming


def test_weak_proxies(world: World) -> None:
    target, other = Plain(), Plain()
    proxy = weakref.proxy(target)
    world.save(target=target, other=other, proxy=proxy)
    target.x = 2
    found = world.restore(0, target=target, other=other, proxy=weakref.proxy(other))
    assert target.x == 1
    found["proxy"].x = 3
    assert (target.x, other.x) == (3, 1)


def test_weak_references(world: World) -> None:
    target = Plain()
    link = weakref.ref(target)
    world.save(link=link, target=target)
    target.x = 5
    found = world.restore(0, link=link, target=target)
    assert found["link"]() is target and target.x == 1


def test_a_generator_that_moved_on_is_refused(world: World) -> None:
    def numbers():   # type: ignore[no-untyped-def]
        yield from [1, 2, 3]

    running = numbers()
    next(running)
    world.save(running=running)
    world.restore(0, running=running)
    next(running)
    with pytest.raises(Cannot, match="moved on"):
        world.restore(0, running=running)


def test_a_refusal_changes_nothing(world: World) -> None:
    def numbers():   # type: ignore[no-untyped-def]
        yield from [1, 2, 3]

    running, values = numbers(), [1]
    next(running)
    world.save(running=running, values=values)
    next(running)
    values.append(2)
    with pytest.raises(Cannot):
        world.restore(0, running=running, values=values)
    assert values == [1, 2]


def test_memory_that_is_still_as_it_was_is_not_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from rex.hindsight.capture.chunks import ChunkReader
    array = np.arange(500_000.0)
    world.save(array=array)
    was, read = array.copy(), ChunkReader.read
    asked: list[Any] = []
    monkeypatch.setattr(ChunkReader, "read", lambda self, *which: asked.append(which) or read(self, *which))
    array[[3, 400_000]] += 1
    assert world.restore(0, array=array)["array"] is array
    assert len(asked) == 2 and (array == was).all()


@pytest.mark.parametrize("value", [IndexError("none there"), functools.partial(print, 1)])
def test_a_look_at_attributes_that_nobody_set_changes_nothing(value: Any) -> None:
    def state() -> Any:
        return (*shapes.reduction(value), None)[2]
    before = state()
    assert vars(value) == {}
    assert state() == before
    value.own = 1
    assert "'own': 1" in repr(state())


def test_a_function_of_a_library_that_bears_another_modules_name_comes_back(world: World) -> None:
    import contextlib

    @contextlib.contextmanager
    def within() -> Any:
        yield 5

    assert within.__module__ == __name__ and within.__globals__["__name__"] == "contextlib"
    del within.__wrapped__      # it is of this module, which no recording knows
    within.__closure__[0].cell_contents = None
    world.save(within=within)
    made = world.restore(0)["within"]
    assert made is not within and (made.__module__, made.__code__) == (__name__, within.__code__)


def test_functions_of_torch_in_c_are_found_again(world: World) -> None:
    torch = pytest.importorskip("torch")
    world.save(reduce=[torch.sum])
    assert world.restore(0)["reduce"][0] is torch.sum
