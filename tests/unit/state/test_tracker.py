"""What a cell changed: co-variables, names it could reach, and nothing that it only read."""

from __future__ import annotations

import sys
import threading
import types
from pathlib import Path

import pytest

pytest.importorskip("cloudpickle")
numpy = pytest.importorskip("numpy")

from .sessions import Session  # noqa: E402


@pytest.fixture
def session() -> Session:
    return Session(check_loads=False)


def test_variables_that_share_an_object_are_one_co_variable(session: Session) -> None:
    delta = session.run("a = [1]\nb = {'x': a}\nc = [1]")
    assert delta.changed["a"] is delta.changed["b"] is not delta.changed["c"]
    assert session.changed("a.append(2)") == {"a", "b"}


def test_merges_and_splits_are_changes(session: Session) -> None:
    session.run("a = [1]\nb = [a]\nc = [2]")
    assert session.changed("c.append(a)") == {"a", "b", "c"}
    assert session.changed("b = [list(a)]") == {"a", "b", "c"}
    assert session.tracker.versions["b"].names == ("b",)
    assert session.tracker.versions["a"].names == ("a", "c")


def test_rewiring_between_equal_values_is_a_change(session: Session) -> None:
    session.run("a = [[1], [1]]")
    assert session.changed("a[1] = a[0]") == {"a"}


def test_plain_values_modules_types_and_functions_join_nothing(session: Session) -> None:
    session.run("import json, numpy as np\nx = 'text'\na = [x, json, np.sum, int, np.dtype('f8')]\n"
                "b = [x, json, np.sum, int, np.dtype('f8'), (), frozenset()]\nc = [(), frozenset()]")
    assert session.tracker.versions["a"].names == ("a",)
    assert session.changed("a.append(1)") == {"a"}


def test_reading_changes_nothing(session: Session) -> None:
    session.run("import numpy as np\na = np.zeros(500000)\nb = a[3:]\nc = {'k': [b]}\n"
                "l = ['x'] * 5000")
    assert session.changed("print(a.sum(), len(c), l[3], b[0], end='')") == set()


def test_a_write_through_a_view_in_a_function_is_found(session: Session) -> None:
    session.run("import numpy as np\na = np.zeros(500000)\nb = a[100:200]\n"
                "def write():\n    b[5] = 1\ndef indirect(): write()")
    assert session.changed("indirect()") == {"a", "b"}


@pytest.mark.parametrize("code", ["exec('a.append(1)')", "globals()['a'].append(1)",
                                  "bump()", "box.touch()", "later[0]()", "keep['f']()"])
def test_names_that_the_cell_does_not_say_are_found(session: Session, code: str) -> None:
    session.run("a = []\ndef bump(): a.append(1)\nclass Box:\n    def touch(self): bump()\n"
                "box = Box()\nlater = [lambda: bump()]\n"
                "def outer():\n    def f(): bump()\n    return f\nkeep = {'f': outer()}")
    assert "a" in session.changed(code)


def test_modules_that_the_user_wrote_may_hold_anything(session: Session, tmp_path: Path,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "registry_of_mine.py").write_text(
        "kept = []\ndef keep(o): kept.append(o)\ndef grow(): kept[0].append(1)\n")
    monkeypatch.syspath_prepend(tmp_path)
    session.run("import registry_of_mine as r\na = []\nr.keep(a)")
    try:
        assert session.changed("r.grow()") == {"a"}
    finally:
        sys.modules.pop("registry_of_mine", None)


def test_while_a_thread_runs_every_cell_may_change_everything(session: Session) -> None:
    session.run("a = []\nx = 1")
    stop = threading.Event()
    values = session["a"]
    thread = threading.Thread(target=lambda: (values.append(1), stop.wait(20)))
    thread.start()
    try:
        while not values:
            pass
        assert session.changed("x = 2") == {"a", "x"}
    finally:
        stop.set()
        thread.join()


def test_a_cell_that_raised_has_its_partial_effects(session: Session) -> None:
    session.run("a = []")
    delta = session.run("a.append(1)\n1 / 0\na.append(2)")
    assert set(delta.changed) == {"a"} and not delta.is_complete


