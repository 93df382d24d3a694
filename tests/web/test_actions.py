"""What the page asks while somebody types and when they run: answers in plain words, and nothing by force."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from cli.builders import Bench
from rex.archive import Process

from .conftest import BASE, Engine, wait_until_over, wish


@pytest.fixture
def recorded(bench: Bench) -> Bench:
    """An experiment with a program and an input."""
    bench.record("exp0", command=("/usr/bin/blast", "in.seq", "20"), apparatus={"/usr/bin/blast": (b"#!/bin/sh\n", None)},
                 inputs={"/w/in.seq": b"ACGT"}, environment={"LANG": "C", "OLD": "1"},   # type: ignore[dict-item]
                 processes=(Process(0, None, 0, ("blast",), "/usr/bin/blast", 0.0, 1.0, 0),))
    return bench


def post(client: TestClient, address: str, data: Any, status: int = 200) -> dict[str, Any]:
    answer = client.post(address, json=data)
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return found


def problems(client: TestClient, data: Any) -> str:
    """Why a wish is refused: the same before and instead of running it."""
    first = post(client, "/api/preview", data, 400)["problems"]
    assert post(client, "/runs", data, 400)["problems"] == first
    assert not client.app.state.site.runs.all()   # type: ignore[attr-defined]
    return "\n".join(first)


def test_every_change_is_listed_in_words(client: TestClient, recorded: Bench, tmp_path: Path) -> None:
    newer = tmp_path / "newer"
    newer.write_text("#!/bin/sh\n")
    newer.chmod(0o755)
    told = post(client, "/api/preview", wish(
        command="/usr/bin/blast in.seq '3 0'", set={"LANG": "de", "NEW": "x"}, unset=["OLD"],
        apps={"/usr/bin/blast": str(newer)}, files={"/w/in.seq": str(newer)}, added=[["extra", str(newer)]], record=True,
        name="mine"))
    lines = "\n".join(told["changes"])
    for words in (("'3 0'", "was 20"), ("LANG", "de", "was C"), ("NEW", "added"), ("OLD", "removed"),
                  ("program /usr/bin/blast", str(newer)), ("input /w/in.seq", str(newer)), ("/w/extra", "added")):
        assert any(all(word in line for word in words) for line in told["changes"]), (words, lines)
    assert len(told["changes"]) == 7
    assert told["outdir"] == str(tmp_path / "out") and told["is_recorded"] and told["name"] == "mine"
    assert not (tmp_path / "out").exists(), "a preview makes nothing"


def test_nothing_changed_is_no_problem(client: TestClient, recorded: Bench) -> None:
    assert post(client, "/api/preview", wish())["changes"] == []


@pytest.mark.parametrize("command, words", [
    ("blast 'in.seq 20", "the quotation mark ' before in.seq has no partner"), ('a "b', 'the quotation mark " before b'),
    ("blast \\", "backslash at the end"), ("", "is empty"), ("  ", "is empty"), ("'' x", "is empty")])
def test_bad_quoting_is_explained(client: TestClient, recorded: Bench, command: str, words: str) -> None:
    assert words in post(client, "/api/command", {"command": command}, 400)["problems"][0]
    assert words in problems(client, wish(command=command))


def test_words_of_a_command(client: TestClient) -> None:
    assert post(client, "/api/command", {"command": "a 'b c' d\\ e \"\""}) == {
        "words": ["a", "b c", "d e", ""], "has_shell_signs": False}
    assert post(client, "/api/command", {"command": "a | b"})["has_shell_signs"]


def test_missing_files_are_named(client: TestClient, recorded: Bench, tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    text = problems(client, wish(files={"/w/in.seq": gone}, apps={"/usr/bin/blast": ""}))
    assert "no file is chosen for /usr/bin/blast" in text
    assert f"{gone}: there is no file" in problems(client, wish(files={"/w/in.seq": gone}))
    assert "the experiment has no input /w/other" in problems(client, wish(files={"/w/other": gone}))


def test_all_that_is_wrong_is_told_at_once(client: TestClient, recorded: Bench) -> None:
    text = problems(client, wish(command="'", apps={"/usr/bin/blast": " "}, added=[["", ""], ["a", "/x"], ["a", "/y"]], outdir=" "))
    for words in ("quotation mark", "no file is chosen for /usr/bin/blast", "has no name", "have one name", "no output directory"):
        assert words in text


def test_an_output_directory_must_be_empty(client: TestClient, recorded: Bench, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    assert "is not empty" in problems(client, wish(outdir="full"))
    assert "full/x/y" in problems(client, wish(outdir="full/x/y"))


def test_a_name_that_is_taken_is_refused(client: TestClient, recorded: Bench) -> None:
    assert "exp0 exists" in problems(client, wish(record=True, name="exp0"))
    assert "cannot name" in problems(client, wish(record=True, name="../x"))


@pytest.mark.parametrize("data", ["x", [], 3, {"command": 3}, {"set": {"a": 1}}, {"set": []}, {"unset": "a"}, {"added": [["a"]]},
                                  {"files": {"a": None}}, {"experiment": []}])
def test_requests_that_make_no_sense(client: TestClient, recorded: Bench, data: Any) -> None:
    given = {**wish(), **data} if isinstance(data, dict) else data
    assert "makes no sense" in problems(client, given)


def test_unknown_experiments_and_torn_requests(client: TestClient, recorded: Bench) -> None:
    assert "no experiment exp7" in problems(client, wish("exp7"))
    answer = client.post("/runs", content="{", headers={"content-type": "application/json"})
    assert answer.status_code == 400 and "no JSON" in answer.json()["problems"][0]
    answer = client.post("/runs", content=b" " * (5 << 20), headers={"content-type": "application/json"})
    assert answer.status_code == 400 and "too large" in answer.json()["problems"][0]


def test_arguments_never_meet_a_shell(client: TestClient, recorded: Bench, engine: Engine, tmp_path: Path) -> None:
    run = post(client, "/runs", wish(command="/usr/bin/blast '$(touch owned)' ; touch owned `touch owned` > owned"))
    wait_until_over(client, run["address"])
    assert engine.runs[0].plan.command == ("/usr/bin/blast", "$(touch owned)", ";", "touch", "owned", "`touch", "owned`",
                                           ">", "owned")


def test_local_paths_are_judged_while_typed(client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(path: str, kind: str = "file") -> dict[str, Any]:
        return post(client, "/api/path", {"path": path, "kind": kind})
    (tmp_path / "data").write_bytes(b"x" * 1500)
    (tmp_path / "torn").write_bytes(b"\x7fELF")
    (tmp_path / "i386").write_bytes(b"\x7fELF\1\1\1" + bytes(60))
    assert judge("data") == {"path": str(tmp_path / "data"), "is_good": True, "text": "1.5 kB"}
    monkeypatch.setenv("HOME", str(tmp_path))
    assert judge("~/data")["is_good"]
    for path, kind, words in (("gone", "file", "no such file"), (str(tmp_path), "file", "a folder"), ("data", "outdir", "a file"),
                              ("torn", "program", "damaged"), ("i386", "program", "not a 64-bit"), (".", "outdir", "not empty"),
                              ("/dev/null", "file", "no plain file")):
        told = judge(path, kind)
        assert not told["is_good"] and words in told["text"], path
    assert judge("new/dir", "outdir")["text"] == "will be made"
    if os.getuid():
        (tmp_path / "data").chmod(0)
        assert "may not read" in judge("data")["text"]


@pytest.mark.skipif(not shutil.which("dpkg-query") or not Path("/usr/bin/sort").exists(), reason="no Debian package to ask for")
def test_a_local_program_tells_its_package(client: TestClient) -> None:
    assert "coreutils" in post(client, "/api/path", {"path": "/usr/bin/sort", "kind": "program"})["text"]


def test_paths_are_completed_as_far_as_the_user_may_look(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "genes.db").touch()
    (tmp_path / "genes.d").mkdir()
    (tmp_path / ".hidden").touch()
    def complete(path: str) -> list[str]:
        found: list[str] = post(client, "/api/complete", {"path": path})["names"]
        return found
    assert complete("gen") == ["genes.d/", "genes.db"]
    assert complete(f"{tmp_path}/gen") == [f"{tmp_path}/genes.d/", f"{tmp_path}/genes.db"]
    assert ".hidden" not in complete("") and complete(".h") == [".hidden"]
    assert complete("/no/such/place") == []
    answer = client.post("/api/complete", content='{"path": "\\udcff/"}', headers={"content-type": "application/json"})
    assert answer.json() == {"names": []}


def test_the_page_s_own_origin_is_asked_for_each_time(client: TestClient, recorded: Bench) -> None:
    assert client.headers["origin"] == BASE
    assert client.post("/runs", json=wish(), headers={"origin": "http://localhost:1"}).status_code == 403
