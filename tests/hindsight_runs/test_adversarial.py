"""Loops that defeat static rules: skipped or not, the values are those of a full run."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight_harness import Case
from pace import first

HEAD = """
import random, itertools, functools, collections, weakref, types, heapq, io
import contextvars, decimal, enum, gc, logging, math, os, signal, string, sys, tempfile, threading
import numpy as np
rng = np.random.default_rng(1)
random.seed(2)
np.random.seed(3)
"""

# name: what stands before the loops, in the inner loop, and after it
LOOPS: dict[str, tuple[str, str, str]] = {
    "globals_changed_in_callees": (
        "total = 0\ndef add(n):\n    global total\n    total += n * n", "add(step)", "total"),
    "closure_cells": (
        "def counter():\n    n = 0\n    def count():\n        nonlocal n\n        n += 1\n        return n\n"
        "    return count\ncount = counter()", "value = count()", "value"),
    "function_attributes": (
        "def f(x, seen=[]):\n    f.calls += 1\n    seen.append(x)\n    return len(seen)\nf.calls = 0",
        "f(step)", "(f.calls, f.__defaults__)"),
    "views_written_by_out": (
        "base = np.zeros((4, 6))\nview = base[1:3, ::2]", "np.add(view, step, out=view)",
        "(base.sum(), view.base is base)"),
    "slots": (
        "class P:\n    __slots__ = ('x', 'y')\np = P()\np.x = 0", "p.x += step\np.y = p.x", "(p.x, p.y)"),
    "class_attributes": (
        "class C:\n    n = 0\n    @classmethod\n    def up(cls):\n        cls.n += 1", "C.up()", "C.n"),
    "several_generators": (
        "r = random.Random(4)\ng = np.random.RandomState(5)",
        "r.random(); g.rand(); rng.random(); random.random(); np.random.rand()",
        "(sum(r.getstate()[1]), g.get_state()[2], rng.bit_generator.state['state'], np.random.get_state()[2])"),
    "deque_and_heap": (
        "d = collections.deque(maxlen=7)\nh = []", "d.append(rng.random())\nheapq.heappush(h, rng.random())",
        "(sum(d), d.maxlen, h[0], len(h))"),
    "replay_buffer": (
        "buffer = collections.deque(maxlen=50)\nweights = np.zeros(3)",
        "buffer.append((rng.random(3), step))\nweights += buffer[rng.integers(len(buffer))][0]",
        "(weights.tolist(), len(buffer))"),
    "leaked_names": ("", "last = step * epoch", "(last, step)"),
    "deleted_names": ("tmp = 1", "tmp = step\nif step == 4:\n    del tmp", "'tmp' in globals()"),
    "iterator_kept": (
        "numbers = iter(range(10000))", "value = next(numbers)", "(value, numbers.__length_hint__())"),
    "counter_and_cycle": (
        "c = itertools.count()\ny = itertools.cycle('abc')", "next(c); letter = next(y)", "(repr(c), letter)"),
    "generator_moves_on": (
        "def numbers():\n    a, b = 0, 1\n    while True:\n        yield a\n        a, b = b, a + b\nfib = numbers()",
        "value = next(fib)", "value"),
    "generator_rests": (
        "def numbers():\n    for i in [5, 6, 7]:\n        yield i\nrest = numbers()\nnext(rest)\nn = 0", "n += 1", "n"),
    "aliases": (
        "a = [1]\nb = a\nc = {'a': a, 'self': None}\nc['self'] = c", "b.append(step)",
        "(len(a), a is b, c['a'] is b, c['self'] is c)"),
    "rebound_alias": ("a = [0]\nb = a", "a = a + [step]", "(len(a), len(b), a is b)"),
    "properties_and_methods": (
        "class M:\n    def __init__(self):\n        self.__x = 1\n        self.up = self.grow\n"
        "    @property\n    def x(self):\n        return self.__x\n    def grow(self):\n        self.__x += 1\nm = M()",
        "m.up()", "(m.x, m.up.__self__ is m)"),
    "subclassed_containers": (
        "class L(list):\n    pass\nclass D(dict):\n    def __missing__(self, k):\n        self[k] = 0\n        return 0\n"
        "items = L()\nitems.name = 'x'\ncounts = D()", "items.append(step); counts[step % 3] += 1\nitems.name += 'y'",
        "(items, items.name, counts, type(items).__name__)"),
    "ordered_dict_order": (
        "o = collections.OrderedDict((k, 0) for k in 'abc')", "o.move_to_end('abc'[step % 3]); o['abc'[step % 3]] += 1",
        "list(o.items())"),
    "default_dict": ("d = collections.defaultdict(list)", "d[step % 2].append(epoch)", "dict(d)"),
    "weak_references": (
        "class N:\n    pass\nn = N()\nn.v = 0\nw = weakref.ref(n)", "w().v += 1", "(n.v, w() is n)"),
    "object_arrays": (
        "o = np.empty(3, object)\no[:] = [[1], {2: 3}, None]", "o[0].append(step); o[2] = o[0]",
        "(len(o[0]), o[2] is o[0])"),
    "structured_arrays": (
        "s = np.zeros(3, [('a', 'i4'), ('b', 'f8', (2,))])", "s['a'][step % 3] += 1; s['b'][0, 1] += step",
        "s.tolist()"),
    "new_kinds_each_time": (
        "state = None", "state = {'k': (step, [epoch, {1.5: frozenset({step})}])} if step % 2 else np.float32(step)",
        "repr(state)"),
    "functions_made_in_the_loop": (
        "f = None", "f = (lambda k: (lambda x: x + k + epoch))(step)", "f(1)"),
    "numpy_error_state": ("", "np.seterr(over='ignore' if epoch % 2 else 'warn')", "np.geterr()['over']"),
    "string_io": ("s = io.StringIO()", "s.write(str(step))", "s.getvalue()"),
    "exceptions_kept": (
        "error = None", "try:\n    [][step]\nexcept IndexError as e:\n    error = e", "repr(error)"),
    "inner_break": ("n = 0", "n += step\nif step == 7:\n    break", "(n, step)"),
    "swapped_objects": (
        "a, b = {'v': 1}, {'v': 2}", "a, b = b, a\na['v'] += step", "(a, b)"),
    "sets_of_objects": (
        "class K:\n    pass\nks = [K() for _ in range(3)]\nseen = set()", "seen.add(ks[step % 3]); ks[step % 3].n = step",
        "(len(seen), sorted(k.n for k in seen), all(k in seen for k in ks))"),
    "bytes_and_bytearray": ("b = bytearray(8)", "b[step % 8] ^= epoch + 1", "bytes(b)"),
    "types_in_c": (
        "import argparse, csv, re\nword = re.compile('a+')\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('-n', type=int)\nout = io.StringIO()\nrows = csv.writer(out)\nfound = 0",
        "found += len(word.findall('aab' * step)); rows.writerow([step, found])",
        "(found, parser.parse_args(['-n', '3']).n, len(out.getvalue()))"),
    "state_hidden_in_c": ("import hashlib\nh = hashlib.sha256()", "h.update(bytes([step]))", "h.hexdigest()"),
    "weak_collections": (
        "class T:\n    def __init__(self, k): self.k, self.n = k, 0\nby_key = weakref.WeakValueDictionary()\n"
        "of = weakref.WeakKeyDictionary()\nlive = weakref.WeakSet()\nheld = []",
        "t = by_key.get(step % 4)\nif t is None:\n    t = by_key[step % 4] = T(step % 4); live.add(t); held.append(t); del held[:-2]\n"
        "t.n += epoch; of[t] = of.get(t, 0) + 1", "(sorted((k, t.n, of[t]) for k, t in by_key.items()), len(live), len(of))"),
    "caches_and_their_counts": (
        "@functools.lru_cache(maxsize=None)\ndef g(k):\n    return [k]\n"
        "class Lazy:\n    @functools.cached_property\n    def x(self):\n        return [1]\nlazy = Lazy()",
        "g(step % 3).append(epoch); lazy.x.append(step)", "(g.cache_info(), len(lazy.x))"),
    "context_variables": (
        "cv = contextvars.ContextVar('cv', default=0)\ncw = contextvars.ContextVar('cw')", "cv.set(cv.get() + step); cw.set([epoch])",
        "(cv.get(), cw.get())"),
    "modes_of_libraries": (
        "import sys", "decimal.getcontext().prec = 4 + epoch; np.set_printoptions(precision=2 + epoch)\n"
        "sys.setrecursionlimit(1500 + step)", "(decimal.Decimal(1) / 3, str(np.array([1 / 3])), sys.getrecursionlimit())"),
    "patched_library": (
        "real = math.sqrt\ndef patch(k):\n    def sqrt(x):\n        return real(x) + k\n    math.sqrt = sqrt",
        "patch(step * epoch); collections.Counter.mine = [step]; setattr(string, 'tag', epoch); string.__dict__.setdefault('all', [])",
        "(math.sqrt(4), collections.Counter.mine, string.tag)"),
    "containers_of_libraries": (
        "import sys\nstring.table = {}", "string.table[step] = epoch; sys.path.append(f'/nowhere/{step}')",
        "(string.table, len(sys.path))"),
    "thread_local": ("local = threading.local()\nlocal.n = 0", "local.n += step", "local.n"),
    "enumerations": (
        "class E(enum.Enum):\n    A = 1\n    B = 2\nclass F(enum.Flag):\n    X = 1\n    Y = 2\nE.A.hits, e, f = 0, E.A, F.X",
        "E.A.hits += 1; e = E(3 - e.value); f ^= F.Y", "(E.A.hits, e, e is E(e.value), f)"),
    "keys_that_hash_themselves": (
        "class K:\n    def __init__(self, v): self.v = v\n    def __hash__(self): return hash(self.v)\n"
        "    def __eq__(self, other): return self.v == other.v\nseen, some = {}, set()",
        "k = K((step, epoch % 2)); seen[k] = seen.get(k, 0) + 1; some.add(K(step)); group = frozenset({K(epoch)})",
        "(sorted((k.v, n) for k, n in seen.items()), K(3) in some, K(epoch) in group)"),
    "classes_made_by_exec": (
        "space = {'__name__': 'made'}\nexec('n = 0\\nclass Z:\\n    z = 0\\ndef up(k):\\n    global n\\n    n += k', space)",
        "space['up'](step); space['Z'].z += 1", "(space['n'], space['Z'].z)"),
    "spawned_seeds": (
        "seeds = np.random.SeedSequence(5)\nspawning = np.random.Generator(np.random.PCG64(seeds.spawn(1)[0]))",
        "kid = seeds.spawn(1)[0]\nif step == 2: child = spawning.spawn(1)[0]\nspawning.random()",
        "(seeds.n_children_spawned, kid.spawn_key, child.bit_generator.state['state'], spawning.bit_generator.seed_seq.n_children_spawned)"),
    "metaclass_and_descriptors": (
        "class Meta(type):\n    made = 0\n    def __call__(cls, *a):\n        Meta.made += 1\n        cls.count = getattr(cls, 'count', 0) + 1\n"
        "        return super().__call__(*a)\nclass M(metaclass=Meta):\n    __slots__ = ('_b', '__dict__')\n    @property\n"
        "    def b(self):\n        return self._b\n    @b.setter\n    def b(self, v):\n        self._b = v * 2\nmm = M()",
        "mm.b = M() and step; mm.z = epoch\nif step == 4 and epoch == 2: del mm.z", "(mm.b, getattr(mm, 'z', None), Meta.made, M.count)"),
    "flow": (
        "trail = []", "try:\n    if step == 2: continue\n    if step == 7 and epoch % 2: break\n    if step % 4 == 3: raise ValueError(step)\n"
        "except ValueError as e:\n    trail.append(e.args)\nelse:\n    trail.append(step)\nfinally:\n    trail.append('f')", "trail"),
    "tee": ("one, two = itertools.tee(iter(range(10000)))", "x = next(one)\nif step % 2: y = next(two)", "(x, y)"),
    "known_by_id": (
        "class T:\n    pass\nthings = [T() for _ in range(3)]\ncounts, last = {}, 0",
        "t = things[(step * epoch) % 3]; counts[id(t)] = counts.get(id(t), 0) + 1; last = id(t)",
        "([counts.get(id(each)) for each in things], [id(each) == last for each in things])"),
    "bounded_cache": (
        "k = 0\n@functools.lru_cache(maxsize=8)\ndef f(x):\n    return x * k",
        "if step == 5:\n    k += 1; f.cache_clear()\nv = f(step % 2)", "(v, f.cache_info())"),
    "loggers": (
        "class Keep(logging.Handler):\n    def __init__(self):\n        super().__init__(); self.seen = []\n"
        "    def emit(self, record): self.seen.append(record.getMessage())\n"
        "log, keep = logging.getLogger('mine'), Keep(); log.addHandler(keep); log.tag = 0",
        "log.warning('%d', step); log.tag += step; log.setLevel(20 + step)\nif step == 3: log.addFilter(lambda record: 'x' not in record.msg)",
        "(keep.seen[-1], len(keep.seen), log.tag, log.level, len(log.filters), log.isEnabledFor(25))"),
    "settings_of_the_interpreter": (
        "def one(*_): pass\ndef two(*_): pass",
        "gc.set_threshold(700 + step + epoch); sys.setswitchinterval(0.001 * (step + 7)); os.umask(0o20 + epoch)\n"
        "signal.signal(signal.SIGUSR1, two if epoch % 2 else one); logging.getLogger('other').setLevel(10 + epoch)",
        "(gc.get_threshold(), sys.getswitchinterval(), os.umask(os.umask(0)) if epoch < 0 else open('/proc/self/status').read().partition('Umask')[2][:6], "
        "signal.getsignal(signal.SIGUSR1).__name__, logging.getLogger('other').level)"),
    "generators_with_attributes": (
        "class Dice(random.Random):\n    rolled = 0\n    def roll(self):\n        self.rolled += 1\n        return self.randrange(6)\n"
        "dice, system = Dice(5), random.SystemRandom()", "dice.roll(); drawn = system.random()", "(dice.rolled, dice.getstate()[1][-1], drawn < 1)"),
    "threads_that_ended": (
        "done = []\nclass Job(threading.Thread):\n    def run(self): self.result = len(done)", 
        "t = threading.Thread(target=done.append, args=(step,)); t.start(); t.join()\nj = Job(); j.start(); j.join()\nlate = Job()",
        "(t.name, t.is_alive(), j.result, late.ident, len(done), t.join())"),
    "exceptions_of_a_class_of_ones_own": (
        "class Mine(Exception):\n    def __init__(self, k, *, z):\n        super().__init__(k); self.z = z\nmine = Mine(1, z=2)",
        "mine.z += step; mine.args = (step,)\nif step == 5: mine = Mine(epoch, z=0)", "(mine.z, mine.args, type(mine).__name__)"),
    "files_without_a_name": ("f = tempfile.TemporaryFile()", "f.write(b'abc')", "(f.tell(), f.seek(0), f.read()[-3:], f.seek(0, 2))"),
    "files_by_number": ("fd = os.open('raw.bin', os.O_RDWR | os.O_CREAT)", "os.write(fd, bytes([step]))", "os.lseek(fd, 0, 1)"),
    "finalizers": (
        "freed = []\nclass B: pass", "b = B(); weakref.finalize(b, freed.append, step)", "(len(freed), freed[-1])"),
    "module_state": ("", "random.seed(step); collections.marker = step", "collections.marker"),
}

SCRIPT = """
{head}
{setup}
for epoch in range(4):
    for step in range(10):
{body}
    print("epoch", epoch)
{more}
"""


def _indent(text: str, by: int) -> str:
    return "".join(" " * by + line + "\n" for line in text.splitlines())


def _script(name: str) -> str:
    setup, body, _ = LOOPS[name]
    return SCRIPT.format(head=HEAD, setup=setup, body=_indent(body, 8), more="print('end')")


# Many loops in one script: each is a function, so that one recording serves them all.
_REFUSED = {"generator_moves_on": "generator numbers has moved on", "state_hidden_in_c": "HASH", "tee": "itertools._tee",
            "files_without_a_name": "a file without a name", "files_by_number": "rex.hindsight.run.files.Descriptors",
            "finalizers": "objects have other finalizers", "known_by_id": "known by its id()"}
SHARED = sorted(set(LOOPS) - {"deleted_names", *_REFUSED})


@pytest.mark.parametrize("group", first(2, range(4)))
def test_outer_probes_of_adversarial_loops(tmp_path: Path, group: int) -> None:
    names = SHARED[group::4]
    source = HEAD
    for name in names:
        setup, body, _ = LOOPS[name]
        source += f"\n# {name}\n{setup}\nfor epoch in range(4):\n    for step in range(10):\n{_indent(body, 8)}"
        source += f"    print('{name}', epoch)\n"
    case = Case(tmp_path)
    (tmp_path / "train.py").write_text(source)
    case.record()
    for name in names:
        case.add_after("train", f"print('{name}'", f"print('probe', '{name}', epoch, {LOOPS[name][2]})")
    truth = case.truth()
    assert case.replay() == truth and f"{4 * len(names)} loops skipped" in case.told
    assert case.replay("-j", "2") == truth


LEFT = """
    n = 0
    class Stop(Exception):
        pass
    def deep():
        global n
        for a in range(4):
            for b in range(5):
                n += 1
                if n % 13 == 0:
                    raise Stop(n)
    for epoch in range(6):
        try:
            for again in range(3):
                deep()
        except Stop as stop:
            last = stop.args[0]
        print("epoch", epoch)
    """


def test_loops_that_an_exception_leaves(tmp_path: Path) -> None:
    case = Case(tmp_path, train=LEFT)
    case.record()
    case.add_after("train", "last =", "print('probe', epoch, n, last)")
    truth = case.truth()
    assert case.replay() == truth and " 0 loops skipped" not in case.told
    assert case.replay("-j", "2") == truth
    case.add_after("train", "n += 1", "print('probe', a, b, n)")
    assert case.replay("-j", "2") == case.truth()


HELD = """
    import logging
    calls = 0
    def solve(n):
        global calls
        calls += 1
        s = 0
        for k in range(n):
            s += solve(k)
            for j in range(3):
                s += j
        return s + 1
    total, parts = 0, []
    for epoch in range(5):
        total += solve(3)
        parts = parts + [solve(2)]
        print("epoch", epoch, total, sum(parts))
    """


def test_values_that_expressions_hold(tmp_path: Path) -> None:
    case = Case(tmp_path, train=HELD)
    case.record()
    case.add_after("train", "s += solve(k)", "print('probe', n, k, s)")
    assert case.replay("-j", "3") == case.truth()


CONTEXTS = """
    import contextlib
    level, trail = 0, []
    class Scope:
        def __init__(self):
            self.old = level
        def __enter__(self):
            return None
        def __exit__(self, *_):
            global level
            level = self.old + 1
    @contextlib.contextmanager
    def kept():
        before = len(trail)
        yield
        trail.append(before)
    def steps():
        for step in range(6):
            trail.append(level)
    for epoch in range(5):
        with Scope(), kept():
            steps()
            for last in range(3):
                trail.append(last)
        print("epoch", epoch, level, sum(trail))
    """


@pytest.mark.parametrize("jobs", first(1, ["2", "3", "5"]))
def test_what_context_managers_hold(tmp_path: Path, jobs: str) -> None:
    case = Case(tmp_path, train=CONTEXTS)
    case.record()
    case.add_after("train", "trail.append(level)", "print('probe', step, level, len(trail))")
    assert case.replay("-j", jobs) == case.truth()


def test_what_open_files_have_in_their_buffers(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        log = open("log.txt", "w")
        for epoch in range(4):
            for step in range(5):
                log.write(f"{epoch} {step}\\n")
            print("epoch", epoch, log.tell())
        log.close()
        """)
    case.record()
    case.add_after("train", "log.write", "print('probe', epoch, step, log.tell())")
    assert case.replay("-j", "2") == case.truth()


