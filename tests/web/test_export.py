"""The exported pages: they lead to each other, hold no program of a stranger, and open from a disk."""

from __future__ import annotations

import html
import io
import re
import resource
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.builders import Bench, a_log, call, write
from rex.archive import about
from rex.cli.group import cli
from rex.errors import UsageError
from rex.log.records import IN
from rex.web.export import bundle, export

from .browser import Page, why_no_browser

EVIL_NAME = "<img src=x onerror=\"document.title='hit'\">"
EVIL_PAGE = "<style>p { color: red }</style><p>a report</p><script>parent.document.title = document.title = 'hit'</script>"
EVIL_PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>document.title="hit"</script></svg>'
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.fixture
def pages(bench: Bench, tmp_path: Path) -> Path:
    """The exported pages of an archive with something of everything."""
    bench.record("exp0", inputs={"/w/in.txt": b"in", "/usr/share/zone": b"system"}, apparatus={"/bin/x": (b"#!/bin/sh\n", None)},   # type: ignore[dict-item]
                 events=[*a_log([])[:2], *(write(2, b"said\n") for _ in range(4500))], start_ns=10**18)
    bench.record("exp1", command=(EVIL_NAME,), user=EVIL_NAME, extra={"runnew": {"from": "exp0", "changes": [EVIL_NAME]}}, start_ns=2 * 10**18,
                 outputs={"/w/report.html": EVIL_PAGE.encode(), "/w/plot.svg": EVIL_PICTURE.encode(), "/w/p.png": PNG, f"/w/{EVIL_NAME}": b"\0",
                          "/w/t.csv": f"a,b\n{EVIL_NAME},2\n".encode()},
                 events=[*a_log([write(2, EVIL_NAME.encode())]), call("openat", -2, (1, IN, EVIL_NAME.encode()))])
    about.set_labels(bench.archive, "exp1", {"seed": EVIL_NAME, "sweep": "exp0"})
    bench.leave_incomplete()
    export(bench.path, str(tmp_path / "out"))
    return tmp_path / "out"


def test_every_link_leads_to_a_file_and_every_file_is_linked(pages: Path) -> None:
    linked = {"index.html"}
    for page in pages.glob("*.html"):
        text = page.read_text()
        found = [html.unescape(each) for each in re.findall(r'(?:href|src)="([^"#]*)"', text)]
        found += re.findall(r'"href": "([^"]+)"', html.unescape(text))
        assert not [each for each in found if each.startswith(("/", "http")) or ".." in each], page
        files = {each for each in found if each and not each.startswith("data:")}
        assert {each for each in files if not (pages / each).is_file()} == set(), page
        linked |= files
    there = {str(path.relative_to(pages)) for path in pages.rglob("*") if path.is_file()}
    assert {each for each in there - linked if not re.match(r"exp~.*~log~\d+\.js", each)} == set()
    assert {"exp~exp0~log~0.js", "exp~exp0~log~1.js", "exp~exp0~log~2.js"} <= there


def test_no_file_is_a_stranger_s_program(pages: Path) -> None:
    assert {path.suffix for path in (pages / "files").iterdir()} == {".txt", ".bin", ".png", ".json"}
    for page in pages.glob("*.html"):
        text = re.sub(r'srcdoc="[^"]*"', "", page.read_text())
        assert "Content-Security-Policy" in text and "<img src=x" not in text, page
        assert all(re.fullmatch(r'<script defer src="static/[a-z]+\.js">', each) for each in re.findall(r"<script[^>]*>", text)), page
    assert any(path.read_text() == EVIL_PAGE for path in (pages / "files").glob("*.txt"))


def test_programs_and_files_of_the_system_are_named_only(pages: Path) -> None:
    text = html.unescape((pages / "exp~exp0.html").read_text())
    assert '"place": "/usr/share/zone"' in text and '"place": "/bin/x"' in text
    assert not any(path.read_bytes() == b"system" for path in (pages / "files").iterdir())


def picture_of(*black: tuple[int, int]) -> bytes:
    """A white picture with black pixels."""
    image = pytest.importorskip("PIL.Image").new("RGB", (9, 9), "white")
    for place in black:
        image.putpixel(place, (0, 0, 0))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def pictures_in(pages: Path) -> list[str]:
    """Addresses of the pictures of differences."""
    (text,) = [text for text in (page.read_text() for page in pages.glob("compare~*.html")) if "What came of it" in text]
    return re.findall(r'<img src="([^"]*)" alt="What differs', text)


def export_two(bench: Bench, out: Path, outputs: dict[str, tuple[bytes, bytes]]) -> list[str]:
    """Export an experiment and one made from it; the addresses of pictures of differences."""
    for name, side, extra in (("exp0", 0, {}), ("exp1", 1, {"runnew": {"from": "exp0", "changes": ["x"]}})):
        bench.record(name, outputs={path: sides[side] for path, sides in outputs.items()}, extra=extra)
    export(bench.path, str(out))
    return pictures_in(out)


