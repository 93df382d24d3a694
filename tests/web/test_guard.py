"""Nobody gets in without the key, from another page, or under another name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable

import pytest
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from cli.builders import Bench
from rex.runnew import plan_run
from rex.web.app import make_app
from rex.web.guard import HEADERS
from rex.web.keys import Keys
from rex.web.services import Services
from rex.web.site import HERE

from .conftest import BASE, Engine, wish


def all_addresses(client: TestClient) -> list[tuple[str, str]]:
    """Method and address of every route of the application, files of the style included."""
    found = [("GET", "/nowhere"), ("POST", "/nowhere"), ("OPTIONS", "/"), ("PUT", "/")]
    routes = list(client.app.routes)   # type: ignore[attr-defined]
    assert len(routes) > 10
    for route in routes:
        if isinstance(route, Mount):
            found += [("GET", f"{route.path}/{path.name}") for path in Path(HERE, "static").iterdir()]
        else:
            assert isinstance(route, Route), "a kind of route that this test does not walk"
            path = re.sub(r"\{name[^}]*\}", "exp0", route.path)
            found += [(method, re.sub(r"\{[^}]*\}", "x", path)) for method in route.methods or ()]
    return found


def test_every_route_refuses_who_has_no_key(stranger: TestClient, bench: Bench, keys: Keys) -> None:
    bench.record("exp0")
    token = keys.new_token()
    for method, address in all_addresses(stranger):
        for headers in ({}, {"cookie": "rex=1"}, {"cookie": f"{keys.cookie}=wrong"},
                        {"cookie": f"{keys.cookie}={token}"}, {"authorization": f"token {token}"}):
            answer = stranger.request(method, address, headers={"origin": BASE, **headers}, json=wish())
            assert answer.status_code == 403, (method, address)
            assert "exp0" not in answer.text and "set-cookie" not in answer.headers


def test_every_route_lets_the_key_in(client: TestClient, bench: Bench) -> None:
    bench.record("exp0")
    for method, address in all_addresses(client):
        if method in ("GET", "HEAD"):
            assert client.request(method, address).status_code in (200, 404, 405) or address in ("/compare/many", "/export"), address     # which want names


@pytest.mark.parametrize("change", [lambda t: "", lambda t: "wrong", lambda t: t[:-1], lambda t: t + "x", lambda t: "\udcff"])
def test_wrong_token(stranger: TestClient, keys: Keys, change: Callable[[str], str]) -> None:
    token = change(keys.new_token())
    answer = stranger.get("/", params={"token": token.encode("utf-8", "surrogateescape")})
    assert answer.status_code == 403 and "set-cookie" not in answer.headers
    assert "Open the file" in answer.text, "says what to do"


def other_browser(client: TestClient) -> TestClient:
    return TestClient(client.app, base_url=BASE)   # type: ignore[arg-type]


def test_a_token_is_good_once(stranger: TestClient, keys: Keys) -> None:
    token = keys.new_token()
    assert stranger.get(f"/?token={token}").status_code == 200
    again = other_browser(stranger).get(f"/?token={token}")
    assert again.status_code == 403 and "set-cookie" not in again.headers
    assert stranger.get(f"/?token={token}").status_code == 200, "who has a session needs no token"
    second = other_browser(stranger)
    assert second.get(f"/?token={keys.new_token()}").status_code == 200
    assert second.cookies[keys.cookie] != stranger.cookies[keys.cookie], "each browser has a session of its own"
    assert {each.get("/archive").status_code for each in (stranger, second)} == {200}


@pytest.mark.parametrize("headers", [{"sec-purpose": "prefetch;prerender"}, {"purpose": "prefetch"}])
def test_a_guess_of_the_browser_uses_up_no_token(stranger: TestClient, keys: Keys, headers: dict[str, str]) -> None:
    token = keys.new_token()
    assert stranger.get(f"/?token={token}", headers=headers).status_code == 403
    assert stranger.head(f"/?token={token}").status_code == 403
    assert stranger.get(f"/?token={token}").status_code == 200


@pytest.mark.parametrize("page", ["/", "/archive", "/experiments/exp0", "/?from=exp-0.1"])
def test_the_first_page_may_be_any_of_ours(stranger: TestClient, keys: Keys, page: str) -> None:
    assert f'content="0;url={page}"' in stranger.get("/", params={"token": keys.new_token(), "to": page}).text


@pytest.mark.parametrize("page", ['"><script>x', "//evil.example", "/\\evil.example", "http://evil.example", "javascript:x", "/a;url=//b"])
def test_the_first_page_is_no_other_site_s(stranger: TestClient, keys: Keys, page: str) -> None:
    assert 'content="0;url=/"' in stranger.get("/", params={"token": keys.new_token(), "to": page}).text


def test_a_read_only_server_refuses_every_change(bench: Bench, keys: Keys, engine: Engine) -> None:
    bench.record("exp0")
    app = make_app(bench.path, Services(plan_run, engine.start), keys, is_read_only=True)
    with TestClient(app, base_url=BASE, headers={"origin": BASE}, follow_redirects=False) as client:
        client.get(f"/?token={keys.new_token()}")
        before = sorted(path.name for path in Path(bench.path).rglob("*"))
        for method, address in all_addresses(client):
            answer = client.request(method, address, json={"experiment": "exp0", "experiments": ["exp0"], **wish()})
            assert (answer.status_code == 403) == (method not in ("GET", "HEAD")), (method, address)
        assert client.get("/").headers["location"] == "/archive"
        assert sorted(path.name for path in Path(bench.path).rglob("*")) == before and not engine.runs
        assert 'id="edit"' not in client.get("/archive").text


def test_the_cookie_is_no_script_s_and_no_other_site_s(stranger: TestClient, keys: Keys) -> None:
    token = keys.new_token()
    cookie = stranger.get(f"/?token={token}").headers["set-cookie"]
    assert "httponly" in cookie.lower() and "samesite=strict" in cookie.lower()
    assert "max-age" not in cookie.lower() and "expires" not in cookie.lower(), "it ends with the browser"
    assert token not in cookie


def test_servers_beside_each_other_keep_their_cookies_apart() -> None:
    assert Keys().cookie != Keys().cookie


@pytest.mark.parametrize("host", ["evil.example:7490", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::2]:7490",
                                  "evil.example@localhost", "localhost/evil", "192.168.0.1:7490"])
def test_a_foreign_name_is_refused_even_with_the_key(client: TestClient, keys: Keys, host: str) -> None:
    for address in ("/archive", f"/?token={keys.new_token()}"):
        assert client.get(address, headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost:7490", "127.0.0.1:7490", "[::1]:7490", "localhost:9000", "LOCALHOST"])
def test_names_of_this_machine(client: TestClient, host: str) -> None:
    assert client.get("/archive", headers={"host": host, "origin": f"http://{host}"}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:9999", "https://localhost:7490", "null",
                                    "http://127.0.0.1:7490"])
def test_a_foreign_origin_is_refused_even_with_the_key(client: TestClient, bench: Bench, origin: str) -> None:
    bench.record("exp0")
    for method, address in (("POST", "/runs"), ("POST", "/api/preview"), ("GET", "/archive")):
        answer = client.request(method, address, headers={"origin": origin}, json=wish())
        assert answer.status_code == 403
    assert not client.app.state.site.runs.all()   # type: ignore[attr-defined]


def test_other_pages_cannot_post_a_form(client: TestClient) -> None:
    del client.headers["origin"]
    assert client.post("/api/command", json={"command": "a"}).status_code == 403
    client.headers["origin"] = BASE
    assert client.post("/api/command", json={"command": "a"}).status_code == 200
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert client.post("/api/command", content='{"command": "a"}', headers={"content-type": kind}).status_code == 403


def test_other_sites_and_ports_may_only_link_here(client: TestClient) -> None:
    visit = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    for site in ("cross-site", "same-site"):
        assert client.get("/archive", headers={"sec-fetch-site": site}).status_code == 403
        assert client.get("/archive", headers={"sec-fetch-site": site, **visit}).status_code == 200
        assert client.get("/archive", headers={"sec-fetch-site": site, **visit, "sec-fetch-dest": "iframe"}).status_code == 403


def test_headers_of_every_answer(client: TestClient, bench: Bench) -> None:
    bench.record("exp0", inputs={"/w/in": b"text"})
    for method, address in all_addresses(client):
        answer = client.request(method, address, json={})
        assert set(HEADERS) <= set(answer.headers), address
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'") and "unsafe" not in policy


def test_pages_need_no_inline_script_or_style() -> None:
    for path in Path(HERE, "templates").iterdir():
        text = path.read_text()
        assert not re.search(r"<script(?![^>]*\bsrc=)", text), path
        assert not re.search(r"<[^>]*\s(on[a-z]+|style)=", text), path
        assert text.count("|safe") == {"history.html": 1, "graph.html": 1, "steps.html": 2, "workflow.html": 1, "training.html": 1, "sweep.html": 1, "versions.html": 1, "many_alone.html": 1}.get(path.name, 0), path
    for path in Path(HERE, "static").glob("*.js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", path.read_text())


def test_nothing_comes_from_elsewhere() -> None:
    for path in [*Path(HERE, "templates").iterdir(), *Path(HERE, "static").iterdir()]:
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//[a-z]+\.[a-z]", text), f"{path.name} works offline"
