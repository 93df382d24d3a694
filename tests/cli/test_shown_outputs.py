"""What `rex plan` and `rex schedule` print is what their pages show; `...` on a page stands for anything."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from commands import ROOT, environment, put_on_path

CONSOLE = re.compile(r"^    \$ (rex .*)\n((?:    .*\n|\n(?=    ))*)", re.MULTILINE)
DAG = re.compile(r'^    (\{"tasks": \[.*?^    \]\})$', re.MULTILINE | re.DOTALL)
BAD_TREE = {"nodes": [{"id": "r", "parent": None, "cost": 1, "size": 1}, {"id": "a", "parent": "z", "cost": 1, "size": 1}]}


def shown(page: str) -> list[tuple[str, str]]:
    """The commands of a page, each with its output as shown."""
    return CONSOLE.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))


def words(text: str) -> list[str]:
    """The words of an output; one long line is folded on a page."""
    return text.split()


def is_shown(expected: str, output: str) -> bool:
    """Whether an output has the words that the page shows, in their order."""
    pattern = r".*".join(map(re.escape, " ".join(words(expected)).replace(" ...", "...").split("...")))
    return bool(re.fullmatch(pattern, " ".join(words(output)), re.DOTALL))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the files that the pages name."""
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    dag = DAG.search((ROOT / "docs" / "schedule.md").read_text(encoding="utf-8")).group(1)
    (tmp_path / "dag.json").write_text(dag, encoding="utf-8")
    circular = json.loads(dag)
    circular["tasks"][0]["preds"] = ["report"]
    (tmp_path / "circular.json").write_text(json.dumps(circular), encoding="utf-8")
    (tmp_path / "tree.json").write_text(json.dumps(BAD_TREE), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("command", "expected"), [pytest.param(*each, id=each[0]) for each in shown("plan.md") + shown("schedule.md")])
def test_output_is_as_shown(command: str, expected: str, place: Path) -> None:
    variables = environment(PATH=put_on_path(place / "bin"), COLUMNS="100")
    done = subprocess.run(["sh", "-c", command], cwd=place, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert is_shown(expected, done.stdout + done.stderr), done.stdout + done.stderr


def test_pages_have_outputs() -> None:
    """The pages are read as they are written now."""
    assert len(shown("plan.md")) >= 4
    assert len(shown("schedule.md")) >= 4
