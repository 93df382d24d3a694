"""`make valgrind` succeeds only where guests finished and valgrind found nothing in them."""

from __future__ import annotations

import os
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))


@pytest.mark.parametrize(("outcome", "report", "succeeds"), [
    ("PASSED a_guest", "", True),
    ("PASSED a_guest", "==7== Invalid read of size 8", False),
    ("FAILED a_guest", "", False),                            # no guest finished: there was nothing to find
])
def test_valgrind_counts_guests_that_finished(tmp_path, outcome, report, succeeds):
    checked = tmp_path / "checked"
    guests = f"cd {checked} && echo '{report}' > rex/native/reports/7 && echo {outcome}"
    made = subprocess.run(["make", "-s", "-o", ".venv/bin/rex", "CC=true", f"CHECKED={checked}", f"CHECKED_TESTS={guests}", "valgrind"],
                          cwd=ROOT, capture_output=True, text=True)
    assert (made.returncode == 0) == succeeds, made.stdout + made.stderr
