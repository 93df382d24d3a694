"""The commands and the tools by hand, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

import pytest

from rex.archive import Archive

from hindsight_harness import Case, burn, python, rex

pytest.importorskip("numpy", reason="numpy is not installed")

NUMPY = """
    import numpy as np
    rng = np.random.default_rng(5)
    model = np.zeros(30)
    for epoch in range(6):
        for step in range(8):
            model += rng.normal(size=30)
        print("epoch", epoch, model.sum())
    print("done")
    """
INNER = "print('probe', epoch, step, model[:2])"


def show(case: Case, *words: str) -> str:
    done = rex(case.folder, "show", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


BY_HAND = """
    import time
    import numpy as np
    from rex import hindsight
    from rex.hindsight import loop
    rng = np.random.default_rng(5)
    model = np.zeros(30)
    for epoch in hindsight.loop(range(4)):
        with hindsight.skip_block("training"):
            for step in range(5):
                model += rng.normal(size=30)
        time.sleep(0.1)   # the main loop is the longest
        if hindsight.log("norm", float(model @ model)) > 1e9:
            break
        hindsight.save({"epoch": epoch, "model": model}, "model")
        hindsight.save(model)
        print("epoch", epoch)
    for late in loop([1, 2]):
        model *= late
    print("end", model.sum())
    """


def test_the_tools_by_hand(tmp_path: Path) -> None:
    case = Case(tmp_path, train=BY_HAND)
    plain = python(tmp_path, "train.py")        # there they do nothing
    done = rex(tmp_path, "record", "-l", "EXP", "--overhead", "1", "train.py")   # however short its bodies
    assert done.stdout == plain and "4 iterations" in done.stderr
    values = json.loads(show(case, "EXP:exp0", "--json"))["values"]
    assert [value["iteration"] for value in values] == [0, 1, 2, 3] and {v["name"] for v in values} == {"norm"}
    rows = show(case, "EXP:exp0", "--csv").splitlines()
    assert rows[0] == "experiment,iteration,name,value" and rows[1].startswith("exp0,0,norm,")
    case.add_after("train", 'print("epoch"', "print('probe', epoch, model[:3]); hindsight.log('first', model[0])")
    # log in the probe adds to the replay; the truth prints without
    got, truth = case.replay(), case.truth()
    assert "".join(line for line in got.splitlines(True) if line.startswith("probe")) == truth
    assert "5 loops skipped" in case.told
    added = json.loads(show(case, "EXP:exp1", "--json"))["values"]
    assert [value["name"] for value in added] == ["first"] * 4
    loaded = "from rex import hindsight\nfor s in hindsight.load('EXP', 'model', 'exp0'): print(s['epoch'], s['model'].sum())"
    (tmp_path / "load.py").write_text(loaded)
    lines = python(tmp_path, "load.py").splitlines()
    assert [line.split()[0] for line in lines] == ["0", "1", "2", "3"]
    (tmp_path / "load.py").write_text("from rex import hindsight\nprint(len(list(hindsight.load('EXP'))))")
    assert python(tmp_path, "load.py") == "4\n"
    assert float(lines[3].split()[1]) * 2 == pytest.approx(float(plain.split()[-1]))


def test_show_lists_runs_checkpoints_and_what_probes_printed(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch)")
    case.replay()
    runs = json.loads(show(case, "EXP", "--json"))
    assert [(run["name"], run["kind"], run["of"]) for run in runs] == [("exp0", "run", ""), ("exp1", "replay", "exp0")]
    assert runs[0]["iterations"] == 6 and runs[0]["checkpoints"] > 6
    assert "exp0" in show(case, "EXP") and "replay of exp0" in show(case, "EXP")
    told = json.loads(show(case, "EXP:exp0", "--json"))
    assert len(told["checkpoints"]) == runs[0]["checkpoints"] and told["facts"]["replays"] == "exp1"
    replay = json.loads(show(case, "EXP:exp1", "--json"))
    assert "".join(part["text"] for part in replay["output"]) == "".join(f"probe {n}\n" for n in range(6))
    assert rex(tmp_path, "show", "EXP:exp7").returncode == 10


def test_epochs_alone_are_shown_and_run(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY)
    case.record()
    case.add_after("train", "model +=", INNER)
    lines = case.truth().splitlines(True)

    def of(*epochs: int) -> str:
        return "".join(line for line in lines if int(line.split()[1]) in epochs)

    assert case.replay("--epochs", "2:4") == of(2, 3)
    assert case.replay("--epochs", "5") == of(5)
    assert case.replay("--epochs", ":1") == of(0)
    assert case.replay("--epochs", "4:", "-j", "2") == of(4, 5)
    assert case.replay("--epochs", "9:", status=2) == "" and "exp0 has no epoch '9:'" in case.told
    assert "not a choice" in rex(tmp_path, "replay", "-l", "EXP", "--epochs", "x", "train.py").stderr


def test_epochs_of_a_run_without_loops_are_refused(tmp_path: Path) -> None:
    case = Case(tmp_path, train="print('end')\n")
    case.record()
    case.replay("--epochs", "1:2", status=2)
    assert "there are no iterations to choose from" in case.told


def test_what_is_no_run_is_refused_in_one_line(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY)
    (tmp_path / "bad.py").write_text("def f(:\n")
    assert rex(tmp_path, "record", "-l", "EXP", "bad.py").returncode == 1      # as Python's
    case.record()
    assert rex(tmp_path, "replay", "-l", "EXP", "-e", "exp1", "train.py").returncode == 0
    with Archive.open(tmp_path / "EXP").begin("other", {"command": ["true"]}):
        pass

    def told(*words: str) -> tuple[int, str]:
        done = rex(tmp_path, *words)
        return done.returncode, done.stderr

    for code, text, words in (
            (10, "exp0 holds no script", ("replay", "-l", "EXP", "-e", "exp0", "train.py")),
            (10, "exp2 is a replay", ("replay", "-l", "EXP", "-e", "exp2", "train.py")),
            (10, "other is no training run", ("replay", "-l", "EXP", "-e", "other", "train.py")),
            (10, "no archive at NONE", ("replay", "-l", "NONE", "train.py")),
            (2, "cannot be parsed", ("replay", "-l", "EXP", "-e", "exp1", "bad.py")),
            (125, "other is no training run", ("record", "-l", "EXP", "--resume", "other")),
            (125, "cannot become an archive", ("record", "-l", "bad.py", "train.py")),
            (127, "no such script", ("record", "-l", "EXP", "none.py"))):
        status, lines = told(*words)
        assert status == code and text in lines and lines.startswith("rex: ") and lines.count("\n") == 1, (words, lines)


def test_verify_runs_what_could_be_skipped(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, model[:2])")
    truth = case.truth()
    assert case.replay("--verify", "2") == truth and "4 loops skipped" in case.told
    assert case.replay("--verify", "99") == truth and " 0 loops skipped" in case.told


def test_what_differs_is_named_with_its_iteration(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("1")
    case = Case(tmp_path, train=NUMPY.replace("rng.normal(size=30)", "factor * rng.normal(size=30)").replace(
        "model = np", "factor = 1\n    model = np").replace(
        "        for step", "        import os; factor = 1 if epoch < 3 else os.stat('in.txt').st_size\n        for step"))
    case.record()
    (tmp_path / "in.txt").write_text("12")     # its size alone matters: no input that Python opens
    case.add_after("train", "model +=", INNER)
    case.replay(status=20)
    assert "factor" in case.told or "model" in case.told, case.told
    assert "in iteration 3" in case.told
    case.replay("--allow-divergence")
    assert "differs" in case.told


def test_other_changes_are_refused_or_allowed(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY)
    case.record()
    case.edit("train", "print(\"done\")", "print(\"end\")")
    case.replay(status=2)
    assert '-print("done")' in case.told and '+print("end")' in case.told
    assert case.replay("--allow-changes", status=20) == "end\n"
    assert "output differs" in case.told and "'done\\n'" in case.told


def test_changed_code_that_is_allowed_draws_as_it_likes(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY)
    case.record("--overhead", "0.000001")
    case.edit("train", "model += rng.normal(size=30)", "model += 2 * rng.normal(size=30)")
    case.add_after("train", "model +=", INNER)
    assert case.replay("--allow-changes", status=20) == case.truth()


def test_a_run_that_failed_says_how_to_go_on(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY.replace("    print", "    if epoch == 4: 1 / 0\n        print", 1))
    done = rex(tmp_path, "record", "-l", "EXP", "--overhead", "1", "--granularity", "0s", "train.py")
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr
    assert ": 4 iterations" in done.stderr and "--resume exp0" in done.stderr
    case.edit("train", "    if epoch == 4: 1 / 0\n", "")
    refused = rex(tmp_path, "record", "-l", "EXP", "--resume", "exp0")
    assert refused.returncode == 125 and "was changed since" in refused.stderr


def test_an_error_in_an_added_statement_is_shown(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY)
    case.record()
    case.add_after("train", "model +=", "print('probe', modle)")
    case.replay(status=2)
    assert "NameError" in case.told and 'train.py", line 7' in case.told


def test_added_statements_that_draw_or_change_are_contained(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY.replace("rng = np.random.default_rng(5)", "np.random.seed(5); rng = np.random"))
    case.record()
    case.add_after("train", "model +=", "print('probe', epoch, step, float(model[0]))")
    truth = case.truth()
    case.edit("train", "float(model[0]))", "float(model[0]), end=['\\n', np.random.rand()][0])")
    assert case.replay() == truth and "draw from numpy: undone" in case.told
    case.edit("train", ", end=['\\n', np.random.rand()][0])", "); model[1:] = 0")
    assert case.replay() == truth
    assert "added statements change model" in case.told and "put back" in case.told


def test_draws_from_the_programs_own_generators_are_undone(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY.replace("rng.normal(size=30)", "rng.normal(size=30) + own.dice.random()").replace(
        "model = np.zeros(30)", "class Own:\n        def __init__(self): import random; self.dice = random.Random(3)\n"
        "    own = Own()\n    model = np.zeros(30)"))
    case.record("--overhead", "0.000001")        # no checkpoint would put anything back
    case.add_after("train", "model +=", "print('probe', epoch, step, float(model[0]))")
    truth = case.truth()
    case.edit("train", "float(model[0]))", "float(model[0]), end=['\\n', rng.normal(), own.dice.random()][0])")
    assert case.replay() == truth
    assert "draw from own.dice, rng: undone" in case.told and "state equal at 0 checkpoints" in case.told
    assert "assign to" not in case.told
    case.add_after("train", "model +=", "model[0] = 0")
    case.replay(status=20)
    assert "added statements assign to model[0], and no checkpoint came after" in case.told


def test_within_a_budget_older_states_go_and_the_last_stays(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY.replace("zeros(30)", "zeros(30_000)").replace("size=30)", "size=30_000)").replace(
        "range(6)", "range(16)"))
    case.record("--budget", "1M")
    told = json.loads(show(case, "EXP:exp0", "--json"))
    positions = [checkpoint["position"] for checkpoint in told["checkpoints"]]
    assert 2 < len(positions) < 16
    assert positions[-1] == "__main__#0.0!" and "__main__#0.0:15/__main__#1.0!" in positions
    assert sum(path.stat().st_size for path in (tmp_path / "EXP").rglob("*") if path.is_file()) < 1_500_000
    case.add_after("train", 'print("epoch"', "print('probe', epoch, model[:3])")
    assert case.replay() == case.truth()
    assert " 0 loops skipped" not in case.told
    assert case.replay("-j", "2") == case.truth()


def test_a_killed_run_within_a_budget_goes_on_from_a_late_state(tmp_path: Path) -> None:
    source = NUMPY.replace("zeros(30)", "zeros(30_000)").replace("size=30)", "size=30_000)").replace("range(6)", "range(16)")
    whole = python(tmp_path, str(Case(tmp_path, train=source).folder / "train.py"))
    case = Case(tmp_path, train=source.replace("    print", "    import os, signal, subprocess\n"
                f"        if epoch == 12 and os.path.exists('fuse'):\n            {burn(12)}\n"
                "            os.kill(os.getpid(), signal.SIGKILL)\n        print", 1))
    (tmp_path / "fuse").write_text("")
    options = ("-l", "EXP", "--overhead", "1", "--granularity", "0s", "--budget", "1M")
    assert rex(tmp_path, "record", *options, "train.py").returncode == -9
    gone_on = rex(tmp_path, "record", *options, "--resume", "exp0")
    assert gone_on.returncode == 0, gone_on.stderr
    assert gone_on.stdout.startswith("epoch 12 ") and whole.endswith(gone_on.stdout)
    case.add_after("train", 'print("epoch"', "print('probe', epoch, model[:3])")
    assert case.replay("-e", "exp1") == case.truth()


def test_a_run_that_goes_on_sees_no_files_of_later(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        import os, signal, subprocess
        with open("log.txt", "a") as file:
            file.write("begun ")
        for epoch in range(5):
            for step in range(3):
                with open("log.txt", "a") as file:
                    file.write(f"{epoch}.{step} ")
            with open(f"{epoch}.json", "w") as file:
                file.write("{}")
            if epoch == 3 and os.path.exists("fuse"):
                BURN
                os.kill(os.getpid(), signal.SIGKILL)
            print("epoch", epoch, open("log.txt").read())
        """.replace("BURN", burn(3)))
    (tmp_path / "fuse").write_text("")
    options = ("-l", "EXP", "--overhead", "1", "--granularity", "0s")
    assert rex(tmp_path, "record", *options, "train.py").returncode == -9
    gone_on = rex(tmp_path, "record", *options, "--resume", "exp0")
    assert gone_on.returncode == 0 and gone_on.stdout.startswith("epoch 3 begun 0.0 "), gone_on.stdout + gone_on.stderr
    case.add_after("train", 'print("epoch"', "print('probe', epoch, sorted(each for each in os.listdir('.') if each[1:] == '.json'))")
    assert case.replay("-e", "exp1") == "".join(f"probe {n} {[f'{k}.json' for k in range(n + 1)]}\n" for n in range(5))


