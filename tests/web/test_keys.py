"""The address is handed over by a file of the user's alone, and never by a command line."""

from __future__ import annotations

import http.client
import os
import re
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

from cli.builders import Bench
from commands import REX, environment
from rex.web.keys import Keys, redirecting_file

from .browser import WAIT_S, Page, why_no_browser
from .test_serve import free_port


def token_in(path: str | Path) -> str:
    found = re.search(r"token=([\w-]+)", Path(path).read_text())
    assert found
    return found[1]


def test_the_file_is_the_user_s_alone_and_has_the_next_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    keys = Keys()
    with redirecting_file(keys, lambda token: f"http://localhost:1/?token={token}&from=exp0") as path:
        assert path.startswith(f"{tmp_path}/") and stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
        assert "&amp;from=exp0" in Path(path).read_text()
        first = token_in(path)
        assert keys.open_session(first) and not keys.open_session(first)
        second = token_in(path)
        assert second != first and stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert keys.open_session(second)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("mode", [0o755, None])
def test_a_place_that_others_can_enter_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int | None) -> None:
    place = tmp_path / "run"
    if mode is not None:
        place.mkdir()
        place.chmod(mode)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place))
    with redirecting_file(Keys(), str) as path:
        assert not path.startswith(str(place))


def test_a_session_outlives_its_file(tmp_path: Path) -> None:
    keys = Keys()
    with redirecting_file(keys, str) as path:
        os.unlink(path)
        os.rmdir(os.path.dirname(path))
        assert keys.open_session(keys.new_token())


def get(port: int, address: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("localhost", port, timeout=WAIT_S)
    connection.request("GET", address, headers=headers)
    answer = connection.getresponse()
    answer.read()
    return answer


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name)
def test_the_browser_gets_a_file_and_all_ends_with_the_server(bench: Bench, tmp_path: Path, number: signal.Signals) -> None:
    bench.record("exp0")
    (tmp_path / "run").mkdir(0o700)
    (tmp_path / "browser").write_text(f"#!/bin/sh\necho \"$@\" > {tmp_path}/told.part; mv {tmp_path}/told.part {tmp_path}/told\n")
    (tmp_path / "browser").chmod(0o755)
    port = free_port()
    with subprocess.Popen([*REX, "runnew", "-l", bench.path, "--port", str(port)], cwd=tmp_path, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, env=environment(BROWSER=f"{tmp_path}/browser %s", XDG_RUNTIME_DIR=str(tmp_path / "run"))) as server:
        try:
            end = time.monotonic() + WAIT_S
            while not (tmp_path / "told").exists() and time.monotonic() < end:
                time.sleep(0.02)
            told = (tmp_path / "told").read_text().strip()
            assert told.startswith(f"file://{tmp_path}/run/rex-") and "token" not in told
            path = told.removeprefix("file://")
            token = token_in(path)
            command_lines = [line.read_bytes() for line in Path("/proc").glob("[0-9]*/cmdline") if os.access(line, os.R_OK)]
            assert not [line for line in command_lines if token.encode() in line]
            cookie = get(port, f"/?token={token}").headers["set-cookie"].split(";")[0]
            assert get(port, f"/?token={token}").status == 403 and get(port, "/archive", Cookie=cookie).status == 200
            assert token_in(path) != token
        finally:
            server.send_signal(number)
            _, said = server.communicate(timeout=WAIT_S)
    assert "token=" not in said and path in said and "Traceback" not in said
    assert os.listdir(tmp_path / "run") == []


@pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser())
def test_a_real_browser_follows_the_file(page: Page, bench: Bench, tmp_path: Path) -> None:
    bench.record("exp0")
    port = free_port()
    with subprocess.Popen([*REX, "runnew", "-l", bench.path, "--port", str(port), "--no-browser"], cwd=tmp_path, stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, env=environment()) as server:
        try:
            assert server.stderr
            lines = [server.stderr.readline() for _ in range(3)]
            path = lines[1].split()[-1]
            for _ in range(2):     # a second time: the file has the next token, or the browser its cookie
                page.open(f"file://{path}")
                page.until(lambda: page.driver.current_url == f"http://localhost:{port}/")
                page.says("exp0")
            page.driver.delete_all_cookies()
            page.open(f"http://localhost:{port}/")
            page.says("This page needs its key")
            page.open(f"file://{path}")
            page.until(lambda: page.driver.current_url == f"http://localhost:{port}/")
            assert page.do("return document.cookie") == ""
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=WAIT_S)
