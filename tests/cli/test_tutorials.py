"""Every command of the tutorials prints what the page shows.

A fence with a title is a file. In a `console` fence a line with `$` is typed, and what follows is its output: `...` in a line stands
for anything, a line of its own for any number of lines. A command ends with status 0. An `ipython` fence has prompts (`In [1]:`)
in place of `$`; all those of a page are one session.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from commands import ROOT, environment, put_on_path

pytestmark = pytest.mark.usefixtures("tracing")
PAGES = ROOT / "docs" / "tutorials"
SLOW = {"notebook-variants", "epoch-40", "cell-13", "vanishing-machines"}
FENCE = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^In \[\d+\]: ", re.MULTILINE)
END = "-- end of command, status "


@dataclass
class Command:
    """A line that the reader types, and the output that the page shows."""

    typed: str
    shown: str = ""
    is_cell: bool = False


def steps(page: str) -> list[tuple[str, str] | Command]:
    """Files (name, content) and commands of a page, in its order."""
    found: list[tuple[str, str] | Command] = []
    for language, title, body in FENCE.findall(page):
        if title:
            found.append((title, body))
        elif language in ("console", "ipython"):
            for line in body.splitlines(keepends=True):
                if prompt := re.match(r"\$ |In \[\d+\]: ", line):
                    found.append(Command(line[prompt.end():].strip(), is_cell=language == "ipython"))
                else:
                    assert isinstance(found[-1], Command), f"output without a command: {line}"
                    found[-1].shown += line
    return found


def is_shown(shown: str, output: str) -> bool:
    """Whether an output is what the page shows."""
    pattern = "".join(r"(?:.*\n)*" if line == "...\n" else r"[^\n]*".join(map(re.escape, line.split("...")))
                      for line in shown.splitlines(keepends=True))
    return bool(re.fullmatch(pattern, output))


def run(commands: list[str], place: Path) -> list[tuple[str, int]]:
    """Output and status of each command, typed one after another into one shell."""
    script = "".join(f"{typed}\necho '{END}'$?\n" for typed in commands)
    done = subprocess.run(["sh", "-c", script], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=600, env=environment(PATH=put_on_path(place.parent / "bin")))
    parts = re.split(rf"{re.escape(END)}(\d+)\n", done.stdout)
    return [(output, int(status)) for output, status in zip(parts[:-1:2], parts[1::2])]


def run_cells(cells: list[str], place: Path) -> list[tuple[str, int]]:
    """Output of each cell of an IPython session, without empty lines and spaces at ends of lines; status 0."""
    done = subprocess.run([sys.executable, "-m", "IPython", "--colors=NoColor", "--simple-prompt", "--no-banner", "--no-confirm-exit"],
                          input="".join(f"{cell}\n" for cell in cells), cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=True, timeout=600, env=environment(IPYTHONDIR=str(place.parent / "ipython")))
    outputs = PROMPT.split(done.stdout)[1:len(cells) + 1]
    return [("".join(f"{line.rstrip()}\n" for line in output.splitlines() if line.strip()), 0) for output in outputs]


@pytest.mark.parametrize("shown, output, result", [
    ("a\n", "a\n", True), ("a\n", "a\nb\n", False), ("a ... c\n", "a b c\n", True), ("a ... c\n", "a b\n c\n", False),
    ("a\n...\nd\n", "a\nb\nc\nd\n", True), ("...\na\n", "b\n", False), ("", "rex: an error\n", False)])
def test_dots_stand_for_what_differs(shown: str, output: str, result: bool) -> None:
    assert is_shown(shown, output) is result


@pytest.mark.parametrize("page", [pytest.param(path, id=path.stem, marks=[pytest.mark.stress] * (path.stem in SLOW))
                                  for path in sorted(PAGES.glob("*.md"))])
def test_tutorial(page: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    found = steps(page.read_text(encoding="utf-8"))
    for each in found:
        if not isinstance(each, Command):
            (place / each[0]).write_text(each[1], encoding="utf-8")
    commands = [each for each in found if isinstance(each, Command)]
    typed = [each.typed for each in commands]
    results = (run_cells if commands[0].is_cell else run)(typed, place)
    assert len(commands) == len(results) > 0
    for each, (output, status) in zip(commands, results):
        assert is_shown(each.shown, output), f"$ {each.typed}\n{output}\nbut the page shows\n{each.shown}"
        assert status == 0, f"$ {each.typed}\n{output}"
