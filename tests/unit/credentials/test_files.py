"""Files that hold credentials: known names, and small texts."""

from __future__ import annotations

import pytest

from rex.credentials import KEY_FILE, find_in_data, kind_of_file, rules

SETTING = b"password = hunter22x\n"


@pytest.mark.parametrize("path, data, kind", [
    ("/home/u/.ssh/id_rsa", b"", KEY_FILE), ("/home/u/.ssh/id_rsa.pub", b"ssh-rsa AAAA", ""), ("/home/u/.netrc", b"", KEY_FILE),
    ("/etc/shadow", b"", KEY_FILE), ("/home/u/app.ini", SETTING, "a credential by its name"), ("/home/u/data.csv", b"a,b\n1,2\n", ""),
    ("/usr/share/doc/app.ini", SETTING, ""), ("/home/u/.venv/lib/python3/site-packages/x/tests.py", SETTING, ""), ("/library/app.ini", SETTING, "a credential by its name")])
def test_kinds(path: str, data: bytes, kind: str) -> None:
    assert kind_of_file(path, lambda: data) == kind


def test_no_known_name_is_passed_over_by_the_rough_look() -> None:
    for pattern in rules.KEY_FILES:
        assert kind_of_file("/a" + pattern.replace("*", "b"), bytes) == KEY_FILE, pattern


def test_places_are_those_of_bytes() -> None:
    data = "größer\n".encode() + SETTING
    found, = find_in_data(data)
    assert data[found.begin:found.end] == b"hunter22x" and find_in_data(b"\0" + data) == []


@pytest.mark.parametrize("text", ["token" * 13_000 + "://", "pwd=" * 16_000, "x-" * 32_000 + "token:"])
def test_a_text_that_is_nearly_a_credential_again_and_again_is_soon_read(text: str) -> None:
    assert find_in_data(text.encode()) == []       # a rule without bounds looks at each pair of places: for minutes
