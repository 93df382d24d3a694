"""Recordings by a user without privileges, whom the kernel refuses the memory of undumpable programs and unreadable files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUESTS = ROOT / "tests" / "guests"
pytestmark = pytest.mark.usefixtures("tracing")


Run = Callable[..., tuple[int, str, str]]


def run_rex(place: Path, start: list[str], arguments: Sequence[str]) -> tuple[int, str, str]:
    """Exit status, standard output and error of rex with these arguments, started by a command."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "REX_CACHE": str(place / "cache"), "REX_ENGINE": "native"}
    done = subprocess.run([*start, sys.executable, "-m", "rex.cli.main", *arguments], cwd=place, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def rex(place: Path, *arguments: str) -> tuple[int, str, str]:
    """The same without any capability."""
    return run_rex(place, ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else [], arguments)


def rex_of_caller(place: Path, *arguments: str) -> tuple[int, str, str]:
    """The same with the capabilities that the tests have."""
    return run_rex(place, [], arguments)


def guest(place: Path, name: str) -> str:
    """A guest's program, made in this place."""
    program = place / Path(name).stem
    subprocess.run(["gcc", "-O1", "-pthread", f"-I{GUESTS / 'include'}", str(GUESTS / name), "-o", str(program)], check=True)
    return f"./{program.name}"


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser has privileges to drop")
@pytest.mark.parametrize("recorder, replayer", [(rex_of_caller, rex), (rex, rex_of_caller)])
def test_results_by_rights_are_those_of_who_recorded(tmp_path: Path, recorder: Run, replayer: Run) -> None:
    (tmp_path / "in.txt").write_text("input\n")
    program = guest(tmp_path, "files/results_by_rights.c")
    recorded = recorder(tmp_path, "record", "-q", "-l", "A", program)
    assert recorded[0] == 0 and f"mlock: {'0, 0' if recorder is rex_of_caller else '-1, '}" in recorded[1]
    assert replayer(tmp_path, "replay", "-q", "-l", "A", "-o", "out") == recorded
    assert replayer(tmp_path, "replay", "-q", "-l", "A", "-o", "again", "--check")[0] == 0


def test_an_undumpable_program_is_recorded_and_replayed(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("input\n")
    guest(tmp_path, "record/undumpable.c")
    recorded = rex(tmp_path, "record", "-q", "-l", "A", "./undumpable")
    assert recorded[0] == 0 and recorded[1].endswith("guest done\n") and "made.txt" in os.listdir(tmp_path)
    assert rex(tmp_path, "replay", "-q", "-l", "A", "-o", "out") == recorded
    assert rex(tmp_path, "replay", "-q", "-l", "A", "-o", "again", "--check")[0] == 0


def test_a_program_that_may_only_be_executed_is_refused_in_one_line(tmp_path: Path) -> None:
    program = tmp_path / "secret"
    program.write_bytes(Path("/bin/true").read_bytes())
    program.chmod(0o111)
    status, _, told = rex(tmp_path, "record", "-l", "A", "./secret")
    assert status == 126 and told.count("\n") == 1 and "executed but not read" in told
    status, said, told = rex(tmp_path, "record", "-l", "A", "sh", "-c", "./secret; echo $?")
    assert (status, said) == (0, "126\n") and "secret may be executed but not read" in told
    assert rex(tmp_path, "replay", "-q", "-l", "A", "-o", "out")[:2] == (0, "126\n")
