"""What `rex record` and `rex replay` must not import: they are short, and each module is paid for by every run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))

# Each takes from one to twenty milliseconds; what they were used for is done otherwise.
BANNED = {"click", "dataclasses", "inspect", "ast", "subprocess", "socket", "selectors", "queue", "datetime", "sqlite3", "_sqlite3", "hashlib",
          "base64", "typing", "typing_extensions", "platform", "zstandard", "tempfile", "shutil", "shlex", "random", "logging", "rich",
          "elftools", "ptrace", "asyncio", "concurrent", "multiprocessing", "numpy"}
# Rooms that only other commands need.
OTHERS = {"rex.cli.group", "rex.expdiff", "rex.transfer", "rex.multiversion", "rex.workflow", "rex.hindsight", "rex.notebook",
          "rex.state", "rex.cells", "rex.runnew", "rex.web", "rex.picture", "rex.tracer.reference", "rex.tracer.sandbox"}
AT_REPLAY = {"rex.recorder", "rex.inventory", "rex.keeping", "rex.filetree", "rex.log", "rex.background", "rex.archive.recording",
             "rex.archive.capture", "rex.archive.packer", "rex.archive.compressed", "rex.archive.identities", "rex.archive.logkeeper"}

CODE = """
import json, sys
before = set(sys.modules)
from rex.cli.main import run
status = run(sys.argv[1:])
print(json.dumps([status, sorted(set(sys.modules) - before)]))
"""


def imported(folder: Path, *words: str) -> set[str]:
    """The modules that a command imports beyond those of every Python."""
    done = subprocess.run([sys.executable, "-c", CODE, *words], cwd=folder, capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": ROOT, "REX_CACHE": str(folder / "cache")})
    status, modules = json.loads(done.stdout)
    assert status == 0, done.stderr
    return set(modules)


def test_short_commands_import_little(tmp_path: Path) -> None:
    new = imported(tmp_path, "record", "-l", "A", "--", "/bin/true")   # cuts and stores what is new
    recorded = imported(tmp_path, "record", "-l", "A", "--", "/bin/true")
    imported(tmp_path, "replay", "-l", "A", "-o", "first")                  # unpacks
    replayed = imported(tmp_path, "replay", "-l", "A", "-o", "out")
    assert "rex.recorder" in recorded and "rex.replayer" in replayed
    assert not new & (BANNED - {"hashlib", "typing"} | OTHERS) and "pyfastcdc" in new   # it hashes much; pyfastcdc needs typing
    assert not recorded & (BANNED | OTHERS)
    assert not replayed & (BANNED | OTHERS | AT_REPLAY)


def test_a_training_run_waits_for_little() -> None:
    """What few scripts need is imported when they do: each takes from nine to thirty milliseconds of every recording."""
    code = "import sys; from rex.hindsight.record.recording import record; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path += {sys.path!r}; {code}"], capture_output=True, text=True,
                          check=True, env={**os.environ, "PYTHONPATH": ROOT})
    assert not set(done.stdout.split()) & {"importlib.metadata", "email", "concurrent.futures", "rex.archive.gc", "numpy", "zstandard"}
