"""What was asked of a replay, and the run that it is of."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

from rex.archive import Archive, Experiment
from rex.errors import NotFound
from rex.hindsight.replay.query import Query
from rex.hindsight.trace.records import check_head, ENGINE, Run, read_run
from rex.values import dataclass, field


@dataclass
class Options:
    """What the user asked of a replay.

    Attributes:
        jobs: workers at once; None for as many as there usually are.
        query: iterations of the main loop and steps within them.
        allow_changes: replay though code was changed otherwise than by additions.
        is_skipping: whether loops without added statements may be skipped.
        verify: how many loops, chosen at random, to run although they could be skipped.
        dask: address of a Dask scheduler; empty for this machine alone.
    """

    script: str | None = None
    archive: str = "__default"
    experiment: str | None = None
    jobs: int | None = None
    query: Query = field(default_factory=Query)
    allow_changes: bool = False
    is_skipping: bool = True
    verify: int = 0
    dask: str = ""


@dataclass(slots=True)
class Recorded:
    """A run, and the script of now."""

    archive: Archive
    experiment: Experiment
    run: Run
    script: str


def find_recorded(options: Options) -> Recorded:
    """The run that is meant.

    Raises:
        NotFound: there is none, or it has no script.
    """
    archive = Archive.open(options.archive)
    experiment = archive.experiment(options.experiment or latest_run(archive))
    run = read_run(archive, experiment)
    if experiment.begun.get("kind", "run") != "run":
        raise NotFound(f"{experiment.name} is a replay", "only runs can be replayed", "see: rex hindsight show")
    if "__main__" not in run.modules:
        raise NotFound(f"{experiment.name} holds no script", "it ended before its script began", "record it again")
    check_head(run, experiment.name)
    script = options.script or run.head["script"]
    if not os.path.isfile(script):
        raise NotFound(f"no script {script}", "", "give its path")
    return Recorded(archive, experiment, run, script)


def runs_like(archive: Archive, pattern: str) -> list[str]:
    """Names of the runs that a pattern (`run*`) means, the oldest first.

    Raises:
        NotFound: there is none.
    """
    runs = [e for e in archive.experiments() if e.begun.get("engine") == ENGINE and e.begun.get("kind", "run") == "run"
            and fnmatchcase(e.name, pattern)]
    if not runs:
        raise NotFound(f"no recorded training run is called {pattern}", "", "see: rex hindsight show")
    return [e.name for e in sorted(runs, key=lambda e: e.begun.get("start_ns", 0))]


def latest_run(archive: Archive) -> str:
    """The run that is meant when none is named: the newest.

    Raises:
        NotFound: the archive holds none.
    """
    runs = [e for e in archive.experiments() if e.begun.get("engine") == ENGINE
            and e.begun.get("kind", "run") == "run"]
    if not runs:
        raise NotFound(f"no recorded training run in {archive.path}", "",
                       "see: rex hindsight record --help")
    return max(runs, key=lambda e: e.begun.get("start_ns", 0)).name
