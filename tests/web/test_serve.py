"""The server itself: a port of its own, on this machine only, and an address with the key."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from cli.builders import Bench
from rex.cli.group import cli
from rex.errors import NotFound, OwnFailure, UsageError
from rex.runnew import plan_run, start
from rex.web import serve
from rex.web.services import Services


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_a_taken_port_is_passed_over() -> None:
    port = free_port()
    first = serve.bind(port)
    second = serve.bind(port)
    try:
        assert {each.getsockname()[1] for each in first} == {port}
        assert {each.getsockname()[1] for each in second} != {port} and second[0].getsockname()[1] > port
    finally:
        for each in [*first, *second]:
            each.close()


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_a_port_that_a_stranger_has_in_one_family_is_taken() -> None:
    with socket.socket(socket.AF_INET6) as stranger:
        try:
            stranger.bind(("::1", 0))
        except OSError:
            pytest.skip("no IPv6 here")
        stranger.listen()
        port = stranger.getsockname()[1]
        found = serve.bind(port)
        try:
            assert found[0].getsockname()[1] != port, "localhost may mean the stranger"
        finally:
            for each in found:
                each.close()


def test_only_loopback_is_listened_on() -> None:
    found = serve.bind(free_port())
    try:
        assert {each.getsockname()[0] for each in found} <= {"127.0.0.1", "::1"}
    finally:
        for each in found:
            each.close()


def test_no_port_left() -> None:
    with pytest.raises(OwnFailure, match="--port"):
        serve.bind(serve._LAST_PORT + 1)


def test_no_archive(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        serve.serve(str(tmp_path / "none"), None, tell=print)   # type: ignore[arg-type]


def test_an_experiment_that_is_not_there_is_told_before_anything_is_served(bench: Bench) -> None:
    bench.record("exp0")
    with pytest.raises(NotFound, match="no experiment exp7"):
        serve.serve(bench.path, Services(plan_run, start), tell=print, experiment="exp7")


@pytest.mark.parametrize("options, page", [({}, "/"), ({"experiment": "exp0"}, "/?from=exp0"), ({"is_at_form": False}, "/archive"),
                                           ({"is_at_form": False, "experiment": "exp0"}, "/experiments/exp0")])
def test_one_server_begins_at_the_form_or_at_the_archive(bench: Bench, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], page: str) -> None:
    bench.record("exp0")
    told: list[str] = []
    apps: list[Any] = []
    monkeypatch.setattr(serve.uvicorn, "Server", lambda config: SimpleNamespace(run=lambda sockets: apps.append(config.app)))
    serve.serve(bench.path, Services(plan_run, start), free_port(), False, told.append, **options)
    address = next(line for line in told if "token=" in line).split()[-1]
    with TestClient(apps[0], base_url=address.split("/?")[0], follow_redirects=False) as client:
        assert f'content="0;url={page}"' in client.get(address).text
        assert {client.get(each).status_code for each in ("/", "/archive", "/runs", "/history")} == {200}


@pytest.mark.parametrize("options", [("--args", "x"), ("--record",), ("-o", "out"), ("--env", "A=1"), ("--", "sh", "-c", "x")])
def test_what_only_headless_knows_is_refused_by_the_page(bench: Bench, options: tuple[str, ...]) -> None:
    done = CliRunner().invoke(cli, ["runnew", "-l", bench.path, "--no-browser", *options], standalone_mode=False)
    assert isinstance(done.exception, UsageError) and "without --headless" in str(done.exception)


def test_libraries_that_are_missing_are_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "rex.web.serve")
    for command in (["runnew", "-l", bench.path, "--no-browser"], ["ui", bench.path]):
        done = CliRunner().invoke(cli, command, standalone_mode=False)
        assert isinstance(done.exception, UsageError) and "not installed: uvicorn" in str(done.exception)
