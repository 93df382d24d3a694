"""Makes the versions of an example family, and records them.

    python families.py FAMILY ARCHIVE        FAMILY: images, series, gas, spatial
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
# On a machine that others use, threads that wait for each other would be what is measured.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
FAMILIES = ("images", "series", "gas", "spatial")


@dataclass
class Variant:
    """One version: edits of the program and of its data, as pairs of texts; arguments, variables."""

    name: str
    replace: list[list[str]] = field(default_factory=list)
    data: dict[str, list[list[str]]] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)


def load_family(name: str) -> tuple[str, str, list[Variant]]:
    """Kind, description and variants of a family."""
    found = json.loads((HERE / name / "versions.json").read_text(encoding="utf-8"))
    return found["kind"], found["what"], [Variant(**each) for each in found["versions"]]


def make_data(name: str, directory: Path) -> None:
    """The family's data, the same every time."""
    script = HERE / name / "data.py"
    if script.exists():
        subprocess.run([sys.executable, str(script)], cwd=directory, check=True)


def edit(text: str, pairs: list[list[str]]) -> str:
    for old, new in pairs:
        if old not in text:
            raise SystemExit(f"nothing to replace: {old!r}")
        text = text.replace(old, new, 1)
    return text


def make_program(name: str, kind: str, variant: Variant, directory: Path) -> str:
    """Write the variant's program; its file name."""
    text = edit((HERE / name / "analysis.py").read_text(encoding="utf-8"), variant.replace)
    if kind == "script":
        (directory / "analysis.py").write_text(text, encoding="utf-8")
        return "analysis.py"
    cells = [part.split("\n", 1) for part in text.split("# %% ")[1:]]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
    for number, (title, source) in enumerate(cells):
        notebook["cells"] += [
            {"cell_type": "markdown", "id": f"t{number}", "metadata": {}, "source": f"## {title}"},
            {"cell_type": "code", "id": f"c{number}", "metadata": {}, "source": source.strip("\n"), "outputs": [],
             "execution_count": None}]
    (directory / "analysis.ipynb").write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    return "analysis.ipynb"


def record_family(name: str, archive: Path, directory: Path, only: int | None = None) -> None:
    """Record every variant, one after the other, each on fresh data."""
    kind, _, variants = load_family(name)
    for variant in variants[:only]:
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        make_data(name, directory)
        for file, pairs in variant.data.items():
            place = directory / file
            place.write_text(edit(place.read_text(encoding="utf-8"), pairs), encoding="utf-8")
        program = make_program(name, kind, variant, directory)
        command = [sys.executable, "-m", "rex.cli.main", "record", "--cells", "-l", str(archive), "-e", variant.name,
                   "--", program, *variant.arguments]
        done = subprocess.run(command, cwd=directory, env={**os.environ, **ONE_THREAD, **variant.environment},
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        print(done.stderr.splitlines()[-1] if done.stderr else done.returncode, flush=True)
        if done.returncode:
            raise SystemExit(done.stderr)


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1] not in FAMILIES:
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory(prefix="rex-versions-") as place:
        record_family(sys.argv[1], Path(sys.argv[2]).absolute(), Path(place) / "work")


if __name__ == "__main__":
    main()
