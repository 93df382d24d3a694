"""Contents that differ, compared by what they mean; what the rules allow does not count."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING

from rex.contents.client import Comparer
from rex.contents.rules import Rules
from rex.expdiff.difference import DIFFERS, Difference

if TYPE_CHECKING:
    from rex.contents.compare import Verdict
    from rex.expdiff.bytesdiff import Source

CONTENT_DIFFERS = "content differs: "


def add_verdict(difference: Difference, verdict: "Verdict | None") -> Difference:
    """The difference with what a verdict says about it."""
    if verdict is None:
        return difference
    notes = (*difference.notes[:1], verdict.sentence, *difference.notes[1:]) if verdict.sentence else difference.notes
    return replace(difference, notes=notes, details={**difference.details, "verdict": verdict.as_json()})


class Meaning:
    """Verdicts for one comparison."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._comparer = Comparer(rules)

    def close(self) -> None:
        """End the process that reads contents."""
        self._comparer.close()

    def judge(self, name: str, left: "Source", right: "Source") -> "Verdict | None":
        """The verdict on two contents that differ; None where only bytes can be compared."""
        if max(left.size, right.size) > self._comparer.limit_bytes:
            return self._comparer.too_large()
        if not self._comparer.is_wanted(name, (left.head(), right.head())):
            return None
        with tempfile.TemporaryDirectory(prefix="rex-") as folder:
            paths = [os.path.join(folder, side) for side in ("left", "right")]
            for path, source in zip(paths, (left, right)):
                with open(path, "wb") as file:
                    for piece in source.pieces():
                        file.write(piece.read())
            return self._comparer.compare(name, *paths)

    def is_allowed(self, difference: Difference, verdict: "Verdict | None") -> bool:
        """Whether the rules allow all that differs: a content, and nothing else."""
        moved = f"{difference.left_path} -> {difference.right_path}"
        return (verdict is not None and verdict.is_same and self.rules.is_set and difference.kind == DIFFERS
                and all(note.startswith(CONTENT_DIFFERS) or note == moved for note in difference.notes))
