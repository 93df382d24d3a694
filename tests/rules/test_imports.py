"""Who may import whom: imports go down only. A new edge is added here, where a review sees it."""

from __future__ import annotations

import ast
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))

LOW = {"errors", "types", "text", "beside", "values"}
STORES = LOW | {"codec", "elf", "log", "archive", "syscalls"}

# room -> rooms it may import; a room is a folder or module of rex/.
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "text": set(),
    "beside": set(),
    "types": {"errors", "values"},
    "values": set(),
    "codec": LOW,
    "elf": LOW,
    "cluster": LOW,
    "syscalls": LOW,
    "log": LOW | {"codec", "syscalls"},
    "archive": LOW | {"codec"},
    "tracer": LOW | {"syscalls", "log", "elf"},
    "keeping": LOW | {"codec", "archive", "elf"},
    "filetree": STORES | {"keeping"},
    "inventory": STORES | {"tracer", "keeping", "filetree"},
    "record": STORES | {"tracer", "inventory", "keeping", "filetree"},
    "replay": STORES | {"tracer"},
    "runnew": STORES | {"tracer", "inventory", "keeping", "filetree", "record", "replay"},
    "expdiff": STORES | {"inventory", "picture", "notebook"},
    "transfer": STORES,
    "state": LOW | {"archive", "codec"},
    "hindsight": STORES | {"record", "state", "cluster"},
    "notebook": LOW | {"archive", "codec", "state", "text"},
    "picture": set(),
    "workflow": STORES | {"picture", "tracer", "replay", "transfer"},
    "cells": set(),
    "multiversion": STORES | {"tracer", "record", "replay", "runnew", "cells", "cluster"},
    "web": STORES | {"runnew", "expdiff", "transfer"},
    "cli": STORES | {"tracer", "inventory", "record", "replay", "runnew", "expdiff", "transfer", "workflow",
                     "multiversion", "state", "notebook", "cells", "web", "picture", "hindsight"},
}

# A library that only one place may import.
FENCED = {"zstandard": {"codec.py"}, "elftools": {"elf.py", "expdiff/apparatus.py"}, "ptrace": {"tracer/reference/"},
          "fsspec": {"transfer/remote.py"}, "click": {"cli/"}, "rich": {"cli/", "notebook/display.py"},
          "starlette": {"web/"}, "uvicorn": {"web/"}, "jinja2": {"web/"}}


def sources() -> list[str]:
    """Paths of all modules, relative to rex/."""
    top = os.path.join(ROOT, "rex")
    return sorted(os.path.relpath(os.path.join(base, name), top)
                  for base, _, names in os.walk(top) for name in names if name.endswith(".py"))


def imported(path: str) -> set[str]:
    """Full names of the modules that a file imports anywhere."""
    with open(os.path.join(ROOT, "rex", path), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.update(f"{node.module}.{alias.name}" if node.module == "rex" else node.module
                         for alias in node.names)
    return found


def room_of(path: str) -> str:
    return path.split(os.sep)[0].removesuffix(".py")


def test_rooms_import_downwards_only() -> None:
    wrong = []
    for path in sources():
        room = room_of(path)
        if room == "__init__":
            continue
        for name in imported(path):
            parts = name.split(".")
            if parts[0] != "rex" or len(parts) < 2 or parts[1] == "__version__":
                continue
            if parts[1] != room and parts[1] not in ALLOWED[room]:
                wrong.append(f"{path} imports {name}")
    assert not wrong, wrong


def test_every_room_is_declared() -> None:
    assert {room_of(path) for path in sources()} - {"__init__", "native"} <= set(ALLOWED)


def test_libraries_stay_behind_their_fences() -> None:
    wrong = []
    for path in sources():
        for name in imported(path):
            fence = FENCED.get(name.split(".")[0])
            if fence and not any(path.startswith(place) for place in fence):
                wrong.append(f"{path} imports {name}")
    assert not wrong, wrong
