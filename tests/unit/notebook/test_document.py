"""The notebook of a state: each cell once, in its place, and nothing overwritten without a copy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rex.errors import UsageError
from rex.notebook import document
from rex.notebook.graph import Graph, Node

SAVED = ["# Title", "import math", "x = 1", "print(x + math.pi)", "never = 'run'"]


def built(*steps: tuple[str, str], saved: list[str] = SAVED) -> list[str]:
    """Sources of the notebook after cells of these ids ran this code."""
    cells = [{"cell_type": "code" if at else "markdown", "id": f"id{at}", "metadata": {}, "source": [text],
              **({"outputs": [], "execution_count": None} if at else {})} for at, text in enumerate(saved)]
    graph = Graph()
    for number, (identity, code) in enumerate(steps, 1):
        graph.add(Node(number, number - 1, code, count=number, cell_id=identity, document=[1] if number == 1 else None))
    found = document.build(graph, len(steps), lambda ref: json.dumps({"cells": cells}).encode())
    ids = [cell["id"] for cell in found["cells"]]
    assert len(ids) == len(set(ids))
    return ["".join(cell["source"]) for cell in found["cells"]]


@pytest.mark.parametrize("ids", [["id1", "id2", "id3"], ["", "", ""], ["vscode-cell:/nb#W1", "vscode-cell:/nb#W2", "vscode-cell:/nb#W3"]])
def test_no_cell_is_doubled_or_appended(ids: list[str]) -> None:
    assert built(*zip(ids, SAVED[1:4])) == SAVED
    again = [*zip(ids, SAVED[1:4]), (ids[1], SAVED[2]), (ids[2], SAVED[3])]
    assert built(*again) == SAVED


@pytest.mark.parametrize("ids", [["id2", "id2"], ["front-end#2", "front-end#2"]])
def test_edits_take_the_place_of_what_was_saved(ids: list[str]) -> None:
    assert built((ids[0], "x = 1"), (ids[1], "x = 100"))[1:4] == [SAVED[1], "x = 100", SAVED[3]]


def test_a_cell_that_was_edited_before_it_ran_is_not_doubled() -> None:
    assert built(("", SAVED[1]), ("", "print(x + math.tau)")) == [*SAVED[:3], "print(x + math.tau)", SAVED[4]]


def test_a_new_cell_stands_behind_the_one_that_ran_before() -> None:
    assert built(("new#0", "%load_ext rex.notebook"), ("id2", "x = 1"), ("new#1", "y = {}")) == [
        "%load_ext rex.notebook", *SAVED[:3], "y = {}", *SAVED[3:]]
    assert built(("", "a = 1"), ("", "b = [2]"), saved=["# Title"]) == ["a = 1", "b = [2]", "# Title"]


def test_two_cells_of_equal_text_stay_two() -> None:
    assert built(("", "step()"), ("", "x = 1"), ("", "step()"), saved=["#", "step()", "x = 1", "step()"]) == [
        "#", "step()", "x = 1", "step()"]


def test_updates_change_the_displays_of_their_id() -> None:
    def shown(kind: str, text: str, **more: str) -> dict[str, Any]:
        return {"output_type": kind, "data": {"text/plain": text}, "metadata": {}, **more}

    graph = Graph()
    graph.add(Node(1, 0, "one", count=1, outputs=[shown("display_data", "1", display_id="a"), shown("display_data", "2")]))
    graph.add(Node(2, 1, "two", count=2, outputs=[shown("update_display_data", "3", display_id="a"),
                                                  shown("update_display_data", "4", display_id="nobody")]))
    for node, texts in ((1, ["1", "2"]), (2, ["3", "2"])):
        found = document.build(graph, node, lambda ref: b"")
        assert [output["data"]["text/plain"] for output in found["cells"][0]["outputs"]] == texts
        assert all(set(output) == {"output_type", "data", "metadata"} for output in found["cells"][0]["outputs"])
        assert not found["cells"][-1]["outputs"] or node == 1


def test_what_is_replaced_is_kept_where_its_text_is_another(tmp_path: Path) -> None:
    path = tmp_path / "nb.ipynb"

    def notebook(*texts: str) -> dict[str, Any]:
        return {"cells": [{"cell_type": "code", "source": text, "outputs": []} for text in texts]}

    assert document.write(notebook("a"), str(path)) == ""
    with pytest.raises(UsageError, match="exists"):
        document.write(notebook("b"), str(path))
    assert document.write(notebook("a"), str(path), force=True) == ""
    kept = [document.write(notebook(text), str(path), force=True) for text in ("b", "c")]
    assert kept == [str(tmp_path / f"nb-before-{n}.ipynb") for n in (1, 2)]
    assert [json.loads(Path(each).read_text())["cells"][0]["source"] for each in kept] == ["a", "b"]
