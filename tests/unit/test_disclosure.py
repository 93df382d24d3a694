"""What a recording warns of, and what a second look finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.builders import Bench, call
from rex.archive import Content, FileEntry, FileState
from rex.disclosure import Disclosure, disclosures, warnings_of
from rex.log.records import ARGV, IN, STACK

SETTING = b"password = hunter22x\n"


def entry(size: int = 1) -> FileEntry:
    state = FileState("file", 0o600, size=size, content=Content("0" * 64, size))
    return FileEntry(state, state)


def test_files_and_arguments_are_warned_of() -> None:
    files = {"/home/u/.netrc": entry(), "/home/u/it's.ini": entry(), "/home/u/other": entry(), "/home/u/large.ini": entry(1 << 20),
             "/home/u/.ssh/id_rsa": FileEntry(FileState("file", 0o600, size=9))}
    told = warnings_of([("/bin/x", "--token=abc"), ("/bin/x", "--token=abc")], files.items(), lambda path: SETTING if path.endswith(".ini") else b"plain")
    assert told == [
        "argument 1 of x holds what looks like a credential by its name and is in the archive; to put a placeholder there: rex record --redact",
        "/home/u/.netrc looks like a key or a password and is in the archive; to leave it out: rex record --exclude /home/u/.netrc",
        "/home/u/it's.ini holds what looks like a credential by its name and is in the archive; "
        "to leave it out: rex record --exclude '/home/u/it'\"'\"'s.ini'"]


def test_a_recording_looks_into_so_many_files_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.disclosure._FILES", 2)
    read: list[str] = []
    warnings_of([], ((f"/home/u/{n}", entry()) for n in range(9)), lambda path: read.append(path) or b"")   # type: ignore[func-returns-value]
    assert read == ["/home/u/0", "/home/u/1"]


def test_a_second_look_sees_all_of_an_experiment(tmp_path: Path) -> None:
    token = "ghp_" + "aB3dE5gH7j" * 4
    events = [call("execve", 0, (0, IN, b"/bin/x"), (1, ARGV, b"x\0"), (255, STACK, b"\0HOME=/\0LATER_TOKEN=abcd\0OLD_TOKEN=****\0")),
              call("write", 3, (1, IN, b"say " + token.encode()), stream=2)]
    experiment = (bench := Bench(tmp_path / "A")).record(
        inputs={"/home/u/a.ini": SETTING, "/home/u/b": b"plain"}, outputs={"/home/u/c.ini": SETTING}, stdin=SETTING, events=events,
        environment={"KEPT_TOKEN": "abc", "PLAIN": "abc"}, command=("x", "--password", "abcdef"))
    assert set(disclosures(bench.archive, experiment)) == {
        Disclosure("the variable KEPT_TOKEN", "a credential by its name"), Disclosure("argument 2 of x", "a credential by its name"),
        Disclosure("/home/u/a.ini", "a credential by its name", False), Disclosure("/home/u/c.ini", "a credential by its name", False),
        Disclosure("the attachment stdin", "a credential by its name", False), Disclosure("its log", "a GitHub token", False),
        Disclosure("the variable LATER_TOKEN of one of its processes", "a credential by its name")}
