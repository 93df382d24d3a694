"""Experiment lineage: which experiment another one was made from."""

from __future__ import annotations

from typing import Any, Mapping


def ancestor(extra: Mapping[str, Any]) -> str:
    """Name of the experiment that the one with these extra facts was made from; "" if it stands alone."""
    for facts in (extra.get("lineage"), extra.get("runnew")):
        if isinstance(facts, dict) and isinstance(facts.get("from"), str):
            return str(facts["from"])
    return ""


def changes(manifest: Manifest) -> list[str]:
    """What was other than in its ancestor, in words."""
    facts = manifest.extra.get("runnew")
    found = facts.get("changes") if isinstance(facts, dict) else None
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []
