"""Record a script, add statements, replay; a full run of the changed script is the oracle."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import commands

LIMIT_S = 240


def rex(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `rex hindsight ...` in a folder."""
    return subprocess.run([*commands.REX, "hindsight", *words], cwd=folder,
                          capture_output=True, text=True, timeout=LIMIT_S, env=environment())


def burn(epoch: int) -> str:
    """A statement of a script that is to die: it burns its fuse, and waits until its state behind the inner loop is kept.

    Processes of their own do both, as the fuse is no state. How long a state waits to be written depends on the machine.
    """
    kept = f'"checkpoint".*"__main__#0.0:{epoch}/__main__#1.0!"'
    wait = f"for n in $(seq 1200); do grep -q '{kept}' EXP/experiments/exp0/log.part && break; sleep 0.1; done"
    return f"subprocess.run({['sh', '-c', 'rm fuse; ' + wait]!r})"


def environment() -> dict[str, str]:
    """Ours, with this tree's Rex, and few threads on a shared machine."""
    return commands.environment(OMP_NUM_THREADS="1")


def python(folder: Path, *words: str) -> str:
    """What a plain run prints."""
    done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True,
                          timeout=LIMIT_S, env=environment())
    assert done.returncode == 0, done.stderr
    return done.stdout


class Case:
    """A script in a folder of its own, with an archive beside it."""

    def __init__(self, folder: Path, **sources: str) -> None:
        self.folder = folder
        for name, source in sources.items():
            self.write(name, source)

    def write(self, name: str, source: str) -> None:
        (self.folder / f"{name}.py").write_text(textwrap.dedent(source).lstrip())

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace text that is there once; a copy keeps its indentation."""
        path = self.folder / f"{name}.py"
        text = path.read_text()
        assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
        path.write_text(text.replace(old, new))

    def add_after(self, name: str, line: str, added: str) -> None:
        """Add a statement behind the line that holds some text, as deeply indented."""
        path = self.folder / f"{name}.py"
        lines = path.read_text().splitlines(True)
        found = [n for n, text in enumerate(lines) if line in text]
        assert len(found) == 1, f"{line!r} is there {len(found)} times"
        text = lines[found[0]]
        indent = text[:len(text) - len(text.lstrip())]
        lines.insert(found[0] + 1, f"{indent}{added}\n")
        path.write_text("".join(lines))

    def record(self, *words: str, arguments: tuple[str, ...] = ()) -> str:
        """Record train.py with checkpoints wherever they can be; what it prints."""
        done = rex(self.folder, "record", "-l", "EXP", "--overhead", "1", "--granularity", "0s",
                   *words, "train.py", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        self.summary = done.stderr
        return done.stdout

    def replay(self, *words: str, status: int = 0) -> str:
        """Replay train.py; what probes print."""
        done = rex(self.folder, "replay", "-l", "EXP", "--yes", *words, "train.py")
        self.told = done.stderr
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def truth(self, *arguments: str, mark: str = "probe") -> str:
        """What the changed script's probes print in a full run."""
        lines = python(self.folder, "train.py", *arguments).splitlines(True)
        return "".join(line for line in lines if line.startswith(mark))
