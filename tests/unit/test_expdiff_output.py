"""What a log says was written to the standard streams."""

from __future__ import annotations

from pathlib import Path

from cli.builders import Bench, call, write
from rex.expdiff.output import output_pieces
from rex.log.records import IN


def test_only_what_arrived_on_the_standard_streams(tmp_path: Path) -> None:
    events = [write(2, b"out"), write(3, b"err"), write(5, b"a socket"),
              call("write", 2, (1, IN, b"partly"), stream=2), call("write", -9, (1, IN, b"no"), stream=2),
              call("writev", 4, (1, IN, b"vect"), stream=2), call("fsync", 0, stream=2),
              call("sendto", 3, (1, IN, b"net"), (4, IN, b"addr"), stream=3)]
    experiment = Bench(tmp_path / "A").record(events=events)
    assert list(output_pieces(experiment)) == [(2, b"out"), (3, b"err"), (2, b"pa"), (2, b"vect"), (3, b"net")]
