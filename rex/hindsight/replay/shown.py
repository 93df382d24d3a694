"""What an archive says about training runs and their replays."""

from __future__ import annotations

from typing import Any

from rex.archive import Archive, Experiment
from rex.errors import NotFound
from rex.hindsight.trace.records import ENGINE, Run, read_run
from rex.text import quoted_ref


def experiments_of(archive: Archive) -> list[Experiment]:
    """Every run and replay, finished or not."""
    return [e for e in archive.experiments() if e.begun.get("engine") == ENGINE]


def list_runs(archive: Archive) -> list[dict[str, Any]]:
    """One entry per run and replay."""
    found = []
    for experiment in experiments_of(archive):
        facts = experiment.manifest.extra.get("hindsight", {}) if experiment.state == "complete" else {}
        found.append({"name": experiment.name, "kind": _kind_of(experiment), "of": _text(experiment.begun.get("of", "")),
                      "state": experiment.state, "command": _command_of(experiment),
                      **{name: _number(facts.get(name)) for name in ("iterations", "checkpoints", "stored")}})
    return found


def _kind_of(experiment: Experiment) -> str:
    return _text(experiment.begun.get("kind", "run"))


def _command_of(experiment: Experiment) -> str:
    words = experiment.begun.get("command")
    return " ".join(map(str, words)) if isinstance(words, list) else ""


def _text(value: Any) -> str:
    """A fact of a stranger's that should be a text."""
    return value if isinstance(value, str) else "?"


def _number(value: Any) -> int:
    """A fact of a stranger's that should be a count."""
    return value if isinstance(value, int) and 0 <= value < 1 << 63 else 0


def values_of(archive: Archive, name: str | None) -> list[dict[str, Any]]:
    """Values logged by a run and by its replays (by all without a name), in order."""
    found = []
    for experiment in experiments_of(archive):
        if name not in (None, experiment.name, experiment.begun.get("of")):
            continue
        run = read_run(archive, experiment)
        found += [{"experiment": experiment.name, "iteration": value["iteration"],
                   "name": value["name"], "value": value["value"]} for value in run.values]
    return found


def find_run(archive: Archive, name: str) -> Run:
    """What the log of a run tells.

    Raises:
        NotFound: there is no such run.
    """
    experiment = archive.experiment(name)
    if experiment.begun.get("engine") != ENGINE:
        raise NotFound(f"{name} is no training run", "", f"see: rex show {quoted_ref(archive.path, experiment.name)}")
    return read_run(archive, experiment)


def describe_run(archive: Archive, name: str, run: Run) -> dict[str, Any]:
    """Facts, checkpoints, values and replays of a run that was found."""
    experiment = archive.experiment(name)
    replays = [e.name for e in experiments_of(archive) if e.begun.get("of") == name]
    facts = {"experiment": name, "state": experiment.state,
             "command": _command_of(experiment), "kind": _kind_of(experiment), "replays": ", ".join(replays) or "none"}
    facts |= {key: value for key, value in run.end.items() if key != "k"}
    checkpoints = [{"number": c.number, "position": c.position, "size": c.size_bytes,
                    "stored": c.stored_bytes, "pause_s": c.pause_s, "why_not": c.why_not}
                   for c in run.checkpoints]
    return {"facts": facts, "checkpoints": checkpoints, "values": values_of(archive, name),
            "output": [{"iteration": p["iteration"], "text": p["text"]} for p in run.probes]}
