"""Who may import whom: imports go down only. A new edge is added here, where a review sees it."""

from __future__ import annotations

import ast
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))

LOW = {"version", "config", "errors", "extras", "types", "text", "background", "values", "credentials", "limits", "standard", "longnames",
       "hostfailure", "cacheplace", "digest"}
EVERYBODYS = {"hints"}   # names for annotations
STORES = LOW | {"codec", "elf", "log", "archive", "syscalls"}

# room -> rooms it may import; a room is a folder or module of rex/.
ALLOWED: dict[str, set[str]] = {
    "hints": set(),
    "zstd": set(),
    "errors": set(),
    "version": set(),
    "text": set(),
    "standard": set(),
    "longnames": set(),
    "hostfailure": set(),
    "digest": set(),
    "cacheplace": {"errors"},
    "startcache": {"cacheplace"},
    "background": set(),
    "types": {"errors", "values"},
    "extras": {"errors", "values"},
    "config": {"errors", "values"},
    "values": set(),
    "credentials": {"values"},
    "limits": {"errors", "types"},
    "rlimits": {"errors"},
    "codec": LOW | {"zstd"},
    "elf": LOW,
    "cluster": LOW,
    "syscalls": LOW,
    "log": LOW | {"codec", "syscalls"},
    "archive": LOW | {"codec"},
    "tracer": LOW | {"syscalls", "log", "elf"},
    "keeping": LOW | {"codec", "archive", "elf"},
    "disclosure": STORES,
    "filetree": STORES | {"keeping"},
    "inventory": STORES | {"tracer", "keeping", "filetree", "disclosure"},
    "redaction": LOW | {"codec"},
    "recorder": STORES | {"tracer", "inventory", "keeping", "filetree", "redaction", "rlimits"},
    "replayer": STORES | {"tracer", "explain", "rlimits"},
    "runnew": STORES | {"tracer", "inventory", "keeping", "filetree", "recorder", "replayer", "rlimits"},
    "contents": LOW,
    "expdiff": STORES | {"inventory", "picture", "notebook", "contents"},
    "bisect": STORES | {"contents", "expdiff", "runnew", "trees"},
    "transfer": STORES,
    "state": LOW | {"archive", "codec", "syscalls"},
    "hindsight": STORES | {"recorder", "state", "cluster"},
    "notebook": LOW | {"archive", "codec", "state", "text"},
    "explain": set(),
    "picture": set(),
    "workflow": STORES | {"picture", "tracer", "replayer", "rlimits", "transfer"},
    "cells": set(),
    "multiversion": STORES | {"contents", "tracer", "recorder", "replayer", "runnew", "cells", "cluster"},
    "trees": STORES | {"workflow", "picture", "tracer", "recorder", "replayer", "runnew", "cluster"},
    "web": STORES | {"runnew", "expdiff", "transfer", "picture", "workflow", "trees", "multiversion", "contents", "notebook", "hindsight"},
    "api": STORES | {"tracer", "disclosure", "recorder", "replayer", "runnew", "expdiff", "transfer", "contents"},
    "pytest_plugin": {"api"},
    "cli": STORES | {"startcache", "api", "extras", "tracer", "inventory", "disclosure", "recorder", "replayer", "runnew", "expdiff", "transfer", "workflow",
                     "multiversion", "trees", "state", "notebook", "cells", "web", "picture", "hindsight", "contents", "bisect"},
}

# Sub-packages, each of which imports only those before it. `runner` starts the script's process, as recorder or as worker.
FLOORS = {"hindsight": ("trace", "trainers", "instrument", "capture", "policy", "run", "record", "replay", "runner")}

# A library that only one place may import.
FENCED = {"zstandard": {"codec.py", "zstd.py"}, "elftools": {"elf.py", "expdiff/apparatus.py"}, "ptrace": {"tracer/reference/"},
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
        if room in ("__init__", "__main__"):
            continue
        for name in imported(path):
            parts = name.split(".")
            if parts[0] != "rex" or len(parts) < 2:
                continue
            if parts[1] != room and parts[1] not in ALLOWED[room] | EVERYBODYS:
                wrong.append(f"{path} imports {name}")
    assert not wrong, wrong


def test_floors_of_a_room_import_downwards_only() -> None:
    wrong = []
    for path in sources():
        floors = FLOORS.get(room_of(path), ())
        floor = path.split(os.sep)[1].removesuffix(".py") if floors else "__init__"
        if floor == "__init__":
            continue
        for name in imported(path):
            parts = name.split(".")
            if parts[:2] == ["rex", room_of(path)] and len(parts) > 2 and floors.index(parts[2]) > floors.index(floor):
                wrong.append(f"{path} imports {name}")
    assert not wrong, wrong


def test_every_room_is_declared() -> None:
    assert {room_of(path) for path in sources()} - {"__init__", "__main__", "native"} <= set(ALLOWED)


def test_libraries_stay_behind_their_fences() -> None:
    wrong = []
    for path in sources():
        for name in imported(path):
            fence = FENCED.get(name.split(".")[0])
            if fence and not any(path.startswith(place) for place in fence):
                wrong.append(f"{path} imports {name}")
    assert not wrong, wrong


def graph() -> dict[str, set[str]]:
    """For each module the modules of ours that it imports anywhere, also for type checkers alone."""
    paths = {f"rex.{path.removesuffix('.py').replace(os.sep, '.')}".removesuffix(".__init__"): path for path in sources()}
    found: dict[str, set[str]] = {}
    for path in paths.values():
        with open(os.path.join(ROOT, "rex", path), encoding="utf-8") as file:
            nodes = [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, (ast.Import, ast.ImportFrom))]
        names = {f"{node.module}.{alias.name}" for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
        names |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        names |= {name.rpartition(".")[0] for name in names if name not in paths}
        found[path] = {paths[name] for name in names if name in paths} - {path}
    return found


def reachable(path: str, below: dict[str, set[str]]) -> set[str]:
    """All that a module imports, at any depth."""
    seen: set[str] = set()
    left = [path]
    while left:
        new = below[left.pop()] - seen
        seen |= new
        left += new
    return seen


def test_modules_import_in_no_circle() -> None:
    below = graph()
    all_below = {path: reachable(path, below) for path in below}
    circles = {frozenset(other for other in all_below[path] if path in all_below[other]) for path in below if path in all_below[path]}
    assert not circles, [sorted(circle) for circle in circles]
