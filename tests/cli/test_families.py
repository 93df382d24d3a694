"""The studies of examples/trees: twelve runs each, and one clear line where a tool is missing."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

STUDIES = Path(__file__).resolve().parents[2] / "examples" / "trees"
CHANGES = {family: each["changes"] for family, each in tomllib.loads((STUDIES / "changes.toml").read_text()).items()}


@pytest.mark.parametrize("family", CHANGES)
def test_each_study_has_twelve_runs(family: str, tmp_path: Path) -> None:
    study = shutil.copytree(STUDIES / family, tmp_path / family)
    assert len(CHANGES[family]) == 11
    for _, name, old, new in CHANGES[family]:
        text = (study / name).read_text()
        assert old in text and new != old
        (study / name).write_text(text.replace(old, new, 1))


@pytest.mark.parametrize("family", [family for family in CHANGES if family != "shell"])
def test_a_study_without_its_tools_names_the_package(family: str, tmp_path: Path) -> None:
    (tmp_path / "sh").symlink_to("/bin/sh")
    done = subprocess.run([str(tmp_path / "sh"), "run.sh"], cwd=shutil.copytree(STUDIES / family, tmp_path / family), env={"PATH": str(tmp_path)},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 127
    assert done.stderr.startswith("needs ") and "install " in done.stderr and done.stderr.count("\n") == 1


def test_every_study_is_told_of() -> None:
    told = (STUDIES / "README.md").read_text()
    assert {path.parent.name for path in STUDIES.glob("*/run.sh")} == set(CHANGES) == {family for family in CHANGES if f"| `{family}` |" in told}
