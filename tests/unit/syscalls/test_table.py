"""Declarations whose details have bitten before."""

from __future__ import annotations

import pytest

from rex.syscalls import BY_NAME, CALLS, Key, Policy, SizeKind, Stop, table
from rex.syscalls.argspec import SpecError


def test_both_indexes_hold_the_same_calls() -> None:
    assert {call.name: call for call in CALLS.values()} == BY_NAME


@pytest.mark.parametrize("name", ["recvfrom", "getxattr", "getgroups", "listxattr"])
def test_results_that_may_exceed_the_buffer_are_limited(name: str) -> None:
    limited = [arg for arg in BY_NAME[name].args if arg.size.kind is SizeKind.RET]
    assert [BY_NAME[name].args[arg.size.arg].word for arg in limited] == ["size"]


@pytest.mark.parametrize("name", ["mmap", "brk", "futex", "rt_sigreturn", "sched_yield"])
def test_hot_calls_never_stop(name: str) -> None:
    assert BY_NAME[name].stop is Stop.NEVER


@pytest.mark.parametrize("name", ["read", "write", "lseek", "close", "pread64", "fcntl"])
def test_calls_on_plain_files_stop_for_standard_descriptors_only(name: str) -> None:
    assert (BY_NAME[name].stop, BY_NAME[name].key) == (Stop.STD, Key.STREAM)


@pytest.mark.parametrize("name", ["recvmsg", "recvmmsg"])
def test_calls_that_may_receive_descriptors_always_stop(name: str) -> None:
    assert BY_NAME[name].stop is Stop.ALWAYS


def test_symlink_is_matched_by_the_link_not_its_target() -> None:
    call = BY_NAME["symlinkat"]
    assert call.args[call.key_arg].name == "path"


@pytest.mark.parametrize("name", ["io_uring_setup", "ptrace", "mount", "rseq", "userfaultfd"])
def test_escapes_are_refused(name: str) -> None:
    assert BY_NAME[name].policy is Policy.REFUSE


def test_declaring_a_number_twice_is_refused() -> None:
    with pytest.raises(SpecError, match="declared twice"):
        table.S(0, "read_again", "", "err", Policy.NATIVE, "")
