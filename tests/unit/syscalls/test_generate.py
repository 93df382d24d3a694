"""What is generated from the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rex.syscalls import CALLS, Policy, generate


def test_header_has_one_row_per_number_up_to_the_count() -> None:
    text = generate.header_text()
    rows = [int(n) for n in re.findall(r"^    \[(\d+)\] = ", text, re.MULTILINE)]
    assert rows == list(range(max(CALLS) + 1))
    assert f"#define REX_CALL_COUNT {max(CALLS) + 1}\n" in text


def test_header_row_of_a_call() -> None:
    assert ('[257] = {"openat", REX_CORRECT, REX_STOP_ALWAYS, REX_HOOK_OPEN, REX_OP_OPEN, REX_KEY_PATH, 1, 255, 4, 0x0, 0, 0, 0, 0, 0, '
            "{{REX_WORD_DIRFD, REX_VALUE, REX_SIZE_NONE, 255, 0}, {REX_WORD_PATH, REX_IN, REX_SIZE_STRING, 255, 0}"
            ) in generate.header_text()


def test_header_row_of_a_gap() -> None:
    assert "[400] = {0, REX_UNKNOWN, REX_STOP_ALWAYS, REX_HOOK_NONE" in generate.header_text()


def test_page_lists_every_call_and_counts_them() -> None:
    lines = generate.page_text().splitlines()
    assert sum(re.match(r"\| \d+ \|", line) is not None for line in lines) == len(CALLS)
    assert f"| all | | {len(CALLS)} |" in lines
    refused = sum(call.policy is Policy.REFUSE for call in CALLS.values())
    assert f"| REFUSE | refused | {refused} |" in lines


def test_main_writes_then_finds_fresh_then_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "HEADER", tmp_path / "native" / "syscalls.h")
    monkeypatch.setattr(generate, "PAGE", tmp_path / "docs" / "syscalls.md")
    assert generate.main(["--check"]) == 1
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    generate.PAGE.write_text("old")
    capsys.readouterr()
    assert generate.main(["--check"]) == 1
    assert "docs/syscalls.md is stale" in capsys.readouterr().err
    assert generate.PAGE.read_text() == "old"
