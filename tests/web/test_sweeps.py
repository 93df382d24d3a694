"""The page of a sweep: which parameter changes what, the table, the plots."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any, Iterator

import pytest
from starlette.testclient import TestClient

from cli.builders import Bench
from rex.archive import about
from rex.web.plots import Dot, plot

from .browser import Page, served, why_no_browser

EVIL = "<img src=x onerror=\"document.title='hit'\">"


def fill(bench: Bench, rates: tuple[str, ...] = ("0.1", "0.2", "10"), seeds: tuple[str, ...] = ("1", "2")) -> None:
    """A sweep of `base` by rate and seed: the rate changes fit.json, the seed only a line of it, nothing changes same.txt."""
    bench.record("base", start_ns=10**18, exit_status=0)
    number = 0
    for rate in rates:
        for seed in seeds:
            number += 1
            bench.record(f"run{number}", start_ns=10**18 + number, exit_status=0, stdout=f"error {float(rate) / 8:.3f}\n".encode(),
                         outputs={"/w/fit.json": f'{{"slope": {float(rate) * 3 + int(seed)}, "note": "{seed}"}}'.encode(), "/w/same.txt": b"same"})
            about.set_labels(bench.archive, f"run{number}", {"sweep": "base", "rate": rate, "SEED": seed})


def table_of(text: str) -> dict[str, list[str]]:
    """What each column shows, by its output and title."""
    told = json.loads(html.unescape(text.split("data-table='")[1].split("'")[0]))
    return {f"{column['of']}/{column['title']}": [shown for shown, _ in column["cells"]] for column in told["columns"]}


def test_the_page_tells_what_each_parameter_changes(client: TestClient, bench: Bench) -> None:
    fill(bench)
    text = client.get("/sweep?of=base").text
    words = " ".join(html.unescape(text.split('class="effects"')[1].split("</table>")[0]).replace(">", "> ").replace("<", " <").split())
    assert words.index("SEED") < words.index("rate")
    rows = {row.split("</th>")[0].split("> ")[-1].strip(): row.split("<td")[1:] for row in words.split('<th scope="row"')[1:]}
    assert {name: ["no change" not in cell for cell in cells] for name, cells in rows.items()} == {
        "fit.json": [True, True], "standard output": [False, True]}
    assert "The same in all runs: same.txt" in text


def test_the_table_has_parameters_outputs_and_their_numbers(client: TestClient, bench: Bench) -> None:
    fill(bench)
    found = table_of(client.get("/sweep?of=base").text)
    assert found["/Run"] == [f"run{number}" for number in range(1, 7)]
    assert found["parameter/rate"] == ["0.1", "0.1", "0.2", "0.2", "10", "10"] and found["parameter/SEED"] == ["1", "2"] * 3
    assert found["fit.json/slope"] == ["1.3", "2.3", "1.6", "2.6", "31", "32"]
    assert found["standard output/error"] == ["0.013", "0.013", "0.025", "0.025", "1.25", "1.25"]
    assert [cell[0] for cell in found["standard output/content"]] == list("AABBCC")
    assert not any(column.startswith("same.txt") for column in found) and "/Status" not in found


def test_a_number_is_drawn_against_the_parameters_that_change_it(client: TestClient, bench: Bench) -> None:
    fill(bench)
    text = html.unescape(client.get("/sweep?of=base").text)
    drawn = [part.split('"')[0] for part in text.split('class="curve plot"')[1:] for part in [part.split('aria-label="')[1]]]
    assert drawn == ["slope of fit.json by SEED", "slope of fit.json by rate", "error of standard output by rate"]


def test_parameters_that_vary_together_are_told_from_none(client: TestClient, bench: Bench) -> None:
    for number in (1, 2):
        bench.record(f"run{number}", outputs={"/w/out": b"%d" % number})
        about.set_labels(bench.archive, f"run{number}", {"sweep": "gone", "a": str(number), "b": str(number)})
    text = client.get("/sweep?of=gone").text
    assert text.count("not known") == 2 and 'href="/experiments/gone"' not in text


def test_the_history_and_an_experiment_lead_to_their_sweep(client: TestClient, bench: Bench) -> None:
    fill(bench, ("0.1",))
    for address in ("/history", "/experiments/base", "/experiments/run1"):
        assert 'href="/sweep?of=base"' in client.get(address).text, address
    assert client.get("/sweep?of=run1").status_code == client.get("/sweep").status_code == 404


def test_new_runs_and_labels_are_shown_at_once(client: TestClient, bench: Bench) -> None:
    fill(bench, ("0.1",))
    assert len(table_of(client.get("/sweep?of=base").text)["/Run"]) == 2
    bench.record("more")
    about.set_labels(bench.archive, "more", {"sweep": "base", "rate": "7"})
    assert table_of(client.get("/sweep?of=base").text)["parameter/rate"] == ["0.1", "0.1", "7"]


@pytest.mark.parametrize("values", [["a", "b"], ["1", "1000"], ["0", "-5"], ["nan", "inf"], [EVIL, ""], ["1e999", "1"], ["3"]])
def test_any_values_of_a_parameter_are_drawn(values: list[str]) -> None:
    drawn = plot("a & b", [Dot(value, float(at), EVIL) for at, value in enumerate(values)])
    assert drawn.count("<circle") == len(values) and "<img" not in drawn
    assert '"nan' not in drawn and '"inf' not in drawn, "every dot has a place"


@pytest.fixture
def address(bench: Bench, tmp_path: Path) -> Iterator[str]:
    """`rex ui` over a sweep of many runs, with hostile names."""
    fill(bench, tuple(map(str, range(1, 61))), ("1", "2"))
    bench.record("evil", outputs={f"/w/{EVIL}": f"{EVIL} 3".encode()})
    about.set_labels(bench.archive, "evil", {"sweep": "base", EVIL.replace("=", ""): EVIL})
    with served(tmp_path, bench.path, command="ui") as (found, _):
        yield found


def column(page: Page, place: int) -> list[Any]:
    """What the rows in sight show in a column."""
    found: list[Any] = page.do(f"return [...document.querySelectorAll('#runs tbody tr:not(.space)')].map(each => each.cells[{place}].textContent)")
    return found


@pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser())
def test_runs_are_sorted_by_a_click_and_only_those_in_sight_are_drawn(page: Page, address: str) -> None:
    page.open(address)
    page.open(address.split("/?")[0] + "/sweep?of=base")
    page.until(lambda: column(page, 0))
    assert len(column(page, 0)) < 80 and page.get("table.sweep").get_attribute("ariaRowCount") == "122"
    titles = [each.text for each in page.all("#runs thead button")]
    place = titles.index("slope")
    for _ in range(2):
        page.press(lambda: [page.all("#runs thead button")[place]], "slope")
    page.until(lambda: column(page, place)[:2] == ["182", "181"])
    page.driver.refresh()
    page.until(lambda: column(page, place)[:2] == ["182", "181"], "a reload keeps the order")
    assert page.driver.title == "Sweep of base – Rex" and not page.all('img[src="x"]') and not page.complaints()
