"""`rex rules`: what comparisons of an archive allow to differ."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cli.builders import Bench
from commands import rex, run_rex


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    bench = Bench(tmp_path / "A")
    for value in (b"p 1.0\n", b"p 1.0000001\n"):
        bench.record(outputs={"/o.txt": value})
    return tmp_path


def test_rules_hold_for_comparisons_and_travel_with_the_archive(archive: Path) -> None:
    assert rex("rules", "A", cwd=archive) == "no rules: outputs must have the same bytes\n"
    rex("expdiff", "A:exp0", "A:exp1", cwd=archive, code=1)
    assert rex("rules", "A", "--rtol", "1e-6", "--ignore", "date: .*", "--as", "*.log=text", cwd=archive) == (
        "--rtol 1e-06 --ignore 'date: .*' --as '*.log=text'\n")
    shutil.copytree(archive / "A", archive / "B")
    told = rex("expdiff", "B:exp0", "B:exp1", cwd=archive)
    assert told.startswith("rules: --rtol 1e-06 ") and "not counted      /o.txt: same within tolerance" in told
    rex("expdiff", "B:exp0", "B:exp1", "--no-rules", cwd=archive, code=1)
    rex("expdiff", "B:exp0", "B:exp1", "--rtol", "0", cwd=archive, code=1)
    assert json.loads(rex("rules", "B", "--json", cwd=archive))["rules"] == {"rtol": 1e-6, "ignore": ["date: .*"], "as": ["*.log=text"]}
    assert "no rules" in rex("rules", "B", "--clear", cwd=archive)
    rex("expdiff", "B:exp0", "B:exp1", cwd=archive, code=1)


def test_an_archive_with_rules_is_sound_and_damage_is_found(archive: Path) -> None:
    rex("rules", "A", "--atol", "0.5", cwd=archive)
    rex("check", "A", cwd=archive)
    (archive / "A" / "rules").write_text('{"rtol": 1e9}\n')
    assert "rules" in run_rex("check", "A", cwd=archive, code=1).stdout
    assert run_rex("expdiff", "A:exp0", "A:exp1", cwd=archive, code=2).stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["[1]", '{"rtol": "1"}', '{"rtol": -1}', '{"ignore": ["("]}', '{"as": [1]}', '{"more": 1}', '{"ulps": 1.5}', '{"any_order": 1}'])
def test_hostile_rules_are_one_line(archive: Path, text: str) -> None:
    from rex.archive.sealed import seal
    (archive / "A" / "rules").write_bytes(seal(text.encode()))
    assert run_rex("expdiff", "A:exp0", "A:exp1", cwd=archive, code=2).stderr.count("\n") == 1
