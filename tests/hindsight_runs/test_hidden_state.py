"""State that a walk over variables may miss: orders, causes, shared memory, links, what runs beside; exact, or run and told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hindsight_harness import Case, burn, environment, python, rex

HEAD = """
import collections, dataclasses, functools, logging, logging.handlers, os, random, typing
import numpy as np
rng = np.random.default_rng(1)
random.seed(2)
np.random.seed(3)
"""

# name: what stands before the loops, in the inner loop, and what a probe behind it looks at
LOOPS: dict[str, tuple[str, str, str]] = {
    "orders_of_sets": (
        "some, words, popped = set(), set(), []",
        "some.add(int(rng.integers(0, 4000)) * 8); words.add('w%d' % rng.integers(0, 90))\n"
        "if step % 3 == 2: popped.append(some.pop())\nif step % 5 == 4: words.discard(sorted(words)[0])",
        "(list(some), list(words), popped[-2:])"),
    "orders_of_frozensets": (
        "frozen = frozenset()", "frozen = frozenset([*frozen][-6:] + ['k%d' % rng.integers(50), int(rng.integers(900)) * 16])",
        "list(frozen)"),
    "sets_that_were_emptied": (
        "left, seen = set(range(30)), []",
        "if not left: left.update(random.sample(range(0, 4000, 8), 12))\n"
        "while len(left) > 5 or left and step % 3 == 2: seen.append(left.pop())", "(list(left), seen[-5:])"),
    "sets_of_tuples_and_of_ones_own": (
        "@dataclasses.dataclass(frozen=True)\nclass Pair:\n    a: int\n    b: str\nclass Bag(set): pass\npairs, bag = set(), Bag()",
        "pairs.add((step * 8, 'x')); pairs.add(Pair(int(rng.integers(99)), 'y')); bag.add(rng.integers(999) * 16)",
        "([getattr(each, 'a', each) for each in pairs], [int(each) for each in bag])"),
    "what_led_to_exceptions": (
        "class Boom(ValueError):\n    def __init__(self, text, code=0):\n        super().__init__(text); self.code = code\n"
        "def risky(k):\n    try:\n        {}[k]\n    except KeyError as e:\n        if k % 2: raise Boom('odd', code=k) from e\n"
        "        error = Boom('even', code=k); error.add_note('n'); raise error\nlast = None",
        "try:\n    risky(step + epoch)\nexcept Boom as e:\n    last = e",
        "(repr(last), last.code, repr(last.__cause__), repr(last.__context__), last.__suppress_context__, getattr(last, '__notes__', 0))"),
    "attributes_of_arrays": (
        "class Named(np.ndarray):\n    def __array_finalize__(self, o): self.info = getattr(o, 'info', None)\n"
        "named = np.zeros(3).view(Named); named.info = {'n': 0}\nmasked = np.ma.masked_array(np.arange(6.0), mask=[0] * 6)",
        "named.info['n'] += 1; named += 1; masked[step % 6] = np.ma.masked if step % 2 else step", "(named.info, named.sum(), masked.tolist())"),
    "windows_of_arrays": (
        "line = np.arange(20.0); windows = np.lib.stride_tricks.sliding_window_view(line, 4)", "line += step; line[epoch] -= 1",
        "(windows.sum(), windows[epoch].tolist(), np.shares_memory(windows, line))"),
    "records_that_handlers_hold": (
        "log = logging.getLogger('held'); log.setLevel(10); log.propagate = False\nclass Numbers(logging.Formatter): pass\n"
        "rotating = logging.handlers.RotatingFileHandler('held.log', maxBytes=200, backupCount=2); log.addHandler(rotating)",
        "log.info('%d %d %.3f', epoch, step, rng.random())",
        "(rotating.stream.tell(), open('held.log').read()[-20:], sorted(x for x in os.listdir('.') if x.startswith('held')))"),
    "types_without_a_name": (
        "@functools.singledispatch\ndef kind(x): return 'o'\n@kind.register\ndef _(x: int): return 'i'\nkinds = []",
        "kinds.append(kind(step) + kind(None) + kind(...))", "(kinds[-1], len(kinds))"),
    "links": (
        "", "open(f'to{step % 2}', 'w').write(str(epoch))\nif os.path.lexists('link'): os.unlink('link')\nos.symlink(f'to{step % 2}', 'link')",
        "(os.readlink('link'), open('link').read())"),
    "a_global_generator_that_is_held": (
        "class Model:\n    def fit(self):\n        self.rng = np.random.mtrand._rand; return self.rng.rand()\nmodel = None",
        "model = Model() if step == 3 else model\nvalue = np.random.rand() + (model.fit() if model else 0)",
        "(value, model.rng is np.random.mtrand._rand)"),
}


def _script(loops: dict[str, tuple[str, str, str]]) -> str:
    source = HEAD
    for name, (setup, body, _) in loops.items():
        inner = "".join(f"        {line}\n" for line in body.splitlines())
        source += f"\n{setup}\nfor epoch in range(4):\n    for step in range(10):\n{inner}    print('{name}', epoch)\n"
    return source


def _cleared(folder: Path, *names: str) -> None:
    """Remove what a run wrote: a full run of the changed script must find what the first one found."""
    for each in folder.iterdir():
        if each.is_symlink() or each.name.startswith(names):
            each.unlink()


def test_state_that_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "7")     # of strings in sets, in the full run too
    case = Case(tmp_path)
    (tmp_path / "train.py").write_text(_script(LOOPS))
    case.record()
    for name, (_, _, look) in LOOPS.items():
        case.add_after("train", f"print('{name}'", f"print('probe', '{name}', epoch, {look})")
    got = case.replay()
    assert f"{4 * len(LOOPS)} loops skipped" in case.told
    side_by_side = case.replay("-j", "2")
    _cleared(tmp_path, "held", "to")
    truth = case.truth()
    assert got == truth
    assert side_by_side == truth


def test_what_is_known_by_a_hash_of_its_address_is_run(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        class Node: pass
        nodes, counts = [Node() for _ in range(3)], {}
        for epoch in range(4):
            for step in range(5):
                each = nodes[step % 3]
                counts[hash(each)] = counts.get(hash(each), 0) + 1
            print("epoch", epoch)
        """)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, [counts[hash(each)] for each in nodes])")
    assert case.replay() == case.truth() and " 0 loops skipped" in case.told and "the hash that is made of it" in case.told


