"""Reasons against a fork that cannot be had on every machine."""

from __future__ import annotations

import pytest

from rex.cells import forking


@pytest.mark.parametrize("target, why", [
    ("/dev/nvidia0", "it uses a GPU"), ("/dev/dri/renderD128", "it uses a GPU"), ("/dev/kfd", "it uses a GPU"),
    ("anon_inode:[io_uring]", "it has an open io_uring"), ("/tmp/plain", "")])
def test_what_is_open_is_a_reason(monkeypatch: pytest.MonkeyPatch, target: str, why: str) -> None:
    monkeypatch.setattr(forking, "_descriptors", lambda: iter([(77, target)]))
    assert forking._open_reason() == why


def test_what_was_open_before_the_first_cell_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forking, "_descriptors", lambda: iter([(77, "socket:[1]")]))
    monkeypatch.setattr(forking, "_inherited", {77})
    assert forking._open_reason() == ""


def test_memory_that_a_fork_would_share_is_a_reason() -> None:
    private = "7f00-7f10 rw-p 00000000 00:00 0\n"
    assert forking._memory_reason([private]) == ""
    assert "fork would share" in forking._memory_reason([private, "7f10-7f20 rw-s 00000000 00:01 5 /dev/zero\n"])
