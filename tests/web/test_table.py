"""The table of the archive: what its rows tell, and what may be changed from there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from cli.builders import Bench
from campaigns import hostile
from rex.archive import about
from rex.archive.usage import usage
from rex.types import format_size


def rows(client: TestClient) -> dict[str, dict[str, Any]]:
    """The rows of the page by name."""
    return {row["name"]: row for row in client.get("/archive/rows").json()["rows"]}


def test_a_row_tells_what_a_list_tells(client: TestClient, bench: Bench) -> None:
    bench.record("exp0", command=("it's", "a b", "<b>"), exit_status=0)
    bench.record("exp1", extra={"runnew": {"from": "exp0"}}, exit_status=-9, start_ns=2)
    bench.leave_incomplete()
    about.set_labels(bench.archive, "exp0", {"seed": "3"})
    about.set_note(bench.archive, "exp0", "two\nlines")
    about.set_verified(bench.archive, "exp1", False, "", "native")
    found = rows(client)
    assert found["exp0"]["labels"] == {"seed": "3"} and found["exp0"]["note"] == "two\nlines" and found["exp0"]["is_default"]
    assert found["exp0"]["command"] == "'it'\"'\"'s' 'a b' '<b>'" and found["exp0"]["status"] == "good" and found["exp0"]["verified"] is None
    assert found["exp1"]["parent"] == "exp0" and found["exp1"]["verified"] is False and "SIGKILL" in found["exp1"]["ending"]
    assert found["exp2"]["status"] == "unfinished" and found["exp2"]["ending"] == "incomplete" and not found["exp2"]["href"]
    assert found["exp0"]["duration"] == "1.50 s" and found["exp0"]["seconds"] == 1.5


def test_sizes_follow_when_they_are_asked_for(client: TestClient, bench: Bench) -> None:
    bench.record("exp0", inputs={"/w/in": b"a" * 100_000})
    assert client.get("/archive/rows").json()["disk"] == "" and "size" not in rows(client)["exp0"]
    found = client.get("/archive/rows?sizes").json()["rows"][0]
    used = usage(bench.archive)["exp0"]
    assert (found["size"], found["alone"]) == (format_size(used.logical), format_size(used.unique))
    assert client.get("/archive/rows").json()["disk"] and rows(client)["exp0"] == found, "measured once"


def test_damage_is_one_row(client: TestClient, bench: Bench) -> None:
    broken = bench.record("exp0")
    bench.record("exp1")
    Path(broken.directory, "identity").write_bytes(b"junk")
    assert rows(client)["exp0"]["status"] == "damaged" and rows(client)["exp1"]["status"] == "bad"


def test_a_number_that_cannot_be_is_damage(client: TestClient, bench: Bench) -> None:
    bench.record("exp0")
    hostile.add(bench.archive, {**hostile.facts_of(bench.archive), "duration_s": float("nan")})
    assert rows(client)["exp1"]["status"] == "damaged" and rows(client)["exp0"]["status"] == "bad"


def test_labels_note_and_name_are_changed_at_once(client: TestClient, bench: Bench) -> None:
    bench.record("exp0")
    bench.record("exp1", extra={"runnew": {"from": "exp0"}}, start_ns=2)
    about.set_labels(bench.archive, "exp0", {"old": "1", "kept": "2"})
    answer = client.post("/api/describe", json={"experiment": "exp0", "name": "base", "labels": "kept = 2\n\n new=a=b", "note": " why \n"})
    assert answer.status_code == 200
    found = {row["name"]: row for row in answer.json()["rows"]}
    assert found["base"]["labels"] == {"kept": "2", "new": "a=b"} and found["base"]["note"] == "why"
    assert found["exp1"]["parent"] == "base" and "exp0" not in found
    assert about.labels_of(bench.archive.experiment("base").manifest) == {"kept": "2", "new": "a=b"}


@pytest.mark.parametrize("wrong", [{"name": "exp1"}, {"name": "../x"}, {"name": ""}, {"labels": "no equals sign"}, {"labels": "=x"}, {"labels": 3},
                                   {"labels": "a=b", "note": None}, {"experiment": "exp9"}, {"experiment": None}, {"experiment": "../A"}])
def test_a_change_that_cannot_be_changes_nothing(client: TestClient, bench: Bench, wrong: dict[str, Any]) -> None:
    bench.record("exp0")
    bench.record("exp1")
    before = rows(client)
    answer = client.post("/api/describe", json={"experiment": "exp0", "name": "new", **wrong})
    assert answer.status_code == 400 and answer.json()["problems"]
    assert rows(client) == before


def test_the_default_is_chosen(client: TestClient, bench: Bench) -> None:
    bench.record("exp0")
    bench.record("exp1")
    bench.leave_incomplete()
    client.post("/api/default", json={"experiment": "exp1"})
    assert bench.archive.default() == "exp1" and rows(client)["exp1"]["is_default"]
    assert client.post("/api/default", json={"experiment": "exp2"}).status_code == 400
    assert bench.archive.default() == "exp1"


def test_experiments_are_removed_all_or_none(client: TestClient, bench: Bench) -> None:
    for name in ("exp0", "exp1", "exp2"):
        bench.record(name)
    for names in (["exp0", "exp9"], ["exp0", ".."], [], "exp0", None, [3]):
        assert client.post("/api/remove", json={"experiments": names}).status_code == 400
    assert set(rows(client)) == {"exp0", "exp1", "exp2"}
    answer = client.post("/api/remove", json={"experiments": ["exp0", "exp2", "exp0"]})
    assert [row["name"] for row in answer.json()["rows"]] == ["exp1"]
    assert [each.name for each in bench.archive.experiments()] == ["exp1"]
