"""Adding to the object store: cut, compress, pack."""

from __future__ import annotations

import contextlib
import os
import threading

from rex import codec
from rex.archive.content import EMPTY, HOLE, Content, Entry, encode_list, split_list
from rex.archive.cut import MAX_BYTES, WHOLE_BYTES, cut
from rex.archive.frames import Frames
from rex.archive.locks import sync_directory, sync_file
from rex.archive.packs import PackWriter
from rex.archive.pipeline import Pipeline
from rex.archive.store import Store, zero_blocks
from rex.digest import Sha256
from rex.hints import Callable, Iterable, Iterator, Sequence

_LIGHT_BYTES = 1 << 20     # of a frame that is not compressed: they are written while a processor's own cache has them
FRAME_BYTES = 2 << 20      # raw bytes gathered before a frame is compressed
# Of frames that are to come again: at most so many, and at least so many up to an object that is, by its hash, one of three in
# 256. So the same objects are together another time even where others came before them.
_AGAIN_BYTES, _AGAIN_LEAST_BYTES, _LAST = 3 << 20, 384 << 10, 3
APART_BYTES = (4 << 20) - MAX_BYTES   # the same, of one content alone
PACK_BYTES = 256 << 20     # stored bytes before the next pack is begun
LEVEL = 3
_BEGINNING_BYTES = 4
# Of a frame that keeps this part of its bytes: it gains next to nothing by another level, or by being kept compressed elsewhere.
INCOMPRESSIBLE = 0.97
# For archives at rest: six times the time, a fifth less.
DENSE_LEVEL, DENSE_FRAME_BYTES = 19, 15 << 20


_Objects = list[tuple[bytes, bytes | memoryview]]   # sha256 and bytes of each


class _Group:
    """Objects that are compressed together, back to back."""

    def __init__(self, limit_bytes: int, least_bytes: int = 0, level: int = 0) -> None:
        """Args:
            least_bytes: from when on an object may by its hash be the last one; 0: at the limit.
            level: zstd level; 0: the packer's.
        """
        self._limit_bytes, self._least_bytes = limit_bytes, least_bytes or limit_bytes
        self.level = level
        self._objects: _Objects = []
        self._size_bytes = 0

    def add(self, digest: bytes, data: bytes | memoryview) -> bool:
        """Whether it is large enough now."""
        self._objects.append((digest, data))
        self._size_bytes += len(data)
        return self._size_bytes >= (self._least_bytes if digest[0] < _LAST else self._limit_bytes)

    def take_all(self) -> _Objects:
        """What it holds; nothing is left."""
        objects, self._objects, self._size_bytes = self._objects, [], 0
        return objects

    def take(self, frame: bytes, sizes: list[int]) -> None:
        """Learn what the objects of these sizes became."""


class Apart(_Group):
    """The objects of one content, in frames of their own.

    Attributes:
        entries: of the content, once it is stored.
    """

    def __init__(self, level: int = 0) -> None:
        super().__init__(APART_BYTES, level=level)
        self.entries: list[Entry] = []


