"""Whole commands: record an unchanged script, add statements, get the original's values."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight_harness import Case, burn, python, rex

NUMPY = """
    import time
    import numpy as np
    rng = np.random.default_rng(5)
    data = rng.normal(size=(400, 30))
    truth = rng.normal(size=30)
    model = np.zeros(30)
    history = []
    started = time.time()
    for epoch in range(6):
        order = rng.permutation(400)
        for begin in range(0, 400, 20):
            rows = order[begin:begin + 20]
            gradient = data[rows].T @ (data[rows] @ (model - truth))
            model -= 0.002 * gradient
            time.sleep(0.001)
        history.append(float(np.abs(model - truth).max()))
        print("epoch", epoch, history[-1], f"{time.time() - started:.3f}")
    print("done", np.linalg.norm(model))
    """

TORCH = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    data = torch.randn(96, 10)
    wanted = data.sum(1, keepdim=True).sin()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(data, wanted), 16, shuffle=True)
    net = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    for epoch in range(3):
        for batch, target in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(batch), target)
            loss.backward()
            optimizer.step()
        scheduler.step()
        print(epoch, loss.item())
    """


def test_the_recording_prints_what_the_script_prints(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY.replace("time.time() - started", "0.0"))
    assert case.record() == python(tmp_path, "train.py")
    assert "6 iterations" in case.summary


def test_outer_probe_skips_and_gives_the_values(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY)
    case.record()
    case.add_after("train", "history.append", "print('probe', epoch, np.linalg.norm(gradient), model[:3])")
    assert case.replay() == case.truth()
    assert "6 loops skipped" in case.told


def test_inner_probe_gives_the_values(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY)
    case.record()
    case.add_after("train", "model -=", "print('probe', epoch, begin, model.sum())")
    truth = case.truth()
    assert case.replay() == truth
    assert case.replay("-j", "2") == truth
    assert "2 workers" in case.told
    some = [line for line in truth.splitlines(True) if line.split()[1] in ("3", "4")]
    assert case.replay("--epochs", "3:5") == "".join(some)


def test_probe_behind_the_loop_runs_nothing_of_it(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY)
    case.record()
    case.add_after("train", 'print("done"', "print('probe', history)")
    assert case.replay() == case.truth()


def test_torch_training(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    case = Case(tmp_path, train=TORCH)
    case.record()
    case.add_after("train", "scheduler.step()",
                   "print('probe', epoch, [p.grad.norm().item() for p in net.parameters()])")
    assert case.replay() == case.truth()
    assert "3 loops skipped" in case.told
    case.add_after("train", "loss.backward()", "print('probe', loss.item(), optimizer.param_groups[0]['lr'])")
    assert case.replay("-j", "2") == case.truth()


def test_torch_without_a_seed(tmp_path: Path) -> None:
    """Its generators ask the system in C++: what they begin with comes again, whatever runs anew."""
    pytest.importorskip("torch", reason="torch is not installed")
    case = Case(tmp_path, train=TORCH.replace("torch.manual_seed(0)", "pass") + "print(torch.seed() % 7, torch.rand(1).item(), 'seeded')\n")
    recorded = case.record()
    assert case.record() != recorded
    case.add_after("train", "scheduler.step()", "print('probe', epoch, loss.item())")
    told = "".join(f"probe {line}\n" for line in recorded.splitlines() if line.count(" ") == 1)
    assert case.replay("-e", "exp0") == told
    assert case.replay("-e", "exp0", "--no-skip") == told


def test_changed_code_is_refused_with_the_difference(tmp_path: Path) -> None:
    case = Case(tmp_path, train=NUMPY)
    case.record()
    case.edit("train", "0.002", "0.003")
    case.replay(status=2)
    assert "-        model -= 0.002" in case.told and "--allow-changes" in case.told


def goes_on(tmp_path: Path, epoch: int, dying: str, status: int) -> Case:
    """A run that dies so in that epoch, and one that resumes it there and has the rest of the output."""
    case = Case(tmp_path, train=NUMPY.replace("time.time() - started", "0.0"))
    whole = python(tmp_path, "train.py")
    case.edit("train", "    history.append", "    import os, signal, subprocess\n"
              f"    if epoch == {epoch} and os.path.exists('fuse'):\n        {dying}\n    history.append")
    (tmp_path / "fuse").write_text("")
    dead = rex(tmp_path, "record", "-l", "EXP", "--overhead", "1", "--granularity", "0s", "train.py")
    assert dead.returncode == status and "--resume exp0" in dead.stderr
    gone_on = rex(tmp_path, "record", "-l", "EXP", "--resume", "exp0", "--overhead", "1", "--granularity", "0s")
    assert gone_on.returncode == 0, gone_on.stderr
    assert whole.endswith(gone_on.stdout) and gone_on.stdout.startswith(f"epoch {epoch}")
    return case


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    case = goes_on(tmp_path, 3, f"{burn(3)}; os.kill(os.getpid(), signal.SIGKILL)", -9)
    case.add_after("train", "history.append", "print('probe', epoch, np.linalg.norm(gradient), model[:3])")
    assert case.replay("-e", "exp1") == case.truth()
    assert "6 loops skipped" in case.told


def test_a_run_that_is_told_to_end_goes_on_from_its_last_border(tmp_path: Path) -> None:
    goes_on(tmp_path, 4, "subprocess.run(['rm', 'fuse']); os.kill(os.getpid(), signal.SIGTERM)", -15)
