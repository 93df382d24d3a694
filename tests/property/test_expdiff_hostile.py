"""Logs come from strangers: whatever events they hold, a comparison ends without an accident."""

from __future__ import annotations

import random

import pytest

from rex.expdiff.calls import compare_calls
from rex.expdiff.canonical import Canonical
from rex.expdiff.cause import Detective, Story, Suspect, Suspects
from rex.expdiff.graph import build_graph
from rex.picture import as_dot, as_svg
from rex.expdiff.processes import match_tasks
from rex.log import Event
from rex.syscalls import CALLS

SPECIAL = list(range(0x8000, 0x8006))


def draw_event(draw: random.Random) -> Event:
    """Any event that a log can hold."""
    def number() -> int:
        return draw.choice((0, 1, 2, 3, 4, 5, 0xFFFFFFFF, 2**64 - 100, draw.getrandbits(64)))

    def data() -> bytes:
        return draw.choice((b"", b"/", b"/x", b"/tmp/a1B2c3D4", b"\xff/../\0", b"/proc/1/x", draw.randbytes(draw.randrange(200))))
    fields = tuple((draw.choice((0, 1, 2, 3, 4, 5, 255)), draw.randrange(1, 13), data()) for _ in range(draw.randrange(5)))
    call = draw.choice(SPECIAL) if draw.random() < 0.4 else draw.choice((*CALLS, 257, 59, 0, 1, 82))
    args = tuple(number() for _ in range(6))
    return Event(call, draw.choice((0, 1, 2, 3, 2**32 - 1)), draw.choice((-2, 0, 3, 17, -2**63, 2**63 - 1)), args, fields,
                 draw.randrange(3), draw.choice((0, 0, 1, 2, 3, 4, 5)), 0)


@pytest.mark.parametrize("seed", range(60))
def test_any_events(seed: int) -> None:
    draw = random.Random(seed)
    traces = [Canonical("/w").read([draw_event(draw) for _ in range(200)]) for _ in range(2)]
    matches = match_tasks(*traces)
    assert len(set(matches.values())) == len(matches)
    calls = compare_calls(*traces, matches)
    told = calls.in_step + sum(each.changed + each.skipped_left for each in calls.processes)
    assert told == sum(traces[0].entries.counts.values())
    paths = {path for trace in traces for _, path in trace.reads}
    suspects = Suspects(files={path: Suspect("x", "inputs", path) for path in list(paths)[:3]})
    stories = (Story(traces[0], suspects), Story(traces[1], suspects))
    for path in sorted({path for _, path in traces[0].writes}):
        assert Detective(*stories).find(path, (stories[0].writers(path), stories[1].writers(path))).sentence
    graph = build_graph(traces[0])
    assert as_dot(graph) and as_svg(graph)
