"""Which room of the native engine may include which: includes go down only."""

from __future__ import annotations

import os
import re

NATIVE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "rex", "native")

# The rooms from the bottom up: each may include those before it.
ORDER = ["base", "tree", "syscalls", "log", "mode", "tracee", "fastpath", "callstack", "cpu", "track", "engine", "turns", "record", "live", "put",
         "replay/index", "replay/rules", "replay/ring", "replay/progress", "replay/send", "replay/match", "replay/regime", "replay/peers",
         "replay/clock", "replay/pipes", "replay/tasks", "replay/ipc", "replay/order", "replay/files", "replay/net", "replay/wait",
         "replay/signals", "replay", "main"]


def sources() -> list[str]:
    """Paths of all C files and headers, relative to rex/native."""
    return sorted(os.path.relpath(os.path.join(base, name), NATIVE)
                  for base, _, names in os.walk(NATIVE) for name in names if name.endswith((".c", ".h")))


def room_of(path: str) -> str:
    return os.path.dirname(path) or "main"


def included(path: str) -> list[str]:
    """What a file includes of ours."""
    with open(os.path.join(NATIVE, path), encoding="utf-8") as file:
        return re.findall(r'^#include "([^"]*)"', file.read(), flags=re.MULTILINE)


def edges() -> dict[tuple[str, str], list[str]]:
    """By pair of rooms, the includes from the first to the second."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in sources():
        for name in included(path):
            if room_of(name) != room_of(path):
                found.setdefault((room_of(path), room_of(name)), []).append(f"{path} includes {name}")
    return found


def goes_up(edge: tuple[str, str]) -> bool:
    return ORDER.index(edge[0]) < ORDER.index(edge[1])


def test_includes_name_their_room() -> None:
    """Each is relative to rex/native, so that a reader sees where it leads."""
    assert not [f"{path}: {name}" for path in sources() for name in included(path)
                if not os.path.exists(os.path.join(NATIVE, name))]


def test_includes_go_down() -> None:
    wrong = {edge: lines for edge, lines in edges().items() if goes_up(edge)}
    assert not wrong, wrong


def test_internal_headers_stay_at_home() -> None:
    wrong = [line for lines in edges().values() for line in lines if line.endswith("/internal.h")]
    assert not wrong, wrong


def test_every_room_says_what_it_is_for() -> None:
    """The room's public header begins with a comment that names it."""
    for room in ORDER[:-1]:
        with open(os.path.join(NATIVE, room, os.path.basename(room) + ".h"), encoding="utf-8") as file:
            assert file.read().startswith(f"/* {room}:"), room
