"""`rex bisect`: the one difference among many that makes an output differ."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import rex, run_rex
from rex.archive import Archive
from rex.archive.about import labels_of
from rex.tracer import native

pytestmark = [pytest.mark.usefixtures("tracing"),
              pytest.mark.skipif(not native.is_built(), reason="only the native engine runs live")]
SCRIPT = "cat data.txt parts/* > /dev/null; read value < data.txt; echo $value $SCALE > result.txt; echo ran with $1"
VARIABLES = 40


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two recordings with 60 differences and more, of which one input alone decides about result.txt."""
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))
    (tmp_path / "parts").mkdir()
    for name in ("good", "bad"):
        (tmp_path / "data.txt").write_text("0.5\n" if name == "good" else "0.75\n")
        for at in range(20):
            (tmp_path / "parts" / str(at)).write_text(name)
        run_rex("record", "-q", "-l", "A", "-e", name, "--", "sh", "-c", SCRIPT, "sh", name, cwd=tmp_path, SCALE="1",
                **{f"OTHER_{at}": name for at in range(VARIABLES)})
    return tmp_path


def test_the_changed_input_among_sixty_differences(recorded: Path) -> None:
    found = json.loads(rex("bisect", "A", "result.txt", "--good", "good", "--bad", "bad", "--json", cwd=recorded))
    assert found["differences"] >= 60 and len(found["runs"]) < 12
    assert found["causes"] == [f"the input {recorded}/data.txt"] and found["complete"]
    kept = {each.name for each in Archive.open(recorded / "A").experiments() if labels_of(each.manifest).get("bisect") == "good bad"}
    assert kept == set(found["runs"])


def test_an_argument_decides_about_what_is_printed(recorded: Path) -> None:
    told = rex("bisect", "A", "standard output", "--good", "good", "--bad", "bad", cwd=recorded)
    assert told.startswith("standard output differs because of argument 4 ('bad') (")


def test_a_search_that_cannot_begin_is_one_line(recorded: Path) -> None:
    for words, why in ((["result.txt", "--rtol", "0.5"], "have the same result.txt"), (["none.txt"], "there is no output none.txt"),
                       ([], "name one")):
        done = run_rex("bisect", "A", *words, "--good", "good", "--bad", "bad", cwd=recorded, code=2)
        assert why in done.stderr and done.stderr.count("\n") == 1
    assert run_rex("bisect", "A", "result.txt", "--good", "good", "--bad", "bad", "--runs", "3", cwd=recorded, code=1).stdout.count(" are left ") == 1
