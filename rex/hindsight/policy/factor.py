"""What a restore costs, as the replays of an archive measured it."""

from __future__ import annotations

from rex.archive import Archive
from rex.hindsight.trace.records import ENGINE

_AVERAGED = 5     # replays


def observed_factor(archive: Archive) -> float | None:
    """The mean restore factor of the newest replays in an archive; None if there is none."""
    replays = [e for e in archive.experiments() if e.begun.get("engine") == ENGINE
               and e.begun.get("kind") == "replay" and e.state == "complete"]
    newest = sorted(replays, key=lambda e: -e.begun.get("start_ns", 0))[:_AVERAGED]
    factors = [experiment.manifest.extra.get("hindsight", {}).get("restore_factor") for experiment in newest]
    found = [float(factor) for factor in factors if isinstance(factor, (int, float)) and factor > 0]
    return sum(found) / len(found) if found else None
