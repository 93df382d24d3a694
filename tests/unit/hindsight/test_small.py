"""The smaller modules: clock, output, values, imports, names of code."""

from __future__ import annotations

import gc
import hashlib
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from rex.hindsight.capture.graph import walk_roots
from rex.hindsight.capture.kinds import Shapes
from rex.hindsight.capture.memory import Hasher
from rex.hindsight.instrument.imports import Unhurried, is_users
from rex.hindsight.instrument.usercode import UserCode, all_codes
from rex.hindsight.run.session import Entry
from rex.hindsight.trace.clock import Clock, Entropy
from rex.hindsight.trace.output import first_lines_apart
from rex.hindsight.trace.values import plain_value

ROOT = Path(__file__).parents[3]


def test_a_clock_gives_back_what_it_read() -> None:
    recording = Clock()
    told = [recording.read(time.perf_counter) for _ in range(3)]
    assert recording.take_fresh() == told and recording.take_fresh() == []
    replaying = Clock(told)
    assert [replaying.read(lambda: -1.0) for _ in range(4)] == [*told, -1.0]


def test_probes_and_other_threads_read_the_real_clock() -> None:
    clock, seen = Clock([5.0]), []
    thread = threading.Thread(target=lambda: seen.append(clock.read(lambda: -1.0)))
    thread.start()
    thread.join()
    clock.is_off = True
    assert seen == [-1.0] and clock.read(lambda: -2.0) == -2.0 and clock.count == 0
    clock.is_off = False
    assert clock.read(lambda: -3.0) == 5.0


def test_random_bytes_depend_on_the_seed_and_their_place_only() -> None:
    """Recordings keep the seed and how much was drawn before each border: the stream must never change."""
    seed, stream, chance = b"s" * 32, Entropy(b"s" * 32), random.Random(1)
    for _ in range(2000):
        if chance.random() < 0.02:
            stream.count = chance.randrange(3000)   # a border elsewhere was taken on
        number, size = stream.count, chance.choice([0, 1, 16, 32, 64, 65, 2500])
        expected = hashlib.shake_256(seed + number.to_bytes(8, "little")).digest(size)
        assert stream.read(size) == expected and stream.count == number + 1


OUTSIDE = """
import sys; sys.path.insert(0, {root!r})
from rex.hindsight.trace.clock import Clock, Entropy
clock = Clock({recorded}); clock.install(); Entropy(b"seed").install()
import datetime, os, pickle, random, secrets, time, uuid
class Mine(datetime.datetime): pass
said = [time.time(), time.time_ns(), time.perf_counter(), datetime.datetime.now(), Mine.now(datetime.timezone.utc),
        datetime.datetime.utcnow(), datetime.datetime.today(), datetime.date.today(), time.localtime().tm_sec,
        time.ctime(), time.strftime("%H %M %S"), time.asctime(), time.gmtime().tm_min, time.clock_gettime(0),
        uuid.uuid4(), secrets.token_hex(4), os.urandom(3), random.Random().random(), random.random(),
        type(Mine.now()).__name__, pickle.loads(pickle.dumps(time.time)) is time.time]
random.seed(); said.append(random.random())
print(repr(said)); print(repr(clock.take_fresh()), file=sys.stderr)
"""


def test_everything_from_outside_is_given_back() -> None:
    def run(recorded: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-W", "ignore", "-c", OUTSIDE.format(root=str(ROOT), recorded=recorded)],
                              capture_output=True, text=True, check=True)

    first = run("None")
    time.sleep(0.01)
    assert run(first.stderr.strip()).stdout == first.stdout
    assert "'Mine', True" in first.stdout


@pytest.mark.parametrize("one, other, expected", [
    ("a\nb\n", "a\nc\n", ("b\n", "c\n")), ("a\n", "a\nb\n", ("", "b\n")), ("a\nb\n", "a\n", ("b\n", "")),
    ("x" * 200 + "1\n", "x" * 200 + "2\n", ("..." + "x" * 40 + "1\n", "..." + "x" * 40 + "2\n"))])
def test_the_first_line_that_differs(one: str, other: str, expected: tuple[str, str]) -> None:
    assert first_lines_apart(one, other) == expected


def test_values_are_plain_data() -> None:
    assert plain_value({"a": (1, [2.5, None]), 3: True}) == {"a": [1, [2.5, None]], "3": True}
    assert plain_value(np.float32(0.5)) == 0.5 and plain_value(np.arange(3)) == [0, 1, 2]
    assert plain_value(np.zeros(5000)).startswith("array(") and plain_value(object).startswith("<class")