class Packer:
    """Adds objects to a store through new packs; safe for any number of threads."""

    def __init__(self, store: Store, level: int = LEVEL, is_fresh: bool = False,
                 frame_bytes: int = FRAME_BYTES, is_light: bool = False) -> None:
        """Add to a store; with is_fresh also what other packs already hold.

        Args:
            level: zstd level; a later value of the attribute holds for what comes then.
            frame_bytes: raw bytes that are compressed together.
            is_light: make light packs, which `add_light` needs.
        """
        self._store, self._is_light = store, is_light
        self.level = level
        self._is_fresh = is_fresh
        self._lock = threading.Lock()          # the group and what is known
        self._pack_lock = threading.Lock()     # the pack being written
        self._pack: PackWriter | None = None
        self._group = _Group(frame_bytes)
        self._added: set[bytes] = set()
        self._failure: BaseException | None = None
        self._unsynced: list[str] = []
        self._is_directory_stale = False
        self._frames: Frames | None = None
        self.beginnings: dict[str, bytes] = {} # of small contents, by sha256: their first four bytes
        self.sealed: set[str] = set()          # names of the packs written
        self.new_bytes = 0                     # raw bytes that were not in the store yet
        self.stored_bytes = 0                  # bytes of the packs written
        store.look_again()

    def reuse(self, frames: Frames) -> None:
        """Take what was compressed before on this machine from its cache, and keep it there; before anything is added."""
        self._frames, self._group = frames, _Group(_AGAIN_BYTES, _AGAIN_LEAST_BYTES)

    def has(self, content: Content) -> bool:
        """Whether finished packs hold all that a content needs."""
        return self._store.has(content)

    @contextlib.contextmanager
    def helpers(self) -> Iterator[Pipeline]:
        """Threads that compress and write what is added; they have ended when the context has."""
        helpers = Pipeline(self._compressed, self._write_compressed)
        try:
            yield helpers
        finally:
            helpers.end()

    def add(self, data: bytes | memoryview, group: _Group | None = None, helpers: Pipeline | None = None) -> bytes:
        """Store one object of at most a few MiB, of bytes that stay as they are, unless it is there; its sha256.

        Args:
            helpers: compress and write.
        """
        digest = codec.sha256(data)
        group = group or self._group
        full = None
        with self._lock:
            if self._failure:
                raise self._failure
            if self._is_there(digest):
                return digest
            self._added.add(digest)
            self.new_bytes += len(data)
            if group.add(digest, data):
                full = group.take_all()
        if full and helpers:
            helpers.put((full, group))
        elif full:
            self._write_group(full, group)
        return digest

    def add_light(self, pieces: Sequence[memoryview]) -> tuple[Content, list[bytes]]:
        """Store a content of objects as they are, without compressing them, in a light pack.

        Nothing but the objects has a hash: the content's is that of its list. The bytes are not needed after the call.

        Args:
            pieces: at most a few MiB each.
        Returns:
            The content, and the sha256 of each piece.
        """
        entries: list[Entry] = []
        group: dict[bytes, memoryview] = {}
        for piece in pieces:
            digest = codec.sha256(piece)
            entries.append((digest, len(piece)))
            with self._lock:
                if self._failure:
                    raise self._failure
                if self._is_there(digest):
                    continue
                self._added.add(digest)
                self.new_bytes += len(piece)
            group[digest] = piece
            if sum(map(len, group.values())) >= _LIGHT_BYTES:
                self._write_light(group)
        if group:
            self._write_light(group)
        return self.add_entries(entries), [digest for digest, _ in entries]

    def _write_light(self, group: dict[bytes, memoryview]) -> None:
        objects = [(digest, len(piece)) for digest, piece in group.items()]
        self._write(lambda pack: pack.add_parts(codec.frame_of([*group.values()]), objects))
        group.clear()

    def _is_there(self, digest: bytes) -> bool:
        return digest in self._added or not self._is_fresh and self._store.place(digest) is not None

    def add_frames(self, frames: Iterable[tuple[bytes, list[Entry]]]) -> bool:
        """Store objects that are compressed already, each frame with the names and lengths of what it holds.

        Returns:
            False: some are there already; those of the first frames as well.
        """
        for frame, objects in frames:
            with self._lock:
                if self._failure:
                    raise self._failure
                if any(self._is_there(digest) for digest, _ in objects):
                    return False
                self._added.update(digest for digest, _ in objects)
                self.new_bytes += sum(length for _, length in objects)
            self._write_frame(frame, objects)
        return True

    def _write_group(self, objects: _Objects, group: _Group) -> None:
        self._write_compressed((objects, group), self._compressed((objects, group)))

    def _compressed(self, full: tuple[_Objects, _Group]) -> bytes:
        objects, group = full
        frames = self._frames if group is self._group else None
        if frames:     # they came from several threads
            objects.sort(key=lambda each: each[0])
        try:
            parts = [data for _, data in objects]
            return (frames.compress_together([(digest, len(data)) for digest, data in objects], parts, self.level) if frames else
                    codec.compress_together(parts, group.level or self.level))
        except BaseException as error:
            self._failure = error
            raise

    def _write_compressed(self, full: tuple[_Objects, _Group], frame: bytes) -> None:
        objects, group = full
        self._write_frame(frame, [(digest, len(data)) for digest, data in objects])
        group.take(frame, [len(data) for _, data in objects])

    def _write_frame(self, frame: bytes, objects: list[Entry]) -> None:
        self._write(lambda pack: pack.add_frame(frame, objects))

    def _write(self, add: Callable[[PackWriter], None]) -> None:
        try:
            with self._pack_lock:
                if self._pack is None:
                    self._pack = PackWriter(self._store.directory, self._is_light)
                add(self._pack)
                if self._pack.size_bytes >= PACK_BYTES:
                    self._seal()
        except BaseException as error:
            # Objects are missing now that others believe stored: nothing may follow.
            self._failure = error
            raise

    def _seal(self, is_durable: bool = True) -> None:
        pack, self._pack = self._pack, None
        if pack is not None:
            try:
                name = pack.seal(is_durable)
            except BaseException:
                pack.abandon()
                raise
            self.sealed.add(name)
            self.stored_bytes += pack.size_bytes
            self._store.learn(name)
            if not is_durable:
                self._unsynced.append(os.path.join(self._store.directory, name))

    def flush(self, is_durable: bool = True) -> None:
        """Make everything added so far durable and readable; no other thread may add meanwhile.

        Args:
            is_durable: False: readable, and safe from the end of this process; `sync` does the rest.
        """
        with self._lock:
            left = self._group.take_all()
        if left:
            self._write_group(left, self._group)
        if self._failure:
            raise self._failure
        with self._pack_lock:
            self._seal(is_durable)
        if is_durable:
            self.sync()

    def sync(self, is_read_soon: bool = True) -> None:
        """Make durable what was flushed without; is_read_soon: see `sync_file`."""
        while self._unsynced:
            sync_file(self._unsynced[-1], is_read_soon)
            self._unsynced.pop()
            self._is_directory_stale = True
        if self._is_directory_stale:
            sync_directory(self._store.directory)
            self._is_directory_stale = False

    def forget(self) -> None:
        """Look up again what is stored: somebody may have removed some of it."""
        with self._lock:
            self._added.clear()
            self._store.refresh()

    def restart(self) -> None:
        """Go on after a failure: what is in no whole pack is forgotten, and may be added again."""
        self.abandon()
        with self._lock:
            self._group.take_all()
            self._failure = None
            self._is_fresh = False
        self.forget()

    def abandon(self) -> None:
        """Drop what is not yet in a whole pack."""
        with self._pack_lock:
            pack, self._pack = self._pack, None
            if pack is not None:
                pack.abandon()

    def add_bytes(self, data: bytes, apart: Apart | None = None) -> Content:
        """Store data, cut if it is large; apart: see `add_blocks`."""
        if len(data) <= WHOLE_BYTES:
            digest = self.add(data, apart) if data else bytes.fromhex(EMPTY)
            self.beginnings[digest.hex()] = data[:_BEGINNING_BYTES]
            self._finish_apart(apart, [(digest, len(data))])
            return Content(digest.hex(), len(data))
        return self.add_blocks([data], apart)

    def add_pieces(self, pieces: Iterable[bytes], names: list[bytes] | None = None) -> Content:
        """Store a content that is cut already, each piece an object.

        Args:
            names: is given the sha256 of each object as it is added.
        """
        whole = Sha256()
        entries: list[Entry] = []
        for piece in pieces:
            whole.update(piece)
            entries.append((self.add(piece), len(piece)))
            if names is not None:
                names.append(entries[-1][0])
        return self.add_entries(entries, whole.hexdigest())

    def add_blocks(self, blocks: Iterable[bytes | int], apart: Apart | None = None) -> Content:
        """Store a content that comes in blocks, in order; a number is a hole of that size.

        Args:
            apart: takes what is not there yet, to frames of its own.
        """
        with contextlib.ExitStack() as ending:
            entries, sha256 = self._add_in_blocks(blocks, apart, ending)
        self._finish_apart(apart, entries)
        return self.add_entries(entries, sha256)

    def _add_in_blocks(self, blocks: Iterable[bytes | int], apart: Apart | None, ending: contextlib.ExitStack) -> tuple[list[Entry], str]:
        """The objects of a content, and its sha256; from the second block on helpers compress, which the stack ends."""
        whole, helpers = Sha256(), None
        entries: list[Entry] = []
        rest = b""
        for number, block in enumerate(blocks):
            if number == 1 and len(os.sched_getaffinity(0)) > 1:
                helpers = ending.enter_context(self.helpers())
            if isinstance(block, int):
                entries += self._add_cut(rest, cut(rest, True), apart, helpers) + [(HOLE, block)]
                rest = b""
                for zeros in zero_blocks(block):
                    whole.update(zeros)
                continue
            whole.update(block)
            rest = rest + block if rest else block
            lengths = cut(rest, False)
            entries += self._add_cut(rest, lengths, apart, helpers)
            rest = rest[sum(lengths):]
        return entries + self._add_cut(rest, cut(rest, True), apart, helpers), whole.hexdigest()

    def _finish_apart(self, apart: Apart | None, entries: list[Entry]) -> None:
        if apart is not None:
            if left := apart.take_all():
                self._write_group(left, apart)
            apart.entries = entries

    def add_entries(self, entries: list[Entry], sha256: str = "") -> Content:
        """The content of objects that were stored, holes among them, and that has this hash; "": that of its list alone."""
        size = sum(length for _, length in entries)
        if not entries:
            return Content(EMPTY, 0)
        if len(entries) == 1 and entries[0][0] != HOLE:
            return Content(entries[0][0].hex(), size)
        depth, tree = self._add_lists(entries)
        return Content(sha256 or tree.hex(), size, depth, tree.hex())

    def _add_cut(self, data: bytes, lengths: list[int], apart: Apart | None, helpers: Pipeline | None) -> list[Entry]:
        entries, begin, view = [], 0, memoryview(data)
        for length in lengths:
            entries.append((self.add(view[begin:begin + length], apart, helpers), length))
            begin += length
        return entries

    def _add_lists(self, entries: list[Entry]) -> tuple[int, bytes]:
        """Store lists above the entries until one is left: its depth and hash."""
        depth = 0
        while depth == 0 or len(entries) > 1:
            entries = [(self.add(encode_list(group)), sum(length for _, length in group))
                       for group in split_list(entries)]
            depth += 1
        return depth, entries[0][0]
