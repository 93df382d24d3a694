"""Graphs as dot, SVG and PROV-JSON."""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from cli.builders import Bench, call
from rex.errors import NotFound
from rex import picture
from rex.expdiff.graph import read_graph
from rex.expdiff.prov import as_prov
from rex.picture import Graph
from rex.archive import Experiment
from rex.log import Event
from rex.log.records import ARGV, EXIT, IN, RESOLVED, TASK

NAME = b'/w/"<in\x1b>'


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    """One process that reads a file with an awkward name and writes another."""
    def opened(path: bytes, flags: int) -> Event:
        return call("openat", 3, (1, IN, path), (1, RESOLVED, path), args=(0, 1, flags, 0, 0, 0))
    events = [Event(TASK, args=(2**32 - 1, 0, 0, 5, 5, 0)),
              call("execve", 0, (0, RESOLVED, b"/usr/bin/sh"), (1, ARGV, b"sh\0")),
              opened(NAME, 0), opened(b"/w/out", 0o1101), Event(EXIT)]
    return Bench(tmp_path / "A").record(events=events, inputs={NAME.decode(): b"1"}, outputs={"/w/out": b"22"})


def test_dot(experiment: Experiment) -> None:
    text = picture.as_dot(read_graph(experiment).without_system())
    assert text.startswith("digraph") and text.endswith("}\n") and "\x1b" not in text
    assert '\\"<in' in text and "-> p0;" in text and "usr/bin" not in text


def test_svg_is_xml_and_needs_no_tool(experiment: Experiment) -> None:
    root = xml.fromstring(picture.as_svg(read_graph(experiment).without_system()))
    boxes = root.findall(".//{http://www.w3.org/2000/svg}rect")
    assert len(boxes) == 3 and len({(box.get("x"), box.get("y")) for box in boxes}) == 3
    xml.fromstring(picture.as_svg(Graph()))


def test_time_runs_from_left_to_right(experiment: Experiment) -> None:
    graph = read_graph(experiment).without_system()
    places, _, _ = picture._places(graph)
    assert all(places[edge.begin][0] < places[edge.end][0] for edge in graph.edges)


def test_prov(experiment: Experiment) -> None:
    told = json.loads(json.dumps(as_prov(read_graph(experiment), experiment.manifest)))
    entities = {each["rex:path"]: each for each in told["entity"].values()}
    assert entities["/w/out"]["rex:size"] == 2 and entities["/w/out"]["rex:roles"] == ["output"]
    assert len(told["used"]) == 2 and len(told["wasGeneratedBy"]) == 1
    activity = told["activity"]["rex:p0"]
    assert activity["prov:startTime"] == "2020-09-13T12:26:40+00:00" and activity["prov:endTime"].endswith(":41.500000+00:00")
    assert told["wasAssociatedWith"] == {"_:p0": {"prov:activity": "rex:p0", "prov:agent": "rex:user"}}
    names = set(told["activity"]) | set(told["entity"])
    for use in told["used"].values():
        assert use["prov:activity"] in names and use["prov:entity"] in names


def test_without_a_log(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment.manifest, "log", None)
    with pytest.raises(NotFound):
        read_graph(experiment)