def test_the_users_modules_are_those_below_the_script(tmp_path: Path) -> None:
    tops = (str(tmp_path),)
    assert is_users(str(tmp_path / "a" / "m.py"), tops)
    assert not is_users(str(tmp_path / "lib" / "site-packages" / "m.py"), tops)
    assert not is_users(np.__file__, tops) and not is_users(str(tmp_path) + "x/m.py", tops)


def test_items_that_pass_are_counted() -> None:
    entry = Entry.__new__(Entry)
    entry.iteration, entry._passing, entry.iterator = 4, None, iter(range(10))
    seen = []
    for item in entry.many(5):
        seen.append((item, entry.now))
    assert seen == [(0, 5), (1, 6), (2, 7), (3, 8), (4, 9)]
    entry.settle()
    assert entry.iteration == 9 and next(entry.iterator) == 5
    for _ in entry.many(100):
        pass
    entry.settle()
    assert entry.iteration == 13


def test_added_statements_do_not_change_what_a_function_is() -> None:
    recorded = compile("def f():\n    a = b = 1\n    def g(): return a\n    k = lambda: a\n    return g, k\n", "m", "exec")
    source = ("def f():\n    a = b = 1\n    x = (lambda: b)\n    def g():\n        print(b)\n        return a\n"
              "    k = lambda: a\n    return g, k\n")
    import ast
    function = ast.parse(source).body[0]
    added = [function.body[1], function.body[2].body[0]]   # type: ignore[attr-defined]
    now = compile(source, "m", "exec")
    code = UserCode()
    code.add("m", now, recorded, added)
    inner = next(each for each in all_codes(now) if each.co_name == "g")
    assert inner.co_freevars == ("a", "b") and code.free(inner) == ("a",) and code.fresh(inner) == {"b"}
    assert len(code.same("m", "f.<locals>.<lambda>")) == 1


def test_a_look_at_the_state_collects_nothing_but_what_is_new() -> None:
    """Else it begins the full collection that imports left nearly due."""
    state, collected = [[number] for number in range(3000)], []
    thresholds = gc.get_threshold()
    gc.collect(1)     # from now on each collection of the new is one of all that is younger than the oldest
    gc.set_threshold(1000, 0, 0)
    gc.callbacks.append(lambda phase, told: collected.append(told["generation"]) if phase == "start" else None)
    try:
        snapshot = walk_roots(Shapes(UserCode()), Hasher(), [("state", state)])
        left, is_on = gc.get_count()[0], gc.isenabled()
    finally:
        gc.callbacks.pop()
        gc.set_threshold(*thresholds)
    assert len(snapshot.roots[0].nodes) == 3001 and set(collected) == {0}
    assert left < 1000 and is_on


def test_while_a_library_is_imported_the_collector_leaves_alone_what_is_old() -> None:
    collector, usual, seen = Unhurried(), gc.get_threshold(), []

    def library() -> None:
        seen.append(gc.get_threshold())
        collector.run(lambda: seen.append(gc.get_threshold()))      # imports another
        collector.run_users(lambda: seen.append(gc.get_threshold()))
        seen.append(gc.get_threshold())
        raise ImportError

    with pytest.raises(ImportError):
        collector.run(library)
    young = (*usual[:2], 1 << 30)
    assert seen == [young, young, usual, young] and gc.get_threshold() == usual and not collector.is_unhurried


def test_once_a_library_is_imported_what_is_due_is_looked_through() -> None:
    collector, usual, made, looks = Unhurried(), gc.get_threshold(), [], []
    gc.set_threshold(10, 1, 1)
    gc.callbacks.append(lambda phase, told: looks.append(told["generation"]) if phase == "start" else None)
    try:
        collector.run(lambda: made.extend([number] for number in range(1000)))
    finally:
        gc.callbacks.pop()
        gc.set_threshold(*usual)
    assert looks[-1] == 2 and looks.count(2) == 1 and looks.count(0) > 10


def test_what_a_library_sets_of_the_collector_stays() -> None:
    collector, usual, elsewhere = Unhurried(), gc.get_threshold(), []
    try:
        collector.run(lambda: gc.set_threshold(900, 9, 9))
        assert gc.get_threshold() == (900, 9, 9)
        collector.run(lambda: collector.run_users(lambda: gc.set_threshold(800, 8, 8)))
        assert gc.get_threshold() == (800, 8, 8)
    finally:
        gc.set_threshold(*usual)
    thread = threading.Thread(target=lambda: collector.run(lambda: elsewhere.append(gc.get_threshold())))
    thread.start()
    thread.join()
    assert elsewhere == [usual]
