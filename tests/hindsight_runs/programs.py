"""Random training scripts with places for probes: the oracle is a full run of the probed script."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

HEAD = """\
import collections, functools, heapq, itertools, json, os, random, time, types, weakref
import numpy as np
random.seed({seed}); np.random.seed({seed})
"""


@dataclass(frozen=True)
class Part:
    """Something that training changes.

    Attributes:
        setup: statements before the loops. step: within them. look: an expression for probes.
        rebinds: names that the step assigns, for `global` and `nonlocal`.
    """

    setup: str
    step: str
    look: str
    rebinds: tuple[str, ...] = ()
    is_global: bool = False      # makes sense at the top of a module only


PARTS = {
    "sgd": Part("w = np.zeros(6); data = np.random.default_rng(1).normal(size=(40, 6))",
                "row = data[n % 40]; w -= 0.01 * (row @ w - row.sum()) * row", "w.tolist()", ("row", "w")),
    "rebound_array": Part("m = np.ones(4)", "m = 0.9 * m + n", "m.tolist()", ("m",)),
    "momentum": Part(
        "class Momentum:\n    def __init__(self, params):\n        self.params, self.state = params, {}\n"
        "    def step(self, grad):\n        for k, p in enumerate(self.params):\n"
        "            v = self.state.setdefault(k, np.zeros_like(p)); v *= 0.9; v += grad; p -= 0.1 * v\n"
        "params = [np.ones(3), np.ones((2, 3))]\noptimizer = Momentum(params)", "optimizer.step(n % 3 - 1)",
        "(params[1].sum(), optimizer.state[0].tolist() if optimizer.state else 0)"),
    "schedule": Part(
        "class Schedule:\n    def __init__(self):\n        self.rate, self.calls = 1.0, 0\n        self.hook = self.down\n"
        "    def down(self):\n        self.calls += 1\n        self.rate *= 0.99 if self.calls % 3 else 1.001\n"
        "schedule = Schedule()", "schedule.hook()", "(schedule.rate, schedule.calls)"),
    "average": Part("live = np.arange(5.0); kept = live.copy()", "live += n; kept *= 0.9; kept += 0.1 * live",
                    "(live.sum(), kept.tolist())", ("live", "kept")),
    "views": Part("base = np.zeros((4, 8)); view = base[1:3, ::2]; flat = base.reshape(-1)",
                  "np.add(view, n, out=view); flat[n % 32] = n", "(base.sum(), view.base is base, flat[n % 7])"),
    "generators": Part("r1 = random.Random(4); r2 = np.random.RandomState(5); r3 = np.random.default_rng(6)",
                       "r1.random(); r2.rand(n % 3); r3.integers(9, size=n % 4)",
                       "(r1.random.__self__.getstate()[1][-1], r2.get_state()[2], r3.bit_generator.state['state'])"),
    "global_draws": Part("drawn = 0.0", "drawn += random.random() + np.random.rand()", "drawn", ("drawn",)),
    "shuffles": Part("deck = list(range(9))", "random.shuffle(deck); np.random.shuffle(deck)", "deck"),
    "closure": Part("def counter():\n    c = [0, 0]\n    def count(k):\n        nonlocal c\n        c = [c[0] + k, c[1] + 1]\n"
                    "        return c\n    return count\ncount = counter()", "count(n)", "count(0)[0]"),
    "function_attributes": Part("def seen(x, all=[]):\n    seen.n += 1\n    all.append(x)\n    return len(all)\nseen.n = 0",
                                "seen(n)", "(seen.n, len(seen.__defaults__[0]))"),
    "class_attributes": Part("class Tally:\n    total = 0\n    __slots__ = ('own',)\n    @classmethod\n    def up(cls, k):\n"
                             "        cls.total += k\ntally = Tally(); tally.own = 0", "Tally.up(n); tally.own = Tally.total * 2",
                             "(Tally.total, tally.own)"),
    "buffer": Part("buffer = collections.deque(maxlen=11); heap = []",
                   "buffer.append((n, np.full(2, n))); heapq.heappush(heap, (n * 7919) % 101)",
                   "(len(buffer), buffer[-1][1].tolist() if buffer else 0, heap[:3])"),
    "history": Part("history = []; best = {'at': -1, 'value': 1e9}",
                    "history.append(n * n % 17)\nif history[-1] < best['value']: best = {'at': n, 'value': history[-1]}",
                    "(len(history), best)", ("best",)),
    "aliases": Part("one = [0]; two = one; ring = {'a': one}; ring['self'] = ring",
                    "two.append(n)\nif n % 5 == 0: one = two = one + [1]", "(one is two, ring['a'] is one, len(one))",
                    ("one", "two")),
    "iterators": Part("ids = itertools.count(); turns = itertools.cycle('abc'); rest = iter(range(100000))",
                      "next(ids); turn = next(turns); next(rest)", "(repr(ids), rest.__length_hint__())", ("turn",)),
    "moving_generator": Part("def fibonacci():\n    a, b = 0, 1\n    while True:\n        yield a\n        a, b = b, (a + b) % 1009\n"
                             "numbers = fibonacci(); number = 0", "number = next(numbers)", "number", ("number",)),
    "weak": Part("class Node:\n    pass\nnode = Node(); node.v = 0; link = weakref.ref(node)", "link().v += n",
                 "(node.v, link() is node)"),
    "sets": Part("words = set(); things = [object() for _ in range(3)]; some = {things[0]}",
                 "words.add('w%d' % (n % 6)); some ^= {things[n % 3]}", "(sorted(words), [t in some for t in things])", ("some",)),
    "strings": Part("text = ''; raw = bytearray(5)", "text = (text + chr(97 + n % 26))[-9:]; raw[n % 5] ^= n & 255",
                    "(text, bytes(raw))", ("text",)),
    "lambdas": Part("f = None", "f = (lambda k: lambda x: x + k)(n)", "f(1) if f else None", ("f",)),
    "exceptions": Part("last = None", "try:\n    [0][n]\nexcept IndexError as e:\n    last = e", "repr(last)", ("last",)),
    "leaks": Part("", "leaked = n * 3", "globals().get('leaked')", ("leaked",), True),
    "deleted": Part("gone = 1", "gone = n\nif n % 2: del gone", "globals().get('gone')", ("gone",), True),
    "callee_globals": Part("total = 0\ndef add(k):\n    global total\n    total += k * k", "add(n)", "total", (), True),
    "clock": Part("begun = time.time(); spent = 0.0", "spent = time.perf_counter()", "", ("spent",)),
    "files": Part("", "with open('state.json', 'w') as file: json.dump([n], file)\nwith open('log.txt', 'a') as file: file.write('%d ' % n)",
                  "(open('log.txt').read()[-9:], json.load(open('state.json'))) if os.path.exists('log.txt') else 0"),
    "named": Part("Point = collections.namedtuple('Point', 'x y')\npoint = Point(0, [])",
                  "point = point._replace(x=n); point.y.append(n)", "(point.x, len(point.y))", ("point",)),
    "records": Part("table = np.zeros(3, [('a', 'i4'), ('b', 'f8', (2,))]); objects = np.empty(2, object)",
                    "table['a'][n % 3] += n; table['b'][0, 1] -= n; objects[n % 2] = [n, objects[1 - n % 2] is None]",
                    "(table.tolist(), objects.tolist())"),
    "ordered": Part("order = collections.OrderedDict.fromkeys('abcd', 0); counts = collections.Counter(); groups = collections.defaultdict(list)",
                    "order.move_to_end('abcd'[n % 4]); order['abcd'[n % 4]] += 1; counts[n % 3] += 1; groups[n % 2].append(n)",
                    "(list(order.items()), sorted(counts.items()), dict(groups) and len(groups[0]))"),
    "errors": Part("", "np.seterr(over='ignore' if n % 2 else 'warn'); os.environ['STEP'] = str(n)",
                   "(np.geterr()['over'], os.environ.get('STEP'))"),
    "cached": Part("@functools.lru_cache(maxsize=None)\ndef power(k):\n    return k ** 3 % 1013\nlast_power = 0",
                   "last_power = power(n % 20) + last_power % 7", "last_power", ("last_power",)),
    "partial": Part("class Bag(list):\n    pass\nbag = Bag(); bag.tag = 0; put = functools.partial(bag.append)",
                    "put(n % 4); bag.tag += 1", "(len(bag), bag.tag, put.args)"),
}
_GLOBAL_ONLY = {name for name, part in PARTS.items() if part.is_global}


@dataclass
class Program:
    """Lines; those with a number are places for probes, each with its depth."""

    seed: int
    lines: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    looks: list[str] = field(default_factory=list)

    def text(self, probes: dict[int, str] | None = None) -> str:
        """The script, with statements at some of its places."""
        found = []
        for number, line in enumerate(self.lines):
            if number in self.places:
                if probes and number in probes:
                    found.append(line.replace("#probe", probes[number]))
            else:
                found.append(line)
        return "\n".join(found) + "\n"

    def probes(self, chance: random.Random) -> dict[int, str]:
        """Statements at one to three places."""
        chosen = chance.sample(self.places, min(len(self.places), chance.choice((1, 1, 2, 3))))
        found = {}
        for number in chosen:
            looks = [look for look in chance.sample(self.looks, min(3, len(self.looks))) if look]
            shown = ", ".join(["'probe'", str(number), "epoch", "n", *looks])
            found[number] = chance.choice((
                f"print({shown})", f"seen_{number} = [{shown}]; print(*seen_{number})",
                f"if n >= 0: print({shown})"))
        return found


class Maker:
    """Writes one random program."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self.program = Program(seed)
        self._depth = 0
        self._is_function = self._chance.random() < 0.5
        names = sorted(PARTS)
        if self._is_function:
            names = [name for name in names if name not in _GLOBAL_ONLY]
        self._parts = [PARTS[name] for name in self._chance.sample(names, self._chance.randint(3, 6))]

    def put(self, text: str) -> None:
        self.program.lines += ["    " * self._depth + line for line in text.splitlines()]

    def place(self) -> None:
        self.program.places.append(len(self.program.lines))
        self.put("#probe")

    def make(self) -> Program:
        """The program."""
        self.put(HEAD.format(seed=self.program.seed))
        if self._is_function:
            self.put("def main():")
            self._depth += 1
        self.put("epoch = n = -1")
        for part in self._parts:
            self.put(part.setup)
        self.program.looks = [part.look for part in self._parts]
        self._helpers()
        self._outer()
        self.place()
        self.put("print('end', n)")
        if self._is_function:
            self._depth -= 1
            self.put("main()")
        return self.program

    def _helpers(self) -> None:
        """Some steps are done in functions, which may have loops of their own."""
        self._calls: list[str] = []
        word = "nonlocal" if self._is_function else "global"
        for number, part in enumerate(self._parts):
            if self._chance.random() < 0.5:
                self._calls.append(part.step)
                continue
            self.put(f"def step{number}(times):")
            self._depth += 1
            names = sorted({"n", *(name for name in part.rebinds if self._is_bound(name, part))})
            self.put(f"{word} {', '.join(names)}")
            if self._chance.random() < 0.6:
                self.put("for _ in range(times):")
                self._depth += 1
                self.put("n += 1")
                self.put(part.step)
                if self._chance.random() < 0.5:
                    self.place()
                self._depth -= 1
            else:
                self.put(part.step)
            self.place()
            self._depth -= 1
            self._calls.append(f"step{number}({self._chance.randint(1, 3)})")

    def _is_bound(self, name: str, part: Part) -> bool:
        return not self._is_function or f"{name} =" in part.setup or f"{name}, " in part.setup

    def _outer(self) -> None:
        epochs = self._chance.randint(2, 5)
        kind = self._chance.choice(("for", "for", "for", "while", "zip", "generator", "else"))
        if kind == "while":
            self.put(f"while epoch < {epochs - 1}:")
            self._depth += 1
            self.put("epoch += 1")
        elif kind == "zip":
            self.put(f"for epoch, name in zip(range({epochs}), 'abcdefg'):")
            self._depth += 1
        elif kind == "generator":
            self.put(f"for epoch in (k for k in range({epochs})):")
            self._depth += 1
        else:
            self.put(f"for epoch in range({epochs}):")
            self._depth += 1
        if self._chance.random() < 0.3:
            self.place()
        for _ in range(self._chance.choice((1, 1, 2))):
            self._inner()
            if self._chance.random() < 0.4:
                self.put(self._chance.choice(self._calls))
            self.place()
        if self._chance.random() < 0.2:
            self.put(f"if n > {self._chance.randint(20, 60)}: break")
        self.put("print('epoch', epoch, n)")
        self._depth -= 1
        if kind == "else":
            self.put("else:\n    print('no break')")

    def _inner(self, level: int = 0) -> None:
        steps = self._chance.randint(2, 8)
        kind = self._chance.choice(("for", "for", "while", "enumerate", "batches", "try"))
        if kind == "while":
            left = f"left{level}"
            self.put(f"{left} = {steps}\nwhile {left} > 0:")
            self._depth += 1
            self.put(f"{left} -= 1")
        elif kind == "enumerate":
            self.put(f"for k, item in enumerate(reversed(range({steps}))):")
            self._depth += 1
        elif kind == "batches":
            self.put(f"for rows in np.array_split(np.random.permutation({steps * 3}), {steps}):")
            self._depth += 1
        else:
            self.put(f"for step in range({steps}):")
            self._depth += 1
        self.put("n += 1")
        if kind == "try":
            self.put("try:")
            self._depth += 1
        for call in self._chance.sample(self._calls, self._chance.randint(1, len(self._calls))):
            self.put(call)
        if level < 1 and self._chance.random() < 0.3:
            self._inner(level + 1)
        if self._chance.random() < 0.5:
            self.place()
        choice = self._chance.random()
        if choice < 0.1:
            self.put(f"if n % {self._chance.randint(3, 11)} == 0: break")
        elif choice < 0.2:
            self.put("if n % 4 == 1: continue")
        if kind == "try":
            self._depth -= 1
            self.put("finally:\n    pass")
        self._depth -= 1


def make_program(seed: int) -> Program:
    """The program of a seed."""
    return Maker(seed).make()
