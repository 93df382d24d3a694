"""Notebook sessions and training runs with values that no recorder writes: what reads them shows them or refuses them in one line."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any, Callable

import pytest

from campaigns.hostile import spoil
from campaigns.test_values import CODES, is_clean, run_here
from rex.archive import Archive, Manifest

HASH = "1" * 64
VERSION = {"id": 1, "names": ["x"], "node": 1, "engine": "cloudpickle", "stream": [HASH, 30], "out_of_band": [], "broken": "", "load_s": 0.1,
           "parts": [{"kind": "memory", "size": 8, "pid": 0, "chunks": [[HASH, 8]]}, {"kind": "buffer", "size": 9, "pid": 1, "chunks": [[HASH, 9]]}]}
CELL = {"format": 1, "node": 1, "parent": 0, "versions": [VERSION], "changed": {"x": 1}, "removed": [], "touched": ["x"], "code": "x = 1\n",
        "cell_s": 0.1, "track_s": 0.1, "is_complete": True, "doubts": {},
        "facts": {"count": 1, "start_ns": 10**18, "branch": "main", "raw": "x = 1", "error": "", "cell_id": "a",
                  "views": {"x": {"kind": "DataFrame", "shape": "3 x 4", "dtype": "int64", "columns": [["a", "b"]], "text": "1"}},
                  "outputs": [{"output_type": "stream", "name": "stdout", "text": "1\n"}], "document": None}}
NOTEBOOK: list[Any] = [CELL, {**CELL, "node": 2, "parent": 1, "versions": [{**VERSION, "id": 2, "node": 2}], "changed": {"x": 2}, "removed": ["y"]},
                       {"format": 1, "note": {"kind": "tag", "name": "best", "node": 1, "after": 2}, "dropped": [1], "why": "full"},
                       {**CELL, "node": 3, "parent": 1, "versions": [], "changed": {}, "facts": {**CELL["facts"], "branch": "other"}}]
TRAINING: list[Any] = [
    {"k": "run", "format": 2, "script": "t.py", "path": "/w/t.py", "arguments": ["1"], "entropy": "ab", "hash_seed": "0", "unset": ["A"], "cwd": "/w",
     "withheld": ["TOKEN"], "environment": {"LANG": "C"}, "python": "3.11", "start_ns": 10**18, "granularity_s": 0.05},
    {"k": "module", "name": "__main__", "path": "/w/t.py", "source": [HASH, 129]}, {"k": "input", "path": "/w/in", "identity": [1, "ab"]},
    {"k": "border", "position": "__main__#0.0:0", "at_s": 0.1, "spent_s": 0.1, "clock": 1, "entropy": 1}, {"k": "clock", "s": [1.5, 2.5]},
    {"k": "checkpoint", "number": 0, "position": "__main__#0.0:0", "structure": [HASH, 30], "table": [HASH, 40], "why_not": {"f": "a file"},
     "pause_s": 0.1, "size": 9, "stored": 5}, {"k": "out", "text": "1\n"}, {"k": "value", "name": "loss", "value": 0.5, "iteration": [0]},
    {"k": "call", "loop": "__main__#0", "function": "__main__:f"}, {"k": "loop", "position": "__main__#0.0", "iterations": 3, "took_s": 0.3},
    {"k": "file", "path": "/w/out", "was_there": True, "before": [HASH, 3]}, {"k": "dropped", "numbers": [0]}, {"k": "plain", "functions": ["a:f"]},
    {"k": "end", "took_s": 0.4, "status": 0, "pause_s": 0.1, "overhead": 0.1, "why_none": "", "checkpoints": 1, "iterations": 3, "stored": 5}]
KINDS: dict[str, tuple[list[Any], dict[str, Any], list[str]]] = {
    "notebook": (NOTEBOOK, {"command": ["notebook", "a.ipynb"], "notebook": {"path": "/w/a.ipynb", "connection": "", "pid": 1}},
                 ["notebook log A:x", "notebook log A:x --json", "notebook show A:x 2", "notebook show A:x 2:x", "notebook show A:x 2 --json",
                  "notebook diff A:x 1 2", "notebook diff A:x 1 3 --json", "notebook checkout A:x 2 -o T.ipynb", "notebook tag A:x", "notebook branch A:x",
                  "show A:x", "ls A", "ui A --export T"]),
    "training": (TRAINING, {"command": ["python", "t.py"], "engine": "hindsight", "kind": "run"},
                 ["hindsight show A", "hindsight show A --json", "hindsight show A:x", "hindsight show A:x --json", "hindsight show A:x --csv", "show A:x",
                  "log A:x", "ui A --export T"])}


def write(path: Path, lines: list[Any], begun: Any, extra: Any) -> None:
    with Archive.create(path).begin("x", {"start_ns": 10**18, **begun}) as recording:
        Path(recording.log_path).write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        recording.finish(Manifest(("x",), attachments={"a": recording.add_bytes(b"content")}, extra=extra))


@pytest.mark.parametrize("kind", KINDS)
def test_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, rounds: Callable[[int, int], int], figure: Callable[[str], None]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))
    choose, commands, (lines, begun, asked) = random.Random(7), 0, KINDS[kind]
    extra = {"notebook": {"cells": 3, "path": "/w/a.ipynb"}, "hindsight": {"kind": "run", "iterations": 3, "checkpoints": 1, "stored": 5}}
    write(tmp_path / "A", lines, begun, extra)
    for command in asked[:-1]:
        assert run_here(command.split())[0] in (0, 2), command      # 2: no live kernel, or no system call was logged
    for number in range(count := rounds(30, 2000)):
        spoilt = json.loads(json.dumps({"lines": lines, "begun": begun, "extra": extra}))
        part = choose.choice(("lines", "lines", "lines", "lines", "begun", "extra"))
        done = [spoil(spoilt[part], choose) for _ in range(choose.choice((1, 1, 2)))]
        shutil.rmtree("A")
        try:
            write(tmp_path / "A", spoilt["lines"], spoilt["begun"], spoilt["extra"])
        except (ValueError, TypeError):
            shutil.rmtree("A")
            write(tmp_path / "A", lines, begun, extra)       # no recorder takes it
        for command in asked if number % 20 == 0 else choose.sample(asked, 3):
            try:
                status, printed = run_here(command.split())
            except Exception as error:
                raise AssertionError(f"{command} after {done}") from error
            assert status in CODES and "Traceback" not in printed, (command, done, printed)
            assert is_clean(printed) or "--csv" in command, (command, done, printed)
            commands += 1
            shutil.rmtree("T", ignore_errors=True)
            Path("T.ipynb").unlink(missing_ok=True)
    figure(f"sessions: {count} of a {kind}, {commands} commands: none failed otherwise")
