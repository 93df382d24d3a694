"""What libraries do that added statements begin: names for their runs, variables of the environment, finalizers, threads."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight_harness import Case, rex

pytest.importorskip("numpy", reason="numpy is not installed")

SOURCE = """
    import os, secrets, weakref
    import numpy as np
    class Box: pass
    model, box = np.zeros(30), Box()
    weakref.finalize(box, print, "the box is gone")
    for epoch in range(6):
        for step in range(8):
            model = model + secrets.randbelow(7)
        print("epoch", epoch, model.sum(), len(os.environ.get("TRACKER", "")))
    """
# As trackers of experiments do: an id, where the service is, what cleans up behind it, a thread that does so too.
TRACKER = """
import os, random, secrets, threading, uuid, weakref
def cleaned(): weakref.finalize(Box(), int)
def begin():
    global box
    box = Box()
    weakref.finalize(box, int)
    os.environ["TRACKER_SERVICE"] = "/run/tracker"
    thread = threading.Thread(target=cleaned)
    thread.start()
    thread.join()
    return [uuid.uuid4(), uuid.uuid4(), random.SystemRandom().choice(range(1000)), secrets.token_hex(8)]
class Box: pass
"""


def test_a_tracker_begun_by_an_added_statement_changes_nothing(tmp_path: Path) -> None:
    case = Case(tmp_path, train=SOURCE)
    case.record()
    (tmp_path / "tracker.py").write_text(TRACKER)
    case.add_after("train", "for epoch in", "    import tracker; ids = tracker.begin()")
    case.add_after("train", "print(\"epoch\"", "print(len(set(map(str, ids))), 'names', os.environ['TRACKER_SERVICE'], model.sum())")
    done = rex(tmp_path, "replay", "-l", "EXP")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("4 names /run/tracker") == 6
    assert "as recorded: output equal, state equal" in done.stderr and "6 loops skipped" in done.stderr, done.stderr