def test_a_worker_that_cannot_begin_in_the_middle_begins_at_the_start(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY.replace("model = np.zeros(30)", "model = np.zeros(30)\n"
                "    def noise():\n        while True:\n            yield rng.normal(size=30)\n    source = noise()").replace(
                "rng.normal(size=30)\n        print", "next(source)\n        print"))
    case.record()
    case.add_after("train", "model +=", INNER)
    assert case.replay("-j", "2") == case.truth()
    assert "begun at the start" in case.told and "generator noise has moved on" in case.told


def test_progress_is_safe_from_a_probe_in_a_closure(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        def main():
            total, other = 0, [1]
            def step(k):
                nonlocal total
                total += k
            for epoch in range(4):
                for k in range(5):
                    step(k)
                other.append(total)
                print("epoch", total)
        main()
        """)
    case.record()
    case.add_after("train", "total += k", "print('probe', other, total)")
    assert case.replay() == case.truth()
    assert case.replay("-j", "2") == case.truth()


@pytest.fixture
def cluster() -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", host="127.0.0.1",
                                  dashboard_address=None) as made:
        yield made.scheduler_address


def test_a_dask_cluster_gives_the_same(tmp_path: Path, cluster: str) -> None:
    case = Case(tmp_path, train=NUMPY)
    case.record()
    case.add_after("train", "model +=", INNER)
    assert case.replay("--dask", cluster) == case.truth()
    assert "2 workers" in case.told and "as recorded" in case.told
    case.edit("train", "model[:2]", "modle[:2]")
    case.replay("--dask", cluster, status=2)
    assert "NameError" in case.told


def test_no_dask_cluster_is_told(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    case = Case(tmp_path, train=NUMPY)
    case.record()
    case.replay("--dask", "tcp://127.0.0.1:1", status=2)
    assert "no Dask scheduler" in case.told


CUDA = """
    import torch
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.Dropout(0.2), torch.nn.Linear(64, 1)).cuda()
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    data = torch.randn(64, 8, device="cuda")
    for epoch in range(3):
        for step in range(10):
            optimizer.zero_grad()
            loss = (net(data) - data.sum(1, keepdim=True)).square().mean() + torch.rand((), device="cuda") * 0
            loss.backward()
            optimizer.step()
        print("epoch", epoch, loss.item())
    """


@pytest.mark.stress
def test_on_a_gpu(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA GPU here")
    case = Case(tmp_path, train=CUDA)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', epoch, [p.grad.norm().item() for p in net.parameters()])")
    assert case.replay() == case.truth() and "3 loops skipped" in case.told
    case.add_after("train", "loss.backward()", "print('probe', epoch, step, loss.item())")
    assert case.replay("-j", "2") == case.truth()


@pytest.mark.parametrize("source,words,advice", [
    ("print('no loop')", (), "--granularity"),
    ("for epoch in range(5):\n    sum(range(2_000_000))", ("--overhead", "0.000001"), "--overhead 0."),
])
def test_where_nothing_was_kept_the_summary_tells_why_and_what_to_do(tmp_path: Path, source: str, words: tuple[str, ...],
                                                                    advice: str) -> None:
    case = Case(tmp_path, train=source)
    done = rex(case.folder, "record", "-l", "EXP", "--granularity", "1ms", *words, "train.py")
    assert done.returncode == 0 and "no checkpoint was kept" in done.stderr and advice in done.stderr
    facts = json.loads(show(case, "EXP:exp0", "--json"))["facts"]
    assert facts["checkpoints"] == 0 and advice in facts["why_none"]
