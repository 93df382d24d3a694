"""What waits to be stored, copied beside the log: a process that is killed then loses nothing of it.

The store hashes and compresses in the background. Where the next cell begins before that is done, the bytes
are copied into this file, which takes no longer than to copy them; whoever takes the experiment up stores them.

    record  one line of JSON, as in the log, but {"blob": number} for what is not stored; "blobs": sizes
            the blobs that are new in it, back to back; numbers go on through the file
"""

from __future__ import annotations

import json
import os
import threading
from typing import Any, BinaryIO, Callable, Iterator

from rex.archive import Content, Recording
from rex.archive.cut import WHOLE_BYTES
from rex.codec import sha256
from rex.errors import Damaged
from rex.state.records import FORMAT, encode_delta
from rex.state.versions import Chunk, Delta, Version

NAME = "waiting"
_LOST = b"(too long to outlive the kernel)"

Put = Callable[[bytes], Content]
Blob = tuple[int, int]   # where in the file, and how long


class Spill:
    """The file of one experiment; it is empty, or not there, whenever all is stored."""

    def __init__(self, directory: str) -> None:
        self._path = os.path.join(directory, NAME)
        self._lock = threading.Lock()
        self._numbers: dict[Chunk, int] = {}
        self._count = 0
        self._is_used = False

    def add(self, delta: Delta, draft: Callable[[Put], dict[str, Any]] | None) -> None:
        """Copy a delta.

        Args:
            draft: makes its facts; may be called in addition to what makes them in the end.
        Raises:
            OSError: there is no room.
        """
        blobs: list[bytes] = []

        def put(data: bytes) -> Content:
            data = data if len(data) <= WHOLE_BYTES else _LOST
            self._count += 1
            blobs.append(data)
            return Content(sha256(data).hex(), len(data))

        def name(chunk: Chunk | None) -> Any:
            if chunk is None:
                return None
            source, content = chunk.source, chunk.content
            if content is not None and (chunk.is_kept or source is None):
                return content.to_json()
            if chunk not in self._numbers:
                self._numbers[chunk] = self._count
                self._count += 1
                blobs.append(chunk.encoded())
            return {"blob": self._numbers[chunk]}

        with self._lock:
            versions = delta.versions
            lines = [_encode(version, number, name) for number, version in enumerate(versions)]
            facts = draft(put) if draft else delta.facts
            line = json.loads(encode_delta(delta, lines, versions.index, {}, facts))
            with open(self._path, "ab", buffering=0) as file:
                self._is_used = True
                file.write(json.dumps({**line, "blobs": list(map(len, blobs))}).encode() + b"\n")
                for blob in blobs:
                    file.write(blob)

    def clear(self) -> None:
        """All is stored."""
        with self._lock:
            if self._is_used:
                self._is_used, self._count = False, 0
                self._numbers.clear()
                os.unlink(self._path)


def _encode(version: Version, number: int, name: Callable[[Chunk | None], Any]) -> dict[str, Any]:
    return {"id": number, "names": version.names, "node": version.node, "engine": version.engine,
            "stream": name(version.stream), "out_of_band": version.out_of_band, "broken": version.why_not,
            "load_s": version.load_s, "parts": [
                {"kind": part.kind, "size": part.size, "pid": part.pid, "chunks": list(map(name, part.chunks))}
                for part in version.parts]}


def recover(recording: Recording) -> int:
    """Store what a killed process had copied and not stored, and end the log with it; the number of cells.

    Raises:
        Damaged: no process writes such a log or copy.
    """
    try:
        return _recover(recording)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Damaged(f"what the process of {recording.name} left is damaged", str(error)) from error


def _recover(recording: Recording) -> int:
    path = os.path.join(recording.directory, NAME)
    nodes, last_id = _cut_log(recording.log_path)
    count, contents = 0, dict[int, Content]()
    try:
        with open(path, "rb") as file, open(recording.log_path, "ab") as log:
            for line, blobs in _records(file):
                parent = line["parent"]
                if line["node"] in nodes or parent and parent not in nodes:
                    continue
                log.write(_stored(line, blobs, contents, file, recording, last_id))
                last_id += len(line["versions"])
                nodes.add(line["node"])
                count += 1
        os.unlink(path)
    except FileNotFoundError:
        pass
    return count


def _cut_log(path: str) -> tuple[set[int], int]:
    """The nodes in a log and the highest number of a version; a last line that was cut short goes."""
    nodes, last_id, size = set[int](), 0, 0
    with open(path, "r+b") as log:
        for line in log:
            if not line.endswith(b"\n"):
                log.truncate(size)
                break
            size += len(line)
            found = json.loads(line)
            nodes.add(found.get("node", 0))
            last_id = max([last_id, *(one["id"] for one in found.get("versions", ()))])
    return nodes, last_id


def _records(file: BinaryIO) -> Iterator[tuple[dict[str, Any], list[Blob]]]:
    """Whole records, each with all blobs up to it."""
    size, at = os.fstat(file.fileno()).st_size, 0
    blobs: list[Blob] = []
    while True:
        file.seek(at)
        text = file.readline()
        if not text.endswith(b"\n"):
            return
        line = json.loads(text)
        at += len(text)
        for length in line.pop("blobs"):
            if not isinstance(length, int) or length < 0:
                raise ValueError(f"a copy of {length} bytes")
            blobs.append((at, length))
            at += length
        if at > size or line.get("format") != FORMAT:
            return
        yield line, list(blobs)


def _stored(line: dict[str, Any], blobs: list[Blob], contents: dict[int, Content], file: BinaryIO,
            recording: Recording, last_id: int) -> bytes:
    """The line of the log, its blobs stored."""
    def put(number: int) -> list[Any]:
        if number not in contents:
            file.seek(blobs[number][0])
            contents[number] = recording.add_bytes(file.read(blobs[number][1]))
        return contents[number].to_json()

    def named(place: Any) -> Any:
        return put(place["blob"]) if isinstance(place, dict) else place

    for version in line["versions"]:
        version["id"] += last_id + 1
        version["stream"] = named(version["stream"])
        for part in version["parts"]:
            part["chunks"] = list(map(named, part["chunks"]))
    line["changed"] = {name: number + last_id + 1 for name, number in line["changed"].items()}
    for number in range(len(blobs)):   # outputs name theirs by content
        put(number)
    recording.flush()
    recording.keep(contents.values())
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"
