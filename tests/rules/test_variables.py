"""docs/config.md lists every environment variable that Rex reads, and no other of its own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWN = re.compile(r"_?REX_[A-Z_]*[A-Z]")
PROGRAMS = {"rex/cells/serving.py", "rex/hindsight/runner.py", "rex/state/environment.py", "rex/state/reads.py"}   # of the program's own environment


def texts(tree: ast.AST) -> set[str]:
    """All texts of a module that are not documentation."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def read_by_name(tree: ast.AST) -> set[str]:
    """What a module reads as `os.environ.get("X")`, `os.environ["X"]` or `"X" in os.environ`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func) == "os.environ.get":
            found |= texts(node.args[0])
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and ast.unparse(node.value) == "os.environ":
            found |= texts(node.slice)
        elif isinstance(node, ast.Compare) and ast.unparse(node.comparators[0]) == "os.environ":
            found |= texts(node.left)
    return found


def variables() -> set[str]:
    """Every variable that Rex, its installation and its tests read."""
    found = {"TMPDIR", "BROWSER"}                          # by tempfile and webbrowser
    for path in [*(ROOT / "rex").rglob("*.py"), ROOT / "setup.py", ROOT / "tests/campaigns/conftest.py"]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found |= {text for text in texts(tree) if OWN.fullmatch(text)}
        if str(path.relative_to(ROOT)) not in PROGRAMS:
            found |= read_by_name(tree)
    for path in (ROOT / "rex/native").rglob("*.c"):
        found |= set(re.findall(r'getenv\("(\w+)"\)', path.read_text(encoding="utf-8")))
    return found


def test_every_variable_is_listed() -> None:
    page = (ROOT / "docs/config.md").read_text(encoding="utf-8")
    section = page[page.index("## Environment variables"):page.index("## Completion")]
    listed = set(re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE)) | set(re.findall(r"`(_?REX_\w+)` while", section))
    assert listed == variables()
