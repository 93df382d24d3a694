"""The page of a training run: curves, checkpoints, and answers to a statement that was added in the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator

import pytest
from starlette.testclient import TestClient

pytest.importorskip("cloudpickle")

from commands import rex   # noqa: E402
from rex.runnew import plan_run, start   # noqa: E402
from rex.web.app import make_app   # noqa: E402
from rex.web.curves import curve   # noqa: E402
from rex.web.keys import Keys   # noqa: E402
from rex.web.services import Services   # noqa: E402
from rex.web.training import curves_of, iteration_of   # noqa: E402

from .conftest import BASE, wait_until_over   # noqa: E402

SCRIPT = """from rex import hindsight
weight = 1.0
for epoch in range(6):
    weight *= 0.5
    hindsight.log("loss", weight)
print("</textarea><script>alert(1)</script>", weight)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recorded training run."""
    top = tmp_path_factory.mktemp("training")
    (top / "train.py").write_text(SCRIPT)
    rex("hindsight", "record", "-l", "A", "-e", "run", "train.py", cwd=top)
    return top


@pytest.fixture(params=[False, True], ids=["open", "read-only"])
def client(request: pytest.FixtureRequest, place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A client of a server over it, opened with a token."""
    monkeypatch.chdir(place)
    keys = Keys()
    app = make_app(str(place / "A"), Services(plan_run, start), keys, is_read_only=request.param)
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        client.get(f"/?token={keys.new_token()}")
        client.headers["origin"] = BASE
        client.headers["x-read-only"] = str(int(request.param))
        yield client


def test_values_are_drawn_and_a_new_statement_is_answered(client: TestClient) -> None:
    assert "/experiments/run/training" in client.get("/experiments/run").text
    page = client.get("/experiments/run/training").text
    assert "loss over iterations" in page and "<script>alert" not in page
    drawn = re.search(r'class="line line-0" d="M([^"]*)"', page)
    assert drawn and drawn[1].count("L") == 5, "six points"
    added = SCRIPT.replace('    hindsight.log("loss", weight)\n', '    hindsight.log("loss", weight)\n    print("answer", epoch, weight)\n')
    answer = client.post("/api/answer", json={"experiment": "run", "script": added, "epochs": "4"})
    if client.headers["x-read-only"] == "1":
        assert answer.status_code == 403 and "<textarea" not in page
        return
    shown = wait_until_over(client, answer.json()["address"])
    assert "The run went as recorded" in shown and "Answers of" in shown
    text = client.get(answer.json()["address"] + "/streams/stdout").text
    assert "answer 4 0.03125" in text and "answer 3" not in text


def test_places_of_checkpoints_are_read_from_their_positions() -> None:
    assert [iteration_of(each) for each in ("__main__#0.0:7/m#1.2:3", "__main__#0.0!", "=model.3", "", "a:b")] == [7, None, None, None, None]


def test_curves_pass_over_what_is_no_number() -> None:
    values = [{"experiment": "run", "name": "x", "iteration": n, "value": value}
              for n, value in enumerate([1, 2.5, float("nan"), "text", None, 10 ** 400, True])]
    curves, texts = curves_of(values, [0, 3])
    assert [name for name, _ in curves] == ["x"] and len(texts) == 4
    assert curve("x", [("run", [(0, float("inf"))])], []) == ""
    assert "&lt;b&gt;" in curve("<b>", [("<i>", [(0, 1.0)])], []) and "<i>" not in curve("<b>", [("<i>", [(0, 1.0)])], [])
