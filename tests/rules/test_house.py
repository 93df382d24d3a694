"""Rules of the house that a machine can hold."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys

import pytest

from rex import errors
from rex.cli.group import COMMANDS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
MAX_LINES, MAX_FUNCTION_LINES = 450, 60
TOP = {".ci", ".gitignore", "CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE",
       "MANIFEST.in", "Makefile", "README.md", "SECURITY.md", "bench", "contrib", "docs", "examples", "mkdocs.yml", "pyproject.toml",
       "rex", "setup.cfg", "setup.py", "tests"}
TABLES = {"rex/syscalls/table.py", "rex/syscalls/numbers.py", "rex/native/syscalls/generated.h"}


def tracked(*endings: str) -> list[str]:
    found = []
    for base, dirs, names in os.walk(os.path.join(ROOT, "rex")):
        dirs[:] = [d for d in dirs if d != "__pycache__"]
        found += [os.path.relpath(os.path.join(base, n), ROOT) for n in names if n.endswith(endings)]
    return sorted(found)


def read(path: str) -> str:
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def test_files_stay_small() -> None:
    long = {path: sum(not line.startswith('#include "') for line in read(path).splitlines())
            for path in tracked(".py", ".c", ".h") if path not in TABLES}
    assert not {path: n for path, n in long.items() if n > MAX_LINES}


def test_functions_stay_small() -> None:
    long = []
    for path in tracked(".py"):
        for node in ast.walk(ast.parse(read(path))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines = (node.end_lineno or 0) - node.lineno
                if lines > MAX_FUNCTION_LINES:
                    long.append(f"{path}:{node.name} {lines}")
    assert not long


def test_nothing_strays_into_the_repository() -> None:
    """Programs that are tried here write files, and archives, where they are started."""
    if not os.path.exists(os.path.join(ROOT, ".git")) or not shutil.which("git"):
        pytest.skip("this is no checkout of the repository, or there is no git")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode:
        pytest.skip(listing.stderr.strip())
    known = listing.stdout.split("\0")
    assert {path.partition("/")[0] for path in known if path} == TOP
    assert all(path.startswith("tests/golden/") for path in known if path.endswith("rex-archive.json"))


def test_error_codes_are_the_documented_ones() -> None:
    codes = {c.__name__: c.code for c in vars(errors).values()
             if isinstance(c, type) and issubclass(c, errors.RexError)}
    assert len({v for k, v in codes.items() if k not in ("RexError", "UsageError")}) == len(codes) - 2
    page = read("docs/errors.md")
    assert all(f"| {code} | {name} |" in page for name, code in codes.items())


def test_commands_are_documented() -> None:
    page = read("docs/commands.md")
    assert all(f"## rex {name}\n" in page for name in COMMANDS)


def test_generated_pages_are_fresh() -> None:
    done = subprocess.run([sys.executable, os.path.join(ROOT, "docs", "generate.py"), "--check"],
                          capture_output=True, text=True, env={**os.environ, "COLUMNS": "100"})
    assert done.returncode == 0, done.stdout + done.stderr
