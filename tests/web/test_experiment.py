"""The pages of one experiment: what they tell, previews that cannot harm, blocks of the log."""

from __future__ import annotations

import html
import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from cli.builders import Bench, a_log, call, write
from rex.archive import about
from rex.log.records import IN
from rex.web.preview import IMAGE, NONE, PAGE, SHOWN_BYTES, TABLE, TEXT, preview
from rex.web.wish import key_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def data_of(page: str, section: str) -> list[dict[str, Any]]:
    """The rows that a section of a page holds."""
    found: list[dict[str, Any]] = json.loads(html.unescape(page.split(f'id="{section}"')[1].split("data-rows='")[1].split("'")[0]))
    return found


def test_the_page_tells_command_place_files_processes_and_provenance(client: TestClient, bench: Bench) -> None:
    bench.record("exp0", inputs={"/w/in.txt": b"abc"})
    bench.record("exp1", command=("sh", "-c", "a b"), extra={"runnew": {"from": "exp0", "changes": ["argument 2 is a b"]}}, withheld=("TOKEN",),
                 outputs={"/w/out.csv": b"a,b\n"}, apparatus={"/bin/x": (b"#!/bin/sh\n", None)}, environment={"LANG": "C"})   # type: ignore[dict-item]
    about.set_labels(bench.archive, "exp1", {"seed": "3"})
    about.set_verified(bench.archive, "exp1", True, "", "native")
    page = client.get("/experiments/exp1").text
    for text in ("sh -c &#39;a b&#39;", "argument 2 is a b", "seed=3", "a replay was identical", "TOKEN", "LANG", "ann on h",
                 bench.archive.experiment("exp1").identity, "/compare?left=exp0&amp;right=exp1", "/?from=exp1"):
        assert text in page, text
    files = {(row["place"], row["role"]): row for row in data_of(page, "files")}
    assert set(files) == {("standard output", "output"), ("standard error", "output"), ("out.csv", "output"), ("/bin/x", "apparatus")}
    assert client.get(files["out.csv", "output"]["href"]).status_code == 200
    processes = data_of(page, "processes")
    assert [row["command"] for row in processes] == ["sh -c x", "cat in", "true", "sleep 9"]
    assert [(row["from"], row["to"]) for row in processes] == [(0, 1000), (333, 667), (467, 533), (400, 1000)]
    assert processes[3]["branch"] == "└─ " and "SIGKILL" in processes[3]["ending"]


@pytest.mark.parametrize("name, data, kind", [
    ("a.txt", b"text", TEXT), ("a.html", b"<p>", PAGE), ("a.csv", b"a;b\n1;2\n", TABLE), ("a.tsv", b"a\tb\n", TABLE), ("a.csv", b"plain", TEXT),
    ("a.png", PNG, IMAGE), ("a.png", b"no picture", TEXT), ("a.txt", PNG, IMAGE), ("a.svg", b"<svg xmlns='x'/>", IMAGE), ("a.svg", b"<html>", TEXT),
    ("a.bin", b"a\0b", NONE), ("a.html", b"\0", NONE), ("a.txt", b"\xff\xfe", NONE), ("a.txt", b"", TEXT), ("a.csv", b'"' + b"x" * 200_000, TEXT)])
def test_kinds_of_previews(name: str, data: bytes, kind: str) -> None:
    assert preview(data, len(data), name).kind == kind


def test_previews_are_cut_between_characters() -> None:
    data = "é".encode() * SHOWN_BYTES
    shown = preview(data[:SHOWN_BYTES + 1], len(data), "a.txt")
    assert shown.kind == TEXT and shown.is_cut and set(shown.text) == {"é"}
    rows = preview(b"a,b\n" * 1000, 4000, "a.csv")
    assert rows.is_cut and len(rows.rows) == 500
    assert preview(b"a,b\n1\n", 6, "a.csv").rows == (("a", "b"), ("1", "")), "every row has all columns"
    assert preview(b"<p>" * 10, 10**9, "a.html").kind == TEXT, "a page is shown whole or as text"


