"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import rex
from commands import environment

pytestmark = pytest.mark.usefixtures("tracing")

TESTS = """
import pytest, rex

def test_passes(): pass
def test_fails(): assert 1 == 2
@pytest.mark.parametrize("n", [1])
def test_breaks(n): raise OSError(n)

def test_fixture(rex_archive):
    assert rex.record(["echo", "hello"], rex_archive).stdout == b"hello\\n"

@pytest.mark.replay("runs", "good")
def test_good(): pass
@pytest.mark.replay("runs", experiment="bad")
def test_bad(): pass
"""


def run_pytest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # An installed Rex names the plugin itself; this tree's need not be installed.
    return subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", *words], cwd=folder,
                          env=environment(PYTEST_ADDOPTS="-p no:rex_replay -p rex.pytest_plugin"), capture_output=True, text=True,
                          check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="ascii")
    return tmp_path


def test_failures_are_recorded_and_replay(folder: Path) -> None:
    done = run_pytest(folder, "--rex-record-failures", "FAILED", "-k", "passes or fails or breaks")
    assert done.returncode == 1 and "2 failed, 1 passed" in done.stdout
    archive = rex.Archive(folder / "FAILED")
    assert [each.labels["test"] for each in archive] == ["test_it.py::test_fails", "test_it.py::test_breaks[1]"]
    assert f"test_it.py::test_fails: replay with: rex replay -l {folder}/FAILED -e exp0" in done.stdout
    again = rex.replay(archive["exp0"], folder / "out")
    assert again.is_identical and b"assert 1 == 2" in again.stdout and again.status == 1


def test_nothing_is_recorded_unasked(folder: Path) -> None:
    done = run_pytest(folder, "-k", "fails or fixture")
    assert "1 failed, 1 passed" in done.stdout and "recorded by rex" not in done.stdout
    assert sorted(each.name for each in folder.iterdir() if each.is_dir() and each.name != "__pycache__") == []


def test_a_marked_test_replays_and_compares(folder: Path) -> None:
    archive = rex.Archive(folder / "runs", create=True)
    rex.record(["date"], archive, "good")
    (folder / "in").write_text("x", encoding="ascii")
    rex.record(["cat", "in"], archive, "bad", cwd=folder, exclude=["in"])
    done = run_pytest(folder, "-k", "good or bad")
    assert "1 failed, 1 passed" in done.stdout and "runs:bad is not identical" in done.stdout
