"""The pages about the archive: what they tell, and that strangers' names do no harm."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from cli.builders import Bench
from rex.archive import ElfFacts, Process
from rex.web.wish import key_of

EVIL = '<script>alert(1)</script>"onload="x'


def test_an_empty_archive_says_what_to_do(client: TestClient) -> None:
    assert "rex record -l" in client.get("/").text
    for address in ("/archive", "/history", "/runs"):
        assert client.get(address).status_code == 200


def test_the_form_shows_the_default_experiment_and_offers_all(client: TestClient, bench: Bench) -> None:
    bench.record("exp0", environment={"LANG": "C"}, withheld=("SECRET_KEY",), start_ns=1)
    bench.record("exp1", command=("blast", "in.seq", "a b"), start_ns=2)
    bench.leave_incomplete()
    page = client.get("/").text
    assert "New experiment from exp0" in page and 'data-variable="LANG"' in page and "SECRET_KEY" in page
    assert page.count("<option value=\"exp") == 2
    assert "blast in.seq &#39;a b&#39;" in client.get("/?from=exp1").text


def test_programs_come_with_their_libraries_and_inputs_with_sizes(client: TestClient, bench: Bench) -> None:
    loader, library = "/lib/ld.so", "/lib/libfast.so.2"
    bench.record("exp0", apparatus={
        "/usr/bin/blast": (b"p", ElfFacts(loader, "", ("libfast.so.2",))), loader: (b"l", ElfFacts("", "ld.so")),
        library: (b"ff", ElfFacts("", "libfast.so.2", ("ld.so",)))},
        processes=(Process(0, None, 0, ("blast",), "/usr/bin/blast", 0.0, 1.0, 0),), inputs={"/w/in.db": b"x" * 1500})
    page = client.get("/").text
    assert page.index(f'data-part="{key_of("/usr/bin/blast")}"') < page.index("2 libraries") < page.index(
        f'data-part="{library}"') < page.index("in.db")
    assert "1.5 kB" in page


@pytest.mark.parametrize("address", ["/", "/archive", "/history", "/compare?left=exp0&right=exp1", "/experiments/exp0/files",
                                     "/experiments/exp0", "/sweep?of=exp0", "/experiments/exp0/log", "/experiments/exp0/graph", "/experiments/exp0/workflow", "/history/steps",
                                     "/experiments/exp0/file?role=stdout", f"/experiments/exp0/file?role=input&path={key_of(f'/w/{EVIL}')}"])
def test_strangers_names_are_only_text(client: TestClient, bench: Bench, address: str) -> None:
    for number, name in enumerate(("exp0", "exp1")):
        bench.record(name, command=(EVIL, "\x1b[31m", "\u202e", "\udcff", f"{number}"), cwd=f"/w{EVIL}",
                     environment={EVIL.replace("=", ""): EVIL, "B": "\udcff\n"}, inputs={f"/w/{EVIL}": b"a", "/w/\udcff\n": b"b"},
                     outputs={f"/o/{EVIL}": b"<b>%d" % number}, stdout=b"<img src=x onerror=y>%d" % number, user=EVIL,
                     apparatus={f"/bin/{EVIL}": (b"#!", None)}, extra={"runnew": {"from": EVIL}, "about": {"labels": {"sweep": "exp0", EVIL: EVIL, "n": name}}})   # type: ignore[dict-item]
    answer = client.get(address)
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text and "<img src=x" not in answer.text and 'onload="x' not in answer.text
    assert "\x1b" not in answer.text and "\u202e" not in answer.text


def test_files_are_found_by_words_and_role(client: TestClient, bench: Bench) -> None:
    bench.record("exp0", inputs={"/w/data/genes.db": b"1", "/usr/share/genes.txt": b"2", "/w/x": b"3"},
                 outputs={"/w/genes.out": b"4"})
    def names(query: str) -> list[str]:
        text = client.get(f"/experiments/exp0/files?{query}").text
        return [line.split('data-name="')[1].split('"')[0] for line in text.splitlines() if 'data-name="' in line]
    assert names("query=GENES") == ["genes.db", "genes.out", "genes.txt"], "those of the working directory first"
    assert names("query=genes+data") == ["genes.db"]
    assert names("query=genes&role=output") == ["genes.out"]
    assert names("") == ["genes.db", "genes.out", "x"], "others only when asked for"
    assert names("start=3") == ["genes.txt"]
    assert names("start=-1") == names("start=a") == names("")
    assert "No file matches" in client.get("/experiments/exp0/files?query=nothing").text


def test_many_files_come_some_at_a_time(client: TestClient, bench: Bench) -> None:
    bench.record("exp0", inputs={f"/w/f{number:03}": b"%d" % number for number in range(120)})
    seen = []
    for start in (0, 50, 100):
        text = client.get(f"/experiments/exp0/files?start={start}").text
        seen += [part.split('"')[0] for part in text.split('data-name="')[1:]]
    assert seen == [f"f{number:03}" for number in range(120)]


def test_an_archived_file_is_text_to_read_or_bytes_to_keep(client: TestClient, bench: Bench) -> None:
    bench.record("exp0", inputs={"/w/page.html": b"<script>1</script>", "/w/b\udcff": b"\0\1"}, outputs={"/w/out": b"o"})
    text = client.get(f"/experiments/exp0/content?role=input&path={key_of('/w/page.html')}")
    assert text.text == "<script>1</script>" and text.headers["content-type"].startswith("text/plain")
    assert "sandbox" in text.headers["content-security-policy"]
    binary = client.get("/experiments/exp0/content", params={"role": "input", "path": key_of("/w/b\udcff")})
    assert binary.content == b"\0\1" and binary.headers["content-type"] == "application/octet-stream"
    assert binary.headers["content-disposition"] == 'attachment; filename="b_"'


def test_large_archived_files_are_streamed_whole(client: TestClient, bench: Bench) -> None:
    data = bytes(range(256)) * 8192
    bench.record("exp0", inputs={"/w/big": data})
    answer = client.get("/experiments/exp0/content?role=input&path=/w/big")
    assert answer.content == data and answer.headers["content-length"] == str(len(data))


@pytest.mark.parametrize("path", ["/etc/passwd", "/w/../etc/passwd", "../../etc/passwd", "", "/w", "/w/nothing", "%00"])
def test_nothing_but_archived_files_is_served(client: TestClient, bench: Bench, path: str) -> None:
    bench.record("exp0", inputs={"/w/in": b"a"})
    for role in ("input", "output", "apparatus", "secret"):
        answer = client.get("/experiments/exp0/content", params={"role": role, "path": path})
        assert answer.status_code == 404 and "root:" not in answer.text


@pytest.mark.parametrize("name", ["exp9", "..", "%2e%2e", "..%2f..", "exp0%00"])
def test_unknown_experiments_are_said_to_be_unknown(client: TestClient, bench: Bench, name: str) -> None:
    bench.record("exp0")
    assert client.get("/experiments/exp9").status_code == 404
    for address in (f"/?from={name}", f"/compare?left=exp0&right={name}", *(f"/experiments/{name}{part}" for part in (
            "/files", "/log", "/events", "/graph", "/workflow", "/prov.json", "/streams/stdout", "/file?role=stdout"))):
        assert client.get(address).status_code == 404, address


def test_damage_is_told_in_words(client: TestClient, bench: Bench) -> None:
    experiment = bench.record("exp0", inputs={"/w/in": b"abc" * 1000})
    bench.damage_packs()
    answer = client.get("/experiments/exp0/content?role=input&path=/w/in")
    assert answer.status_code == 400 and "see: rex check" in answer.text
    Path(experiment.directory, "identity").write_bytes(b"junk")
    assert "damaged" in client.get("/archive/rows").text


def test_the_history_shows_ancestry(client: TestClient, bench: Bench) -> None:
    bench.record("exp0")
    assert "No experiment was made from another one" in client.get("/history").text or 'class="edge"' not in client.get("/history").text
    bench.record("exp1", extra={"runnew": {"from": "exp0"}}, start_ns=2)
    assert client.get("/history").text.count('class="edge"') == 1


def test_a_manifest_that_does_not_fit_its_log_is_left_out_of_the_tree(client: TestClient, bench: Bench) -> None:
    bench.record("fits", processes=(Process(0, None, 0, ("sh",), "/usr/bin/dash", 0.0, 1.5, 3), Process(1, 0, 0, ("cat",), "/usr/bin/cat", 0.5, 1.0, 0)))
    bench.record("odd", processes=(Process(0, None, 0, ("sh",), "/usr/bin/dash", 0.0, 1.5, 3), Process(7, 0, 0, ("cat",), "/usr/bin/cat", 0.5, 1.0, 0)))
    page = client.get("/history/steps").text
    assert "odd is left out: its manifest does not fit its log" in page and "1 run," in page


def test_strange_facts_of_one_experiment_hide_no_other(client: TestClient, bench: Bench) -> None:
    """An archive may come from anybody: what does not fit is said on a page."""
    bench.record("none", processes=(), extra={"about": {"verified": {"is_identical": True}}})
    broken = bench.record("broken")
    bench.record("whole", processes=(Process(0, None, 0, ("sh",), "/usr/bin/dash", 0.0, 1.5, 3), Process(1, 0, 0, ("cat",), "/usr/bin/cat", 0.5, 1.0, 0)))
    Path(broken.directory, "identity").write_bytes(b"junk")
    assert "a replay was identical" in client.get("/experiments/none").text
    answer = client.get("/experiments/none/workflow")
    assert answer.status_code == 400 and "names no process" in answer.text
    page = client.get("/history/steps").text
    assert "broken is left out" in page and "distinct step" in page


def test_new_recordings_appear(client: TestClient, bench: Bench) -> None:
    bench.record("exp0")
    assert "exp1" not in client.get("/archive/rows").text
    bench.record("exp1")
    assert "exp1" in client.get("/archive/rows").text
    bench.archive.remove("exp0")
    bench.record("exp0", command=("other",))
    assert "other" in client.get("/?from=exp0").text


def test_a_comparison_shows_texts_side_by_side_and_ranges_of_bytes(client: TestClient, bench: Bench) -> None:
    for name, text, data in (("exp0", b"one\ntwo <b>\nsame\n", bytes(4096)),
                             ("exp1", b"one\ntwo <i>\nsame\n", bytes(2000) + b"\1" + bytes(2095))):
        bench.record(name, outputs={"/w/text": text, "/w/data": data}, command=("sh", name), environment={"N": name})
    page = client.get("/compare?left=exp0&right=exp1").text
    assert "two &lt;<mark>b</mark>&gt;" in page and "two &lt;<mark>i</mark>&gt;" in page
    assert "byte 2000" in page and "1 byte differs" in page
    assert "Output files <span>2 differ" in page and "Machine <span>same" in page
    part = client.get("/compare?left=exp0&right=exp1&part").text
    assert "<html" not in part and "byte 2000" in part
    assert "the same in everything" in client.get("/compare?left=exp0&right=exp0").text
