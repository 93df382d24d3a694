"""A new experiment reads the standard input that was recorded, unless it is given another."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from campaigns import hostile
from commands import REX, environment, run_rex
from rex.archive import Archive
from rex.runnew import Changes, plan_run, start

pytestmark = pytest.mark.usefixtures("tracing")


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A folder with EXP: sort, with a file on its standard input that is gone now."""
    (tmp_path / "in").write_text("b\na\n")
    with open(tmp_path / "in", "rb") as file:
        subprocess.run([*REX, "record", "-q", "-l", "EXP", "--", "sort"], cwd=tmp_path, stdin=file,
                       check=True, stdout=subprocess.DEVNULL, timeout=60, env=environment())
    (tmp_path / "in").unlink()
    return tmp_path


def run(folder: Path, stdin: int | None, **asked: bool) -> str:
    """What the new experiment writes."""
    archive = Archive.open(folder / "EXP")
    plan = plan_run(archive, archive.experiment("exp0"), Changes(), str(folder / "out"), **asked)
    with open(folder / "written", "wb") as written:
        start(plan, stdin, written.fileno()).wait()
    return (folder / "written").read_text()


def test_the_recorded_file_is_read_where_there_is_no_other_input(recorded: Path) -> None:
    assert run(recorded, subprocess.DEVNULL, is_recorded=True) == "a\nb\n"
    archive = Archive.open(recorded / "EXP")
    assert archive.experiment("exp1").manifest.attachments == archive.experiment("exp0").manifest.attachments


def test_a_file_or_a_pipe_is_read_instead(recorded: Path) -> None:
    (recorded / "other").write_text("d\nc\n")
    with open(recorded / "other", "rb") as file:
        assert run(recorded, file.fileno()) == "c\nd\n"
    read, write = os.pipe()
    os.write(write, b"x\n")
    os.close(write)
    os.rmdir(recorded / "out")
    assert run(recorded, read) == "x\n"
    os.close(read)


def test_an_input_that_stands_for_a_tebibyte_is_refused(recorded: Path) -> None:
    archive = Archive.open(recorded / "EXP")
    facts = hostile.facts_of(archive)
    hostile.add(archive, {**facts, "attachments": {**facts["attachments"], "stdin": {"sha256": "0" * 64, "size": 1 << 40}}})
    done = run_rex("--max-read", "256M", "runnew", "EXP:exp1", "--headless", "-o", "out", cwd=recorded, code=125)
    assert "stands for much more than it stores" in done.stderr