CHILDREN = """
    import os, subprocess
    for epoch in range(4):
        for step in range(3):
            subprocess.run(f"echo {epoch}.{step} >> log.txt", shell=True, check=True)
            os.system(f"mkdir -p out && echo {epoch * step} > out/last.txt")
        print("epoch", epoch)
    """


def test_files_that_child_processes_write(tmp_path: Path) -> None:
    case = Case(tmp_path, train=CHILDREN)
    case.record()
    written = (tmp_path / "log.txt").read_text()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, open('log.txt').read().split()[-2:], open('out/last.txt').read())")
    truth = "".join(f"probe {n} ['{n}.1', '{n}.2'] {n * 2}\n\n" for n in range(4))
    assert case.replay() == truth and "4 loops skipped" in case.told
    assert case.replay("-j", "2") == truth
    case.add_after("train", "os.system", "print('probe', len(open('log.txt').read().split()))")
    counts = "".join(f"probe {k}\n" for k in range(1, 13)).splitlines(True)
    inner = "".join("".join(counts[3 * n:3 * n + 3]) + line + "\n\n" for n, line in enumerate(truth.split("\n\n")[:4]))
    assert case.replay("-j", "2") == inner
    assert (tmp_path / "log.txt").read_text() == written      # nothing that a replay's children write is seen


