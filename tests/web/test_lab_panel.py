"""The side panel in a real JupyterLab: cells run, a click goes back, undo, a variable of another branch, the notebook's cells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

import pytest

from .browser import Page
from .lab import lab_in, open_notebook, run_all, why_no_lab

WHY_NOT = why_no_lab()
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)

CELLS = ["%load_ext rex.notebook", "x = [1, 2]", "x.append(3)", "name = '<img src=x onerror=alert(1)>'"]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address and folder of a JupyterLab."""
    folder = tmp_path_factory.mktemp("lab")
    with lab_in(folder) as address:
        yield address, folder


@pytest.fixture
def page() -> Iterator[Page]:
    with Page() as opened:
        yield opened


def states(page: Page) -> list[str]:
    """The numbers of the states, as listed."""
    return [each.text for each in page.all(".rex-go b")]


def button(state: int, kind: str = ".rex-go") -> str:
    """The selector of a state's button."""
    return f".rex-cells li[data-number='{state}'] {kind}"


def test_a_click_goes_back_and_running_on_makes_a_branch(page: Page, lab: tuple[str, Path]) -> None:
    open_notebook(page, lab[0], lab[1] / "one.ipynb", *CELLS)
    page.says("Keep the states of this notebook", ".rex-cells")
    run_all(page)       # its first cell loads Rex
    page.until(lambda: states(page) == ["4", "3", "2", "1"], "for the states")
    page.says("name = '<img", ".rex-head")      # a name is text, never a picture
    page.click(button(2))
    page.says("at 2", ".rex-status")
    page.until(lambda: page.text(".rex-head b") == "2")

    page.hover(button(4))
    page.says("+ name", ".rex-tip")
    page.says("~ x", ".rex-tip")

    page.click(button(3, ".rex-more"))
    page.press(lambda: [each for each in page.all(".rex-variable button") if each.text == "Take"], "Take")
    page.says("took x of cell 3", ".rex-status")
    page.until(lambda: len(states(page)) == 5 and page.text(".rex-head code").startswith("x = %rex show 3:x"), "for a state of its own")
    page.says("branch-1", ".rex-head")
    page.click(".rex-undo")
    page.until(lambda: page.text(".rex-head b") == "2")
    assert not page.all("dialog img, .rex-panel img") and page.get(".rex-panel").get_attribute("aria-busy") == "false"


@pytest.mark.stress
def test_the_cells_come_back_too_and_edits_are_kept(page: Page, lab: tuple[str, Path]) -> None:
    path = lab[1] / "two.ipynb"
    open_notebook(page, lab[0], path, "n = 1", "n += 1", "n += 1")
    page.click(".rex-on")      # switched on from the panel, no cell needed
    page.says("rex: on", ".rex-status")
    run_all(page)
    page.until(lambda: states(page)[:3] == ["3", "2", "1"], "for the states")
    page.click(".jp-Notebook .jp-CodeCell:last-of-type .cm-content")
    page.type(".jp-Notebook .jp-CodeCell:last-of-type .cm-content", "# unsaved", is_cleared=False)
    page.click(button(2, ".rex-more"))
    page.click(".rex-both")
    page.says("what was there is in", ".rex-status")
    page.until(lambda: "unsaved" not in page.text(".jp-Notebook"), "for the notebook of that state")
    cells = json.loads(path.read_text())["cells"]
    assert [("".join(each["source"]), each["execution_count"]) for each in cells] == [("n = 1", 1), ("n += 1", 2), ("n += 1", None)]
    assert "# unsaved" in (path.parent / "two-before-1.ipynb").read_text()
    page.driver.refresh()      # the panel finds the session again
    page.until(lambda: page.all("[data-id='rex-panel']"))
    if not page.text(".rex-panel"):
        page.click("[data-id='rex-panel']")
    page.until(lambda: page.text(".rex-head b") == "2")
