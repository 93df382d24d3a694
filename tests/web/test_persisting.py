"""The plan on a workflow's page follows the slider of failures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator

import pytest
from starlette.testclient import TestClient

pytest.importorskip("numpy")

from commands import rex   # noqa: E402
from rex.runnew import plan_run, start   # noqa: E402
from rex.web.app import make_app   # noqa: E402
from rex.web.keys import Keys   # noqa: E402
from rex.web.services import Services   # noqa: E402

from .conftest import BASE   # noqa: E402

STEPS = "/bin/sh -c 'sleep 0.3; echo 1 > a'; /bin/sh -c 'cat a > b; sleep 0.3'; cat b > c"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A client of a server over a recorded workflow."""
    rex("record", "-q", "-l", "A", "--", "/bin/sh", "-c", STEPS, cwd=tmp_path)
    keys = Keys()
    with TestClient(make_app(str(tmp_path / "A"), Services(plan_run, start), keys), base_url=BASE) as client:
        client.get(f"/?token={keys.new_token()}")
        yield client


def test_rare_failures_need_nothing_kept(client: TestClient) -> None:
    often, rarely = (client.get(f"/experiments/exp0/workflow?failures={place}").text for place in (0, 20))
    assert "persists nothing" in rarely and "nothing is kept" in rarely
    assert f'value="{20}"' in rarely and 'value="0"' in often

    def seconds(page: str) -> float:
        found = re.search(r"One failure every <strong>([\d.]+) (\w+)", page)
        assert found
        return float(found[1]) * {"ms": 0.001, "s": 1, "min": 60, "h": 3600}.get(found[2], 1)
    assert seconds(often) < seconds(client.get("/experiments/exp0/workflow").text)


@pytest.mark.parametrize("place", ["-1", "x", "99999999", "١", ""])
def test_other_places_are_the_nearest_or_the_middle(client: TestClient, place: str) -> None:
    page = client.get("/experiments/exp0/workflow", params={"failures": place})
    assert page.status_code == 200 and re.search(r'value="(10|20)"', page.text)
