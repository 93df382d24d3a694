"""What lies outside of the namespace comes back, or is named."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

pytest.importorskip("cloudpickle")

from rex.state import descriptors  # noqa: E402
from rex.state.outside import set_outside  # noqa: E402
from .sessions import Session  # noqa: E402


@pytest.fixture
def session() -> Session:
    return Session(check_loads=False)


@pytest.mark.parametrize("code, names", [
    ("m.tau = 3", ["math.tau"]), ("del m.tau", ["math.tau"]), ("m.cache['a'] += 1", ["math.cache"]),
    ("setattr(m, 'tau', 3)", ["math.tau"]), ("Path.home = None", ["pathlib.Path.home"]), ("local.x = 1; y = m.pi", []),
    ("x = [m.pi for _ in ()]", []), ("get().x = 1", []), ("not python =", [])])
def test_what_code_sets_in_modules(code: str, names: list[str]) -> None:
    assert set_outside(code, {"m": math, "Path": Path, "local": []}) == names


def test_attributes_of_modules_are_named(session: Session) -> None:
    session.run("import math")
    first = session.run("x = 1").node
    try:
        last = session.run("math.answer = 42").node
        assert session.checkout(first).outside == ["math.answer"]
        assert session.checkout(first).outside == []
        assert session.checkout(last).outside == ["math.answer"]
    finally:
        del math.answer   # type: ignore[attr-defined]


def test_descriptors_stand_where_they_stood(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text("abcdefgh")
    session.run(f"import os; fd = os.open({str(path)!r}, os.O_RDONLY); file = open({str(path)!r})")
    node = session.run("first = os.read(fd, 2); one = file.read(1)").node
    session.run("second = os.read(fd, 2)")
    session.checkout(node)
    assert os.read(session["fd"], 2) == b"cd" and session["file"].read(1) == "b"
    session.run("os.close(fd); fd = None")
    assert f"of {path} is closed" in session.checkout(node).failed["<descriptors>"]
    session["file"].close()


def test_what_the_tracker_opens_itself_is_no_descriptor_of_a_cell(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel reports written pages of large arrays by files that stay open."""
    pytest.importorskip("numpy")
    monkeypatch.setattr(descriptors, "_opened", set())
    (tmp_path / "in.txt").touch()
    session.run(f"import os, numpy; os.close(os.open({str(tmp_path / 'in.txt')!r}, os.O_RDONLY))")     # so opens are watched
    session.run("large = numpy.zeros(1 << 20)")
    session.run("large[0] = 1")
    assert descriptors.places() == {}


def test_weak_collections_hold_what_they_held(session: Session) -> None:
    session.run("import weakref\nclass Thing: pass\none, two = Thing(), Thing()")
    node = session.run("names = weakref.WeakValueDictionary(a=one, b=two); notes = weakref.WeakKeyDictionary({one: 1})\n"
                       "seen = weakref.WeakSet([two]); ref = weakref.ref(one); gone = weakref.ref(Thing())").node
    session.run("one = two = None; names = notes = seen = ref = None")
    assert not session.checkout(node).failed
    assert session["names"]["a"] is session["one"] is session["ref"]() and session["notes"][session["one"]] == 1
    assert list(session["seen"]) == [session["two"]] and session["gone"]() is None
    session.run("del one")
    assert list(session["names"]) == ["b"]


def test_what_threads_wrote_is_seen(session: Session) -> None:
    session.run("import threading\nready, go = threading.Event(), threading.Event()\nfound = []\n"
                "def late():\n    ready.wait()\n    globals()['hidden'].append(1)\nhidden = []")
    session.run("thread = threading.Thread(target=late); thread.start()")
    before = session.run("x = 1").node
    session.namespace["ready"].set()
    session.namespace["thread"].join()     # between two cells
    after = session.run("y = 1").node
    session.run("hidden = None")
    session.checkout(after)
    assert session["hidden"] == [1]
    session.checkout(before)
    assert session["hidden"] == []


def test_what_a_thread_wrote_within_a_cell_is_seen(session: Session) -> None:
    session.run("import threading\nfrom concurrent.futures import ThreadPoolExecutor\nhidden = {}")
    session.run("def work(n):\n    hidden[n] = n")
    node = session.run("with ThreadPoolExecutor(2) as pool: list(pool.map(work, range(3)))").node
    session.run("hidden = None")
    session.checkout(node)
    assert sorted(session["hidden"]) == [0, 1, 2]


def test_variables_of_the_environment_are_restored() -> None:
    assert set_outside("os.environ['A'] = '1'\nos.foo = 2", {"os": os}) == ["os.foo"]
