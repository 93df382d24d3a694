"""The pages of an experiment in a real browser: files, time line, hostile previews, a log of 100,000 events."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

import pytest

from cli.builders import Bench, a_log, call, write
from rex.archive import Process
from rex.log.records import IN

from .browser import Page, served, why_no_browser

WHY_NOT = why_no_browser()
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)

MANY = 100_000
HIT = "try { parent.document.title = 'hit' } catch {} try { top.location = 'about:blank' } catch {} document.title = 'hit'"
EVIL_PAGE = f"""<!doctype html><title>quiet</title><style>body {{ color: rgb(1, 2, 3) }}</style><p id="seen">a report</p>
<script>{HIT}</script><img src="x" onerror="{HIT}"><form action="/api/remove" method="post"><button>go</button></form>
<meta http-equiv="refresh" content="0;url=javascript:{HIT}"><svg onload="{HIT}"></svg>"""
EVIL_PICTURE = f'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" onload="{HIT}"><script>{HIT}</script><rect width="40" height="30"/></svg>'
EVIL_NAME = "<img src=x onerror=\"document.title='hit'\">"


def log_of(count: int) -> list[Any]:
    """Events of which every tenth opens a file."""
    return [*a_log([])[:2], *(call("openat", -2, (1, IN, b"/w/f%d.csv" % n)) if n % 10 == 0 else write(2, b"n") for n in range(count - 2))]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of `rex ui` over an archive with a large experiment and a hostile one."""
    top = tmp_path_factory.mktemp("experiments")
    bench = Bench(top / "A")
    bench.record("large", inputs={f"/w/in{n:03}.txt": b"%d" % n for n in range(300)}, outputs={"/w/table.csv": b"name,size\ncat,3\n"},
                 events=log_of(MANY), exit_status=0,
                 processes=tuple(Process(n, n - 1 if n else None, 0, ("step", str(n)), "/bin/step", n / 10, n / 10 + 1, 0) for n in range(5)))
    bench.record("evil", command=(EVIL_NAME,), user=EVIL_NAME, environment={"A": EVIL_NAME}, inputs={f"/w/{EVIL_NAME}": b"x"},
                 outputs={"/w/report.html": EVIL_PAGE.encode(), "/w/plot.svg": EVIL_PICTURE.encode(), "/w/t.csv": f"a,b\n{EVIL_NAME},2\n".encode()},
                 processes=(Process(0, None, 0, (EVIL_NAME,), EVIL_NAME, 0.0, 1.0, 0),), stdout=EVIL_NAME.encode(),
                 events=[*a_log([write(2, EVIL_NAME.encode())]), call("openat", -2, (1, IN, EVIL_NAME.encode()))])
    with served(top, bench.path, "--port", "17580", command="ui") as (found, _):
        yield found


def go(page: Page, address: str, path: str) -> None:
    """Open a page of the server."""
    page.open(address)
    page.open(address.split("/?")[0] + path)


def test_files_and_processes_are_found(page: Page, address: str) -> None:
    go(page, address, "/archive")
    page.follow("large")
    page.says("303 files", "#found")
    assert len(page.all("#files tbody tr")) < 80
    page.type("#query", "table")
    page.says("1 file", "#found")
    bars = page.do("return [...document.querySelectorAll('.bar-of')].map(each => [each.style.left, each.getBoundingClientRect().width > 1])")
    assert [left for left, _ in bars] == ["0%", "6.7%", "13.3%", "20%", "26.7%"] and all(is_wide for _, is_wide in bars)
    page.click("#files tbody a")
    page.says("name")
    assert [each.text for each in page.all("table.data td")] == ["cat", "3"]
    assert not page.complaints()


def test_a_log_of_a_hundred_thousand_events_is_walked_filtered_and_entered(page: Page, address: str) -> None:
    go(page, address, "/experiments/large/log")
    page.says("100,000 events", "#found")
    page.until(lambda: page.text("#log tbody tr:nth-child(2) td") == "0")
    assert len(page.all("#log tbody tr")) < 90
    page.do("const box = document.querySelector('.window'); box.scrollTop = box.scrollHeight")
    page.until(lambda: page.all("#log tbody tr")[-2].text.startswith("99999 "))
    page.type('[name="calls"]', "openat")
    page.type('[name="path"]', "*70.csv\n")
    page.says("of 100,000 events", "#found")
    page.until(lambda: "70.csv" in page.text("#log tbody tr:nth-child(2)"))
    page.type('[name="calls"]', " ")
    page.type('[name="path"]', " ")
    page.type('[name="event"]', "54321\n")
    page.until(lambda: page.text("#log tr.picked td") == "54321")
    page.driver.refresh()
    page.until(lambda: page.text("#log tr.picked td") == "54321")
    page.type('[name="calls"]', "nonsense\n")
    page.says("no system call named nonsense", "#found")
    assert not page.complaints()


@pytest.mark.parametrize("path", ["/experiments/evil", "/experiments/evil/log", "/experiments/evil/file?role=stdout",
                                  "/experiments/evil/file?role=output&path=/w/t.csv", "/history", "/archive"])
def test_hostile_names_and_outputs_run_no_script(page: Page, address: str, path: str) -> None:
    go(page, address, path)
    page.says("onerror")
    assert page.driver.title != "hit" and not page.all('img[src="x"]') and not page.complaints()


def test_a_hostile_page_is_shown_without_its_scripts(page: Page, address: str) -> None:
    go(page, address, "/experiments/evil/file?role=output&path=/w/report.html")
    frame = page.get("iframe")
    page.driver.switch_to.frame(frame)
    page.says("a report")
    page.driver.switch_to.default_content()
    assert page.driver.title.startswith("report.html") and "/experiments/evil/file" in page.driver.current_url
    source = frame.get_attribute("src")
    page.open(source)      # by itself, as somebody may open it
    page.says("a report")
    assert page.driver.title == "quiet" and page.driver.current_url == source
    assert page.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": "self.origin"})["result"].get("value") == "null"


def test_a_hostile_picture_is_only_a_picture(page: Page, address: str) -> None:
    go(page, address, "/experiments/evil/file?role=output&path=/w/plot.svg")
    page.until(lambda: page.do("return document.querySelector('.preview img').naturalWidth") == 40)
    assert page.driver.title.startswith("plot.svg")
    page.open(page.get(".preview img").get_attribute("src"))
    assert page.do("return document.title") != "hit"


def test_a_file_is_downloaded_whole(page: Page, address: str, tmp_path: Path) -> None:
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    go(page, address, "/experiments/evil/file?role=output&path=/w/report.html")
    page.click("a[download]")
    page.until(lambda: (tmp_path / "report.html").exists())
    assert (tmp_path / "report.html").read_text() == EVIL_PAGE
