"""What `rex record --reuse` reports about what it did not run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rex.types import format_duration
from rex.values import dataclass

if TYPE_CHECKING:
    from rex.recorder import Options, Outcome
    from rex.trees.reuse import Summary


@dataclass
class Reused:
    """A summary in words, and for machines."""

    summary: "Summary"

    def describe(self) -> str:
        """One line."""
        told = self.summary
        text = (f"reused {len(told.reused)} step{'s' if len(told.reused) != 1 else ''}, which saves {format_duration(told.saved_s)}; "
                f"executed {told.executed} program{'s' if told.executed != 1 else ''}")
        if told.drawn:
            text += f"; {told.drawn} of those reused read a clock or drew random numbers (--reuse=strict runs them)"
        if told.rechecked:
            text += f"; {told.rechecked} run to be compared"
        return text + "".join(f"; NOT as recorded: {command}" for command in told.differing)

    def as_json(self) -> dict[str, Any]:
        """For machines; seconds."""
        told = self.summary
        return {"reused": [{"command": command, "seconds": seconds} for command, seconds in told.reused], "saved": told.saved_s,
                "drawn": told.drawn, "executed": told.executed, "rechecked": told.rechecked, "differing": told.differing}


def record_and_tell(options: "Options", is_strict: bool, recheck: int) -> "tuple[Outcome, Reused]":
    """Record with reuse."""
    from rex.trees.reuse import record_reusing
    outcome, summary = record_reusing(options, is_strict, recheck)
    return outcome, Reused(summary)
