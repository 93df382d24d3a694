"""The page that compares many experiments by meaning."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from cli.builders import Bench
from commands import rex

from .test_pages import EVIL


def record_three(bench: Bench) -> None:
    for number, value in enumerate(("1.0", "1.0000001", "2.0")):
        bench.record(f"exp{number}", command=("sim", value), outputs={"/w/out.txt": f"{value}\n".encode()}, start_ns=number)


def test_groups_and_what_separates_them(client: TestClient, bench: Bench) -> None:
    record_three(bench)
    address = "/compare/many?name=exp0&name=exp1&name=exp2"
    page = client.get(address).text
    assert "out.txt has another result exactly for each value of argument 1" in page and "3 distinct results" in page
    loose = client.get(address + "&rtol=1e-6").text
    assert "2 distinct results (A: 2, B: 1)" in loose and "out.txt differs exactly where argument 1 is 2.0" in loose
    assert "Outputs may differ by: <code>--rtol 1e-06</code>" in loose and 'value="1e-6"' in loose
    assert "All gave the same" in client.get(address + "&rtol=1").text
    assert client.get("/compare/many?name=exp0&name=exp2&parted=1").text.count("Where they parted from exp0") == 1


def test_two_are_compared_with_tolerances(client: TestClient, bench: Bench) -> None:
    record_three(bench)
    assert "numbers: 1 of 1 differ" in client.get("/compare?left=exp0&right=exp1").text
    page = client.get("/compare?left=exp0&right=exp1&rtol=1e-6").text
    assert "Not counted, by your rules" in page and "same within tolerance (1 of 1 differ" in page


def test_wrong_wishes_are_told(client: TestClient, bench: Bench) -> None:
    record_three(bench)
    for words, why in (("name=exp0", "1 experiments are to be compared"), ("name=exp0&name=exp1&rtol=much", "it is no number"),
                       ("name=exp0&name=none", "none"), ("name=exp0&name=exp1&ignore=(", "regular expression")):
        answer = client.get(f"/compare/many?{words}")
        assert answer.status_code >= 400 and why in answer.text


def test_pictures_of_what_differs(client: TestClient, bench: Bench, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    for number, colour in enumerate(("white", "black")):
        file = io.BytesIO()
        image.new("RGB", (4, 4), colour).save(file, "PNG")
        bench.record(f"exp{number}", outputs={f"/w/{EVIL.replace('/', '')}.png": file.getvalue()})
    for address in ("/compare/many?name=exp0&name=exp1", "/compare?left=exp0&right=exp1"):
        page = client.get(address).text
        assert "<script>alert" not in page and 'onload="x' not in page
        picture = page.split('<img src="')[1].split('"')[0].replace("&amp;", "&")
        answer = client.get(picture)
        assert answer.headers["content-type"] == "image/png" and answer.content.startswith(b"\x89PNG")
    page = tmp_path / "page.html"
    rex("compare", str(bench.archive.path), "--html", str(page), "--pictures", str(tmp_path / "pictures"), cwd=tmp_path, code=1)
    text = page.read_text()
    assert "data:image/png;base64," in text and "<script" not in text and "src=\"/" not in text and 'onload="x' not in text
    assert len(list((tmp_path / "pictures").iterdir())) == 1
