"""Hints can be pasted, whatever an archive is called; a name that cannot be leaves nothing behind."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from commands import REX, environment, run_rex

pytestmark = pytest.mark.usefixtures("tracing")


def paste(line: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Give what stands behind `: rex ` in a line to a shell."""
    command = " ".join(map(shlex.quote, REX)) + " " + line.rsplit(": rex ", 1)[1]
    return subprocess.run(["bash", "-c", command], cwd=cwd, env=environment(), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", [" a b ", "~", "it's $HOME", "new\nline", "a;b"])
def test_hints_are_quoted_for_a_shell(tmp_path: Path, name: str) -> None:
    done = run_rex("record", "-l", name, "--", "sh", "-c", "exit 3", cwd=tmp_path, code=3)
    assert done.stderr.count("\n") == 1
    assert paste(done.stderr.strip(), tmp_path).returncode == 3
    missing = run_rex("show", f"{name}:exp7", cwd=tmp_path, code=10)
    assert "exp0" in paste(missing.stderr.strip(), tmp_path).stdout
    exported = run_rex("export", name, "-o", f"{name}.rex", cwd=tmp_path)
    assert paste(exported.stderr.strip(), tmp_path).returncode == 0
    removed = run_rex("rm", f"{name}:exp0", cwd=tmp_path)
    assert paste(removed.stdout.strip().splitlines()[-1], tmp_path).returncode == 0


def test_a_name_that_cannot_be_leaves_no_archive_behind(tmp_path: Path) -> None:
    done = run_rex("record", "-l", "X", "-e", "exp 0", "--", "true", cwd=tmp_path, code=125)
    assert "cannot name an experiment" in done.stderr and os.listdir(tmp_path) == []
