"""Replays of which the user allows outputs to differ a little."""

from __future__ import annotations

import contextlib
import tempfile
from typing import IO, TYPE_CHECKING, Iterator, Mapping

from rex.archive import Archive
from rex.contents.rules import Rules
from rex.expdiff.output import STDERR, STDOUT
from rex.expdiff.replayed import judge_files, judge_streams

if TYPE_CHECKING:
    from rex.replayer import Outcome

Printed = dict[int, IO[bytes]]


@contextlib.contextmanager
def printed() -> Iterator[Printed]:
    """Files for what a replay prints, by the stream's number in the log."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        yield {STDOUT: stdout, STDERR: stderr}


def judge_outcome(outcome: "Outcome", archive: str, rules: Rules | None, streams: Mapping[int, IO[bytes]] | None) -> None:
    """Say of each output that differs what that means, and let those that the rules allow not count.

    Args:
        streams: what the replay printed; None: nobody kept it.
    """
    opened, rules = Archive.open(archive), rules or Rules()
    if outcome.differing:
        outcome.differing, outcome.within = judge_files(opened, outcome.experiment.manifest, outcome.outdir, outcome.differing, rules)
    if outcome.difference and streams:
        is_allowed, said = judge_streams(outcome.experiment, streams, rules)
        if is_allowed:
            outcome.difference = None
            outcome.within.update(said)
