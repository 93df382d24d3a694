"""The scripts of examples/hindsight: values of added statements are those of a full run."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Mapping

import pytest

from commands import ROOT
from hindsight_harness import Case

# script: the library that it needs, the line to add behind, what to look at, skipped loops
OUTER = {
    "numpy_regression": ("numpy", "rate *= 0.9", "np.linalg.norm(gradient), rate, velocity[:3]"),
    "sklearn_partial_fit": ("sklearn", "print(f\"epoch", "model.coef_.sum(), model.t_, scaler.mean_[:2], rng.get_state()[2]"),
    "sklearn_fit": ("sklearn", "gain = booster.oob", "stage, variables['raw_predictions'].sum(), booster.estimators_[stage, 0].tree_.node_count"),
    "xgboost_train": ("xgboost", "loss = evals_log", "epoch, model.get_score(), model.predict(test)[:3], evals_log"),
    "lightgbm_train": ("lightgbm", "loss = state", "state.iteration, state.model.predict(data[:3]), state.model.feature_importance()"),
    "lightning_fit": ("lightning", "loss = self.trainer", "self.layers[3].bias.tolist(), self.optimizers().state_dict()['state'][0]['step']"),
    "transformers_train": ("transformers", "norm = model", "state.log_history, [p.norm().item() for p in model.parameters()][:3]"),
    "keras_fit": ("keras", "loss = logs", "self.model.optimizer.iterations.numpy(), self.model.hidden.get_weights()[0].sum()"),
    "early_stopping": ("numpy", "print(f\"epoch", "trainer.layers[0].sum(), trainer.rng.bit_generator.state['state']"),
    "torch_finetune": ("torch", "print(f\"epoch", "scale.grad, [p.sum().item() for p in average.parameters()], first.state_dict()['state'][0]['momentum_buffer'].sum()"),
    "torch_cnn": ("torch", "scheduler.step()", "[p.grad.norm().item() for p in net.parameters()], scheduler.get_last_lr()"),
    "torch_workers": ("torch", "print(f\"epoch", "[p.grad.norm().item() for p in net.parameters()]"),
}
INNER = {
    "numpy_regression": ("numpy", "total += float", "begin, float(error @ error)"),
    "early_stopping": ("numpy", "self.layers[1] -=", "float(back.sum())"),
    "torch_workers": ("torch", "loss.backward()", "loss.item(), [p.grad.norm().item() for p in net.parameters()]"),
    "torch_finetune": ("torch", "loss.backward()", "number, loss.item(), head.weight.grad.norm().item()"),
}
LONG = ("torch", "lightning", "keras", "transformers", "numpy_regression")      # importing torch takes seconds, and that script computes for long


# The scripts that stand for those of the paper: arguments, and the lines to add behind, with what to look at.
PAPER = {
    "finetune": (("single", "4"), "schedule.step()", "net.head.weight.grad.norm().item()", "loss.backward()", "step, loss.item()"),
    "images": (("residual", "4"), "schedule.step()", "next(net.parameters()).grad.norm().item()", "loss.backward()", "loss.item()"),
    "language": (("4",), "print(f\"epoch", "words.weight.grad.norm().item()", "loss.backward()", "loss.item()"),
    "sequences": (("speech", "4"), "print(f\"epoch", "net.writes.weight.grad.norm().item()", "loss.backward()", "loss.item()"),
}


def _some(probes: Mapping[str, tuple[str, str, str]]) -> list[Any]:
    return [pytest.param(name, marks=pytest.mark.stress) if {name, needs} & set(LONG) else name for name, (needs, _, _) in probes.items()]


def _case(folder: Path, name: str) -> Case:
    source = ROOT / "examples" / "hindsight"
    shutil.copytree(source / "package", folder / "package")
    shutil.copy(source / f"{name}.py", folder / "train.py")
    return Case(folder)


def _file_of(name: str) -> str:
    return "package/trainer" if name == "early_stopping" else "train"


def _recorded(tmp_path: Path, name: str,
              probes: Mapping[str, tuple[str, str, str]]) -> tuple[Case, tuple[str, ...], str, str]:
    """An example that has run, its arguments, and the probe: after which line, of what."""
    needs, line, look = probes[name]
    if find_spec(needs) is None:     # not imported: Keras alone wants a backend that the script does not use
        pytest.skip(f"{needs} is not installed")
    case = _case(tmp_path, name)
    arguments = () if name == "early_stopping" else ("4",)
    case.record(arguments=arguments)
    return case, arguments, line, look


@pytest.mark.parametrize("name", _some(OUTER))
def test_outer_probe(tmp_path: Path, name: str) -> None:
    case, arguments, line, look = _recorded(tmp_path, name, OUTER)
    case.add_after("train", line, f"print('probe', {look})")
    assert case.replay() == case.truth(*arguments)
    assert " 0 loops skipped" not in case.told


@pytest.mark.parametrize("name", _some(INNER))
def test_inner_probe(tmp_path: Path, name: str) -> None:
    case, arguments, line, look = _recorded(tmp_path, name, INNER)
    case.add_after(_file_of(name), line, f"print('probe', {look})")
    truth = case.truth(*arguments)
    assert case.replay("-j", "2") == truth


@pytest.mark.stress
@pytest.mark.parametrize("name", PAPER)
def test_scripts_like_those_of_the_paper(tmp_path: Path, name: str) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    arguments, outer, look, inner, look_inside = PAPER[name]
    for number, (line, seen, words) in enumerate(((outer, look, ()), (inner, look_inside, ("-j", "2")))):
        (folder := tmp_path / str(number)).mkdir()
        shutil.copy(ROOT / "examples" / "hindsight" / "paper" / f"{name}.py", folder / "train.py")
        case = Case(folder)
        case.record(arguments=arguments)
        case.add_after("train", line, f"print('probe', {seen})")
        truth = case.truth(*arguments)
        assert truth and case.replay(*words) == truth
