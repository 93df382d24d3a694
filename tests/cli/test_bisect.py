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


def test_steps_that_no_difference_reaches_are_put_back(recorded: Path) -> None:
    script = "sort fixed.txt > sorted.txt; cat sorted.txt data.txt > result.txt; cat other.txt"
    (recorded / "fixed.txt").write_text("b\na\n")
    for name in ("one", "two"):
        for file in ("data.txt", "other.txt"):
            (recorded / file).write_text(f"{name}\n")
        run_rex("record", "-q", "-l", "A", "-e", name, "--", "sh", "-c", script, cwd=recorded)
    words = ("bisect", "A", "result.txt", "--good", "one", "--bad", "two", "--json")
    found, whole = (json.loads(rex(*words, *more, cwd=recorded)) for more in ((), ("--no-reuse",)))
    assert found["causes"] == whole["causes"] == [f"the input {recorded}/data.txt"]
    assert len(found["runs"]) == len(whole["runs"]) and found["reused"] > whole["reused"] == 0


def test_an_argument_decides_about_what_is_printed(recorded: Path) -> None:
    told = rex("bisect", "A", "standard output", "--good", "good", "--bad", "bad", cwd=recorded)
    assert told.startswith("standard output differs because of argument 4 ('bad') (")


def test_a_search_that_cannot_begin_is_one_line(recorded: Path) -> None:
    for words, why in ((["result.txt", "--rtol", "0.5"], "have the same result.txt"), (["none.txt"], "there is no output none.txt"),
                       ([], "name one")):
        done = run_rex("bisect", "A", *words, "--good", "good", "--bad", "bad", cwd=recorded, code=2)
        assert why in done.stderr and done.stderr.count("\n") == 1
    assert run_rex("bisect", "A", "result.txt", "--good", "good", "--bad", "bad", "--runs", "3", cwd=recorded, code=1).stdout.count(" are left ") == 1


def test_the_lines_of_a_text_that_are_enough(recorded: Path) -> None:
    """Of eight changed lines two together change the result; each run is within --runs."""
    script = "n=0; while read key value; do case $key in a|f) n=$((n + value));; esac; done < lines.txt; [ $n -gt 3 ] && echo much > result.txt || echo few > result.txt"
    for name, value in (("few", 1), ("much", 2)):
        (recorded / "lines.txt").write_text("".join(f"{key} {value}\n" for key in "abcdefgh"))
        run_rex("record", "-q", "-l", "A", "-e", name, "--", "sh", "-c", script, cwd=recorded)
    words = ("bisect", "A", "result.txt", "--good", "few", "--bad", "much", "--json")
    found = json.loads(rex(*words, cwd=recorded))
    assert found["causes"] == [f"the input {recorded}/lines.txt"] and found["complete"]
    assert found["lines"] == [f"line {number} ('{key} 1' became '{key} 2') of the input {recorded}/lines.txt" for number, key in ((1, "a"), (6, "f"))]
    ended = json.loads(run_rex(*words, "--runs", "5", cwd=recorded, code=1).stdout)
    assert len(ended["runs"]) <= 5 and ended["causes"] and len(ended["lines"]) > 2 and not ended["complete"]
