"""rex doctor"""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from cli.conftest import Rex
from rex.cli import doctor_command as doctor
from rex.cli.doctor_command import Finding, Tool


def refused() -> None:
    """A probe that the kernel does not let through."""
    raise OSError(errno.EPERM, "ptrace: Operation not permitted")


def test_a_probe_runs_in_a_child() -> None:
    own = os.getpid()

    def same_process() -> None:
        assert os.getpid() == own

    assert "AssertionError" in doctor.why_not(same_process)
    assert doctor.why_not(lambda: None) == ""
    assert doctor.why_not(refused) == "ptrace: Operation not permitted"
    assert doctor.why_not(lambda: os.kill(os.getpid(), signal.SIGKILL)) == "the child ended with -9"


def test_all_is_fine(rex: Rex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "examine", lambda: [Finding("ptrace", True, True, "works"),
                                                    Finding("compiler", False, False, "none", "get one")])
    monkeypatch.setattr(doctor, "check_tools", lambda: [Tool("web", "pages", True, [], ""),
                                                        Tool("dask", "clusters", False, ["distributed"], "pip install x")])
    result = rex("doctor")
    assert result.return_value == 0
    assert result.stdout == ("ok    ptrace    works\nwarn  compiler  none\n                -> get one\n"
                             "\ntools, by extra:\nok    web   pages\nnone  dask  clusters\n            -> pip install x\n"
                             "\nrecording works here\n")


def test_recording_cannot_work(rex: Rex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "trace_child", refused)
    result = rex("doctor")
    assert result.return_value == 22 and "FAIL  ptrace" in result.stdout and "-> " in result.stdout
    told = json.loads(rex("doctor", "--json").stdout)
    assert not told["can_record"]
    assert {each["name"] for each in told["findings"]} >= {
        "engine", "system", "processor", "ptrace", "seccomp filters", "user namespaces", "cache", "compiler"}


def test_the_filter_probe_sees_its_filter_obeyed() -> None:
    why = doctor.why_not(doctor.filter_calls)
    if why:
        pytest.skip(f"no seccomp filters here: {why}")


def test_an_old_kernel_another_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "h", "4.19.0-rc1", "v", "aarch64")))
    assert [each.is_fine for each in doctor.check_system()] == [False, False]


def test_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REX_CACHE", "/dev/null/place")
    cache = doctor.check_cache()
    assert not cache.is_fine and "REX_CACHE" in cache.advice and doctor.check_temporary().is_fine
    monkeypatch.setenv("REX_CACHE", str(tmp_path))
    assert doctor.check_cache().is_fine
    monkeypatch.setattr(os, "statvfs", lambda _: Namespace(f_flag=os.ST_NOEXEC))
    cache = doctor.check_cache()
    assert not cache.is_fine and "noexec" in cache.found


def test_a_removed_working_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert doctor.check_working_directory().is_fine
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    found = doctor.check_working_directory()
    assert not found.is_fine and found.is_needed and "cd to" in found.advice


def test_characters_that_cannot_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "iso-8859-1"))
    found = doctor.check_locale()
    assert not found.is_fine and "escapes" in found.advice
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "UTF8"))
    assert doctor.check_locale().is_fine


def test_the_reference_engine_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REX_ENGINE", "reference")
    found = doctor.check_engine()
    assert found.is_fine and "without threads" in found.found


def test_an_engine_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REX_ENGINE", "steam")
    assert not doctor.check_engine().is_fine
