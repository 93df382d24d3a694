"""Where a workflow's outputs are persisted as it runs: a folder behind any fsspec URL.

    workflow.json          which workflow this belongs to
    objects/<sha256>       contents of files
    steps/<task>.json      a step has run: the files of it that are kept; written last

Files appear whole or not at all, so that a kill at any moment leaves only whole steps.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rex import codec
from rex.errors import Damaged, UsageError
from rex.transfer.remote import Remote

FORMAT = 1
_HEAD, _OBJECTS, _STEPS = "workflow.json", "objects", "steps"
_MAX_RECORD_BYTES = 64 << 20
_BLOCK = 1 << 20


@dataclass(frozen=True)
class StepRecord:
    """What the store has of a step.

    Attributes:
        is_kept: whether all its outputs are there, not only its results.
        files: by path: type, mode, mtime_ns; of a file sha256 and size, of a link its target.
    """

    is_kept: bool
    files: dict[str, dict[str, Any]]


class StepStore:
    """The persisted outputs of one workflow.

    Attributes:
        steps: by task id, those that have run.
        sent_bytes: what was sent since this store was opened.
    """

    def __init__(self, url: str, fingerprint: str, is_resumed: bool) -> None:
        """Open the store, or begin it.

        Raises:
            UsageError: it holds another workflow, or steps though nothing is to be resumed.
            RexError: it cannot be reached.
        """
        self._remote = Remote(url)
        self.url = self._remote.url
        self.sent_bytes = 0
        head = {"format": FORMAT, "workflow": fingerprint}
        try:
            found = json.loads(self._remote.read(_MAX_RECORD_BYTES, _HEAD))
        except FileNotFoundError:
            self._remote.create(json.dumps(head).encode(), _HEAD)
            found = head
        except ValueError as error:
            raise Damaged(f"{self.url}/{_HEAD} is damaged", str(error)) from error
        if found != head:
            raise UsageError(f"{self.url} holds another workflow", "or the same in other steps",
                             "choose another --store")
        names = [name for name in self._remote.names(_STEPS) if name.endswith(".json")]
        if names and not is_resumed:
            raise UsageError(f"{self.url} holds {len(names)} steps of this workflow", "",
                             "go on from there with --resume, or choose another --store")
        self._objects = {name for name in self._remote.names(_OBJECTS) if not name.startswith(".")}
        self.steps = {name.removesuffix(".json"): self._read_record(name) for name in names
                      if not name.startswith(".")}

    def _read_record(self, name: str) -> StepRecord:
        try:
            told = json.loads(self._remote.read(_MAX_RECORD_BYTES, _STEPS, name))
            files = told["files"]
            for path, facts in files.items():
                if not path.startswith("/") or not isinstance(facts["mode"], int):
                    raise ValueError(f"not the state of a file: {path!r}")
            return StepRecord(told["is_kept"] is True, files)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Damaged(f"{self.url}/{_STEPS}/{name} is damaged", str(error)) from error

    def keep(self, task: str, top: str, paths: Iterable[str], is_kept: bool) -> None:
        """Persist a step: these files of it as they are now below a directory, then its record.

        Paths where there is nothing are left out.
        """
        files = {}
        for path in paths:
            facts = self._send(top, path)
            if facts:
                files[path] = facts
        self._put_bytes(json.dumps({"is_kept": is_kept, "files": files}).encode(), _STEPS, f"{task}.json")
        self.steps[task] = StepRecord(is_kept, files)

    def _send(self, top: str, path: str) -> dict[str, Any] | None:
        name = codec.raw(top + path)
        try:
            found = os.lstat(name)
        except FileNotFoundError:
            return None
        facts: dict[str, Any] = {"mode": stat.S_IMODE(found.st_mode), "mtime_ns": found.st_mtime_ns}
        if stat.S_ISLNK(found.st_mode):
            return {**facts, "type": "symlink", "target": codec.text(os.readlink(name))}
        if stat.S_ISDIR(found.st_mode):
            return {**facts, "type": "dir"}
        if not stat.S_ISREG(found.st_mode):
            return None
        sha256 = hash_file(name)
        if sha256 not in self._objects and found.st_size:
            self._remote.put(os.fsdecode(name), _OBJECTS, sha256)
            self._objects.add(sha256)
            self.sent_bytes += found.st_size
        return {**facts, "type": "file", "sha256": sha256, "size": found.st_size}

    def _put_bytes(self, data: bytes, *names: str) -> None:
        with tempfile.NamedTemporaryFile(prefix="rex-") as file:
            file.write(data)
            file.flush()
            self._remote.put(file.name, *names)

    def fetch(self, facts: dict[str, Any], target: int) -> None:
        """Write the content of a file that the store has into an open file, from where that stands.

        Raises:
            Damaged: it is not there, or not what it was.
        """
        digest, size = hashlib.sha256(), int(facts["size"])
        name = str(facts["sha256"])
        try:
            for begin in range(0, size, _BLOCK):
                block = self._remote.read_range(begin, min(_BLOCK, size - begin), _OBJECTS, name)
                digest.update(block)
                write_all(target, block)
        except FileNotFoundError as error:
            raise Damaged(f"{self.url} is damaged", f"it has no object {name}") from error
        if digest.hexdigest() != name:
            raise Damaged(f"{self.url} is damaged", f"object {name} has other content")


def hash_file(name: bytes) -> str:
    """sha256 of a file."""
    with open(name, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_all(target: int, data: bytes) -> None:
    """Write bytes to a descriptor, all of them."""
    view = memoryview(data)
    while view:
        view = view[os.write(target, view):]
