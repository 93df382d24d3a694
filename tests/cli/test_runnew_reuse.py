"""`rex runnew --reuse` and `rex sweep`: a new run of archived files puts back what nothing has changed for, and leaves what a whole run leaves."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from commands import contents, run_rex
from rex.archive import Archive, Process
from rex.runnew import Changes, plan_run
from rex.trees.reuse import Reuse, run_reusing

pytestmark = pytest.mark.usefixtures("tracing")

SCRIPT = """
sort in.txt > sorted.txt
grep -c "$1" sorted.txt > count.txt
mkdir -p made; cp sorted.txt made/copy
mv count.txt number.txt
cat number.txt sorted.txt
echo hi >&2
exit 3
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    (made / "run.sh").write_text(SCRIPT)
    (made / "in.txt").write_text("b\na\nc\na\n")
    run_rex("record", "-q", "-l", "../EXP", "dash", "run.sh", "a", cwd=made, code=3)
    for path in made.iterdir():          # the archive has all of it
        if path.is_file():
            path.unlink()
    return made


def run(work: Path, name: str, *words: str) -> tuple[dict[str, Any], Any]:
    """The messages of a run, and what came of it."""
    top = work.parent
    done = run_rex("runnew", "-q", "-l", "EXP", "--headless", "-e", "exp0", "-o", name, "--report", f"{name}.json", *words, cwd=top, code=3)
    return json.loads((top / f"{name}.json").read_text()), (contents(top / name), done.stdout, done.stderr)


def test_changed_run_executes_what_follows_from_the_change(work: Path) -> None:
    (work.parent / "other.txt").write_text("c\nb\n")
    for number, change in enumerate((["--args", "run.sh a"], ["--args", "run.sh b"], ["--file", "in.txt=other.txt"])):
        _, alone = run(work, f"alone{number}", *change)
        told, reusing = run(work, f"reusing{number}", "--reuse", "--record", *change)
        assert reusing == alone
        reused = {step["command"].split()[0] for step in told["reuse"]["reused"]}
        assert reused == ({"dash"}, {"sort", "cp", "mkdir"}, {"mkdir"})[number]
        assert (told["reuse"]["executed"] == 0) == (number == 0)
        assert not any("/objects/" in use["what"] for use in told["live_uses"])
        run_rex("replay", "-q", "-l", "EXP", "-e", told["experiment"], "--check", cwd=work.parent)


def test_run_that_is_not_recorded(work: Path) -> None:
    _, alone = run(work, "alone", "--args", "run.sh b")
    told, reusing = run(work, "reusing", "--reuse", "--args", "run.sh b")
    assert reusing == alone and told["experiment"] is None
    assert {step["command"].split()[0] for step in told["reuse"]["reused"]} == {"sort", "cp", "mkdir"}


def test_what_it_takes_to_put_back_is_subtracted_without_recording_too(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = Archive.open(str(work.parent / "EXP"))
    found: list[Process] = []
    take_times = Reuse.take_times
    monkeypatch.setattr(Reuse, "take_times", lambda reuse, read: (found.extend(read()), take_times(reuse, read)))
    changes = Changes(args=("dash", "run.sh", "b"))
    with open(work.parent / "log", "w+b") as log:
        plan = plan_run(archive, archive.experiment("exp0"), changes, str(work.parent / "out"))
        _, summary = run_reusing(archive, plan, (log.fileno(), log.fileno(), log.fileno()))
    assert len(summary.reused) == 3
    assert len([each for each in found if each.end_s]) > 3


def test_time_of_an_archived_link_is_as_recorded(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "link").symlink_to("run.sh")
    os.utime(work / "link", (1, 1), follow_symlinks=False)
    (work / "run.sh").write_text("cat link > copy\nstat -c '%Y %F' link\nexit 3\n")
    run_rex("record", "-q", "-l", "../EXP", "dash", "run.sh", cwd=work, code=3)
    (work / "link").unlink()
    _, alone = run(work, "alone")
    told, reusing = run(work, "reusing", "--reuse")
    assert alone == reusing and alone[1] == "1 symbolic link\n"
    assert told["reuse"]["executed"] == 0


def test_number_of_names_of_an_archived_file_does_not_count(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "in.txt").write_text("a\n")
    (work / "other.txt").hardlink_to(work / "in.txt")
    (work / "run.sh").write_text("find in.txt -size +0 > found\nexit 3\n")
    run_rex("record", "-q", "-l", "../EXP", "dash", "run.sh", cwd=work, code=3)
    _, alone = run(work, "alone")
    told, reusing = run(work, "reusing", "--reuse")
    assert alone == reusing and told["reuse"]["executed"] == 0


def test_sandbox_is_refused(work: Path) -> None:
    refused = run_rex("runnew", "-l", "EXP", "--headless", "-e", "exp0", "-o", "out", "--reuse", "--sandbox", cwd=work.parent, code=125)
    assert "--sandbox" in refused.stderr


def test_sweep_shares_steps(work: Path) -> None:
    words = ("sweep", "-q", "-l", "EXP", "-e", "exp0", "--arg", "2=a,b,c", "--json")
    shared = json.loads(run_rex(*words, "-j", "2", cwd=work.parent, code=1).stdout)
    whole = json.loads(run_rex(*words, "--no-reuse", cwd=work.parent, code=1).stdout)
    assert [run["outputs"] for run in shared["runs"]] == [run["outputs"] for run in whole["runs"]]
    assert all(run["reused"] for run in shared["runs"]) and not any(run["reused"] for run in whole["runs"])
