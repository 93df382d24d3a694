"""Commands of Rex that a page starts: a checked replay of a real recording, refusals, a server that nobody may change."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Iterator

import pytest
from starlette.testclient import TestClient

from commands import rex
from rex.runnew import plan_run, start
from rex.web.app import make_app
from rex.web.keys import Keys
from rex.web.services import Services

from .conftest import BASE, wait_until_over


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A client of a server over an archive with one real recording, opened with a token."""
    rex("record", "-q", "-l", "A", "--", "/bin/sh", "-c", "echo seen; echo kept > out", cwd=tmp_path)
    monkeypatch.chdir(tmp_path)
    keys = Keys()
    with TestClient(make_app(str(tmp_path / "A"), Services(plan_run, start), keys), base_url=BASE, follow_redirects=False) as client:
        client.get(f"/?token={keys.new_token()}")
        client.headers["origin"] = BASE
        yield client


def test_in_a_sandbox_all_that_runs_is_in_it_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rex("record", "-q", "-l", "A", "--", "/bin/sh", "-c", "echo kept > out", cwd=tmp_path)
    monkeypatch.chdir(tmp_path)
    keys = Keys()
    app = make_app(str(tmp_path / "A"), Services(plan_run, partial(start, is_sandboxed=True), True), keys)
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        client.get(f"/?token={keys.new_token()}")
        client.headers["origin"] = BASE
        assert "run in a sandbox" in client.get(app.state.site.links.form("exp0")).text
        for address, data in (("/api/check", {"experiment": "exp0"}), ("/api/bisect", {"good": "exp0", "bad": "exp0", "output": ""})):
            run = app.state.site.runs.get(client.post(address, json=data).json()["address"].rpartition("/")[2])
            assert "--sandbox" in run.job.words
        refused = client.post("/api/answer", json={"experiment": "exp0", "script": "print(1)", "epochs": ""})
        assert refused.status_code == 400 and "no sandbox" in refused.json()["problems"][0]


def test_a_replay_is_checked_and_watched(client: TestClient) -> None:
    assert 'id="check"' in client.get("/experiments/exp0").text
    address = client.post("/api/check", json={"experiment": "exp0"}).json()["address"]
    page = wait_until_over(client, address)
    assert "Replay of" in page and "The replay was identical." in page and "Against exp0" not in page
    assert "identical" in client.get(f"{address}/streams/stderr").text + client.get(f"{address}/streams/stdout").text
    assert "rex replay --check" in client.get("/runs").text
    assert "a replay was identical" in client.get("/experiments/exp0").text, "noted at the experiment"


def test_a_replay_that_differs_is_noted_with_its_reason(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("seen")
    rex("record", "-q", "-l", "A", "-e", "without", "--exclude", "in", "--", "/bin/sh", "-c", "cat in > out || echo none > out", cwd=tmp_path)
    address = client.post("/api/check", json={"experiment": "without"}).json()["address"]
    assert "The replay was identical." not in wait_until_over(client, address)
    page = client.get("/experiments/without").text
    assert "a replay differed" in page and "The replay: " in page
    row = next(each for each in client.get("/archive/rows").json()["rows"] if each["name"] == "without")
    assert row["verified"] is False


@pytest.mark.parametrize("data", [{}, [], {"experiment": 5}, {"experiment": "nothing"}, {"experiment": "../exp0"}])
@pytest.mark.parametrize("address", ["/api/check", "/api/answer", "/api/bisect"])
def test_a_request_that_makes_no_sense_is_refused(client: TestClient, address: str, data: object) -> None:
    answer = client.post(address, json=data)
    assert answer.status_code == 400 and len(answer.json()["problems"]) == 1


def test_what_is_no_training_run_is_told_so(client: TestClient) -> None:
    address = client.post("/api/answer", json={"experiment": "exp0", "script": "print(1)"}).json()["address"]
    assert "It failed: the output says why." in wait_until_over(client, address)
    assert "exp0 is no training run" in client.get(f"{address}/streams/stderr").text


def test_the_cause_of_a_difference_is_found(client: TestClient, tmp_path: Path) -> None:
    for name, word in (("good", "3"), ("bad", "4")):
        rex("record", "-q", "-l", "A", "-e", name, "--", "/bin/sh", "-c", "echo $1 > sum", "sh", word, cwd=tmp_path)
    page = client.get("/compare?left=good&right=bad").text
    assert 'data-good="good" data-bad="bad"' in page
    address = client.post("/api/bisect", json={"good": "good", "bad": "bad", "output": "sum"}).json()["address"]
    assert "The cause is found" in wait_until_over(client, address)
    assert "because of argument 4" in client.get(f"{address}/streams/stdout").text
    address = client.post("/api/bisect", json={"good": "good", "bad": "bad", "output": "sum", "rtol": "0.5"}).json()["address"]
    assert "There is nothing to find" in wait_until_over(client, address), "within the tolerance"


def test_rules_are_set_and_removed(client: TestClient, tmp_path: Path) -> None:
    assert client.post("/api/rules", json={"rtol": "1e-9", "ignore": "date: .*"}).json() == {"rules": "--rtol 1e-09 --ignore 'date: .*'"}
    assert "1e-09" in rex("rules", "A", cwd=tmp_path)
    assert client.post("/api/rules", json={"rtol": "wide"}).status_code == 400
    assert client.post("/api/rules", json={}).json() == {"rules": ""}
    assert "no rules" in rex("rules", "A", cwd=tmp_path)
