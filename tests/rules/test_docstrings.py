"""Every public module, class, function and method of Rex says what it is.

A method that a base class, or a protocol, of Rex describes needs no text of its own. A class implements a protocol if it is
called by its name: `ListShape` is a `Shape`.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Iterator

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted({path.relative_to(ROOT / "rex").parts[0] for path in (ROOT / "rex").rglob("*.py")})
Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def classes() -> dict[str, list[ast.ClassDef]]:
    """All classes of Rex by name."""
    found: dict[str, list[ast.ClassDef]] = {}
    for path in (ROOT / "rex").rglob("*.py"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(node)
    return found


@cache
def bases(node: ast.ClassDef) -> list[ast.ClassDef]:
    """The classes of Rex that a class derives from or implements, with theirs."""
    found: list[ast.ClassDef] = []
    names = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
    for name, candidates in classes().items():
        for each in candidates:
            is_protocol = any(ast.unparse(base).startswith("Protocol") for base in each.bases)
            if each is not node and (name in names or (is_protocol and node.name.endswith(name))):
                found += [each, *bases(each)]
    return found


def is_described(node: Function, owner: ast.ClassDef) -> bool:
    """Whether a base or protocol of its class describes a method."""
    return any(isinstance(each, Function) and each.name == node.name and ast.get_docstring(each) for base in bases(owner) for each in base.body)


def undescribed(node: Documented, name: str, owner: ast.ClassDef | None = None) -> Iterator[str]:
    """A node, and what it holds with a public name, if it has no text; setters have the text of their property."""
    if not ast.get_docstring(node) and not (owner and isinstance(node, Function) and is_described(node, owner)):
        yield name
    if isinstance(node, (ast.Module, ast.ClassDef)):
        for each in node.body:
            if isinstance(each, (ast.ClassDef, Function)) and not each.name.startswith("_") \
                    and not any(ast.unparse(mark).endswith((".setter", "overload")) for mark in each.decorator_list):
                yield from undescribed(each, f"{name}:{each.name}", node if isinstance(node, ast.ClassDef) else None)


@pytest.mark.parametrize("folder", FOLDERS)
def test_public_names_are_described(folder: str) -> None:
    place = ROOT / "rex" / folder
    paths = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    assert [name for path in paths for name in undescribed(tree_of(path), str(path.relative_to(ROOT)))] == []


def test_rule_finds_what_is_missing() -> None:
    source = '"""A module."""\nclass Thing:\n    def do(self): pass\n    def _own(self): pass\n\ndef told():\n    """Says."""\n'
    assert list(undescribed(ast.parse(source), "m")) == ["m:Thing", "m:Thing:do"]