def test_files_in_the_temporary_folder(tmp_path: Path) -> None:
    case = Case(tmp_path, train=f"""
        import os, tempfile
        path = os.path.join(tempfile.gettempdir(), "{tmp_path.parent.name}.{tmp_path.name}.hindsight")
        for epoch in range(4):
            for step in range(3):
                with open(path, "a") as file:
                    file.write(f"{{epoch}} {{step}} ")
            print("epoch", epoch)
        os.remove(path)
        """)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, open(path).read())")
    truth = case.truth()
    assert case.replay() == truth and "4 loops skipped" in case.told
    assert case.replay("-j", "2") == truth


def test_a_probe_that_only_looks_is_not_blamed(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("1")
    case = Case(tmp_path, train="""
        import os
        n = 0
        for epoch in range(4):
            for step in range(5):
                n += os.stat("in.txt").st_size
            print("epoch", epoch)
        """)
    case.record()
    (tmp_path / "in.txt").write_text("12")     # no input that Python opens
    case.add_after("train", "n +=", "print('probe', n)")
    case.replay(status=20)
    assert "n differs from the recording in iteration 0" in case.told


def test_loops_below_a_comprehension(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        n = 0
        def up(k):
            global n
            for i in range(3):
                n += k
            return n
        for epoch in range(4):
            grid = [[up(a) for a in range(3)] for b in range(2)]
            total = sum(up(x) for x in (1, 2))
            print("epoch", epoch)
        """)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, grid, total)")
    assert case.replay() == case.truth() and " 0 loops skipped" not in case.told


@pytest.mark.parametrize("name", ["deleted_names", *sorted(_REFUSED)])
def test_adversarial_loop(tmp_path: Path, name: str) -> None:
    case = Case(tmp_path, train=_script(name))
    case.record()
    case.add_after("train", 'print("epoch"', f"print('probe', epoch, {LOOPS[name][2]})")
    assert case.replay() == case.truth()
    if name in _REFUSED:
        assert _REFUSED[name] in case.told and " 0 loops skipped" in case.told
    else:
        assert "4 loops skipped" in case.told


FILES = """
    import json, os
    best = 1e9
    log = open("log.txt", "w", buffering=1)
    for epoch in range(5):
        for step in range(6):
            value = (epoch - 2) ** 2 + step
            with open("state.json", "w") as file:
                json.dump([epoch, step, value], file)
            log.write(f"{epoch} {step}\\n")
            if value < best:
                best = value
                os.replace("state.json", "best.json")
        seen = json.load(open("best.json"))
        print("epoch", epoch, os.path.exists("state.json"))
    log.close()
    print("end", seen)
    """


def test_state_in_files(tmp_path: Path) -> None:
    case = Case(tmp_path, train=FILES)
    case.record()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    case.add_after("train", "seen =", "print('probe', epoch, seen, best, open('log.txt').read().split()[-3:])")
    before["train.py"] = (tmp_path / "train.py").read_bytes()
    got = case.replay()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    assert got == case.truth() and "5 loops skipped" in case.told


def test_a_replay_that_needs_what_was_not_kept_begins_again(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        import os
        for epoch in range(4):
            for step in range(3):
                os.makedirs(f"out/{epoch}/{step}")
                with open("out/large", "wb") as file:
                    file.write(bytes([epoch, step]) * 600_000)
            print("epoch", epoch)
            seen = open("out/large", "rb").read(2)
        """)
    case.record()
    case.add_after("train", "print(", "print('probe', epoch, sorted(os.listdir('out')))")
    truth = "".join(f"probe {n} {[*map(str, range(n + 1)), 'large']}\n" for n in range(4))
    assert case.replay() == truth    # each line once
    assert "nothing skipped: " in case.told and "too large to be kept" in case.told and " 0 loops skipped" in case.told
    assert case.replay("-j", "2") == truth


def test_files_that_other_threads_write_are_seen_as_before_the_run(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        import os, threading
        def note(epoch):
            with open("beside.txt", "a") as file:
                file.write(f"{epoch} ")
        for epoch in range(4):
            thread = threading.Thread(target=note, args=(epoch,))
            thread.start()
            thread.join()
            print("epoch", epoch)
        """)
    case.record()
    case.add_after("train", "thread.join()", "print('probe', epoch, open('beside.txt').read())")
    assert case.replay() == "".join(f"probe {n} {''.join(f'{k} ' for k in range(n + 1))}\n" for n in range(4))
    assert (tmp_path / "beside.txt").read_text() == "0 1 2 3 "


def test_folders_are_state(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        import os, shutil
        for epoch in range(4):
            for step in range(3):
                os.makedirs(f"out/{epoch}/{step}")
            shutil.rmtree(f"out/{epoch - 1}", ignore_errors=True)
            print("epoch", epoch)
        """)
    case.record()
    case.add_after("train", "print(", "print('probe', epoch, sorted(os.listdir('out')), os.listdir(f'out/{epoch}').__len__())")
    assert case.replay() == "".join(f"probe {n} ['{n}'] 3\n" for n in range(4)) and "4 loops skipped" in case.told


def test_changed_inputs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("3")
    case = Case(tmp_path, train="n = int(open('in.txt').read())\nfor i in range(n):\n    print(i)\n")
    case.record()
    (tmp_path / "in.txt").write_text("4")
    case.replay(status=2)
    assert "in.txt was changed" in case.told


TORCH = """
import copy
import torch
from torch import nn
torch.manual_seed(0)
own = torch.Generator().manual_seed(7)
class Net(nn.Module):
    calls = 0
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)
        self.outer = nn.Linear(8, 8)
        self.outer.weight = self.inner.weight
        self.register_buffer("mean", torch.zeros(8), persistent=False)
        self.plain = torch.zeros(8)
    def forward(self, x):
        Net.calls += 1
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        self.plain = self.plain + x[0]
        return self.outer(nn.functional.dropout(self.inner(x - self.mean), 0.1, self.training))
net = Net()
seen = {"n": 0}
net.inner.register_forward_hook(lambda module, given, made: seen.update(n=seen["n"] + 1))
average = copy.deepcopy(net)
storage = torch.zeros(4, 8)
row = storage[2]
optimizer = torch.optim.SGD([{"params": [net.inner.weight]}, {"params": [net.inner.bias, net.outer.bias], "lr": 0.001}],
                            lr=0.01, momentum=0.9)
for epoch in range(4):
    for step in range(10):
        x = torch.randn(16, 8, generator=own)
        loss = (net(x) - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        row += net.inner.weight.detach()[0]
        optimizer.param_groups[1]["lr"] *= 0.99
        with torch.no_grad():
            for kept, now in zip(average.parameters(), net.parameters()):
                kept.lerp_(now, 0.1)
        if step == 5:
            net.train(not net.training)
            torch.set_float32_matmul_precision(("high", "highest")[epoch % 2])
            torch.autograd.set_detect_anomaly(epoch == 2)
            torch.set_num_threads(1 + epoch % 2)
            torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, "last.pt")
    print("epoch", epoch, loss.item())
"""


GRAPH = """
import torch
from torch import nn
torch.manual_seed(0)
cell, h = nn.GRUCell(3, 4), torch.zeros(1, 4)
optimizer = torch.optim.SGD(cell.parameters(), 0.1)
xs, norms, handles = torch.randn(5, 1, 3), {}, []
for name, module in nn.Sequential(cell, nn.Linear(2, 2)).named_modules():
    handles.append(module.register_forward_hook(lambda m, i, o, name=name: norms.update({name: o.norm().item()})))
handles.append(cell.bias_ih.register_hook(lambda g: norms.update(g=g.norm().item())))
for epoch in range(3):
    loss = 0
    for x in xs:
        h = cell(x, h)
        loss = loss + h.square().sum()
    optimizer.zero_grad(); loss.backward(); optimizer.step(); h = h.detach()
    print("epoch", epoch, loss.item())
"""


@pytest.mark.stress
def test_a_gradient_through_a_border(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    case = Case(tmp_path, train=GRAPH)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, norms, h.tolist())")
    truth = case.truth()
    assert case.replay() == truth and "nothing skipped: a gradient is wanted" in case.told
    assert case.replay("-j", "2") == truth
    case.add_after("train", "h = cell(x, h)", "print('probe', epoch, norms)")
    assert case.replay() == case.truth()    # the hook of the weights has the number that it had


@pytest.mark.stress
def test_torch_state_that_no_state_dict_holds(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    case = Case(tmp_path, train=TORCH)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, repr((net.mean, net.plain, Net.calls, seen, storage, net.training, "
                   "average.mean, average.inner.bias, optimizer.param_groups[1]['lr'], own.get_state().sum(), "
                   "net.outer.weight is net.inner.weight, net.inner.weight.grad.sum(), torch.get_float32_matmul_precision(), torch.is_anomaly_enabled(), torch.get_num_threads(), "
                   "row.data_ptr() - storage.data_ptr())).replace(chr(10), ' '))")
    truth = case.truth()
    assert case.replay() == truth and "4 loops skipped" in case.told
    assert case.replay("--verify", "2") == truth
    case.add_after("train", "loss.backward()", "print('probe', step, loss.item(), net.mean[0].item(), seen['n'])")
    assert case.replay("-j", "2") == case.truth()
