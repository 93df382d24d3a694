"""Experiment lineage: which experiment another one was made from."""

from __future__ import annotations

from rex.archive.manifest import Manifest


def ancestor(manifest: Manifest) -> str:
    """Name of the experiment that this one was made from; "" if it stands alone."""
    for facts in (manifest.extra.get("lineage"), manifest.extra.get("runnew")):
        if isinstance(facts, dict) and isinstance(facts.get("from"), str):
            return str(facts["from"])
    return ""


def changes(manifest: Manifest) -> list[str]:
    """What was other than in its ancestor, in words."""
    facts = manifest.extra.get("runnew")
    found = facts.get("changes") if isinstance(facts, dict) else None
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []
