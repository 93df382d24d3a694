"""Files that a script writes, and reads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from rex.errors import UsageError
from rex.hindsight.run import files as module
from rex.hindsight.run.files import Files, identity_of


@pytest.fixture
def seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    hooks: list[Any] = []
    monkeypatch.setattr(module.sys, "addaudithook", hooks.append)   # those of Python stay for good
    told: dict[str, list[Any]] = {"written": [], "read": []}
    made = Files((str(tmp_path / "EXP"),), lambda *facts: told["written"].append(facts),
                 lambda *facts: told["read"].append(facts))
    made.install()
    made.told, made.hook = told, hooks[0]   # type: ignore[attr-defined]
    return made


def opened(seen: Any, path: Path, mode: str) -> None:
    seen.hook("open", (str(path), mode, 0))


def test_what_is_written_first_is_told_with_its_content(seen: Any, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"before")
    for path in (old, new, old):
        opened(seen, path, "a")
    assert seen.told["written"] == [(str(old), True, b"before"), (str(new), False, None)]
    assert seen.written == {str(old): True, str(new): False}


def test_what_is_read_first_is_an_input(seen: Any, tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_bytes(b"x" * 200_000)
    opened(seen, path, "r")
    opened(seen, path, "r")
    assert seen.told["read"] == [(str(path), identity_of(str(path)))]
    path.write_bytes(b"x" * 199_999 + b"y")
    assert identity_of(str(path)) != seen.told["read"][0][1]


def test_states_are_given_back(seen: Any, tmp_path: Path) -> None:
    log, gone = tmp_path / "log", tmp_path / "gone"
    gone.write_bytes(b"old")
    opened(seen, log, "w")
    opened(seen, gone, "w")
    log.write_bytes(b"one")
    gone.unlink()
    state = seen.state()
    assert state == {str(log): b"one", str(gone): None}
    log.write_bytes(b"one two")
    gone.write_bytes(b"back")
    late = tmp_path / "late"
    opened(seen, late, "w")
    late.write_bytes(b"x")
    seen.restore(state)
    assert log.read_bytes() == b"one" and not gone.exists() and not late.exists()
    assert seen.state() == state


def test_temporary_files_are_no_state(seen: Any, tmp_path: Path) -> None:
    path = tmp_path / "tmp1234"
    opened(seen, path, "w")
    assert seen.state() == {}


def test_large_files_are_kept_once_they_are_read_back(seen: Any, tmp_path: Path) -> None:
    path = tmp_path / "large"
    opened(seen, path, "w")
    path.write_bytes(bytes(module.STATE_BYTES + 1))
    assert seen.state() == {str(path): module.STATE_BYTES + 1}
    seen.restore(seen.state())
    with pytest.raises(UsageError, match="skipped"):
        opened(seen, path, "r")
    opened(seen, path, "w")
    opened(seen, path, "r")
    assert seen.state() == {str(path): bytes(module.STATE_BYTES + 1)}


def test_the_archive_and_the_system_are_no_business(seen: Any, tmp_path: Path) -> None:
    opened(seen, tmp_path / "EXP" / "packs", "w")
    opened(seen, Path("/proc/self/stat"), "r")
    opened(seen, Path(os.__file__).parent / "json" / "__init__.py", "r")
    assert not seen.told["written"] and not seen.told["read"]
