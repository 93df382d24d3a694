"""The paper's story in a real browser: record, open the page, change an argument, take a program from here, record, run, see."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from rex.errors import UsageError
from rex.web import words

from commands import rex

from .browser import Page, part, served, why_no_browser

WHY_NOT = why_no_browser()
pytestmark = [pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT), pytest.mark.usefixtures("tracing")]


def test_the_story(page: Page, address: str, place: Path) -> None:
    page.begin(address, "exp0")
    assert "token" not in page.driver.current_url
    page.type("#line", "./blast in.seq in.db '40")
    page.says("The quotation mark ' before 40 has no partner.", "#command")
    page.type("#line", "./blast in.seq in.db 40")
    page.says("1 change", "#command")
    assert [each.text for each in page.all(".words li")] == ["./blast", "in.seq", "in.db", "40"]
    assert [each.text for each in page.all(".words li.changed")] == ["40"]

    page.click(part("blastn") + ' [data-from="local"]')
    page.type(part("blastn") + " .pathfield", str(place / "gone"))
    page.says("no such file", "#apparatus")
    page.click(".bar .primary")
    page.says(f"{place / 'gone'}: there is no file", "#problems")
    page.type(part("blastn") + " .pathfield", str(place / "newer" / "blastn"))
    page.until(lambda: page.get(part("blastn") + " .pathfield").get_attribute("aria-invalid") == "false")

    page.type("#outdir", "results")
    page.type("#name", "newer")
    page.click(".bar .primary")
    told = page.get("#confirm").text
    assert "argument 3 is 40, was 20" in told and str(place / "newer" / "blastn") in told
    assert str(place / "results") in told and "recorded as newer" in told
    assert not (place / "results").exists()
    page.click("#go")

    page.says("Finished", "#pill")
    page.says("blastn 2.1: 12 queries", "#output")
    page.says("hits of score 40 or more", "#output")
    page.says("It is recorded as newer", "#result")
    page.says("What came of it", "#comparison")
    shown = page.text("#comparison")
    assert "argument 3" in shown and "hits.txt" in shown and "differs because" in shown
    marked = [each.text for each in page.all("#comparison mark")]
    assert "40" in marked and "20" in marked and "2.1" in marked
    link = next(each for each in page.all("#result td.file a") if each.text.endswith("hits.txt"))
    page.open(link.get_attribute("href"))
    hits = (place / "results" / str(place / "blast" / "hits.txt")[1:]).read_text()
    assert page.text("body").split() == hits.split() and "." in hits.split()[2]
    page.driver.back()

    page.driver.refresh()   # a reload shows all of it again
    page.says("hits of score 40 or more", "#output")
    page.says("What came of it", "#comparison")
    assert not page.complaints()
    told = json.loads(rex("ls", "--json", "EXP", cwd=place))
    assert {each["name"] for each in told[0]["experiments"] if each["made_from"] == "exp0"} == {"newer"}
    rex("replay", "-l", "EXP", "-e", "newer", "-o", "again", "--check", cwd=place)


def test_the_history_draws_what_came_from_what(page: Page, address: str, place: Path) -> None:
    page.open(address)
    page.click('nav a[href="/history"]')
    page.get(".ancestry")
    names = [each.text for each in page.all(".ancestry .name")]
    assert names[0] == "exp0" and "newer" in names and page.all(".ancestry .edge")
    page.says("distinct steps", "#steps")
    commands = [each.text.splitlines()[0] for each in page.all(".steps td.mono")]
    assert any("makedb" in each for each in commands) and "not s" in page.text(".steps")
    boxes = [each.text for each in page.all("#steps svg text")]
    assert any("blastn" in each for each in boxes)
    assert not page.complaints()


def test_the_workflow_shows_steps_and_their_order(page: Page, address: str) -> None:
    page.open(address)
    page.open(address.split("/?")[0] + "/experiments/exp0")
    page.driver.find_element("link text", "Workflow").click()
    page.says("Workflow of exp0", "h1")
    steps = [each.text for each in page.all(".steps tbody th")]
    assert any("makedb" in each for each in steps) and any("blastn" in each for each in steps)
    assert any("makedb" in each.text for each in page.all(".drawing text"))
    before = page.text("#persisting strong")
    page.do("const slider = document.querySelector('#mtbf'); slider.value = 20; slider.dispatchEvent(new Event('input'))")
    page.until(lambda: page.text("#persisting strong") not in ("", before), "for the plan of rare failures")
    assert "persists nothing" in page.text("#persisting") and not page.complaints()


def test_both_ways_of_splitting_agree(page: Page, address: str) -> None:
    """The page's own check and the server's: the same words, refused in the same places."""
    page.open(address)
    draw = random.Random(7)
    texts = ["".join(draw.choices("ab'\"\\ \n$é", k=draw.randrange(14))) for _ in range(300)]
    texts += ["a 'b c' d", 'x "y \\" z" \\ q', "''", "a ''", "a\\", "'", '"\\', "a\\\nb", "\\'a"]
    expected = []
    for text in texts:
        try:
            expected.append(words.split(text))
        except UsageError:
            expected.append(None)   # type: ignore[arg-type]
    found = page.driver.execute_async_script(
        "const done = arguments[1]; import('/static/words.js').then(({split}) => "
        "done(arguments[0].map((text) => split(text).words ?? null)))", texts)
    assert {text: (one, two) for text, one, two in zip(texts, expected, found) if one != two} == {}


def test_the_form_works_by_keyboard_and_undoes_changes(page: Page, address: str) -> None:
    page.begin(address, "exp0")
    names = {each.get_attribute("id") or each.get_attribute("class") for each in page.all("main input, main select, main textarea")
             if each.is_displayed() and not page.driver.execute_script(
                 "return arguments[0].labels.length || arguments[0].ariaLabel", each)}
    assert not names, f"fields without a name for screen readers: {names}"
    from selenium.webdriver.common.keys import Keys
    page.do("document.querySelector('#line').focus()")
    page.driver.switch_to.active_element.send_keys(Keys.END, " more")
    page.says("1 change to", "#summary")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.says("Run this new experiment?", "#confirm")
    assert page.driver.switch_to.active_element.text == "Run"
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    page.until(lambda: not page.all("#confirm[open]"))
    page.click("#environment summary")
    row = page.get('tr[data-variable="PATH"]')
    row.find_element("css selector", "[data-remove]").send_keys(Keys.ENTER)
    page.says("2 changes to", "#summary")
    assert "removed" in row.text
    page.click("#add-file")
    page.type("#added input", "extra.txt")
    page.driver.refresh()
    page.says("3 changes to", "#summary")
    assert page.get("#line").get_attribute("value").endswith(" more"), "a reload loses nothing"
    assert page.get("#added input").get_attribute("value") == "extra.txt"
    assert "removed" in page.get('tr[data-variable="PATH"]').text
    page.click("#reset")
    page.says("Nothing is changed yet", "#summary")
    assert not page.complaints()


def test_local_is_at_first_what_lies_here_under_the_same_name(page: Page, address: str) -> None:
    page.begin(address, "exp0")
    page.click(part("sort") + ' [data-from="local"]')
    field = page.get(part("sort") + " .pathfield")
    assert field.get_attribute("value").endswith("/sort")
    page.until(lambda: "kB" in page.get(part("sort") + " .verdict").text)
    page.says("1 change to exp0", "#summary")
    page.click(part("sort") + ' [data-from="archive"]')
    page.says("Nothing is changed yet", "#summary")


def test_a_library_is_one_file_under_each_program_that_needs_it(page: Page, address: str) -> None:
    page.begin(address, "exp0")
    for summary in page.all(".libraries summary")[:2]:
        page.driver.execute_script("arguments[0].click()", summary)
    shown = [each for each in page.all('.libraries [data-name="libc.so.6"]') if each.is_displayed()]
    assert len(shown) == 2
    page.driver.execute_script("arguments[0].querySelector('[data-from=local]').click()", shown[0])
    assert "changed" in shown[1].get_attribute("class")
    page.says("1 change to exp0", "#summary")


def test_files_are_searched_and_replaced(page: Page, address: str) -> None:
    page.begin(address, "exp0")
    page.type("#query", "seq")
    page.until(lambda: [each.text for each in page.all("tr[data-file] .name")] == ["in.seq"])
    page.click('[data-name="in.seq"] [data-replace]')
    page.type(".replacing .pathfield", "/etc/hostname")
    page.type("#query", "db")
    page.until(lambda: "in.db" in page.text("table.files tbody"))
    assert not page.all(".replacing")
    page.type("#query", "in.")
    page.until(lambda: page.all(".replacing"))
    assert page.get(".replacing .pathfield").get_attribute("value") == "/etc/hostname", "kept while it was out of sight"
    page.says("1 change to exp0", "#summary")
    page.type("#query", "no such file")
    page.says("No file matches", "table.files")
    page.do("sessionStorage.clear()")


def test_another_experiment_is_chosen_without_losing_the_place(page: Page, address: str) -> None:
    page.begin(address, "exp0")
    page.driver.execute_script("""const box = document.querySelector('#from'); box.focus(); box.value = 'sleepers';
                                  box.dispatchEvent(new Event('change'))""")
    page.until(lambda: "tree.sh" in page.get("#line").get_attribute("value"))
    assert page.driver.current_url.endswith("?from=sleepers") and "sleepers" in page.driver.title
    assert page.do("return document.activeElement.id") == "from", "arrow keys go on"
    page.type("#line", "sh tree.sh 5")
    page.says("1 change to sleepers", "#summary")
    page.do("sessionStorage.clear()")


def test_narrow_windows_need_no_sideways_scrolling(place: Path) -> None:
    with served(place, "-l", "EXP", "--port", "17700") as (address, _), Page(width=360, height=740) as narrow:
        narrow.open(address)
        for path in ("", "archive", "history", "runs", "experiments/exp0", "experiments/exp0/log", "experiments/exp0/workflow", "compare?left=exp0&right=exp0"):
            narrow.open(address.split("?")[0] + path)
            narrow.get("h1")
            assert narrow.do("return document.documentElement.scrollWidth") <= 360, path