def test_removed_and_special_names(session: Session) -> None:
    session.run("a = 1\n_b = 2\n__c__ = 3")
    assert set(session.tracker.versions) == {"a", "_b"}
    assert session.run("del a").removed == {"a"}


def test_random_state_environment_and_directory_are_part_of_it(
        session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REX_TEST", raising=False)
    session.run("import random, os\nimport numpy as np\nrandom.seed(1); np.random.seed(1)")
    one = session.run("os.environ['REX_TEST'] = '1'")
    two = session.run("x = random.random(), np.random.rand()")
    assert set(one.changed) >= {"<environ>"}
    assert set(two.changed) == {"x", "<random>", "<numpy.random>"}
    session.run("y = 3\nos.mkdir('d'); os.chdir('d')")
    session.checkout(two.parent)
    assert Path.cwd() == tmp_path
    assert session.run("x = random.random(), np.random.rand()").changed["x"]
    first = session["x"]
    session.checkout(two.node)
    assert session["x"] == first
    session.checkout(one.parent)
    assert "REX_TEST" not in __import__("os").environ


def test_one_object_that_cannot_be_pickled_costs_only_its_own(session: Session) -> None:
    delta = session.run("a = [1]\ngen = (i for i in a[:0])\nb = [gen]\nc = {}")
    assert delta.changed["a"].broken == "" and delta.changed["c"].broken == ""
    assert delta.changed["b"] is delta.changed["gen"] and "generator" in delta.changed["b"].broken
    assert session.changed("a.append(2)") == {"a"}
    assert session.changed("b.append(2)") == {"b", "gen"}


def test_objects_that_raise_anything_do_not_end_the_tracking(session: Session) -> None:
    delta = session.run("class Bad:\n    def __reduce__(self): raise KeyError('no')\n"
                        "bad = Bad()\na = []\nfor _ in range(100000): a = [a]")
    assert "KeyError" in delta.changed["bad"].broken
    assert delta.changed["a"].broken
    assert session.changed("d = 1") == {"d"}
    session["a"].clear()


def test_a_new_module_object_is_state(session: Session) -> None:
    session.run("import types\nm = types.ModuleType('made_here')\nm.x = [1]")
    assert isinstance(session["m"], types.ModuleType)
    assert session.changed("m.x.append(2)") == {"m"}


def test_nothing_of_the_user_is_kept_alive(session: Session) -> None:
    session.run("import weakref, numpy as np\na = np.zeros(300000)\nclass K: pass\nk = K()\n"
                "ra, rk = weakref.ref(a), weakref.ref(k)")
    session.run("del a, k")
    assert session["ra"]() is None and session["rk"]() is None
    session.run("z = np.zeros(4)")
    session.run("z.resize(900)")
    assert session["z"].shape == (900,)


def test_the_namespace_stays_a_plain_dict(session: Session) -> None:
    session.run("a = 1")
    assert type(session.namespace) is dict


@pytest.mark.parametrize("use_pages", [True, False])
def test_one_byte_amid_large_memory_is_found(use_pages: bool) -> None:
    session = Session(check_loads=False, use_pages=use_pages)
    session.run("import numpy as np\na = np.zeros(1000000)\nb = bytearray(8000000)")
    assert session.changed("a[500000] = 1") == {"a"}
    assert session.changed("b[4000000] = 1") == {"b"}
    assert session.changed("a[500000], b[3]") == set()
    session.checkout(1)
    assert session["a"][500000] == 0 == session["b"][4000000]


def test_two_arrays_over_one_buffer_both_change(session: Session) -> None:
    session.run("import mmap\nimport numpy as np\nmemory = mmap.mmap(-1, 4 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
                "one, other = np.frombuffer(memory), np.frombuffer(memory)")
    for number in range(3):
        assert session.changed(f"one[7 + 99999 * {number}] = 1 + other[3]") >= {"one", "other"}
        assert not session.changed("one, other") & {"one", "other"}
