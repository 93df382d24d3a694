"""Scripts whose functions are read by compilers and picklers work under record as they do without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight_harness import Case, python, rex

pytest.importorskip("numpy", reason="numpy is not installed")

# As a compiler does: reads instructions when first called, and refuses what it does not know.
COMPILER = """
    import dis
    def compiled(function):
        def call(*arguments):
            for each in dis.get_instructions(function.__code__):
                if each.opname == "LOAD_GLOBAL" and each.argval not in ("range", "helper"):
                    raise TypeError(f"untyped global name {each.argval!r}")
            return function(*arguments)
        return call
    """
SCRIPT = """
    import sys
    sys.path.append({folder!r})
    from compiler import compiled
    def helper(n):
        for i in range(n):
            n += i
        return n
    @compiled
    def decorated(n):
        for i in range(3):
            n = helper(n) + i
        return n
    class Model:
        def forward(self, n):
            for i in range(n):
                n += 1
            return n
    later = compiled(helper)
    method = compiled(Model().forward)
    for epoch in range(4):
        print("epoch", epoch, decorated(epoch), later(epoch), method(epoch))
    """


def with_compiler(folder: Path, script: str) -> Case:
    """A case whose compiler lies outside the script's folder, as libraries do."""
    library, work = folder / "library", folder / "work"
    library.mkdir()
    work.mkdir()
    Case(library, compiler=COMPILER)
    return Case(work, train=script.replace("{folder!r}", repr(str(library))))


def test_functions_that_a_compiler_reads_are_plain(tmp_path: Path) -> None:
    case = with_compiler(tmp_path, SCRIPT)
    plain = python(case.folder, "train.py")
    assert case.record() == plain
    case.add_after("train", '"epoch", epoch', "print('probe', epoch)")
    assert case.replay() == "".join(f"probe {n}\n" for n in range(4))


def test_a_statement_in_a_compiled_function_is_not_skipped(tmp_path: Path) -> None:
    case = with_compiler(tmp_path, """
        import sys
        sys.path.append({folder!r})
        from compiler import compiled
        def inner(n):
            return n + 1
        work = compiled(inner)
        for epoch in range(3):
            for step in range(2):
                epoch = work(epoch)
            print("epoch", epoch)
        """)
    case.record()
    case.edit("train", "    return n + 1", "    [n for n in ()]\n    return n + 1")
    assert case.replay() == "" and " 0 loops skipped" in case.told
    assert "a library reads the code of inner" in case.told


