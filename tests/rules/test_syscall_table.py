"""The table agrees with the kernel, with its formatters and with what is generated from it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rex.syscalls import CALLS, Dir, Hook, NO_ARG, Policy, SizeKind, WORDS, generate
from rex.syscalls.structs import MEMORY
from rex.syscalls.values import RESULTS, VALUES

HEADERS = [Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm/unistd_64.h")]
KNOWN_HOOKS = set("none open exec fork wait kill sleep pause tid poll select epoll_wait epoll_ctl chdir tree rlimit pid "
                  "dup close close_range fcntl socket accept stream copy exit ipc peer".split())


def test_numbers_equal_to_the_system_header() -> None:
    header = next((path for path in HEADERS if path.exists()), None)
    if header is None:
        pytest.skip("linux-libc-dev is not installed")
    numbers = {int(number): name for name, number in re.findall(r"#define __NR_(\w+) (\d+)", header.read_text())}
    known = {nr: name for nr, name in numbers.items() if nr <= max(CALLS)}
    assert {nr: CALLS[nr].name if nr in CALLS else None for nr in known} == known


def test_numbers_and_names_unique_and_in_order() -> None:
    source = Path(generate.__file__).with_name("table.py").read_text()
    numbers = [int(n) for n in re.findall(r"^S\( *(\d+),", source, re.MULTILINE)]
    assert numbers == sorted(set(numbers)) == list(CALLS)
    assert len({call.name for call in CALLS.values()}) == len(CALLS)


def test_every_word_has_a_formatter() -> None:
    assert set(WORDS) == set(VALUES) | set(MEMORY)
    assert not set(VALUES) & set(MEMORY)


def test_every_word_and_result_is_used() -> None:
    assert set(WORDS) == {arg.word for call in CALLS.values() for arg in call.args}
    assert set(RESULTS) == {call.ret for call in CALLS.values()}


def test_every_hook_is_known_and_used() -> None:
    assert {hook.name.lower() for hook in Hook} == KNOWN_HOOKS
    assert {call.hook for call in CALLS.values()} == set(Hook)


def test_corrected_calls_have_a_hook_and_refused_ones_an_errno() -> None:
    for call in CALLS.values():
        assert call.policy is not Policy.UNKNOWN
        assert (call.hook is not Hook.NONE) >= (call.policy is Policy.CORRECT), call.name
        assert call.policy in (Policy.CORRECT, Policy.STREAM) or call.hook is Hook.NONE, call.name
        assert (call.policy is Policy.REFUSE) == (0 < call.errno < 4096), call.name


def test_sizes_name_plain_arguments_or_pointers() -> None:
    for call in CALLS.values():
        for arg in call.args:
            if arg.size.arg == NO_ARG:
                continue
            named = call.args[arg.size.arg]
            if arg.size.kind is SizeKind.DEREF:
                assert named.word == "u32" and named.dir is Dir.INOUT, call.name
            else:
                assert named.dir is Dir.VALUE, call.name


def test_stopped_calls_say_how_large_their_memory_is() -> None:
    for call in CALLS.values():
        if call.policy in (Policy.EMULATE, Policy.STREAM):
            for arg in call.args:
                assert (arg.dir is Dir.VALUE) == (arg.size.kind is SizeKind.NONE), call.name


def test_generated_files_are_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--check"]) == 0, capsys.readouterr().err


def test_header_compiles_and_numbers_match_libc(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    source = tmp_path / "table.c"
    source.write_text("#define REX_CALLS_IMPLEMENTATION\n#include <sys/syscall.h>\n#include \"generated.h\"\n"
                      "_Static_assert(REX_NR_openat == SYS_openat && REX_NR_prlimit64 == SYS_prlimit64, \"\");\n"
                      "_Static_assert(sizeof rex_calls == REX_CALL_COUNT * sizeof(struct rex_call), \"\");\n")
    command = [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{generate.HEADER.parent}",
               "-c", str(source), "-o", str(tmp_path / "table.o")]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stderr
