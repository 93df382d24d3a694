"""Drawing the tree of versions."""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml

from rex.cli.tree_command import describe, draw_dot, draw_text
from rex.multiversion.drawing import draw_svg
from rex.multiversion.merge import merge
from rex.multiversion.tree import ExecutionTree

from .versions import make_version

CHEAP = {place: {"seconds": 0.001} for place in range(1, 5)}
VERSIONS = [make_version("one", ["load()", "a = 1", "b = 2", "c = 3", "fit()", "show([x])"],
                         facts={**CHEAP, 4: {"seconds": 5.0}}),
            make_version("two", ["load()", "a = 1", "b = 2", "c = 3", "fit()", "show([y])"],
                         facts={**CHEAP, 4: {"seconds": 5.0}}),
            make_version("<three>", ["load(2)"], facts={0: {"how": "error", "unforkable": "it has an open socket"}})]


def test_the_drawing_tells_versions_costs_and_changed_lines() -> None:
    text = draw_text(merge(VERSIONS), "EXP")
    assert "EXP  3 versions, 8 cells; 15.0 s one by one, 9.00 s with every cell once" in text
    assert "2 to 4  3 cells" in text, "cells that cost nothing are one line"
    assert "-show([x])" in text and "+show([y])" in text
    assert "= one" in text and "= <three>" in text and "no checkpoint" in text and "raises" in text


def test_the_json_is_what_planners_read() -> None:
    told = json.loads(json.dumps(describe(merge(VERSIONS))))
    tree = ExecutionTree.from_json(told)
    assert len(tree.leaves) == 3 and told["versions"]["two"] == "6b"
    node = next(node for node in told["nodes"] if node["id"] == "6b")
    assert node["differs"] == ["-show([x])", "+show([y])"] and node["versions"] == ["two"]


def test_pictures_are_well_formed() -> None:
    tree = merge(VERSIONS)
    picture = xml.fromstring(draw_svg(tree))
    circles = [element for element in picture.iter() if element.tag.endswith("circle")]
    assert len(circles) == len(tree.nodes)
    dot = draw_dot(tree)
    assert dot.count("->") == len(tree.nodes) - len(tree.children(None)) and dot.rstrip().endswith("}")
