"""Pegasus DAX files: the graph, and one clear line for each broken one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rex.cli.schedule_command import command
from rex.errors import UsageError
from rex.workflow.dax import read_dax
from rex.workflow.wfcommons import Storage

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="3.4" name="w">'
JOBS = """
<job id="ID0" name="first" runtime="3.5">
  <uses file="i" link="input" size="9"/><uses file="x" link="output" size="100"/><uses file="y" link="output" size="50"/>
</job>
<job id="ID1" name="second"><profile namespace="pegasus" key="runtime">2</profile><uses name="x" link="input"/></job>
"""
EDGE = '<child ref="ID1"><parent ref="ID0"/></child></adag>'


def write(folder: Path, text: str) -> Path:
    path = folder / "w.dax"
    path.write_text(text)
    return path


def test_jobs_times_sizes_and_edges(tmp_path: Path) -> None:
    dag = read_dax(write(tmp_path, HEAD + JOBS + EDGE), Storage(bytes_per_s=100.0, latency_s=0.5))
    assert dag.ids == ("ID0", "ID1") and dag.preds == ((), (0,)) and dag.weights == (3.5, 2)
    assert dag.output_bytes == (150, 0) and dag.checkpoint_costs == dag.recovery_costs == (2.0, 0.5)


def test_schedule_reads_them(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + JOBS + EDGE)
    done = CliRunner().invoke(command, [str(path), "--mtbf", "10", "--json"], catch_exceptions=False)
    assert json.loads(done.stdout)["order"] == ["ID0", "ID1"]


@pytest.mark.parametrize("old, new, said", [
    ('runtime="3.5"', 'runtime="-1.64"', "'ID0': runtime is '-1.64'"),
    ('runtime="3.5"', "", "'ID0' has no runtime"),
    (' size="50"', "", "the size of 'y' is missing"),
    ('<parent ref="ID0"/>', '<parent ref="ID7"/>', "unknown job"),
    ('<parent ref="ID0"/>', '<parent ref="ID1"/>', "cycle"),
    ('id="ID1"', 'id="ID0"', "two jobs 'ID0'"),
    ('id="ID1" name', "name", "has no id"),
    ("</adag>", "", "is not XML"),
    ("adag", "dag0", "is no DAX file"),
    (EDGE, '<dax id="s" file="s.dax"/>' + EDGE, "<dax> is not supported"),
    ("<adag", '<!DOCTYPE adag [<!ENTITY a "aaaa">]><adag', "has a DOCTYPE"),
])
def test_broken_files_are_one_clear_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = HEAD + JOBS + EDGE
    assert old in text
    with pytest.raises(UsageError, match=said):
        read_dax(write(tmp_path, text.replace(old, new)), Storage())


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none.dax"):
        CliRunner().invoke(command, [str(tmp_path / "none.dax"), "--mtbf", "10"], catch_exceptions=False)
