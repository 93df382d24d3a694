"""The archive's table in a real browser: a thousand rows, found, sorted, changed, compared, by hand and by keyboard."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Iterator

import pytest

from cli.builders import Bench, call, default_facts
from rex.archive import Manifest, about
from rex.log import LogWriter

from .browser import Page, served, why_no_browser

WHY_NOT = why_no_browser()
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)

EVIL = '<img src=x onerror="document.title=1">'
MANY = 1000


@pytest.fixture
def shelf(tmp_path: Path) -> Bench:
    """An archive of five experiments, one of them with hostile texts."""
    bench = Bench(tmp_path / "A")
    bench.record("exp0", command=("train", "--seed", "1"), start_ns=10**18, duration_s=9.0, exit_status=0, outputs={"/w/out": b"1\n"})
    bench.record("exp1", command=("train", "--seed", "2"), start_ns=2 * 10**18, duration_s=80.0, exit_status=0, outputs={"/w/out": b"2\n"},
                 extra={"runnew": {"from": "exp0"}})
    bench.record("exp2", command=("sort", "in.csv"), start_ns=3 * 10**18, duration_s=0.5, exit_status=1)
    bench.record("evil", command=(EVIL,), start_ns=4 * 10**18, duration_s=3.0, exit_status=0)
    bench.leave_incomplete()
    about.set_labels(bench.archive, "exp1", {"seed": "2"})
    about.set_labels(bench.archive, "evil", {EVIL.replace("=", ""): EVIL})
    about.set_note(bench.archive, "evil", EVIL)
    return bench


@pytest.fixture
def address(shelf: Bench, tmp_path: Path) -> Iterator[str]:
    """The address of `rex ui`."""
    with served(tmp_path, shelf.path, "--port", "17520", command="ui") as (found, _):
        yield found


def names(page: Page) -> list[str]:
    """Names in the rows that are drawn, in their order."""
    found: list[str] = page.do("return [...document.querySelectorAll('.window tbody th')].map(each => "
                               "each.querySelector('a')?.textContent ?? each.firstChild.textContent)")
    return found


def sizes(page: Page) -> list[str]:
    """What the column of sizes shows, the newest experiment first."""
    found: list[str] = page.do("return [...document.querySelectorAll('.window tbody tr:not(.space)')].map(each => each.cells[7].textContent)")
    return found


def go(page: Page, address: str) -> None:
    """Open the table, and wait until it is whole: rows are drawn anew when sizes come."""
    page.open(address)
    page.until(lambda: names(page) and "…" not in sizes(page), "for the sizes")


def test_experiments_are_found_and_sorted(page: Page, address: str) -> None:
    go(page, address)
    page.says("5 experiments", "#found")
    assert page.driver.current_url.split("#")[0].endswith("/archive")
    page.until(lambda: names(page) == ["evil", "exp2", "exp1", "exp3", "exp0"], "for the newest first")
    page.type("#query", "train SEED")
    page.until(lambda: names(page) == ["exp1", "exp0"])
    page.driver.refresh()
    page.until(lambda: names(page) == ["exp1", "exp0"], "a reload keeps the search")
    page.type("#query", " ")
    page.do("document.querySelector('#status').value = 'bad'; document.querySelector('#status').dispatchEvent(new Event('input'))")
    page.until(lambda: names(page) == ["exp2"])
    page.do("document.querySelector('#status').value = ''; document.querySelector('#status').dispatchEvent(new Event('input'))")
    page.click('th[data-sort="seconds"] button')
    page.until(lambda: names(page)[:4] == ["exp2", "evil", "exp0", "exp1"])
    page.click('th[data-sort="seconds"] button')
    page.until(lambda: names(page)[:4] == ["exp1", "exp0", "evil", "exp2"])
    assert page.get('th[data-sort="seconds"]').get_attribute("aria-sort") == "descending"
    assert page.driver.title == "Archive – Rex" and not page.complaints()


def test_an_experiment_is_renamed_labelled_noted_and_chosen(page: Page, address: str, shelf: Bench) -> None:
    go(page, address)
    page.click('[aria-label="Edit exp0"]')
    page.type('#edit [name="name"]', "exp1")
    page.click('#edit [type="submit"]')
    page.says("exp1 exists", "#edit")
    page.type('#edit [name="name"]', "baseline")
    page.type('#edit [name="labels"]', "seed=1\nkind=plain")
    page.type('#edit [name="note"]', "the first one")
    page.click('#edit [type="submit"]')
    page.until(lambda: "baseline" in names(page) and not page.all("#edit[open]"))
    page.until(lambda: sizes(page) == ["0 B", "0 B", "2 B", "–", "2 B"], "measured again")
    manifest = shelf.archive.experiment("baseline").manifest
    assert about.labels_of(manifest) == {"seed": "1", "kind": "plain"} and about.note_of(manifest) == "the first one"
    page.click('[aria-label="Edit exp2"]')
    page.click("#edit [data-default]")
    page.until(lambda: shelf.archive.default() == "exp2" and not page.all("#edit[open]"))
    assert len(page.all(".window tbody th .tag")) == 1
    page.click('[aria-label="Edit evil"]')
    assert page.get('#edit [name="note"]').get_attribute("value") == EVIL, "shown as it is, and only text"
    page.click("#edit [data-cancel]")
    assert page.driver.title == "Archive – Rex"


def test_two_are_compared_and_some_deleted_after_a_question(page: Page, address: str, shelf: Bench) -> None:
    go(page, address)
    page.click('[aria-label="Select exp1"]')
    page.says("select another one to compare", "#picked")
    page.click('[aria-label="Select exp0"]')
    page.click("[data-compare]")
    page.says("exp1 compared with exp0")
    page.type('#bisect [name="output"]', "out")
    page.click("#bisect button")
    page.says("What differs between exp0 and exp1", ".crumb")
    page.driver.back()
    page.says("exp1 compared with exp0")
    page.says("argument 2")
    page.driver.back()
    page.click('[aria-label="Select exp2"]')
    page.click('[aria-label="Select evil"]')
    page.click("#picked [data-remove]")
    page.says("Delete 2 experiments?", "#remove")
    page.click("#remove [data-cancel]")
    assert len(shelf.archive.experiments()) == 5
    page.click("#picked [data-remove]")
    page.click('#remove [type="submit"]')
    page.says("3 experiments", "#found")
    assert {each.name for each in shelf.archive.experiments()} == {"exp0", "exp1", "exp3"}
    assert not page.complaints()


def test_three_are_compared_with_a_tolerance(page: Page, address: str, shelf: Bench) -> None:
    shelf.record("exp4", command=("train", "--seed", "3"), start_ns=5 * 10**18, exit_status=0, outputs={"/w/out": b"3\n"})
    go(page, address)
    for name in ("exp0", "exp1", "exp4"):
        page.click(f'[aria-label="Select {name}"]')
    page.click("[data-compare]")
    page.says("3 experiments compared", "h1")
    page.says("out has another result exactly for each value of the option --seed", "main")
    page.click(".tolerance summary")
    page.driver.find_element("name", "atol").send_keys("5")
    page.click('.tolerance [type="submit"]')
    page.says("All gave the same", "main")
    page.says("--atol 5", "main")
    page.click("#set-rules")
    page.says("Rules now: --atol 5", "#rules-told")
    page.click('button[name="parted"]')
    page.says("Where they parted from exp0", "main")
    page.says("--atol 5", "main")
    assert not page.complaints()


def test_a_recording_is_followed_until_it_ends(page: Page, address: str, shelf: Bench) -> None:
    def status() -> str:
        found: list[str] = page.do("return [...document.querySelectorAll('.window tbody tr:not(.space)')].filter(each => "
                                   "each.textContent.includes('live')).map(each => each.cells[4].textContent)")
        return "".join(found)

    with shelf.archive.begin("live", {"command": ["sleep", "9"], "start_ns": time.time_ns()}) as recording:
        page.open(address)
        page.until(lambda: status() == "recording", "for the recording")
        with LogWriter(recording.log_path, start_ns=1) as log:
            log.append(call("getpid", 5))
        recording.finish(Manifest(files={}, **{**default_facts(), "start_ns": 6 * 10**18}))
    page.until(lambda: status() == "exit status 3", "for its end, without a reload")
    assert not page.complaints()


def test_the_keyboard_alone_suffices(page: Page, address: str, shelf: Bench) -> None:
    from selenium.webdriver.common.keys import Keys
    go(page, address)
    page.get("#query").send_keys("seed 2", Keys.TAB)
    page.until(lambda: names(page) == ["exp1"])
    for _ in range(20):
        active = page.driver.switch_to.active_element
        if active.get_attribute("aria-label") == "Edit exp1":
            break
        active.send_keys(Keys.TAB)
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.get("#edit[open]")
    page.get('#edit [name="name"]').send_keys("x", Keys.ENTER)
    page.until(lambda: "exp1x" in {each.name for each in shelf.archive.experiments()})


def test_a_thousand_rows_are_few_in_the_page(page: Page, tmp_path: Path) -> None:
    bench = Bench(tmp_path / "A")
    first = Path(bench.record("exp0", start_ns=10**18).directory)
    for number in range(1, MANY):
        shutil.copytree(first, first.with_name(f"exp{number}"))
    with served(tmp_path, bench.path, "--port", "17540", command="ui") as (address, _):
        go(page, address)
        page.says(f"{MANY} experiments", "#found")
        page.until(lambda: names(page)[:1] == ["exp0"])
        assert len(names(page)) < 80
        assert page.get("table.rows").get_attribute("ariaRowCount") == str(MANY + 1)
        page.do("const box = document.querySelector('.window'); box.scrollTop = box.scrollHeight")
        page.until(lambda: names(page)[-1] == f"exp{MANY - 1}")
        assert len(names(page)) < 80
        page.type("#query", "exp777")
        page.until(lambda: names(page) == ["exp777"])
        assert not page.complaints()


def test_a_read_only_archive_offers_no_change(page: Page, shelf: Bench, tmp_path: Path) -> None:
    with served(tmp_path, "-l", shelf.path, "--read-only", "--port", "17560", command="ui") as (address, _):
        go(page, address)
        page.says("5 experiments", "#found")
        page.until(lambda: len(names(page)) == 5)
        assert not any(each.is_displayed() for each in page.all("[data-remove]")) and not page.all('[aria-label="Edit exp0"]') and not page.all("dialog")
        assert [each.text for each in page.all("nav a")] == ["Archive", "History"]
        answer = page.driver.execute_async_script(
            "const done = arguments[0]; fetch('/api/remove', {method: 'POST', headers: {'content-type': 'application/json'}, "
            "body: JSON.stringify({experiments: ['exp0']})}).then(answer => done(answer.status))")
        assert answer == 403 and len(shelf.archive.experiments()) == 5
