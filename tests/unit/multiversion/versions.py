"""Makes recorded versions out of nothing, for tests of trees and executors."""

from __future__ import annotations

from typing import Any

from rex.multiversion.celllineage import chain
from rex.multiversion.versions import RecordedCell, Version


def make_version(name: str, sources: list[str], **facts: Any) -> Version:
    """A version whose cells have these sources; facts of a cell: `facts={2: {"seconds": 3.0}}`."""
    base = facts.pop("base", "base")
    changes = facts.pop("facts", {})
    cells, before = [], base
    for place, source in enumerate(sources):
        before = chain(before, source, changes.get(place, {}).get("events", ""))
        given = {"source": source, "code": source, "lineage": before, "events": "", "seconds": 1.0,
                 "size_bytes": 1000, "first": place, "last": place + 1, **changes.get(place, {})}
        cells.append(RecordedCell(**given))
    return Version("script", "a.py", "/w/a.py", facts.pop("arguments", []), 0, base, 0, cells, name)
