"""How the `rex` script ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rex.cli.main import leaves_at_once

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("line, expected", [
    ("record -l A -- x", True), ("record -- x --cells", True), ("record --cells x.py", False), ("replay -o out", True),
    ("replay --all", False), ("replay --persist=P --store S", False), ("replay --persist P", False), ("ls A", False), ("", False)])
def test_which_commands_end_at_once(line: str, expected: bool) -> None:
    assert leaves_at_once(line.split()) is expected


def test_what_was_said_arrives(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "rex.cli.main", "replay", "-l", "none", "--json"], cwd=tmp_path, text=True,
                          capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}, check=False)
    assert done.returncode == 125 and done.stdout.startswith("{") and "no archive" in done.stderr
