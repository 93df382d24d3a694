"""The page of a notebook session: cells, what each changed, names; strangers' text does no harm."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

pytest.importorskip("cloudpickle")

from cli.builders import Bench   # noqa: E402
from notebook.test_records import write_session   # noqa: E402
from rex.archive import Archive   # noqa: E402
from rex.notebook.graph import Graph, Node   # noqa: E402
from rex.web.session import changes_of   # noqa: E402


def test_cells_are_listed_with_what_they_changed(client: TestClient, bench: Bench) -> None:
    write_session(Archive.open(bench.path))
    assert "/experiments/nb/session" in client.get("/experiments/nb").text
    page = client.get("/experiments/nb/session").text
    assert "5 cells" in page and page.index('id="cell-5"') < page.index('id="cell-1"')
    assert "v3 = [&#39;x&#39;] * 3" in page and "+ v3" in page and "tag good" in page
    assert '<a href="#cell-2">cell 2</a>' in page


def test_a_program_has_no_cells(client: TestClient, bench: Bench) -> None:
    bench.record("exp0")
    answer = client.get("/experiments/exp0/session")
    assert answer.status_code in (400, 404) and "Traceback" not in answer.text


def node(number: int, parent: int, **values: Any) -> Node:
    """A node whose variables have these texts."""
    return Node(number, parent, changed={name: f"{number}{name}" for name in values},
                views={name: {"kind": "int", "text": text} for name, text in values.items()})


def test_changes_are_those_against_the_parent_not_the_cell_before() -> None:
    graph = Graph()
    for each in (node(1, 0, a="1", b="1"), node(2, 1, a="2"), node(3, 1, a="3", c="1"), node(4, 3, b="2")):
        graph.add(each)
    graph.nodes[4].removed = frozenset({"c"})
    found = {number: [(one["mark"], one["name"], one["details"]) for one in changes] for number, changes in changes_of(graph).items()}
    assert found == {1: [("+", "a", []), ("+", "b", [])], 2: [("~", "a", ["1 -> 2"])], 3: [("~", "a", ["1 -> 3"]), ("+", "c", [])],
                     4: [("~", "b", ["1 -> 2"]), ("−", "c", [])]}
