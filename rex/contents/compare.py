"""Compare two contents by meaning: choose their format, read them into parts, compare these."""

from __future__ import annotations

import hashlib
from typing import Any, Callable

from rex.contents.formats import members, svg
from rex.contents.parts import Blob, Parts, compare_parts
from rex.contents.reading import Reading, Unreadable
from rex.contents.rules import BYTES, Rules
from rex.contents.tally import DIFFERENT
from rex.errors import RexError
from rex.values import dataclass, field

_SQLITE, _HDF5 = b"SQLite format 3\0", b"\x89HDF\r\n\x1a\n"
# What a content begins with, and its format.
_MAGIC = ((b"\x93NUMPY", "npy"), (_SQLITE, "sqlite"), (_HDF5, "hdf5"), (b"PAR1", "parquet"), (b"%PDF-", "pdf"), (b"\x89PNG\r\n", "image"),
          (b"\xff\xd8\xff", "image"), (b"GIF8", "image"), (b"BM", "image"), (b"II*\0", "image"), (b"MM\0*", "image"), (b"\x1f\x8b", "gzip"),
          (b"PK\x03\x04", "zip"), (b"PK\x05\x06", "zip"))
_NAMES = {".csv": "csv", ".tsv": "tsv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".geojson": "json", ".yaml": "yaml", ".yml": "yaml",
          ".ipynb": "notebook"}
SVG, TEXT = "svg", "text"
_CODE = (b"\x7fELF", b"#!")
_DETECTED_BYTES = 4096


@dataclass
class Verdict:
    """What a comparison by meaning found.

    Attributes:
        outcome: SAME, WITHIN or DIFFERENT.
        sentence: it in words; "" where only the bytes say anything.
        counts: for machines.
    """

    outcome: str
    sentence: str
    format: str = BYTES
    counts: dict[str, Any] = field(default_factory=dict)

    @property
    def is_same(self) -> bool:
        """Whether nothing differs beyond what the rules allow."""
        return self.outcome != DIFFERENT

    def as_json(self) -> dict[str, Any]:
        """The verdict for machines."""
        return {"outcome": self.outcome, "format": self.format, "sentence": self.sentence, **self.counts}


def detect(path: str, data: bytes) -> str:
    """The format of a content, by what it begins with, then by its name."""
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return "npz" if kind == "zip" and path.endswith(".npz") else kind
    if data[257:262] == b"ustar":
        return "tar"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image"
    if data.startswith(_CODE):
        return BYTES
    for ending, kind in _NAMES.items():
        if path.lower().endswith(ending):
            return kind
    begin = data[:_DETECTED_BYTES]
    if svg.is_svg(begin):
        return SVG
    return BYTES if b"\0" in begin and not begin.startswith((b"\xff\xfe", b"\xfe\xff")) else TEXT


def _readers() -> dict[str, Callable[[bytes, Reading], Parts]]:
    from rex.contents.formats import arrays, hdf5, images, parquet, pdf, sqlite, tables, text, trees
    return {"csv": tables.reader_of(""), "tsv": tables.reader_of("\t"), "json": trees.read_json, "yaml": trees.read_yaml,
            "notebook": trees.read_notebook, "npy": arrays.read_npy, "npz": arrays.read_npz, "hdf5": hdf5.read, "image": images.read,
            "parquet": parquet.read, "pdf": pdf.read, "sqlite": sqlite.read, SVG: svg.read, TEXT: text.read}


_MEMBERS = {"zip": members.read_zip, "tar": members.read_tar, "gzip": members.read_gzip}


def read_parts(kind: str, data: bytes, reading: Reading, rules: Rules) -> Parts:
    """The parts of a content of this format.

    Raises:
        Unreadable: it is not of this format, or too much.
        UsageError: a library is missing.
    """
    def read_member(name: str, inner: bytes, deeper: Reading) -> Parts:
        try:
            return read_parts(rules.format_of(name) or detect(name, inner), inner, deeper, rules)
        except Unreadable:
            if deeper.bytes_left < 0:
                raise
            return {"": _blob(inner)}
    if kind == BYTES:
        return {"": _blob(data)}
    if kind in _MEMBERS:
        return _MEMBERS[kind](data, reading, read_member)
    return _readers()[TEXT if kind == SVG and svg.lacking() else kind](data, reading)


def _blob(data: bytes) -> Blob:
    return Blob(hashlib.sha256(data).hexdigest(), len(data))


def compare_data(path: str, left: bytes, right: bytes, rules: Rules, limit_bytes: int) -> Verdict:
    """Compare two contents that are not the same bytes.

    Args:
        path: their name, which helps to know their format.
        limit_bytes: what each may unpack to.
    """
    kind = rules.format_of(path)
    if not kind:
        kinds = {detect(path, data) for data in (left, right)}
        if len(kinds) > 1:
            return Verdict(DIFFERENT, f"one is {' and the other '.join(sorted(kinds))}")
        kind = kinds.pop()
    if kind == BYTES:
        return Verdict(DIFFERENT, "")
    parts = _both(kind, left, right, rules, limit_bytes)
    note = ""
    if kind == SVG and (why := svg.lacking() or (parts if isinstance(parts, str) else "")):
        kind, note = TEXT, f" (compared as text; {why})"
        parts = _both(kind, left, right, rules, limit_bytes)
    if isinstance(parts, str):     # no such content, or too much: its bytes are compared, and they differ
        return Verdict(DIFFERENT, parts + note, kind)
    tally = compare_parts(parts[0], parts[1], rules)
    return Verdict(tally.outcome, tally.sentence() + note, kind, tally.as_json())


def _both(kind: str, left: bytes, right: bytes, rules: Rules, limit_bytes: int) -> tuple[Parts, Parts] | str:
    """The parts of two contents of this format, or why they are not read."""
    try:
        one, two = (read_parts(kind, data, Reading(limit_bytes, rules.any_order), rules) for data in (left, right))
        return one, two
    except RexError as error:
        return " ".join(str(error).split())
    except Unreadable as error:
        return f"not read as {kind}: {' '.join(str(error).split())}"
    except (MemoryError, RecursionError) as error:
        return f"not read as {kind}: {type(error).__name__}"
