"""What an experiment consists of, and how that looks as JSON.

Names of files, arguments and variables are text as `codec.text` makes it:
bytes that are not UTF-8 are lone surrogates, which JSON writes as \\udcXX.
"""

from __future__ import annotations

import json
import zlib

from rex import codec
from rex.archive.content import Content, check_content
from rex.archive.jsonform import builder, plain, read_json
from rex.archive.manifest_checks import check_manifest
from rex.errors import Damaged, TooNew
from rex.hints import Any, Callable, Iterable, Iterator, Mapping
from rex.values import dataclass, field, replace

VERSION = 1

APPARATUS, INPUT, OUTPUT = "apparatus", "input", "output"
FILE, DIR, SYMLINK, FIFO, OTHER = "file", "dir", "symlink", "fifo", "other"

Json = Any
_quote = json.encoder.encode_basestring_ascii

_PIECE_ENTRIES = 32   # of a table of files, on average
_MANY_CHANGED = 16    # from here on changed files have a table too


@dataclass(frozen=True, slots=True)
class FileState:
    """One file at one moment.

    Attributes:
        type: file, dir, symlink, fifo or other (sockets, devices).
        mode: permission bits, as chmod takes them.
        content: the bytes of a file; None if they were not kept.
        target: where a symlink points.
        link_of: path of another entry that was the same file (hard link).
        xattrs: extended attributes of users (`user.*`) of files and directories: values in base64 by name.
    """

    type: str
    mode: int = 0
    uid: int = 0
    gid: int = 0
    mtime_ns: int = 0
    size: int = 0
    content: Content | None = None
    target: str = ""
    link_of: str = ""
    xattrs: dict[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class ElfFacts:
    """What an ELF file says about itself."""

    interpreter: str = ""
    soname: str = ""
    needed: tuple[str, ...] = ()
    build_id: str = ""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One path of the experiment's file system.

    Attributes:
        initial: as the experiment first saw it; None: it did not exist.
        final: as the experiment left it; None: it did not exist any more.
        is_changed: whether the experiment created, changed or removed it.
        roles: any of apparatus, input, output.
    """

    initial: FileState | None = None
    final: FileState | None = None
    is_changed: bool = False
    roles: tuple[str, ...] = ()
    elf: ElfFacts | None = None

    def contents(self) -> list[Content]:
        """Every content that this entry needs, once."""
        found = [state.content for state in (self.initial, self.final) if state and state.content]
        return found[:1] if found[1:] == found[:1] else found


@dataclass(frozen=True, slots=True)
class Process:
    """One process of the experiment; task numbers are those of the log."""

    task: int
    parent: int | None = None
    ordinal: int = 0
    command: tuple[str, ...] = ()
    executable: str = ""
    start_s: float = 0.0
    end_s: float | None = None
    exit_status: int | None = None
    cpu_s: float = 0.0


@dataclass(frozen=True, slots=True)
class LogFacts:
    """The log: its hash and size as engines read it, and how it is stored.

    Attributes:
        content: what is stored.
        is_packed: whether that is a zstd stream; otherwise it is the log.
        base: a similar log, as it is stored, without which the stream cannot be decompressed.
        is_apart: whether what is stored has the log's times apart.
    """

    sha256: str
    size: int
    content: Content
    is_packed: bool = False
    base: Content | None = None
    is_apart: bool = False

    def contents(self) -> list[Content]:
        """The contents that it needs."""
        return [self.content, self.base] if self.base else [self.content]


@dataclass(frozen=True)
class Manifest:
    """Everything about one finished experiment, except its bytes and its log.

    Attributes:
        environment: the variables that the command was given and that are kept.
        withheld: names of variables that were given but are not kept.
        limits: resource limits by name: [soft, hard], -1 for none.
        terminal, machine: facts, free in form.
        start_ns: ns since 1970.
        exit_status: as a shell sees it, or minus the signal that ended it.
        files: by absolute path, directories on the way included.
        attachments: contents that belong to it under names that other modules choose.
        extra: small facts of other modules, one key per module.
        log, table: filled in by Recording.finish; the table is where the
            entries of unchanged files are kept, shared by experiments that agree on them.
        changed, times_ns: likewise filled in, where many files changed: their entries
            without the final mtimes, and these, each less the one before, the first less start_ns.
    """

    command: tuple[str, ...]
    cwd: str = "/"
    environment: dict[str, str] = field(default_factory=dict)
    withheld: tuple[str, ...] = ()
    user: str = ""
    host: str = ""
    umask: int = 0o022
    limits: dict[str, tuple[int, ...]] = field(default_factory=dict)
    terminal: dict[str, Json] = field(default_factory=dict)
    machine: dict[str, Json] = field(default_factory=dict)
    engine: str = ""
    rex: str = ""
    start_ns: int = 0
    duration_s: float = 0.0
    exit_status: int | None = None
    processes: tuple[Process, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    files: dict[str, FileEntry] = field(default_factory=dict)
    attachments: dict[str, Content] = field(default_factory=dict)
    extra: dict[str, Json] = field(default_factory=dict)
    log: LogFacts | None = None
    table: Content | None = None
    changed: Content | None = None
    times_ns: tuple[int, ...] = ()

    def tables(self) -> list[Content]:
        """The contents that the rest of the manifest is in."""
        return [content for content in (self.table, self.changed) if content]

    def contents(self) -> list[Content]:
        """Every content that the experiment needs."""
        return [content for entry in self.files.values() for content in entry.contents()
                ] + list(self.attachments.values()) + self.tables() + (self.log.contents() if self.log else [])


@dataclass(frozen=True, slots=True)
class Line:
    """What a table has of one path.

    Attributes:
        text: its JSON text, path and entry.
        ends_piece: whether the table's pieces end with it.
    """

    entry: FileEntry
    text: str
    ends_piece: bool


def line(path: str, entry: FileEntry) -> Line:
    """What the table of unchanged files has of one."""
    return _line(path, entry, _unchanged_text(entry))


def _line(path: str, entry: FileEntry, text: str) -> Line:
    # Pieces end where a path says so: one changed entry is one new piece.
    return Line(entry, f"{_quote(path)}:{text}", zlib.crc32(codec.raw(path)) % _PIECE_ENTRIES == 0)


def encode(manifest: Manifest, store: Callable[[list[bytes]], Content], lines: Mapping[str, Line] = {}) -> bytes:
    """The manifest as JSON, the same bytes for the same manifest; defaults are left out.

    Args:
        manifest: its `table` is made again.
        store: keeps the table of unchanged files, which comes in pieces, and tells its content.
        lines: of the table, made before; those of other entries than the manifest's do not count.
    """
    changed, unchanged = {}, []
    for path in sorted(manifest.files):
        entry = manifest.files[path]
        if entry.is_changed or entry.final is not entry.initial and entry.final != entry.initial:
            changed[path] = entry
        else:
            made = lines.get(path)
            unchanged.append(made if made and made.entry is entry else line(path, entry))
    table = store(list(_table_pieces(unchanged))) if unchanged else None
    told = replace(manifest, files=changed, table=table, changed=None, times_ns=())
    if len(changed) >= _MANY_CHANGED:
        timeless, times_ns = _without_times(changed, manifest.start_ns)
        pieces = _table_pieces([_line(path, entry, _text(entry)) for path, entry in timeless.items()])
        told = replace(told, files={}, changed=store(list(pieces)), times_ns=times_ns)
    return _dump({"format": VERSION, **plain(told)})


def _without_times(entries: dict[str, FileEntry], time_ns: int) -> tuple[dict[str, FileEntry], tuple[int, ...]]:
    """Entries that a second run of the same command would have too, and what it would not: the times."""
    found, times_ns = {}, []
    for path in sorted(entries):
        entry = entries[path]
        if entry.final:
            times_ns.append(entry.final.mtime_ns - time_ns)
            time_ns = entry.final.mtime_ns
            entry = replace(entry, final=replace(entry.final, mtime_ns=0))
        found[path] = entry
    return found, tuple(times_ns)


def _with_times(entries: dict[str, FileEntry], times_ns: tuple[int, ...], time_ns: int) -> dict[str, FileEntry]:
    """What `_without_times` made these of.

    Raises:
        ValueError: there are more times than entries, or fewer.
    """
    left = iter(times_ns)
    for path in sorted(entries):
        entry = entries[path]
        if entry.final:
            time_ns += next(left, 0)
            entries[path] = replace(entry, final=replace(entry.final, mtime_ns=time_ns))
    if sum(1 for entry in entries.values() if entry.final) != len(times_ns):
        raise ValueError("the times do not fit the files")
    return entries


def _table_pieces(lines: Iterable[Line]) -> Iterator[bytes]:
    """The table's JSON text, of lines in order of their paths."""
    lead, piece = "{", []
    for each in lines:
        piece.append(each.text)
        if each.ends_piece:
            yield (lead + ",".join(piece)).encode()
            lead, piece = ",", []
    yield ((lead + ",".join(piece) if piece else "") + "}").encode()


def _unchanged_text(entry: FileEntry) -> str:
    """The JSON text of an entry, its state given once."""
    state = entry.initial
    if entry.elf or state is None or state.type != FILE or not state.content or state.target or state.link_of or state.xattrs:
        return _text(FileEntry(state, None, False, entry.roles, entry.elf))
    content, roles = state.content, ",".join(map(_quote, entry.roles))
    # Files are many and alike: this is a tenth of the time.
    return "".join([
        '{"initial":{"content":{', f'"depth":{content.depth},' if content.depth else "",
        f'"sha256":"{content.sha256}","size":{content.size}', f',"tree":"{content.tree}"' if content.tree else "", "}",
        f',"gid":{state.gid}' if state.gid else "", f',"mode":{state.mode}' if state.mode else "",
        f',"mtime_ns":{state.mtime_ns}' if state.mtime_ns else "", f',"size":{state.size}' if state.size else "",
        ',"type":"file"', f',"uid":{state.uid}' if state.uid else "", "}", f',"roles":[{roles}]' if roles else "", "}"])


def _text(value: Any) -> str:
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"))


def _dump(value: Json) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def decode(data: bytes, read: Callable[[Content], bytes]) -> Manifest:
    """The manifest in a JSON text from anywhere; `read` gives the bytes of its table.

    Raises:
        Damaged: it is not what a manifest looks like.
        TooNew: it was written in a newer format.
    """
    try:
        found = read_json(data, "a manifest")
        version = found.pop("format")
        if isinstance(version, int) and version > VERSION:
            raise TooNew(f"the manifest has format version {version}",
                         f"this Rex reads up to {VERSION}", "use a newer Rex")
        if version != VERSION:
            raise ValueError(f"format version {version!r}")
        manifest: Manifest = builder(Manifest)(found)
        if manifest.table:
            check_content(manifest.table)
            table = builder(dict[str, FileEntry])(read_json(read(manifest.table), "a table of files"))
            for path, entry in table.items():
                manifest.files[path] = replace(entry, final=entry.initial)
        if manifest.changed:
            check_content(manifest.changed)
            table = builder(dict[str, FileEntry])(read_json(read(manifest.changed), "a table of files"))
            manifest.files.update(_with_times(table, manifest.times_ns, manifest.start_ns))
        check_manifest(manifest)
        return manifest
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Damaged("a manifest is damaged", f"{type(error).__name__}: {error}",
                      "see: rex check") from error


def content_in(value: Json) -> Content | None:
    """The content that a part of a manifest's JSON describes; None for null.

    Raises:
        ValueError, TypeError: it is none.
    """
    if value is None:
        return None
    content: Content = builder(Content)(value)
    check_content(content)
    return content
