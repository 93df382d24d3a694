"""The story of the paper, on a real BLAST+: another program, another database, another library, or nothing."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from commands import rex
from rex.cli.doctor_command import trace_child, why_not

MISSING = [name for name in ("blastn", "blastp", "makeblastdb", "gcc") if not shutil.which(name)]
WHY_NOT = why_not(trace_child)
pytestmark = [pytest.mark.skipif(bool(MISSING), reason=f"not installed (Debian: ncbi-blast+, gcc): {', '.join(MISSING)}"),
              pytest.mark.skipif(bool(WHY_NOT), reason=f"tracing is not permitted here: {WHY_NOT}")]

PIPELINE = """#!/bin/sh
./tool -db db -query query.fa -outfmt 6 -evalue 1000 | LD_PRELOAD=./label.so sort > hits.txt
cut -f2,3,12 hits.txt > table.txt
wc -l < table.txt
"""
LIBRARY = '#include <unistd.h>\n__attribute__((constructor)) static void label(void) { write(1, "# %s\\n", 4); }\n'


def make_database(folder: Path, label: str) -> None:
    """A database of nucleotides and one of proteins, both named db, with one sequence that matches the query."""
    draw = random.Random(1)
    query = "".join(draw.choices("ACGT", k=300))
    texts = [f">{label}{n}\n" + "".join(draw.choices("ACGT", k=200)) + query[50:250] * (n == 3) + "\n" for n in range(9)]
    (folder / "db.fa").write_text("".join(texts))
    (folder / "query.fa").write_text(f">q\n{query}\n")
    for kind in ("nucl", "prot"):
        subprocess.run(["makeblastdb", "-in", "db.fa", "-dbtype", kind, "-out", "db"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)


def make_library(folder: Path, version: str) -> None:
    """A library whose version shows in the output of whatever loads it."""
    (folder / "label.c").write_text(LIBRARY.replace("%s", version))
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,--build-id", "-o", "label.so", "label.c"], cwd=folder, check=True)


def choose_tool(folder: Path, name: str) -> None:
    """What the pipeline calls ./tool."""
    (folder / "tool").unlink(missing_ok=True)
    (folder / "tool").symlink_to(shutil.which(name) or "")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Archive A: twice the same, then with another program, library and database."""
    folder = tmp_path_factory.mktemp("blast")
    (folder / "run.sh").write_text(PIPELINE)
    (folder / "run.sh").chmod(0o755)
    make_database(folder, "s")
    make_library(folder, "1")
    choose_tool(folder, "blastn")

    def record(name: str) -> None:
        rex("record", "-q", "-l", "A", "-e", name, "--", "./run.sh", cwd=folder)
    record("first")
    record("again")
    choose_tool(folder, "blastp")
    record("blastp")
    choose_tool(folder, "blastn")
    make_library(folder, "2")
    record("library")
    make_library(folder, "1")
    make_database(folder, "t")
    record("database")
    return folder


def causes(place: Path, name: str) -> dict[str, Any]:
    """Why the outputs of an experiment differ from the first one's."""
    told = json.loads(rex("expdiff", "--json", "A:first", f"A:{name}", cwd=place, code=1))
    return {Path(each["output"]).name: each for each in told["causes"]}


def test_identical_everything(place: Path) -> None:
    text = rex("expdiff", "-d", "3", "A:first", "A:again", cwd=place)
    assert text.startswith("A:first and A:again are the same\n")
    assert "clock and timers" in text and "start" in text
    assert json.loads(rex("expdiff", "-d", "3", "--json", "A:first", "A:again", cwd=place))["calls"]["in_step"] > 100


def test_another_program(place: Path) -> None:
    found = causes(place, "blastp")
    assert {"hits.txt", "table.txt", "standard output"} == set(found)
    for each in found.values():
        assert "/blastn ran in the first and " in each["sentence"] and each["component"] == "apparatus"
    text = rex("expdiff", "A:first", "A:blastp", cwd=place, code=1)
    assert text.index("why") < text.index("\napparatus\n") and len(text[:text.index("\napparatus\n")].splitlines()) < 24


def test_another_database(place: Path) -> None:
    found = causes(place, "database")
    for name in ("hits.txt", "table.txt"):
        assert Path(found[name]["item"]).name.startswith("db.n") and found[name]["component"] == "inputs"
        assert found[name]["way"][0].startswith("blastn (task ")


def test_another_library(place: Path) -> None:
    found = causes(place, "library")
    assert Path(found["hits.txt"]["item"]).name == "label.so"
    assert found["hits.txt"]["way"][-1].startswith("sort (task ")
    text = rex("expdiff", "A:first", "A:library", cwd=place, code=1)
    assert "build id" in text and "sections that differ: " in text


def test_no_side_is_special(place: Path) -> None:
    one = json.loads(rex("expdiff", "-d", "3", "--json", "A:first", "A:blastp", cwd=place, code=1))
    two = json.loads(rex("expdiff", "-d", "3", "--json", "A:blastp", "A:first", cwd=place, code=1))
    swap = {"only_left": "only_right", "only_right": "only_left", "differs": "differs"}

    def items(told: dict[str, Any]) -> list[tuple[str, str]]:
        return [(each["item"], each["kind"]) for part in told["components"] for each in part["differences"]]
    assert sorted(items(one)) == sorted((item, swap[kind]) for item, kind in items(two))
    assert one["calls"]["in_step"] == two["calls"]["in_step"]
    assert [(p["left"], p["skipped_left"]) for p in one["calls"]["processes"]] == [
        (p["right"], p["skipped_right"]) for p in two["calls"]["processes"]]
