"""One file to take along: it can be imported, and says what is wrong before it begins."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from cli.builders import Bench
from rex.archive import Archive
from rex.archive.exporting import import_from


def test_the_file_holds_the_experiments_that_were_named(client: TestClient, bench: Bench, tmp_path: Path) -> None:
    for name in ("exp0", "exp1", "exp2"):
        bench.record(name, outputs={"/w/out": name.encode() * 1000})
    assert 'href="/export?name=exp0"' in client.get("/experiments/exp0").text
    answer = client.get("/export?name=exp0&name=exp2")
    assert answer.headers["content-disposition"] == 'attachment; filename="2-experiments.rex"'
    assert int(answer.headers["content-length"]) == len(answer.content)
    other = Archive.create(tmp_path / "B")
    import_from(io.BytesIO(answer.content), other)
    assert [each.name for each in other.experiments()] == ["exp0", "exp2"]
    assert other.experiment("exp2").identity == bench.archive.experiment("exp2").identity
    assert client.get("/export?name=exp1").headers["content-disposition"] == 'attachment; filename="exp1.rex"'
    assert not os.listdir(client.app.state.site.runs.folder), "nothing stays behind"   # type: ignore[attr-defined]


@pytest.mark.parametrize("query", ["", "?name=nothing", "?name=../exp0", "?name=exp0&name=gone"])
def test_what_cannot_be_exported_is_told_on_a_page(client: TestClient, bench: Bench, query: str) -> None:
    bench.record("exp0")
    answer = client.get(f"/export{query}")
    assert answer.status_code in (400, 404) and "That did not work" in answer.text


def test_damage_is_told_on_a_page(client: TestClient, bench: Bench) -> None:
    bench.record("exp0", outputs={"/w/out": b"abc" * 1000})
    bench.damage_packs()
    assert "That did not work" in client.get("/export?name=exp0").text
