"""Workflow Run RO-Crates."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable

import pytest

from rex.archive import Archive, Experiment, FileEntry, FileState
from rex.archive.exporting import check_file
from rex.transfer.crate import METADATA, export_crate

Record = Callable[..., Experiment]


@pytest.fixture
def crate(archive: Archive, record: Record, tmp_path: Path) -> Path:
    with archive.begin("helper") as recording:
        out, program = recording.add_bytes(b"out"), recording.add_bytes(b"program")
        recording.flush()
    archive.remove("helper")
    record({"/w/in": b"data", "/w/../../in".replace("/..", "") + "2": b"more"}, exit_status=3, user="ann", host="h",
           command=("/bin/run", "\udcff"), start_ns=10**18, duration_s=2.0, entries={
        "/w/out": FileEntry(None, FileState("file", 0o644, size=3, content=out), True, ("output",)),
        "/w/lost": FileEntry(FileState("file", 0o644, size=9), roles=("input",)),
        "/bin/run": FileEntry(FileState("file", 0o755, size=7, content=program), roles=("apparatus",))})
    tree = export_crate(archive, archive.experiment(), str(tmp_path / "crate"))
    assert tree.missing == ("/w/lost",)
    return tmp_path / "crate"


def nodes(crate: Path) -> dict[str, Any]:
    return {node["@id"]: node for node in json.loads((crate / METADATA).read_text())["@graph"]}


def test_the_run(crate: Path) -> None:
    found = nodes(crate)
    run = found["#run"]
    assert run["@type"] == "CreateAction" and run["instrument"] == {"@id": "workflow.sh"}
    assert run["startTime"] == "2001-09-09T01:46:40+00:00" and run["endTime"] == "2001-09-09T01:46:42+00:00"
    assert run["actionStatus"]["@id"].endswith("FailedActionStatus") and found["#user"]["name"] == "ann"
    inputs = [found[each["@id"]] for each in run["object"]]
    assert sorted(node["alternateName"] for node in inputs) == ["/w/in", "/w/in2"]
    assert [found[each["@id"]]["alternateName"] for each in run["result"]] == ["/w/out"]
    assert [found[each["@id"]]["name"] for each in run["environment"]] == ["A"]


def test_the_graph_holds_together(crate: Path) -> None:
    found = nodes(crate)

    def check(value: Any) -> None:
        if isinstance(value, list):
            for each in value:
                check(each)
        elif isinstance(value, dict) and set(value) == {"@id"}:
            assert value["@id"] in found or value["@id"].startswith("http"), value
    for node in found.values():
        for value in node.values():
            check(value)
    files = {node["@id"] for node in found.values() if "File" in node["@type"]}
    there = {os.path.relpath(os.path.join(base, name), crate) for base, _, names in os.walk(crate) for name in names}
    assert files == there - {METADATA}
    assert {part["@id"] for part in found["./"]["hasPart"]} == files
    assert any(node["name"] == "/bin/run" for node in found.values() if node["@type"] == "SoftwareApplication")


def test_the_experiment_is_in_it(crate: Path) -> None:
    with open(crate / "experiment.rex", "rb") as stream:
        assert check_file(stream) == ([], 1)


def test_by_the_library_of_ro_crate(crate: Path) -> None:
    library = pytest.importorskip("rocrate.rocrate")
    read = library.ROCrate(str(crate))
    assert read.mainEntity.id == "workflow.sh" and "ComputationalWorkflow" in read.mainEntity.type