def test_pictures_show_how_an_experiment_differs_from_its_parent(bench: Bench, tmp_path: Path) -> None:
    evil = EVIL_PICTURE.encode()
    found = export_two(bench, tmp_path / "out", {"/w/a.png": (picture_of(), picture_of((1, 1))), "/w/broken.png": (PNG, PNG + b"1"),
                                                 "/w/c.svg": (evil, evil.replace(b"<script", b"<rect width='9' height='9'/><script"))})
    files = [address for address in found if not address.startswith("data:image/svg+xml;base64,")]     # as which a drawing runs nothing
    assert len(found) == 2 and files and all((tmp_path / "out" / each).read_bytes().startswith(b"\x89PNG") for each in files)
    image = pytest.importorskip("PIL.Image").open(tmp_path / "out" / files[0]).convert("RGB")
    assert image.size == (3 * 9 + 2 * 8, 9) and image.getpixel((2 * (9 + 8) + 1, 1)) == (255, 0, 0)


def test_pictures_of_differences_keep_to_their_limit(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = export_two(bench, tmp_path / "out", {"/w/a.png": (picture_of(), picture_of((1, 1))), "/w/b.png": (picture_of(), picture_of((2, 2)))})
    assert len(one) == 2
    monkeypatch.setattr("rex.web.export.MAX_PICTURES_BYTES", (tmp_path / "out" / one[0]).stat().st_size + 9)
    export(bench.path, str(tmp_path / "less"))
    assert len(pictures_in(tmp_path / "less")) == 1
    monkeypatch.setattr("rex.web.export.MAX_FILE_BYTES", 20)
    export(bench.path, str(tmp_path / "none"))
    assert pictures_in(tmp_path / "none") == []


def test_scripts_are_bundled_without_modules() -> None:
    for name in ("archive.js", "experiment.js", "log.js"):
        text = bundle(name).decode()
        assert not re.search(r"^(import|export) ", text, re.MULTILINE) and text.count("export function windowed") == 0
        assert "function windowed" in text and "function make" in text


def test_what_lies_in_the_directory_is_left_alone(bench: Bench, tmp_path: Path) -> None:
    bench.record("exp0")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        export(bench.path, str(tmp_path / "out"))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]
    done = CliRunner().invoke(cli, ["ui", f"{bench.path}:exp0", "--export", str(tmp_path / "other")], standalone_mode=False)
    assert isinstance(done.exception, UsageError) and not (tmp_path / "other").exists()


def test_an_export_keeps_to_the_limits_of_reading(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.record("exp0")
    found: list[int] = []
    monkeypatch.setattr("rex.web.export.export", lambda *_: found.append(resource.getrlimit(resource.RLIMIT_DATA)[0]) or 0)
    before = resource.getrlimit(resource.RLIMIT_DATA)[0]
    CliRunner().invoke(cli, ["--max-memory", "900M", "ui", bench.path, "--export", str(tmp_path / "out")], standalone_mode=False, catch_exceptions=False)
    assert found == [900 << 20] and resource.getrlimit(resource.RLIMIT_DATA)[0] == before


def test_damage_ends_no_export(bench: Bench, tmp_path: Path) -> None:
    bench.record("exp0", outputs={"/w/out": b"abc" * 1000})
    bench.damage_packs()
    export(bench.path, str(tmp_path / "out"))
    assert '"status": "damaged"' in (tmp_path / "out" / "index.html").read_text()


@pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser())
def test_the_pages_open_from_a_disk(page: Page, pages: Path) -> None:
    page.open(f"file://{pages}/index.html")
    page.says("3 experiments", "#found")
    page.type("#query", "exp0")
    page.says("2 of 3", "#found")     # exp0 is the parent of exp1
    page.driver.refresh()
    page.says("2 of 3", "#found")
    page.follow("exp0")
    page.says("4 files", "#found")
    page.click(".actions a")
    page.says("4,502 events", "#found")
    page.type('[name="event"]', "4400\n")
    page.until(lambda: page.text("#log tr.picked td") == "4400")
    page.open(f"file://{next(pages.glob('sweep~*.html'))}")
    page.says("exp1", "#runs tbody")
    for path in sorted(pages.glob("*exp1*.html")):
        page.open(f"file://{path}")
        page.get("h1")
        assert page.driver.title != "hit" and not page.all('img[src="x"]'), path
        if page.all("iframe"):
            page.driver.switch_to.frame(page.get("iframe"))
            page.says("a report")
            assert page.do("return getComputedStyle(document.querySelector('p')).color") == "rgb(255, 0, 0)"
            page.driver.switch_to.default_content()
            assert page.driver.title != "hit"
    assert not [each for each in page.complaints() if "sandboxed" not in each]
