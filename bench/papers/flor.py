"""Garcia et al., Hindsight Logging for Model Training (Flor), PVLDB 14(4), 2020: the eight workloads of Table 3, the nearest that two cores train.

Figures are processor seconds of all threads and processes (user and system), because the machine may be shared; the import of torch and the making of
the data, measured by a run of no epochs, are left out of the ratios of recording.
"""

from __future__ import annotations

import importlib.util
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hindsight import hindsight, python, run, shown
from page import Missing, plot, table, write_csv

SCRIPTS = Path(__file__).resolve().parents[2] / "examples" / "hindsight" / "paper"
EPOCHS, PAIRS = 12, 2


@dataclass(frozen=True)
class Workload:
    """A script of examples/hindsight/paper that stands for one of the paper's.

    Attributes:
        name: the paper's; paper: what it trains.
        outer, inner: behind which line of the script an added statement goes, and what it looks at.
    """

    name: str
    paper: str
    script: str
    words: tuple[str, ...]
    outer: tuple[str, str]
    inner: tuple[str, str] = ("loss.backward()", "loss.item()")


_FINE = ("schedule.step()", "net.head.weight.grad.norm().item()")
_PICTURE = ("schedule.step()", "next(net.parameters()).grad.norm().item()")
_SEQUENCE = ("print(f\"epoch", "net.writes.weight.grad.norm().item()")
WORKLOADS = (Workload("RTE", "RoBERTa, fine-tuned on pairs of sentences", "finetune", ("pairs",), _FINE),
             Workload("CoLA", "RoBERTa, fine-tuned on sentences", "finetune", ("single",), _FINE),
             Workload("Cifr", "Squeezenet on Cifar100", "images", ("squeeze",), _PICTURE),
             Workload("RsNt", "ResNet-152 on Cifar100", "images", ("residual",), _PICTURE),
             Workload("Wiki", "RoBERTa on WikiText", "language", (), ("print(f\"epoch", "words.weight.grad.norm().item()")),
             Workload("Jasp", "Jasper on LibriSpeech", "sequences", ("speech",), _SEQUENCE),
             Workload("ImgN", "Squeezenet on ImageNet", "images", ("large",), _PICTURE),
             Workload("RnnT", "RNN with attention on WMT16", "sequences", ("translation",), _SEQUENCE))


@dataclass
class Found:
    """Processor seconds and counts of one workload.

    Attributes:
        loop_s, start_s: a plain run without its start, and the start.
        ratios: recording by a plain run right before, starts left out; eager: the same with a checkpoint at every border.
        counted: what the recorder itself finds that its checkpoints cost, as a share of the loop.
        stored_bytes: of the checkpoints at every border.
        again_s, outer_s, inner_s: running again with added statements, and replays of one in the loop over epochs and of one in that over steps.
    """

    loop_s: float
    start_s: float
    ratios: list[float]
    counted: float
    eager: float
    checkpoints: int
    eager_checkpoints: int
    stored_bytes: int
    again_s: float
    outer_s: float
    inner_s: float


def measure(workload: Workload) -> Found:
    """Record and replay one script in a folder of its own; the answers of each replay are compared with a full run's."""
    with tempfile.TemporaryDirectory() as folder:
        train, source = Path(folder, "train.py"), (SCRIPTS / f"{workload.script}.py").read_text(encoding="utf-8")
        words, none = ([*workload.words, str(count)] for count in (EPOCHS, 0))

        def cpu(command: list[str]) -> float:
            return run(folder, command)[1]

        def answers(lines: str, word: str) -> list[str]:
            return [line for line in lines.splitlines() if line.startswith(f"probe {word}")]

        train.write_text(source, encoding="utf-8")
        starts = cpu(python("train.py", *none)), cpu(hindsight("record", "-l", "NONE", "train.py", *none))
        loops_s, ratios = [], []
        for number in range(PAIRS):
            loops_s.append(cpu(python("train.py", *words)) - starts[0])
            ratios.append((cpu(hindsight("record", "-l", f"EXP{number}", "train.py", *words)) - starts[1]) / loops_s[-1])
        loop_s = statistics.median(loops_s)
        eager_s = cpu(hindsight("record", "-l", "EAGER", "--overhead", "1", "--granularity", "0s", "train.py", *words)) - starts[1]
        facts, eager = shown(folder, "EXP0")["facts"], shown(folder, "EAGER")
        outer, inner = (_added(source, line, f"print('probe {word}', epoch, {look})")
                        for word, (line, look) in (("outer", workload.outer), ("inner", workload.inner)))
        train.write_text(_added(outer, workload.inner[0], f"print('probe inner', epoch, {workload.inner[1]})"), encoding="utf-8")
        _, again_s, truth = run(folder, python("train.py", *words))
        replays = []
        for word, text, options in (("outer", outer, []), ("inner", inner, ["-j", "2"])):
            train.write_text(text, encoding="utf-8")
            _, cpu_s, told = run(folder, hindsight("replay", "-l", "EXP0", "--yes", *options, "train.py"))
            assert answers(told, word) == answers(truth, word) != [], f"{workload.name}: the answers of the {word} probe differ"
            replays.append(cpu_s)
        return Found(loop_s, starts[0], ratios, facts["cost_s"] / loop_s, eager_s / loop_s, facts["checkpoints"], eager["facts"]["checkpoints"],
                     sum(each["stored"] for each in eager["checkpoints"]), again_s, *replays)


