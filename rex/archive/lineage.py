"""Experiment lineage: which experiment another one was made from."""

from __future__ import annotations

from rex.archive.manifest import Manifest


def ancestor(manifest: Manifest) -> str:
    """Name of the experiment that this one was made from; "" if it stands alone."""
    for facts in (manifest.extra.get("lineage"), manifest.extra.get("runnew")):
        if isinstance(facts, dict) and isinstance(facts.get("from"), str):
            return str(facts["from"])
    return ""