def test_files_are_shown_as_text_tables_pictures_and_pages_in_a_sandbox(client: TestClient, bench: Bench) -> None:
    evil = b"<script>parent.document.title='hit'</script><b>report</b>"
    bench.record("exp0", outputs={"/w/t.txt": b"one\r\ntwo\t\x1b[31m\xe2\x80\xae", "/w/t.csv": b"a,b\n1,<b>\n", "/w/p.png": PNG, "/w/p.html": evil,
                                  "/w/x.svg": b"<svg xmlns='x'><script>1</script></svg>"})
    def show(path: str) -> str:
        return client.get(f"/experiments/exp0/file?role=output&path={path}").text
    assert "one\ntwo\t\\x1b[31m\\u202e</pre>" in show("/w/t.txt")
    assert "<td>1</td><td>&lt;b&gt;</td>" in show("/w/t.csv")
    page = show("/w/p.html")
    assert '<iframe sandbox=""' in page and "<script>parent" not in page
    frame = client.get(html.unescape(page.split('<iframe')[1].split('src="')[1].split('"')[0]))
    assert frame.content == evil and frame.headers["content-type"].startswith("text/html")
    policy = frame.headers["content-security-policy"].split("; ")
    assert "sandbox" in policy and "default-src 'none'" in policy and not any(each.startswith("script-src") for each in policy)
    assert frame.headers["x-frame-options"] == "SAMEORIGIN" and "frame-ancestors 'self'" in policy
    for path, kind in (("/w/p.png", "image/png"), ("/w/x.svg", "image/svg+xml")):
        assert f'<img src="/experiments/exp0/content?role=output&amp;path={path}&amp;as=image"' in show(path)
        image = client.get(f"/experiments/exp0/content?role=output&path={path}&as=image")
        assert image.headers["content-type"] == kind and "sandbox" in image.headers["content-security-policy"]
    text = client.get("/experiments/exp0/content?role=output&path=/w/p.html&as=image")
    assert text.headers["content-type"].startswith("text/plain"), "only pictures are served as pictures"
    kept = client.get("/experiments/exp0/content?role=output&path=/w/p.html&as=file")
    assert kept.content == evil and kept.headers["content-disposition"] == 'attachment; filename="p.html"'
    assert kept.headers["content-type"] == "application/octet-stream"


def test_what_it_wrote_is_shown_and_kept(client: TestClient, bench: Bench) -> None:
    bench.record("exp0", stdout=b"<b>said</b>\n", stderr=b"\xff\0")
    assert "&lt;b&gt;said&lt;/b&gt;" in client.get("/experiments/exp0/file?role=stdout").text
    assert "no preview" in client.get("/experiments/exp0/file?role=stderr").text
    kept = client.get("/experiments/exp0/streams/stderr")
    assert kept.content == b"\xff\0" and kept.headers["content-disposition"] == 'attachment; filename="exp0-stderr.txt"'
    assert client.get("/experiments/exp0/streams/stdin").status_code == 404


def many_events(count: int) -> list[Any]:
    """A log in which every tenth event opens a file."""
    return [*a_log([])[:2], *(call("openat", -2, (1, IN, b"/w/f%d.csv" % n)) if n % 10 == 0 else write(2, b"%d" % n) for n in range(count))]


def test_the_log_comes_in_blocks(client: TestClient, bench: Bench) -> None:
    bench.record("exp0", events=many_events(998))
    def ask(query: str) -> Any:
        return client.get(f"/experiments/exp0/events?{query}").json()
    first = ask("block=0")
    assert first["count"] == first["total"] == 1000 and [row[0] for row in first["rows"]] == list(range(200))
    assert [row[0] for row in ask("block=4")["rows"]] == list(range(800, 1000)) and ask("block=5")["rows"] == []
    assert first["rows"][3][3] == "write" and first["rows"][3][4].startswith("write(")
    opened = ask("calls=openat&block=0")
    assert opened["count"] == 100 and {row[3] for row in opened["rows"]} == {"openat"} and opened["rows"][7][0] == 72
    assert ask("path=f99?.csv&block=0")["count"] == 1 and ask("task=5&block=0")["count"] == 0
    assert ask("find=500")["row"] == 500 and ask("find=99999999")["row"] == 999
    assert ask("calls=openat&find=73")["row"] == 8, "the next one that the filter leaves"
    answer = client.get("/experiments/exp0/events?calls=nonsense")
    assert answer.status_code == 400 and "no system call named nonsense" in answer.text


@pytest.mark.parametrize("query", ["block=-1", "block=x", "block=99999999999999", "task=%00", "find=a", "calls=%25file", "path=[", "path=%00"])
def test_strange_questions_about_the_log_do_no_harm(client: TestClient, bench: Bench, query: str) -> None:
    bench.record("exp0")
    assert client.get(f"/experiments/exp0/events?{query}").status_code in (200, 400)


def test_provenance_is_drawn_and_kept(client: TestClient, bench: Bench) -> None:
    bench.record("exp0")
    assert client.get("/experiments/exp0/graph").text.count("<rect") == 2
    kept = client.get("/experiments/exp0/prov.json")
    assert "activity" in kept.json() and kept.headers["content-disposition"].startswith("attachment")


def test_damage_of_a_file_is_told_in_words(client: TestClient, bench: Bench) -> None:
    bench.record("exp0", inputs={"/w/in": b"abc" * 1000})
    bench.damage_packs()
    answer = client.get(f"/experiments/exp0/file?role=input&path={key_of('/w/in')}")
    assert answer.status_code == 400 and "see: rex check" in answer.text
