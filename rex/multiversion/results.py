"""What a replay of versions leaves behind, and how it compares with the recordings."""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from typing import Any

from rex.cells.split import NOTEBOOK, is_timed
from rex.contents.client import Comparer
from rex.contents.rules import Rules
from rex.multiversion.versions import RecordedCell, Version

_ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,16}\b")
_TIMING = re.compile(r"^(CPU times: .*|Wall time: .*|.* per loop \(mean .*|Compiler *: .*)$", re.MULTILINE)
# How fast and how long, as progress bars tell: [00:01<00:00, 9.87it/s], 12.3 MB/s, 5ms/step, 0:00:07.
_BAR = re.compile(r"\[[\d:]{1,12}<[\d:?]{1,12}, ?[^\[\]\n]{0,80}\]")
_RATE = re.compile(r"\d[\d.,]{0,20} ?(?:[kKMGTµmn]?i?[a-zA-Z]{1,12}/\w{1,12}|[µmn]?s|min|h)\b|\b\d{1,4}(?::\d\d){1,2}\b")
_SHOWN = 200


@dataclass
class Comparison:
    """A replayed version against its recording.

    Attributes:
        cells: number of a cell, from 1 -> how its outputs differ.
        files: path -> how an output file differs.
        within: cell or path -> the verdict on what differs only as the user allowed.
        failed: why the version did not run to its end; empty if it did.
    """

    version: str
    cells: dict[int, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    failed: str = ""
    within: dict[str, str] = field(default_factory=dict)

    @property
    def is_identical(self) -> bool:
        """Nothing differs, and nothing failed."""
        return not (self.cells or self.files or self.failed)

    def as_json(self) -> dict[str, Any]:
        """The comparison for machines."""
        return {"identical": self.is_identical, "cells": self.cells, "files": self.files, "within_tolerance": self.within, "failed": self.failed}

    def describe(self) -> str:
        """In words, one line."""
        parts = [self.failed] if self.failed else []
        parts += [f"cell {number}: {why}" for number, why in self.cells.items()]
        parts += [f"{path}: {why}" for path, why in sorted(self.files.items())]
        parts = parts or (["identical within tolerance"] if self.within else ["identical"])
        return "; ".join([*parts, *(f"{name}: {said}" for name, said in sorted(self.within.items()))])


def compare_cells(version: Version, replayed: list[dict[str, Any]], rules: Rules = Rules()) -> Comparison:
    """Cells whose outputs are not those of the recording, and how they differ.

    Not compared are addresses in texts (`<Model at 0x7f...>`), what %time prints, lines that a
    carriage return has overwritten, and rates and times of progress bars.

    Args:
        rules: what outputs may differ in.
    """
    found = Comparison(version.name)
    with _Outputs(rules) as outputs:
        for number, (cell, result) in enumerate(zip(version.cells, replayed), 1):
            outputs.within = ""
            why = outputs.difference(cell, result)
            if why:
                found.cells[number] = why
            elif outputs.within:
                found.within[f"cell {number}"] = outputs.within
    return found


class _Outputs:
    """Compares outputs of cells.

    Attributes:
        within: the last verdict on what differs only as the user allowed.
    """

    def __init__(self, rules: Rules) -> None:
        self._comparer = Comparer(rules)
        self.within = ""

    def __enter__(self) -> "_Outputs":
        return self

    def __exit__(self, *_: object) -> None:
        self._comparer.close()

    def difference(self, cell: RecordedCell, result: dict[str, Any]) -> str:
        """How the outputs of a cell differ; "" if they do not, or only as the user allowed."""
        if cell.how != result["how"]:
            return f"it was recorded as {cell.how}, now {result['how']}"
        was, now = (_merge(outputs) for outputs in (cell.outputs, result["outputs"]))
        if len(was) != len(now):
            return f"{len(now)} outputs, recorded {len(was)}"
        for one, two in zip(was, now):
            why = self._compare(one, two, is_timed(cell.source))
            if why:
                return why
        return ""

    def _compare(self, one: dict[str, Any], two: dict[str, Any], timed: bool) -> str:
        if one["output_type"] != two["output_type"]:
            return f"{two['output_type']}, recorded {one['output_type']}"
        if one["output_type"] == "stream":
            return self._compare_texts(one["text"], two["text"], timed)
        if one["output_type"] == "error":
            return self._compare_texts(f"{one['ename']}: {one['evalue']}", f"{two['ename']}: {two['evalue']}", False)
        for mime in sorted(set(one["data"]) | set(two["data"])):
            a, b = one["data"].get(mime), two["data"].get(mime)
            if isinstance(a, str) and isinstance(b, str):
                why = (self._compare_images(a, b) if mime in ("image/png", "image/jpeg") else self._compare_texts(a, b, timed))
            else:
                why = "" if a == b else "other content"
            if why:
                return f"{mime}: {why}"
        return ""

    def _compare_texts(self, one: str, two: str, timed: bool) -> str:
        was, now = (_plain(text, timed).splitlines() for text in (one, two))
        if was == now or self._comparer.rules.is_set and not self._judge("output.txt", "\n".join(was).encode(), "\n".join(now).encode()):
            return ""
        for a, b in zip(was, now):
            if a != b:
                return f"{b[:_SHOWN]!r}, recorded {a[:_SHOWN]!r}"
        return f"{len(now)} lines, recorded {len(was)}"

    def _compare_images(self, one: str, two: str) -> str:
        if one == two:
            return ""
        try:
            why = self._judge("output.png", base64.b64decode(one), base64.b64decode(two))
        except ValueError:
            why = "it is no base64"
        return f"another image ({why})" if why else ""

    def _judge(self, name: str, one: bytes, two: bytes) -> str:
        """What differs between two contents beyond what the user allowed; "" for nothing."""
        with tempfile.TemporaryDirectory(prefix="rex-") as folder:
            paths = [os.path.join(folder, side) for side in ("recorded", "replayed")]
            for path, data in zip(paths, (one, two)):
                with open(path, "wb") as file:
                    file.write(data)
            verdict = self._comparer.compare(name, *paths)
        if not verdict.is_same or not self._comparer.rules.is_set:
            return verdict.sentence or "other bytes"
        self.within = verdict.sentence
        return ""


def _merge(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Standard output and error each as one text: how they interleave is buffering."""
    texts: dict[str, str] = {}
    others = []
    for output in outputs:
        if output["output_type"] == "stream":
            texts[output["name"]] = texts.get(output["name"], "") + output["text"]
        else:
            others.append(output)
    streams = [{"output_type": "stream", "name": name, "text": text} for name, text in sorted(texts.items())]
    return streams + others


def _plain(text: str, timed: bool) -> str:
    text = _ADDRESS.sub("at 0x", "\n".join(map(_last_state, text.split("\n"))))
    return _TIMING.sub("", text) if timed else text


def _last_state(line: str) -> str:
    """What a line shows in the end; without rates if it was overwritten, as progress bars are."""
    is_progress = "\r" in line or "\b" in line
    line = _BAR.sub("[]", line.rstrip("\r").rpartition("\r")[2])
    return _RATE.sub("", line).replace("\b", "") if is_progress else line


def notebook(version: Version, replayed: list[dict[str, Any]]) -> str:
    """A version as an executed notebook, nbformat 4.5."""
    cells = []
    for number, cell in enumerate(version.cells):
        result = replayed[number] if number < len(replayed) else {"outputs": [], "execution_count": None}
        cells.append({"cell_type": "code", "id": f"cell-{number + 1}", "metadata": {}, "source": cell.source.rstrip("\n"),
                      "execution_count": result["execution_count"], "outputs": result["outputs"]})
    name = "python3" if version.kind == NOTEBOOK else "script"
    metadata = {"language_info": {"name": "python"}, "kernelspec": {
        "name": "python3", "display_name": "Python 3", "language": "python"}, "rex": {"kind": name}}
    if widgets := next((result["widgets"] for result in reversed(replayed) if result.get("widgets")), None):
        metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": widgets}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}, indent=1)