def _added(text: str, line: str, statement: str) -> str:
    """A script with a statement behind the last line that holds some text, as deeply indented."""
    lines = text.splitlines(True)
    place = max(number for number, each in enumerate(lines) if line in each)
    indent = lines[place][:len(lines[place]) - len(lines[place].lstrip())]
    return "".join([*lines[:place + 1], f"{indent}{statement}\n", *lines[place + 1:]])


def describe(found: dict[str, Found]) -> str:
    """Tables and a picture of what was measured."""
    by_name = {workload.name: workload for workload in WORKLOADS}
    script = {name: " ".join([f"{by_name[name].script}.py", *by_name[name].words]) for name in found}
    rows = [(name, f"{each.loop_s:.3f}", f"{each.start_s:.3f}", *(f"{ratio:.4f}" for ratio in each.ratios), f"{each.counted:.4f}", f"{each.eager:.4f}",
             each.checkpoints, each.eager_checkpoints, each.stored_bytes, f"{each.again_s:.3f}", f"{each.outer_s:.3f}", f"{each.inner_s:.3f}")
            for name, each in found.items()]
    link = write_csv("flor.csv", ("workload", "loop_s", "start_s", *(f"record_ratio_{number}" for number in range(PAIRS)), "counted_share", "eager_ratio",
                                  "checkpoints", "eager_checkpoints", "eager_stored_bytes", "again_s", "outer_s", "inner_s"), rows)
    recorded = {name: statistics.median(each.ratios) for name, each in found.items()}
    picture = plot("flor.png", "recording and replaying the eight workloads", [
        ("recording, by a plain run", "workload", {"default": list(enumerate(recorded.values(), 1)),
                                                   "every border": [(place, each.eager) for place, each in enumerate(found.values(), 1)]}),
        ("outer probe, by running again", "workload", {"replay": [(place, each.outer_s / each.again_s) for place, each in enumerate(found.values(), 1)]}),
        ("inner probe, two workers", "workload", {"sum of workers by running again": [(place, each.inner_s / each.again_s) for place, each in enumerate(found.values(), 1)]})],
        "processor time", columns=3)
    means = statistics.mean(recorded.values()) - 1, statistics.mean(each.counted for each in found.values())
    return (f"{EPOCHS} epochs each; all answers equal those of a full run. In the picture workloads are numbered as in the tables. All numbers: {link}.\n\n{picture}\n"
            f"**Workloads** (Table 3) **and recording**:\n\n"
            + table(("paper's", "trains", "here", "loop, s", "recorded : plain", "counted", "checkpoints", "every border : plain", "checkpoints", "stored"),
                    [(name, by_name[name].paper, script[name], f"{each.loop_s:.1f}", f"{recorded[name]:.3f} ({min(each.ratios):.3f} to {max(each.ratios):.3f})",
                      f"{100 * each.counted:.1f} %", each.checkpoints, f"{each.eager:.2f}", each.eager_checkpoints, f"{each.stored_bytes / 1e6:.1f} MB")
                     for name, each in found.items()])
            + f"\nRecording adds {100 * means[0]:+.1f} % on average (the recorder itself counts {100 * means[1]:.1f} %); the paper reports 1.47 % of wall-clock time. "
            "*every border* is `--overhead 1 --granularity 0s`: no policy limits checkpoints. The paper's worst are then 91 % (RTE) and 28 % (CoLA).\n\n"
            "**Replays**, processor seconds, start included:\n\n"
            + table(("workload", "again", "outer probe", "faster", "inner probe, both workers", "sum : again"),
                    [(name, f"{each.again_s:.1f}", f"{each.outer_s:.1f}", f"{each.again_s / each.outer_s:.1f}x", f"{each.inner_s:.1f}", f"{each.inner_s / each.again_s:.2f}")
                     for name, each in found.items()])
            + "\nThe paper's outer probes are 7 to 1,123 times faster than running again. Its runs take hours; here most of a replay is the import of torch. "
            "With an inner probe all loops run, so two workers can halve the wall-clock time only if their sum stays near running again once.\n")


def make() -> str:
    """The part of the page.

    Raises:
        Missing: there is no torch.
    """
    if importlib.util.find_spec("torch") is None:
        raise Missing("torch")
    found = {}
    for workload in WORKLOADS:
        found[workload.name] = measure(workload)
        print(f"flor: {workload.name}", flush=True)
    return describe(found)