def test_readers_of_signatures_and_files_leave_functions_instrumented(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        import inspect
        def main(epochs=4):
            for epoch in range(epochs):
                print("epoch", epoch)
        if __name__ == "__main__":
            assert inspect.signature(main).parameters and main.__code__.co_filename and inspect.getsource(main)
            main()
        """)
    case.record()
    assert "4 iterations" in case.summary


def test_functions_are_pickled_by_value_as_they_were_written(tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    case = Case(tmp_path, train="""
        import cloudpickle, copy, pickle, subprocess, sys
        def helper(n):
            for i in range(2):
                n += i
            return n
        def work(n):
            return helper(n) + 1
        load = "import pickle, sys; print(pickle.load(sys.stdin.buffer)(3))"
        for epoch in range(2):
            done = subprocess.run([sys.executable, "-c", load], input=cloudpickle.dumps(work), capture_output=True)
            print("epoch", epoch, done.stdout)
        values = {name: value for name, value in globals().items() if "_" not in name[1:] and type(value) is not type(sys)}
        print(len(cloudpickle.dumps(values)) > 0)
        """)
    assert case.record() == python(tmp_path, "train.py")
    case.replay()


def test_a_module_that_cannot_be_instrumented_runs_as_it_is(tmp_path: Path) -> None:
    deep = "def total():\n    return " + "+".join(["1"] * 700) + "\n"
    case = Case(tmp_path, train="""
        import deep
        for epoch in range(3):
            print("epoch", epoch, deep.total())
        """)
    (tmp_path / "deep.py").write_text(deep)
    assert case.record() == "".join(f"epoch {n} 700\n" for n in range(3))
    assert "not instrumented" in case.summary and "deep.py: RecursionError" in case.summary
    case.add_after("train", '"epoch", epoch', "print('probe', epoch)")
    assert case.replay() == "".join(f"probe {n}\n" for n in range(3))
    (tmp_path / "deep.py").write_text(deep + "\n# more\n")
    case.replay(status=2)
    assert "it was not instrumented" in case.told


def test_sources_in_another_encoding(tmp_path: Path) -> None:
    source = "# -*- coding: latin-1 -*-\nname = 'é'\nfor epoch in range(2):\n    print('epoch', epoch, len(name))\n"
    case = Case(tmp_path)
    (tmp_path / "train.py").write_bytes(source.encode("latin-1"))
    assert case.record() == "epoch 0 1\nepoch 1 1\n"
    (tmp_path / "train.py").write_bytes((source + "    print('probe', epoch)\n").encode("latin-1"))
    assert case.replay() == "probe 0\nprobe 1\n"


def test_a_script_that_failed_is_not_advertised(tmp_path: Path) -> None:
    Case(tmp_path, train="raise SystemExit(3)")
    done = rex(tmp_path, "record", "-l", "EXP", "train.py")
    assert done.returncode == 3 and "the script failed with exit status 3" in done.stderr
    assert "recorded" not in done.stderr and "add statements" not in done.stderr


LIBRARIES = {
    "numba": """
        import numba, numpy as np
        from numba.experimental import jitclass
        def plain(n):
            total = 0
            for i in range(n):
                total += i
            return total
        compiled = numba.njit(plain)
        @numba.vectorize
        def double(x):
            return x * 2.0
        @jitclass([("x", numba.float64)])
        class Cell:
            def __init__(self, x):
                self.x = x
            def double(self):
                for i in range(2):
                    self.x *= 2
                return self.x
        for epoch in range(2):
            print("epoch", epoch, compiled(5), double(np.ones(2)), Cell(2.0).double(), plain(3))
        """,
    "torch": """
        import torch
        def helper(x):
            for i in range(2):
                x = x + i
            return x
        class Net(torch.nn.Module):
            def forward(self, x):
                for i in range(2):
                    x = x * 2
                return helper(x)
        one = torch.compile(helper, backend="eager", fullgraph=True)
        net = torch.compile(Net(), backend="eager", fullgraph=True)
        scripted, traced = torch.jit.script(Net()), torch.jit.trace(Net(), torch.ones(1))
        for epoch in range(2):
            print("epoch", epoch, *[f(torch.ones(1)) for f in (one, net, scripted, traced)], str(traced.graph).count("="))
        """,
    "jax": """
        import jax, jax.numpy as jnp
        def helper(x):
            for i in range(2):
                x = jnp.sin(x) + i
            return x
        @jax.jit
        def step(x):
            for i in range(2):
                x = helper(x)
            return x
        slope = jax.jit(jax.grad(lambda x: helper(x).sum()))
        for epoch in range(2):
            print("epoch", epoch, step(jnp.ones(2)), slope(jnp.ones(2)), jax.vmap(helper)(jnp.ones(2)))
        """}


@pytest.mark.parametrize("library", LIBRARIES)
def test_compilers_of_libraries(tmp_path: Path, library: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    case = Case(tmp_path, train=LIBRARIES[library])
    assert case.record() == python(tmp_path, "train.py")
    case.replay()


@pytest.mark.parametrize("compiled", ["net = torch.compile(net, backend='aot_eager')", "net.compile(backend='aot_eager')",
                                      "loss_of = torch.compile(loss_of, backend='aot_eager')"])
def test_epochs_of_what_torch_compiled_are_skipped(tmp_path: Path, compiled: str) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    case = Case(tmp_path, train=f"""
        import torch
        torch.manual_seed(0)
        data = torch.randn(12, 4)
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(4, 1)
            def forward(self, x):
                return self.layer(x).relu()
        net = Net()
        def loss_of(x):
            return (net(x) - x[:, :1]).square().mean()
        {compiled}
        optimizer = torch.optim.Adam(net.parameters(), 0.1)
        for epoch in range(3):
            for step in range(3):
                optimizer.zero_grad()
                loss = loss_of(data[step * 4:step * 4 + 4])
                loss.backward()
                optimizer.step()
            print("epoch", epoch, loss.item())
        """)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, sum(each.norm().item() for each in net.parameters()))")
    assert case.replay() == case.truth()
    assert "3 loops skipped" in case.told
