"""A workflow as a picture: time runs from left to right."""

from __future__ import annotations

import xml.etree.ElementTree as xml

from rex import picture
from rex.workflow.graph import Task, Workflow
from rex.workflow.picture import as_graph


def task(number: int, preds: dict[int, tuple[str, ...]], outputs: dict[str, int], results: dict[str, int]) -> Task:
    return Task(f"{number}-step", (number,), f"step {number}", 1.0, 1.0, preds, outputs, results)


def test_a_step_stands_behind_what_it_reads_and_before_what_it_writes() -> None:
    tasks = (task(0, {}, {"/w/a": 1}, {}), task(1, {0: ("/w/a",)}, {"/w/b": 2}, {"/w/log": 3}), task(2, {1: ("/w/b",)}, {}, {"/w/c": 4}),
             task(3, {2: ()}, {}, {}))
    workflow = Workflow(tasks, "depth", (), 0.0, frozenset(), False, cwd="/w")
    drawn = xml.fromstring(picture.as_svg(as_graph(workflow)))
    ns = "{http://www.w3.org/2000/svg}"
    left = {group.findtext(f"{ns}title", "").rpartition("  ")[0] + group.findtext(f"{ns}title", "").rpartition("  ")[2]:
            int(group.find(f"{ns}rect").get("x", "")) for group in drawn.iter(f"{ns}g")}   # type: ignore[union-attr]
    order = ["1.00 sstep 0", "a1 B", "1.00 sstep 1", "b2 B", "1.00 sstep 2", "c4 B"]
    assert [left[name] for name in order] == sorted({left[name] for name in order}), left
    assert left["log3 B"] == left["b2 B"] and left["1.00 sstep 3"] == left["c4 B"]
