"""Experiment lineage: which experiment another one was made from."""

from __future__ import annotations

from rex.hints import Any, Mapping


_ROOMS = "lineage", "runnew"


def ancestor(extra: Mapping[str, Any]) -> str:
    """Name of the experiment that the one with these extra facts was made from; "" if it stands alone."""
    for facts in map(extra.get, _ROOMS):
        if isinstance(facts, dict) and isinstance(facts.get("from"), str):
            return str(facts["from"])
    return ""


def with_ancestor(extra: Mapping[str, Any], name: str) -> dict[str, Any]:
    """These extra facts where the ancestor has another name."""
    return {**extra, **{room: {**facts, "from": name} for room in _ROOMS
                        if isinstance(facts := extra.get(room), dict) and "from" in facts}}


def changes(manifest: Manifest) -> list[str]:
    """What was other than in its ancestor, in words."""
    facts = manifest.extra.get("runnew")
    found = facts.get("changes") if isinstance(facts, dict) else None
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []
