"""Checkout: what differs and nothing else, in place where it can be, re-run where it must be."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cloudpickle")
numpy = pytest.importorskip("numpy")

from rex.errors import Damaged, NotFound  # noqa: E402
from rex.archive import Content  # noqa: E402
from .sessions import Session  # noqa: E402


@pytest.fixture
def session() -> Session:
    return Session(check_loads=False)


def test_what_does_not_differ_is_left_alone(session: Session) -> None:
    session.run("a = [1]\nb = [2]")
    session.run("b.append(3)")
    a = session["a"]
    restored = session.checkout(1)
    assert session["a"] is a and session["b"] == [2]
    assert restored.loaded == {"b"} and not restored.failed


@pytest.mark.parametrize("make, change", [
    ("np.zeros(500000)", "x[7] = 1"), ("np.zeros((300, 400), order='F')", "x += 1"),
    ("np.zeros((5, 300, 400)).transpose(1, 0, 2).copy('K')", "x[0] = 3"),
    ("['s%d' % i for i in range(9000)]", "x[5000] = 'new'"),
    ("list(range(9000))", "x.insert(3, 'new')"), ("{i: i for i in range(2000)}", "x[3] = 'new'"),
    ("set(range(2000))", "x.add('new')"), ("bytearray(200000)", "x[9] = 5"),
    ("np.array(['t'] * 3000, object)", "x[4] = None")])
def test_large_objects_are_patched_and_stay_who_they_are(session: Session, make: str,
                                                         change: str) -> None:
    session.run(f"import numpy as np\nx = {make}")
    before, x = repr(session["x"]), session["x"]
    session.run(change)
    after = repr(session["x"])
    for node, expected in ((1, before), (2, after), (1, before)):
        session.checkout(node)
        assert session["x"] is x and repr(x) == expected


def test_patching_goes_on_after_an_object_was_built_anew(session: Session) -> None:
    session.run("import numpy as np\nx = np.zeros(500000)")
    session.run("x[3] = 1")
    session.run("x = None")
    session.checkout(2)
    x = session["x"]
    session.checkout(1)
    assert session["x"] is x and x[3] == 0


def test_views_and_sharing_come_back(session: Session) -> None:
    session.run("import numpy as np\na = np.arange(60000.).reshape(200, 300).copy()\nv = a[::-2, 5:9]\n"
                "l = [v, v]\nm = l")
    session.run("v[0, 0] = -1\nl = None")
    session.run("del a, v, l, m")
    session.checkout(1)
    assert session["v"].base is session["a"] and session["l"][0] is session["l"][1]
    assert session["m"] is session["l"] and session["v"].strides == (-4800, 8)
    session["a"][199, 5] = 77
    assert session["v"][0, 0] == 77


def test_windows_that_slide_over_an_array_stay_views_of_it(session: Session) -> None:
    session.run("import numpy as np\na = np.arange(9000.)\nw = np.lib.stride_tricks.sliding_window_view(a, 3)\n"
                "b = w[::5]\nt = np.lib.stride_tricks.as_strided(a[2:8], (2, 3), (8, 16))")
    session.run("del a, w, b, t")
    session.checkout(1)
    session["a"][6] = -7
    assert [session["w"][5, 1], session["b"][1, 1], session["t"][0, 2], session["t"].flags.writeable] == [-7, -7, -7, True]
    assert not session["w"].flags.writeable
    assert session.changed("a[6] = 0") == {"a", "w", "b", "t"}


def test_functions_see_the_live_namespace(session: Session) -> None:
    session.run("k = 1\ndef f(): return k\ndef count():\n    n = 0\n    def up():\n"
                "        nonlocal n\n        n += 1\n        return n\n    return up, lambda: n\n"
                "up, seen = count()\nup()")
    session.run("up(); del f")
    session.checkout(1)
    session.namespace["k"] = 5
    assert session["f"]() == 5
    assert session["up"]() == 2 and session["seen"]() == 2


def test_classes_stay_the_same_and_lose_later_attributes(session: Session) -> None:
    session.run("class K:\n    x = [1]\n    def who(self): return type(self) is K\nk = K()")
    session.run("K.x.append(2)\nK.y = 3")
    kind = session["K"]
    session.checkout(1)
    assert session["K"] is kind and kind.x == [1] and not hasattr(kind, "y")
    assert session["k"].who()


def test_generators_are_run_again_from_their_inputs(session: Session) -> None:
    session.run("log = []\nsource = iter([1])\ng = (i * i for i in range(5))")
    session.run("a = next(g)")
    session.run("log.append(next(g)); b = 1")
    session.run("log.append(next(g)); del b")
    restored = session.checkout(3)
    assert set(restored.recomputed) == {"g"} and session["log"] == [1] and session["b"] == 1
    assert next(session["g"]) == 4
    session.checkout(1)
    assert list(session["g"]) == [0, 1, 4, 9, 16]


def test_running_again_changes_no_file_and_says_so(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "log"
    session.run(f"file = open({str(path)!r}, 'w')\nfile.write('kept'); file.flush()")
    session.run("file.close(); del file")
    restored = session.checkout(1)
    assert "would write" in restored.failed["file"] and path.read_text() == "kept"
    assert "file" not in session.namespace


@pytest.mark.parametrize("cell", [
    "libc.fopen({path}, b'w'); made = iter(open(__file__))",
    "thread = threading.Thread(target=lambda: open({path}, 'w')); thread.start(); thread.join(); made = iter(open(__file__))",
    "try: open({path}, 'w')\nexcept Exception: pass\nmade = iter(open(__file__))",
    "base = sqlite3.connect({path}); base.execute('create table if not exists t(x)'); made = iter(open(__file__))"])
def test_a_checkout_changes_no_file_that_libraries_or_threads_write(session: Session, tmp_path: Path, cell: str) -> None:
    path = tmp_path / "kept"
    session.run(f"import ctypes, sqlite3, threading\nlibc = ctypes.CDLL(None); __file__ = {__file__!r}")
    node = session.run(cell.format(path=repr(os.fsencode(path)))).node
    session.run("thread = base = made = None")
    path.write_bytes(b"precious")
    restored = session.checkout(node)
    assert "would" in restored.failed["made"] and path.read_bytes() == b"precious"
    assert "made" not in session.namespace


def test_loading_changes_no_file(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "kept"
    session.run(f"""class Log:
    def __init__(self): self.lines = []
    def __setstate__(self, state):
        self.lines = state['lines']; open({str(path)!r}, 'w')""")
    node = session.run("log = Log()").node
    session.run("log = None")
    path.write_text("precious")
    session.checkout(node)
    assert path.read_text() == "precious"


def test_a_missing_chunk_is_recomputed(session: Session) -> None:
    session.run("n = 3")
    delta = session.run("x = list(range(2000)); y = n + 1")
    session.run("x = y = None")

    def read(content: Content) -> bytes:
        raise Damaged("gone")

    for chunk in delta.changed["x"].chunks():
        chunk.source, chunk.content = None, Content("0" * 64, 5)
    restored = session.checkout(2, read=read)
    assert "gone" in restored.recomputed["x"] and session["x"][1999] == 1999 and not restored.failed
    assert session["y"] == 4 and "y" not in restored.recomputed


def test_branches(session: Session) -> None:
    session.run("a = [0]")
    session.run("a.append(1)")
    session.checkout(1)
    other = session.run("a.append(2)")
    assert other.parent == 1
    session.checkout(2)
    assert session["a"] == [0, 1]
    session.checkout(other.node)
    assert session["a"] == [0, 2]
    assert set(session.tracker.history.difference(2, other.node)) == {"a"}
    with pytest.raises(NotFound):
        session.checkout(99)


def test_classes_that_load_but_differ_are_found_and_recomputed() -> None:
    session = Session()
    session.run("class Lossy:\n    def __init__(self): self.x, self.cache = 1, [2]\n"
                "    def __getstate__(self): return {'x': self.x}\nok = [1]")
    session.run("lossy = Lossy()")
    session.run("lossy = None")
    restored = session.checkout(2)
    assert "differs at" in restored.recomputed["lossy"] and session["lossy"].cache == [2]
    session.tracker.close()


def test_an_object_array_with_records_and_a_read_only_root(session: Session) -> None:
    session.run("import numpy as np\nr = np.zeros(5, [('a', 'f8'), ('b', 'U3')])\nv = r['a']\n"
                "r.flags.writeable = False\no = np.array([[1], None], object)")
    wanted: Any = session["r"].dtype
    session.run("del r, v, o")
    session.checkout(1)
    assert session["r"].dtype == wanted and not session["r"].flags.writeable
    assert session["v"].flags.writeable and session["v"].base is session["r"]
    assert session["o"][0] == [1]


def test_enums_cached_functions_and_iterators(session: Session) -> None:
    session.run("import enum, functools, itertools, io, collections\n"
                "class E(enum.Enum):\n    A = 1\n    B = 2\ne = [E.A]\n"
                "@functools.lru_cache\ndef fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
                "it = iter([1, 2, 3]); next(it)\ncount = itertools.count(5)\n"
                "file = io.BytesIO(b'abc'); file.read(1)\nqueue = collections.deque([1], 5)")
    session.run("next(it); next(count); file.read(1); queue.append(queue); fib(9)")
    session.run("E = e = fib = it = count = file = queue = None")
    assert not session.checkout(1).failed
    assert session["e"][0] is session["E"].A and session["fib"](10) == 55
    assert next(session["it"]) == 2 and next(session["count"]) == 5
    assert session["file"].read() == b"bc" and list(session["queue"]) == [1]
    session.checkout(2)
    assert session["queue"][1] is session["queue"] and session["file"].read() == b"c"


def test_the_real_main_module(tmp_path: Path) -> None:
    script = tmp_path / "main.py"
    script.write_text("""
