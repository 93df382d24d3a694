"""What a recorded program inherits besides its standard streams, and what a replay inherits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("tracing")


def rex(place: Path, arguments: str, redirections: str = "") -> tuple[int, bytes]:
    """Exit status and standard output of a line of bash that runs rex with these arguments."""
    line = f'"{sys.executable}" -m rex.cli.main {arguments} {redirections}'
    env = {**os.environ, "PYTHONPATH": str(ROOT), "REX_CACHE": str(place / "cache"), "REX_ENGINE": "native"}
    done = subprocess.run(["bash", "-c", line], cwd=place, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60, check=False)
    assert b"diverged" not in done.stderr, done.stderr.decode()
    return done.returncode, done.stdout


def test_replay_has_what_came_by_process_substitution(tmp_path: Path) -> None:
    recorded = rex(tmp_path, "record -q -l A diff <(echo one; echo two) <(echo one)")
    assert recorded == (1, b"2d1\n< two\n")
    assert rex(tmp_path, "replay -q -l A -o out") == recorded


def test_replay_has_what_other_descriptors_led_to(tmp_path: Path) -> None:
    (tmp_path / "input").write_text("from a file\n")
    recorded = rex(tmp_path, "record -q -l A sh -c 'cat <&7; cat <&8; exec 9</dev/null; ls /proc/self/fd'",
                   "7<input 8< <(echo from a pipe)")
    assert recorded[0] == 0 and recorded[1].startswith(b"from a file\nfrom a pipe\n0\n")
    (tmp_path / "input").unlink()
    assert rex(tmp_path, "replay -q -l A -o out") == recorded


def test_replay_inherits_nothing_else(tmp_path: Path) -> None:
    recorded = rex(tmp_path, "record -q -l A sh -c 'exec 3</dev/null; ls /proc/self/fd; cat < /etc/hostname; cat <&5; echo $?'")
    assert rex(tmp_path, "replay -q -l A -o out", "3</etc/passwd 5</etc/passwd 25</dev/null") == recorded
