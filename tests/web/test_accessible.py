"""axe-core finds no accessibility error on any page, by day and by night."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, Iterator

import pytest

pytest.importorskip("cloudpickle")

from cli.builders import Bench   # noqa: E402
from commands import rex   # noqa: E402
from notebook.test_records import write_session   # noqa: E402
from rex.archive import Archive   # noqa: E402

from .browser import Page, served, why_no_browser   # noqa: E402

FOUND = importlib.util.find_spec("axe_core_python")
WHY_NOT = why_no_browser() or ("" if FOUND else "axe-core-python is not installed")
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)

TRAINING = "from rex import hindsight\nfor epoch in range(3):\n    hindsight.log('loss', 1 / (epoch + 1))\n"
# Everything is open, and colours change at once.
READY = """for (const each of document.querySelectorAll('details')) each.open = true;
const sheet = new CSSStyleSheet();
sheet.replaceSync('* { transition: none !important }');
document.adoptedStyleSheets = [sheet];"""
PAGES = ["/archive", "/history", "/", "/runs", "/experiments/first", "/experiments/first/log", "/experiments/first/workflow",
         "/experiments/first/graph", "/experiments/first/file?role=stdout", "/compare?left=first&right=second", "/experiments/nb",
         "/experiments/nb/session", "/experiments/run/training", "/sweep?of=first", "/versions", "/nothing"]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`rex ui` over an archive with something for each page."""
    top = tmp_path_factory.mktemp("accessible")
    bench = Bench(top / "A")
    rex("record", "-q", "-l", "A", "-e", "first", "--", "/bin/sh", "-c", "echo a,b > t.csv; cat t.csv", cwd=top)
    rex("record", "-q", "-l", "A", "-e", "second", "--", "/bin/sh", "-c", "echo a,c > t.csv; cat t.csv", cwd=top)
    write_session(Archive.open(bench.path))
    (top / "train.py").write_text(TRAINING)
    rex("hindsight", "record", "-l", "A", "-e", "run", "train.py", cwd=top)
    for value in ("1", "2"):
        (top / "cells.py").write_text(f"limit = {value}\nprint(limit)\n")
        rex("record", "-q", "--cells", "-l", "A", "-e", f"cells{value}", "cells.py", cwd=top)
    rex("sweep", "-q", "-l", "A", "-e", "first", "--arg", "2=echo 1 > t.csv,echo 2 > t.csv", cwd=top)
    with served(top, bench.path, command="ui") as (found, _):
        yield found


def faults(page: Page) -> list[tuple[str, str, list[Any]]]:
    """What axe finds on the page that is open: rule, what it asks for, and where."""
    assert FOUND and FOUND.origin
    if not page.do("return !!window.axe"):
        page.do((Path(FOUND.origin).parent / "axe.min.js").read_text(encoding="utf-8"))
    found = page.driver.execute_async_script("const done = arguments[0]; axe.run().then(done, error => done({ violations: [{ id: String(error), nodes: [] }] }))")
    return [(each["id"], each.get("help", ""), [node["target"] for node in each["nodes"]][:5]) for each in found["violations"]]


@pytest.mark.stress
def test_no_page_has_an_accessibility_error(page: Page, address: str) -> None:
    page.open(address)
    found = {}
    for path in PAGES:
        page.open(address.split("/?")[0] + path)
        page.get("h1")
        page.do(READY)
        for is_dark in (False, True):
            page.dark(is_dark)
            if wrong := faults(page):
                found[path, "night" if is_dark else "day"] = wrong
    page.dark(False)
    assert not found, "\n".join(f"{place}: {wrong}" for place, wrong in found.items())