from rex.state import StateTracker, checkout
mine = {"StateTracker", "checkout", "tracker", "mine", "run", "annotations"}
tracker = StateTracker(globals(), ignore=lambda name: name in mine or name.startswith("__"))
def run(code):
    tracker.before_cell(code); exec(code, globals()); return tracker.after_cell()
run("class K:\\n    x = 1\\n    def f(self): return k.y\\nk = K(); k.y = 3\\n"
    "import functools\\n@functools.lru_cache\\ndef g(): return k.y")
run("k.y = 4; K.x = 5")
run("del K, k, g")
r = checkout(tracker, 1)
assert not r.failed and not r.recomputed, r
assert k.f() == 3 == g() and K.x == 1 and type(k) is K
checkout(tracker, 2)
assert k.y == 4 and K.x == 5
tracker.close()
""")
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(root)}, timeout=60)
    assert done.returncode == 0, done.stderr


def test_locks_loggers_and_views_of_memory_come_back_as_they_were() -> None:
    session = Session(check_loads=False)
    session.run("import threading, logging, queue, concurrent.futures, enum")
    session.run("free, taken, again = threading.Lock(), threading.Lock(), threading.RLock()\n"
                "taken.acquire(); again.acquire(); again.acquire()\njobs = queue.Queue(); jobs.put([1])\n"
                "future = concurrent.futures.Future()\nlog = logging.getLogger('rex.test'); log.setLevel(10)\n"
                "data = bytearray(b'abc'); view = memoryview(data)\npart = memoryview(data)[1:]\n"
                "Colour = enum.Enum('Colour', 'RED BLUE')")
    session.run("free.acquire(); taken.release(); again.release(); again.release(); jobs.put(2)\n"
                "future.set_result(5); log.setLevel(50); view[0] = 65; Colour.RED.note = 'x'")
    done = session.checkout(2)
    assert not done.failed and set(done.recomputed) <= {"part", "data", "view"}
    assert not session["free"].locked() and session["taken"].locked()
    assert session["again"]._is_owned() and list(session["jobs"].queue) == [[1]]
    assert not session["future"].done() and session["log"].level == 10
    session["view"][1] = 90
    assert bytes(session["data"]) == b"aZc" and bytes(session["part"]) == b"Zc"
    assert not hasattr(session["Colour"].RED, "note")


def test_lists_of_rows_keep_what_they_share() -> None:
    session = Session(check_loads=False)
    session.run("pairs = [(i, str(i)) for i in range(9000)]\nlists = [[i, 'x'] for i in range(5000)]\n"
                "records = [{'a': i, 'b': None} for i in range(2000)]")
    assert len(session.tracker.versions["pairs"].parts) == 1
    assert session.changed("n = len(pairs) + len(lists) + len(records)") == {"n"}
    assert session.changed("lists[77].append(5)") == {"lists"}
    assert session.changed("records[3]['c'] = 1.5; pairs[8000] = (0, 'new')") == {"pairs", "records"}
    assert session.changed("row = lists[5]; twice = [pairs[1]] * 2; lists[9] = lists[10]") >= {
        "row", "lists", "twice"}
    assert session.changed("row.append('seen')") == {"row", "lists"}
    session.run("pairs, lists, records, row, twice = [], [], [], [], []")
    session.checkout(5)
    assert session["lists"][5] is session["row"] and session["lists"][9] is session["lists"][10]
    assert session["twice"][0] is session["pairs"][1] and session["pairs"][8000] == (0, "new")
    assert session["lists"][77] == [77, "x", 5] and session["records"][3] == {"a": 3, "b": None, "c": 1.5}
    session.checkout(1)
    assert session["lists"][77] == [77, "x"] and session["pairs"][8000] == (8000, "8000")
    assert session["records"][3] == {"a": 3, "b": None} and session["lists"][9] is not session["lists"][10]


def test_rows_of_any_shape_come_back() -> None:
    chance = random.Random(3)
    session = Session(check_loads=False)
    atoms = [0, 1.5, "x", None, True, b"z", 2**70]
    expected = {}
    for number in range(40):
        kind = chance.choice([tuple, list, set, dict])
        width = chance.choice([None, 1, 2, 5])

        def row() -> object:
            count = chance.randrange(4) if width is None else width
            if kind is dict:
                return {(key if key else "k"): chance.choice(atoms) for key in range(count)}
            if kind is set:
                return set(range(count))
            return kind(chance.choice(atoms) for _ in range(count))

        rows = [row() for _ in range(chance.choice([1024, 4097, 2000]))]
        expected[f"v{number}"] = [type(one)(one) if type(one) is not tuple else one for one in rows]
        session.namespace[f"v{number}"] = rows
        del rows
    session.run("done = 1")
    assert sum(len(v.parts) for v in session.tracker.versions.values()) >= 30
    session.run("globals().update({n: [] for n in list(globals()) if n[0] == 'v' and n[1:].isdigit()})")
    session.checkout(1)
    for name, rows in expected.items():
        assert session[name] == rows and list(map(type, session[name])) == list(map(type, rows))


def test_a_function_stays_whose_generator_cannot_be_made_again(session: Session, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("1\n2\n")
    session.run(f"def numbers(p):\n    for line in open(p): yield int(line)\ng = numbers({str(tmp_path / 'in')!r}); first = next(g)")
    session.run("g = None")
    (tmp_path / "in").write_text("7\n8\n")
    restored = session.checkout(1)
    assert list(restored.failed) == ["g"] and "numbers" in restored.recomputed
    assert list(session["numbers"](tmp_path / "in")) == [7, 8] and session["numbers"].__globals__ is session.namespace


@pytest.mark.parametrize("lists", ["sorted(os.listdir({!r}))", "sorted(each.name for each in os.scandir({!r}))"])
def test_a_listing_that_changed_is_no_input_to_run_a_cell_again(session: Session, tmp_path: Path, lists: str) -> None:
    (tmp_path / "a").write_text("")
    session.run("import os")
    session.run(f"g = (name for name in {lists.format(str(tmp_path))})")
    session.run("g = None")
    assert not session.checkout(2).failed and list(session["g"]) == ["a"]
    session.checkout(3)
    (tmp_path / "b").write_text("")
    assert f"{tmp_path} changed since the cell read it" in session.checkout(2).failed["g"]


def test_an_import_lists_no_input(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "listed_by_import.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    session.run("import os\nnames = os.listdir('/')")
    session.run("import listed_by_import\ng = (i for i in (1, 2))")
    session.run("g = None")
    (tmp_path / "another").write_text("")
    assert not session.checkout(2).failed and list(session["g"]) == [1, 2]


@pytest.mark.parametrize("opens", ["import shelve; s = shelve.open({!r}, writeback=True)", "import dbm.dumb; s = dbm.dumb.open({!r})"])
def test_a_database_that_another_program_wrote_is_never_written(session: Session, tmp_path: Path, opens: str) -> None:
    session.run(opens.format(str(tmp_path / "base")) + "; s['a'] = 'x'")
    session.run("s.close(); s = None")
    for file in tmp_path.glob("base*"):
        file.write_text("precious")
    assert list(session.checkout(1).failed) == ["s"]
    session.checkout(2)
    assert {file.read_text() for file in tmp_path.glob("base*")} == {"precious"}
