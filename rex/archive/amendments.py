"""What people change of a finished experiment: the file `about` beside its manifest, a sealed line.

The manifest stays as it is, and with it the experiment's identity.
"""

from __future__ import annotations

import json

from rex.archive.jsonform import read_json
from rex.archive.lineage import with_ancestor
from rex.archive.sealed import seal, unseal
from rex.errors import Damaged
from rex.hints import Any, Mapping

ABOUT, ANCESTOR = "about", "from"
MAX_ABOUT_BYTES = 1 << 20


def decode(line: bytes, where: str) -> dict[str, Any]:
    """The changes that a line holds: `about`, an object, and `from`, the ancestor's name.

    Raises:
        Damaged: it holds something else.
    """
    try:
        changes = read_json(unseal(line, where), where)
        if not isinstance(changes, dict) or not isinstance(changes.get(ABOUT, {}), dict) or not isinstance(changes.get(ANCESTOR, ""), str):
            raise ValueError("it is no description of an experiment")
    except ValueError as error:
        raise Damaged(f"{where} is damaged", str(error), "see: rex check") from error
    return changes


def encode(changes: Mapping[str, Any]) -> bytes:
    """The line of these changes."""
    return seal(json.dumps(changes, sort_keys=True).encode())


def apply(extra: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The extra facts of a manifest as people changed them."""
    changed = {**extra, **({ABOUT: changes[ABOUT]} if ABOUT in changes else {})}
    return with_ancestor(changed, changes[ANCESTOR]) if ANCESTOR in changes else changed
