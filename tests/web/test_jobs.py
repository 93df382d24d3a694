"""Commands of Rex that a page starts: a checked replay of a real recording, refusals, a server that nobody may change."""

from __future__ import annotations

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


def test_a_replay_is_checked_and_watched(client: TestClient) -> None:
    assert 'id="check"' in client.get("/experiments/exp0").text
    address = client.post("/api/check", json={"experiment": "exp0"}).json()["address"]
    page = wait_until_over(client, address)
    assert "Replay of" in page and "The replay was identical." in page and "Against exp0" not in page
    assert "identical" in client.get(f"{address}/streams/stderr").text + client.get(f"{address}/streams/stdout").text
    assert "rex replay --check" in client.get("/runs").text


@pytest.mark.parametrize("data", [{}, [], {"experiment": 5}, {"experiment": "nothing"}, {"experiment": "../exp0"}])
@pytest.mark.parametrize("address", ["/api/check", "/api/answer"])
def test_a_request_that_makes_no_sense_is_refused(client: TestClient, address: str, data: object) -> None:
    answer = client.post(address, json=data)
    assert answer.status_code == 400 and len(answer.json()["problems"]) == 1


def test_what_is_no_training_run_is_told_so(client: TestClient) -> None:
    address = client.post("/api/answer", json={"experiment": "exp0", "script": "print(1)"}).json()["address"]
    assert "It failed: the output says why." in wait_until_over(client, address)
    assert "exp0 is no training run" in client.get(f"{address}/streams/stderr").text
