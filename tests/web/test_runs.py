"""Runs live in the server: output is replayed from any point, cancelled runs end, and only outputs are served."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from cli.builders import Bench
from rex.errors import OwnFailure

from .browser import WAIT_S
from .conftest import DoubleRun, Engine, wait_until_over, wish


@pytest.fixture(autouse=True)
def recorded(bench: Bench) -> None:
    bench.record("exp0", command=("/usr/bin/blast", "20"), apparatus={"/usr/bin/blast": (b"#!/bin/sh\n", None)})   # type: ignore[dict-item]


def begin(client: TestClient, **changes: Any) -> str:
    """Run a wish; its address."""
    answer = client.post("/runs", json=wish(**changes))
    assert answer.status_code == 200, answer.text
    address: str = answer.json()["address"]
    return address


def events(client: TestClient, address: str, **headers: str) -> list[tuple[str, Any, int]]:
    """Kind, data and position of all server-sent events of a run that is over."""
    found = []
    for block in client.get(f"{address}/events", headers=headers).text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"]), int(fields["id"])))
    return found


def text_of(found: list[tuple[str, Any, int]], stream: int) -> str:
    return "".join(text for kind, data, _ in found if kind == "output" for number, text, _ in data if number == stream)


def test_output_comes_as_it_was_written_and_again_after_a_reload(client: TestClient, engine: Engine) -> None:
    def behave(run: DoubleRun) -> int:
        run.write(1, "gr\u00fc".encode()[:3])
        run.write(2, b"warning: \x1b[31m<b>\n")
        run.write(1, "gr\u00fc".encode()[3:] + b"n\xff\n")
        return 3 << 8
    engine.behaviour = behave
    address = begin(client)
    page = wait_until_over(client, address)
    assert "exit status 3" in page
    for _ in range(2):
        found = events(client, address)
        assert text_of(found, 1) == "gr\u00fcn\ufffd\n" and text_of(found, 2) == "warning: \x1b[31m<b>\n"
        assert found[-1][0] == "state" and found[-1][1]["state"] == "finished"
    assert client.get(f"{address}/streams/stdout").content == "gr\u00fcn".encode() + b"\xff\n"
    assert client.get(f"{address}/streams/stdin").status_code == 404


def test_a_reader_goes_on_where_it_was(client: TestClient, engine: Engine) -> None:
    engine.behaviour = lambda run: [run.write(1, b"%d\n" % number) for number in range(2000)] and 0 or 0
    address = begin(client)
    wait_until_over(client, address)
    whole = text_of(events(client, address), 1)
    assert whole == "".join(f"{number}\n" for number in range(2000))
    middle = events(client, address)[0][2]
    first = text_of(events(client, address)[:1], 1)
    assert first + text_of(events(client, address, **{"last-event-id": str(middle)}), 1) == whole
    for wrong in ("x", "-1", "9" * 30, ""):
        assert text_of(events(client, address, **{"last-event-id": wrong}), 1) in (whole, "")


def test_a_reader_far_behind_goes_on_near_the_end(client: TestClient, engine: Engine) -> None:
    lines = [b"%07d %s\n" % (number, b"x" * 80) for number in range(120_000)]

    def behave(run: DoubleRun) -> int:
        for at in range(0, len(lines), 500):
            run.write(1, b"".join(lines[at:at + 500]))
        return 0
    engine.behaviour = behave
    address = begin(client)
    wait_until_over(client, address)
    found = events(client, address)
    text = text_of(found, 1)
    assert text.endswith("0119999 " + "x" * 80 + "\n") and 500_000 < len(text) < 2_000_000
    left_out = sum(lost for kind, data, _ in found if kind == "output" for _, _, lost in data)
    assert left_out + len(text) >= sum(map(len, lines))
    assert client.get(f"{address}/streams/stdout").content == b"".join(lines), "nothing of it is lost"


def test_output_is_live(client: TestClient, engine: Engine) -> None:
    seen = threading.Event()

    def behave(run: DoubleRun) -> int:
        run.write(1, b"first\n")
        assert seen.wait(WAIT_S), "the page did not get what was written while it ran"
        run.write(1, b"second\n")
        return 0
    engine.behaviour = behave
    run = client.app.state.site.runs.get(begin(client)[6:])   # type: ignore[attr-defined]

    def watch() -> None:
        position = 0
        while not seen.is_set():
            pieces, position = run.spool.read(position)
            if any(b"first" in piece.data for piece in pieces):
                assert not run.is_over
                seen.set()
    watch()
    assert text_of(events(client, f"/runs/{run.key}"), 1) == "first\nsecond\n"


def test_cancel_ends_it_and_nothing_is_recorded(client: TestClient, engine: Engine) -> None:
    engine.behaviour = lambda run: 9 if run.cancelled.wait(WAIT_S) else 0
    address = begin(client)
    assert 'id="cancel"' in client.get(address).text
    assert client.post(f"{address}/cancel", json={}).status_code == 200
    page = wait_until_over(client, address)
    assert "was cancelled" in page and "not recorded" in page
    assert client.post(f"{address}/cancel", json={}).status_code == 200, "once more does no harm"


def test_two_runs_at_once_do_not_mix(client: TestClient, engine: Engine) -> None:
    both = threading.Barrier(2, timeout=WAIT_S)

    def behave(run: DoubleRun) -> int:
        both.wait()
        for _ in range(200):
            run.write(1, f"{run.plan.command[1]}\n".encode())
        return 0
    engine.behaviour = behave
    addresses = {word: begin(client, command=f"/usr/bin/blast {word}", outdir=word) for word in ("one", "two")}
    for word, address in addresses.items():
        wait_until_over(client, address)
        assert text_of(events(client, address), 1) == f"{word}\n" * 200
    listed = client.get("/runs").text
    assert all(address in listed for address in addresses.values())


def test_two_runs_never_write_into_one_directory(client: TestClient, engine: Engine) -> None:
    engine.behaviour = lambda run: 9 if run.cancelled.wait(WAIT_S) else 0
    address = begin(client)
    answer = client.post("/runs", json=wish())
    assert answer.status_code == 400 and "another run writes into" in answer.json()["problems"][0]
    client.post(f"{address}/cancel", json={})
    wait_until_over(client, address)
    begin(client)


@pytest.mark.parametrize("failure", [OwnFailure("the engine broke", "<b>why</b>"), OSError(28, "No space left"), ValueError("bug")])
def test_a_run_that_cannot_start_says_why(client: TestClient, engine: Engine, failure: Exception) -> None:
    engine.failure = failure
    page = wait_until_over(client, begin(client))
    assert "Failed" in page
    assert any(words in page for words in ("the engine broke: &lt;b&gt;why", "No space left", "ValueError: bug"))


def test_unknown_runs(client: TestClient) -> None:
    for address in ("/runs/nothing", "/runs/nothing/events", "/runs/nothing/streams/stdout", "/runs/nothing/output?path=/x"):
        assert client.get(address).status_code == 404
    assert client.post("/runs/nothing/cancel", json={}).status_code == 404


def make_outputs(outdir: Path, secret: Path) -> tuple[tuple[str, str], ...]:
    """Outputs of a run that would lead out of its directory, and one that does not."""
    (outdir / "w").mkdir(parents=True)
    (outdir / "w/good.html").write_text("<script>1</script>")
    (outdir / "w/link").symlink_to(secret)
    (outdir / "linked").symlink_to(secret.parent)
    os.mkfifo(outdir / "w/pipe")
    return tuple((f"/{name}", str(outdir / name)) for name in ("w/good.html", "w/link", "linked/secret", "w/pipe", "w"))


def test_only_outputs_are_served_and_no_link_leads_out(client: TestClient, engine: Engine, tmp_path: Path) -> None:
    secret = tmp_path / "private" / "secret"
    secret.parent.mkdir()
    secret.write_text("not yours")

    def behave(run: DoubleRun) -> int:
        run.outputs = make_outputs(Path(run.plan.outdir), secret)
        (Path(run.plan.outdir) / "untold").write_text("not yours")
        return 0
    engine.behaviour = behave
    address = begin(client)
    page = wait_until_over(client, address)
    assert "good.html" in page
    good = client.get(f"{address}/output?path=/w/good.html")
    assert good.text == "<script>1</script>" and good.headers["content-type"].startswith("text/plain")
    for path in ("/w/link", "/linked/secret", "/w/pipe", "/w", "/untold", str(secret), "/w/../untold", "/etc/passwd", ""):
        answer = client.get(f"{address}/output", params={"path": path})
        assert answer.status_code >= 400 and "not yours" not in answer.text, path


def test_large_outputs_are_streamed_whole(client: TestClient, engine: Engine) -> None:
    data = bytes(range(256)) * 10_000

    def behave(run: DoubleRun) -> int:
        path = Path(run.plan.outdir) / "big"
        path.parent.mkdir()
        path.write_bytes(data)
        run.outputs = (("/big", str(path)),)
        return 0
    engine.behaviour = behave
    address = begin(client)
    wait_until_over(client, address)
    assert client.get(f"{address}/output?path=/big").content == data


def test_a_recorded_run_leads_to_its_comparison(client: TestClient, engine: Engine, bench: Bench) -> None:
    def behave(run: DoubleRun) -> int:
        run.experiment = bench.record(run.plan.name, extra={"runnew": {"from": "exp0"}}).name
        return 0
    engine.behaviour = behave
    page = wait_until_over(client, begin(client, record=True, name="mine"))
    assert 'data-left="exp0" data-right="mine"' in page
    assert "/compare?left=exp0&amp;right=mine" in client.get("/runs").text


def test_runs_end_with_the_server(client: TestClient, engine: Engine) -> None:
    engine.behaviour = lambda run: 9 if run.cancelled.wait(WAIT_S) else 0
    begin(client)
    runs = client.app.state.site.runs   # type: ignore[attr-defined]
    runs.close()
    assert runs.all()[0].state == "cancelled"
