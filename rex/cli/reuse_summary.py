"""What `rex record --reuse` and `rex runnew --reuse` report about what they did not run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rex.types import format_duration
from rex.values import dataclass

if TYPE_CHECKING:
    from rex.recorder import Options, Outcome
    from rex.archive import Archive
    from rex.trees.reuse import Reuse, Summary

_MOST_NAMED = 5


@dataclass
class Reused:
    """A summary in words, and for machines."""

    summary: "Summary"

    def describe(self) -> str:
        """One line."""
        told = self.summary
        text = (f"reused {len(told.reused)} step{'s' if len(told.reused) != 1 else ''}{self._gain()}; "
                f"executed {told.executed} program{'s' if told.executed != 1 else ''}")
        if told.variables and not told.reused:
            text += f"; all programs run, as these variables differ from the recorded ones: {_named(told.variables)}"
        if told.drawn:
            text += f"; {told.drawn} of those reused read a clock or drew random numbers (--reuse=strict runs them)"
        if told.rechecked:
            text += f"; {told.rechecked} run to be compared"
        return text + "".join(f"; NOT as recorded: {command}" for command in told.differing)

    def reasons(self) -> list[str]:
        """A line for each program that ran."""
        return [f"ran {command}: {why}" for command, why in self.summary.ran]

    def _gain(self) -> str:
        """What it saves, less what it took."""
        told = self.summary
        if not told.reused:
            return ""
        took = f"they took {format_duration(told.recorded_s)}, finding them and putting them back took {format_duration(told.spent_s)}"
        return f", which saves {format_duration(told.saved_s)}: {took}" if told.saved_s > 0 else f", which saves no time: {took}"

    def as_json(self) -> dict[str, Any]:
        """For machines; seconds."""
        told = self.summary
        return {"reused": [{"command": command, "seconds": seconds} for command, seconds in told.reused], "saved": told.saved_s, "recorded": told.recorded_s, "spent": told.spent_s,
                "drawn": told.drawn, "executed": told.executed, "ran": [{"command": command, "why": why} for command, why in told.ran], "rechecked": told.rechecked, "variables": told.variables, "differing": told.differing}


def _named(names: list[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else "")


def record_and_tell(options: "Options", is_strict: bool, recheck: int, explains: bool) -> "tuple[Outcome, Reused]":
    """Record with reuse."""
    from rex.trees.reuse import record_reusing
    outcome, summary = record_reusing(options, is_strict, recheck, explains)
    return outcome, Reused(summary)


def run_gate(archive: "Archive", is_strict: bool, explains: bool) -> "Reuse":
    """Who puts steps back in a new run of archived files."""
    from rex.trees.reuse import Reuse
    return Reuse(archive, (0, 1, 2), is_strict, is_run=True, explains=explains)


def run_summary(gate: "Reuse", archive: "Archive", name: str | None) -> Reused:
    """What a run did not run; name: of the experiment, if it was recorded."""
    experiment = archive.experiment(name) if name else None
    return Reused(gate.finish(experiment, experiment.manifest) if experiment else gate.summary)