def test_a_file_that_child_processes_changed_and_nobody_kept_is_told(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("before\n")
    case = Case(tmp_path, train=CHILDREN)
    case.record()
    case.add_after("train", "os.system", "print('probe', len(open('log.txt').read().split()))")
    case.replay(status=20)
    assert "log.txt was there before the run, which did not keep it" in case.told


def test_a_thread_that_no_variable_holds_keeps_loops_from_being_skipped(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        import queue, threading
        items = queue.Queue(maxsize=3)
        def start():
            def work():
                number = 0
                while True:
                    number += 1
                    items.put(number * number)
            threading.Thread(target=work, daemon=True).start()
        start()
        total = 0
        for epoch in range(4):
            for step in range(5):
                total += items.get()
            print("epoch", epoch)
        """)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, total)")
    assert case.replay() == case.truth()
    assert " 0 loops skipped" in case.told and "another thread runs the script's code" in case.told


def test_a_file_that_is_written_twice_within_a_tick_of_its_clock(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        from rex import hindsight
        number = 0
        def put():
            global number
            number += 1
            with open("state.txt", "w") as file:
                file.write(f"{number:02d}")
        for epoch in range(30):
            with hindsight.skip_block("one"):
                put()
            with hindsight.skip_block("two"):
                put()
            print("epoch", epoch)
        """)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', number, open('state.txt').read())")
    assert case.replay() == "".join(f"probe {n} {n:02d}\n" for n in range(2, 61, 2))


def test_a_run_that_goes_on_has_the_environment_that_it_began_with(tmp_path: Path) -> None:
    source = """
        import os, signal, subprocess
        for epoch in range(4):
            for step in range(3):
                place = os.environ.get("PLACE")
            if epoch == 2 and os.path.exists('fuse'):
                BURN
                os.kill(os.getpid(), signal.SIGKILL)
            print("epoch", epoch, place)
        """.replace("BURN", burn(2))
    case = Case(tmp_path, train=source)
    (tmp_path / "fuse").write_text("")
    os.environ["PLACE"] = "there"
    try:
        rex(tmp_path, "record", "-l", "EXP", "--overhead", "1", "--granularity", "0s", "train.py")
    finally:
        del os.environ["PLACE"]
    assert "PLACE" not in environment()
    done = rex(tmp_path, "record", "-l", "EXP", "--overhead", "1", "--granularity", "0s", "--resume", "exp0")
    assert done.returncode == 0 and done.stdout.endswith("epoch 3 there\n"), done.stdout + done.stderr
    case.add_after("train", "place =", "print('probe', epoch, step, place)")
    assert case.replay("-e", "exp1", "-j", "2") == "".join(f"probe {n} {k} there\n" for n in range(4) for k in range(3))


def test_a_run_without_a_checkpoint_cannot_go_on(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        import os, signal
        r, w = os.pipe(); held = os.fdopen(r)
        for epoch in range(3):
            for step in range(3):
                pass
            if epoch == 2: os.kill(os.getpid(), signal.SIGTERM)
        """)
    rex(case.folder, "record", "-l", "EXP", "--overhead", "1", "--granularity", "0s", "train.py")
    done = rex(case.folder, "record", "-l", "EXP", "--resume", "exp0")
    assert done.returncode == 125 and "no complete checkpoint to go on from" in done.stderr and done.stderr.count("\n") == 1, done.stderr


FRAMES = """
    import numpy as np, pandas as pd
    rows = pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=list("xyz"))
    frame = pd.DataFrame({"a": np.zeros(4), "b": list("wxyz")}); log = pd.DataFrame({"e": [0], "v": [0.0]})
    for epoch in range(4):
        for step in range(3):
            frame.loc[step, "a"] += rows.iloc[step, 1]; log.loc[len(log)] = [epoch, step * 0.5]
        mean = log.groupby("e").v.mean().tolist()
        print("epoch", epoch)
    """
SHARED = """
    import numpy as np, pandas as pd
    frame = pd.DataFrame({"a": np.zeros(4), "b": np.ones(4)})
    for epoch in range(4):
        for step in range(3):
            frame.loc[step, "a"] += 1
        column = frame["a"]
        for step in range(2):
            pass
        column.iloc[0] = 100 + epoch
        print("epoch", epoch)
    """


@pytest.mark.stress
@pytest.mark.parametrize("source, look, told", [
    (FRAMES, "frame.to_csv(), log.tail(2).to_csv(), mean, rows.sum().sum()", "4 loops skipped"),
    (SHARED, "frame.a.tolist(), column.tolist()", "memory that it shares with another frame")])
def test_frames_of_pandas(tmp_path: Path, source: str, look: str, told: str) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    case = Case(tmp_path, train=source)
    case.record()
    case.add_after("train", 'print("epoch"', f"print('probe', epoch, repr(({look})))")
    truth = case.truth()
    assert case.replay() == truth and told in case.told
    assert case.replay("-j", "2") == truth


SHOWN = """
    import torch
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 2)
    optimizer, losses = torch.optim.SGD(net.parameters(), 0.1), []
    for epoch in range(4):
        for step in range(4):
            out = net(torch.randn(5, 3)); out.retain_grad(); out.tag = step
            loss = torch.nn.functional.cross_entropy(out, torch.randint(0, 2, (5,)))
            optimizer.zero_grad(); loss.backward(); optimizer.step(); losses.append(loss)
        print("epoch", epoch)
    """


@pytest.mark.stress
def test_tensors_show_what_led_to_them(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    case = Case(tmp_path, train=SHOWN)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, repr((loss, losses[-2:], out, out.grad, out.tag)).replace(chr(10), ' '))")
    truth = case.truth()
    assert "NllLossBackward0" in truth and "AddmmBackward0" in truth
    assert case.replay() == truth and "4 loops skipped" in case.told
    assert case.replay("-j", "2") == truth


def test_the_recorder_handles_no_signal_that_the_script_can_see(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        import signal
        kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)}
        for epoch in range(3):
            for step in range(2):
                kept[epoch] = signal.signal(signal.SIGTERM, signal.SIG_DFL)
            print("epoch", epoch, kept)
        """)
    assert case.record() == python(tmp_path, "train.py")
    case.add_after("train", '"epoch", epoch', "print('probe', epoch, kept)")
    assert case.replay() == case.truth() and " 0 loops skipped" not in case.told


def test_an_exception_that_a_library_caught_below_a_generator_is_no_difference(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        import re
        def batches():
            for number in range(4):
                yield re.match(f"[{number}x]+", f"{number}xx{number}").end()
        total = 0
        for epoch in range(5):
            for length in batches():
                total += length
                for _ in range(1000):
                    total += 0
            print("epoch", epoch, total)
        """)
    case.record()
    case.add_after("train", "total += length", "print('probe', epoch, total)")
    truth = case.truth().splitlines()
    assert case.replay("--epochs", "last").splitlines() == truth[-4:]     # re's cache is empty there, and a miss raises
    assert "as recorded" in case.told
