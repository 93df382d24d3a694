"""Placeholders in place of credentials."""

from __future__ import annotations

import os
from pathlib import Path

from rex.redaction import Redaction, nameless_file

COMMAND = ["curl", "--password", "q8w7e6r5", "-u", "me:abc", "a"]


def test_placeholders_have_as_many_bytes() -> None:
    made = Redaction(COMMAND)
    assert made.command == ["curl", "--password", "REDACTED", "-u", "me:RED", "a"] and made.arguments == [2, 4]
    umlaut = Redaction(["x", "--password=größer12"])
    assert len(umlaut.command[1].encode()) == len("--password=größer12".encode()) and "REDACTEDRE" in umlaut.command[1]
    assert Redaction(umlaut.command).arguments == []


def test_variables_and_data_lose_them_too() -> None:
    made = Redaction(COMMAND)
    assert made.apply_to({"A": "say q8w7e6r5", "B": "abc", "C": "me:abc"}) == {"A": "say REDACTED", "B": "abc", "C": "me:RED"}
    assert made.apply(b"abc me:abc\0 q8w7e6r5") == b"abc me:RED\0 REDACTED"


def test_a_log_is_copied_whole_wherever_its_blocks_end(tmp_path: Path) -> None:
    made = Redaction(COMMAND)
    fd = nameless_file(str(tmp_path))
    assert os.listdir(tmp_path) == []
    data = b"." * ((1 << 20) - 3) + b"q8w7e6r5" + b"." * ((1 << 20) - 8) + b"me:abc\0"
    os.write(fd, data)
    made.copy(fd, str(tmp_path / "log"))
    os.close(fd)
    assert (tmp_path / "log").read_bytes() == data.replace(b"q8w7e6r5", b"REDACTED").replace(b"me:abc", b"me:RED")
