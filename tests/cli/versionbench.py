"""A directory with a program, an archive of its versions, and `rex` to run on them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from commands import REX, ROOT
from rex.multiversion.versions import Version, load_versions



class Bench:
    """A place where versions are recorded and replayed; remembers what rex said last."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.archive = place / "archive"
        self.work = place / "work"
        self.work.mkdir()

    def write(self, name: str, text: str) -> None:
        (self.work / name).write_text(text)

    def rex(self, *words: str, cwd: Path | None = None, timeout_s: float = 60,
            **env: str) -> "subprocess.CompletedProcess[str]":
        full = {"PATH": os.environ["PATH"], "HOME": str(self.place), "PYTHONPATH": str(ROOT),
                "LANG": "C.UTF-8", "REX_CACHE": str(self.place / "cache"), **env}
        return subprocess.run([*REX, *words], cwd=cwd or self.work, env=full,
                              text=True, capture_output=True, timeout=timeout_s, stdin=subprocess.DEVNULL)

    def record(self, name: str, *words: str, path: str = "a.py", options: tuple[str, ...] = (), status: int = 0,
               **env: str) -> Version:
        done = self.rex("record", "--cells", "-l", str(self.archive), "-e", name, *options, "--", path, *words, **env)
        assert done.returncode == status, done.stderr
        self.last = done
        return next(v for v in load_versions(str(self.archive))[1] if v.name == name)


def notebook(cells: list[str]) -> str:
    """A notebook with these code cells."""
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "source": text, "outputs": [], "execution_count": None}
        for i, text in enumerate(cells)]})
