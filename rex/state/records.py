"""States as lines of JSON: one line per cell, appended in the background."""

from __future__ import annotations

import json
from typing import Any, Callable, Iterable, Iterator

from rex.archive import Content
from rex.errors import Damaged, TooNew
from rex.state.versions import Chunk, Delta, History, Part, Reader, Version

FORMAT = 1
# Longer lists of chunks are objects of their own, so that a small write in a large
# array does not write the whole list again.
_GROUP_CHUNKS = 128

Put = Callable[[bytes], Content]


def _groups(chunks: tuple[Chunk, ...], put: Put) -> dict[str, Any]:
    named = [c.content.to_json() for c in chunks if c.content is not None]
    assert len(named) == len(chunks)
    if len(named) <= _GROUP_CHUNKS:
        return {"chunks": named}
    return {"groups": [put(json.dumps(named[at:at + _GROUP_CHUNKS]).encode()).to_json()
                       for at in range(0, len(named), _GROUP_CHUNKS)]}


def encode_version(version: Version, number: int, put: Put) -> dict[str, Any]:
    """A version whose chunks are stored; `put` stores long lists of them."""
    parts = [{"kind": p.kind, "size": p.size, "pid": p.pid, **_groups(p.chunks, put)} for p in version.parts]
    return {"id": number, "names": version.names, "node": version.node, "engine": version.engine,
            "stream": version.stream.content.to_json()
            if version.stream and version.stream.content else None,
            "parts": parts, "out_of_band": version.out_of_band,
            "broken": version.why_not, "load_s": round(version.load_s, 6)}


def encode_delta(delta: Delta, versions: list[dict[str, Any]], number: Callable[[Version], int],
                 doubts: dict[int, str], facts: dict[str, Any]) -> bytes:
    """The line of one cell."""
    line = {"format": FORMAT, "node": delta.node, "parent": delta.parent, "versions": versions,
            "changed": {name: number(version) for name, version in delta.changed.items()},
            "removed": sorted(delta.removed), "touched": sorted(delta.touched),
            "code": delta.code, "cell_s": round(delta.cell_s, 6),
            "track_s": round(delta.track_s, 6), "is_complete": delta.is_complete,
            "doubts": {str(key): why for key, why in doubts.items()}, **({"facts": facts} if facts else {}), **({"read": delta.read} if delta.read else {})}
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def encode_note(note: dict[str, Any], dropped: Iterable[int] = (), why: str = "") -> bytes:
    """A line that belongs to no cell.

    Args:
        dropped: versions whose bytes are given up; why.
    """
    line = {"format": FORMAT, "note": note, "dropped": sorted(dropped), "why": why}
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def decode(lines: Iterable[bytes], read: Reader) -> Iterator[Delta | dict[str, Any]]:
    """The deltas and notes in lines; a last line that was cut short is left out.

    Raises:
        Damaged: a line does not hold together.
        TooNew: it has a newer format.
    """
    known: dict[int, Version] = {}
    chunks: dict[tuple[Any, ...], Chunk] = {}   # the same bytes are the same chunk, as they were
    for line in lines:
        if not line.endswith(b"\n"):
            return
        try:
            found = json.loads(line)
            if found["format"] > FORMAT:
                raise TooNew(f"a state has format {found['format']}",
                             f"this Rex reads up to {FORMAT}", "use a newer Rex")
            if "note" in found:
                for key in found["dropped"]:
                    known[key].doubts.append(str(found["why"]))
                yield dict(found["note"])
                continue
            for one in found["versions"]:
                known[one["id"]] = _decode_version(one, read, chunks)
            for key, why in found["doubts"].items():
                known[int(key)].doubts.append(str(why))
            yield Delta(int(found["node"]), int(found["parent"]),
                        {name: known[key] for name, key in found["changed"].items()},
                        frozenset(found["removed"]), frozenset(found["touched"]),
                        str(found["code"]), float(found["cell_s"]), float(found["track_s"]),
                        bool(found["is_complete"]), dict(found.get("facts") or {}), dict(found.get("read") or {}))
        except (ValueError, LookupError, OverflowError, TypeError, AttributeError, RecursionError) as error:
            raise Damaged("the record of a state is damaged",
                          f"{type(error).__name__}: {error}") from error


def _chunk(named: list[Any]) -> Chunk:
    sha256, size, *tree = named
    if not isinstance(sha256, str) or not isinstance(size, int):
        raise ValueError(f"not a content: {named!r}")
    return Chunk(None, b"", Content(sha256, size, *tree))


def _decode_version(found: dict[str, Any], read: Reader, chunks: dict[tuple[Any, ...], Chunk]) -> Version:
    def shared(named: list[Any]) -> Chunk:
        return chunks.get(tuple(named)) or chunks.setdefault(tuple(named), _chunk(named))

    parts = []
    for part in found["parts"]:
        named = part["chunks"] if "chunks" in part else [
            one for group in part["groups"] for one in json.loads(read(_content(group)))]
        parts.append(Part(part["kind"], part["size"], tuple(map(shared, named)), int(part.get("pid", 0))))
    stream = shared(found["stream"]) if found["stream"] else None
    return Version(tuple(found["names"]), stream, tuple(parts),
                   tuple((int(a), bool(b)) for a, b in found["out_of_band"]),
                   found["engine"], int(found["node"]), found["broken"], float(found["load_s"]))


def _content(named: list[Any]) -> Content:
    content = _chunk(named).content
    assert content is not None
    return content


def read_history(lines: Iterable[bytes], read: Reader) -> History:
    """The history in the lines of a state log.

    Raises:
        Damaged, TooNew: as `decode`.
    """
    history = History()
    for found in decode(lines, read):
        if isinstance(found, Delta):
            if found.parent and found.parent not in history.deltas:
                raise Damaged("the record of a state is damaged", f"node {found.node} has no parent")
            history.add(found)
        else:
            history.notes.append(found)
    return history
