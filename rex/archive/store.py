"""The object store: bytes by hash, packed, each kept once."""

from __future__ import annotations

import io
import threading
from collections import OrderedDict

from rex import codec, limits
from rex.archive.content import HOLE, MAX_DEPTH, Content, Entry, decode_list
from rex.archive.folder import Folder
from rex.archive.packs import PackReader, Place
from rex.digest import Sha256
from rex.errors import Damaged, RexError, TooNew, UsageError
from rex.hints import Any, BinaryIO, Iterator, cast

_CACHED_BYTES = 48 << 20
READ_LIMIT_BYTES = 1 << 30
_ZEROS_BYTES = 2 << 20


class Store:
    """Reads objects from all packs of an archive; safe for threads."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.directory = folder.path
        self.damaged: dict[str, RexError] = {}   # packs that could not be opened
        self._packs: dict[str, PackReader] = {}
        self._places: dict[bytes, Place] = {}
        self._frames: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._cached_bytes = 0
        self._lock = threading.RLock()
        self._is_loaded = False
        self._fresh: list[str] = []              # packs that were just written

    def pack_names(self) -> list[str]:
        """The names of the files in the packs' folder."""
        return self.folder.names_if_there()

    def open_pack(self, name: str) -> PackReader:
        """Read the index of a pack."""
        return PackReader(self.folder, name)

    def refresh(self) -> None:
        """Learn of packs that others have added or removed."""
        with self._lock:
            names = {n for n in self.pack_names() if n.endswith(".pack")}
            if gone := self._packs.keys() - names:
                self._packs = {n: p for n, p in self._packs.items() if n not in gone}
                self._places = {d: place for pack in self._packs.values()
                                for d, place in pack.places.items()}
                self._frames.clear()
                self._cached_bytes = 0
            for name in sorted(names - self._packs.keys() - self.damaged.keys()):
                try:
                    pack = self.open_pack(name)
                except FileNotFoundError:
                    continue
                except (Damaged, TooNew) as error:
                    # The rest of the archive stays readable; `check` reports it.
                    self.damaged[name] = error
                    continue
                self._packs[name] = pack
                self._places.update(pack.places)
                limits.grant(pack.stored_bytes)
            self._is_loaded = True

    def look_again(self) -> None:
        """Refresh at the next question, which comes from beside a run: a large archive takes a while."""
        self._is_loaded = False

    def learn(self, name: str) -> None:
        """Take in a pack that was just written, with the next question; as `refresh`, for this one."""
        self._fresh.append(name)

    def _take_in(self) -> None:
        with self._lock:
            while self._fresh:
                try:
                    pack = self._packs[self._fresh[-1]] = self.open_pack(self._fresh[-1])
                    self._places.update(pack.places)
                except FileNotFoundError:      # gc has put its objects into others, which `refresh` finds
                    pass
                self._fresh.pop()

    def place(self, digest: bytes) -> Place | None:
        """Where the object lies, or None."""
        if not self._is_loaded:
            self.refresh()
        if self._fresh:
            self._take_in()
        return self._places.get(digest)

    def packs(self) -> list[PackReader]:
        """Every pack that can be read."""
        self.refresh()
        return list(self._packs.values())

    def read_object(self, digest: bytes, is_proved: bool = True) -> bytes:
        """The bytes of one object, verified.

        Args:
            is_proved: False: the caller verifies them itself, and asks again if they are wrong.
        Raises:
            Damaged: it is missing, or its bytes are not what its hash says.
        """
        try:
            place = self.place(digest)
            if place is not None:
                return self._read(place, digest if is_proved else None)
        except (Damaged, FileNotFoundError):
            pass
        # A pack was added, rewritten or hurt since; any other copy will do.
        self.refresh()
        failure = Damaged(f"object {digest.hex()[:16]} is missing", "", "see: rex check")
        for pack in list(self._packs.values()):
            try:
                if digest in pack.places:
                    return self._read(pack.places[digest], digest)
            except Damaged as error:
                failure = error
        raise failure

    def _read(self, place: Place, digest: bytes | None) -> bytes:
        data = self._frame(place)[place.offset:place.offset + place.length]
        if digest is not None and codec.sha256(data) != digest:
            raise Damaged(f"object {digest.hex()[:16]} is damaged",
                          "its bytes do not have this hash", "see: rex check")
        return data

    def _frame(self, place: Place) -> bytes:
        key = (place.pack, place.frame)
        with self._lock:
            if frame := self._frames.get(key):
                self._frames.move_to_end(key)
                return frame
            pack = self._packs.get(place.pack)
        if pack is None:
            raise FileNotFoundError(place.pack)
        frame = pack.read_frame(place.frame)
        limits.spend(len(frame))
        with self._lock:
            if key not in self._frames:
                self._frames[key] = frame
                self._cached_bytes += len(frame)
            while self._cached_bytes > _CACHED_BYTES and len(self._frames) > 1:
                self._cached_bytes -= len(self._frames.popitem(last=False)[1])
        return frame

    def pieces(self, content: Content) -> Iterator[Entry]:
        """The (hash, length) of the file's objects in order; HOLE for holes.

        Raises:
            Damaged: the tree of lists is not what it should be.
        """
        if content.size == 0:
            return iter(())
        if not 0 <= content.depth <= MAX_DEPTH:
            raise Damaged("a content is damaged", f"depth {content.depth}")
        return self._walk(content.root, content.depth)

    def _walk(self, entry: Entry, depth: int) -> Iterator[Entry]:
        if depth == 0 or entry[0] == HOLE:
            yield entry
            return
        for below in decode_list(self.read_object(entry[0]), entry[1]):
            yield from self._walk(below, depth - 1)

    def needs(self, content: Content) -> Iterator[Entry]:
        """The (hash, size) of every object that the content needs, each once.

        Lists come before what they name, with their own size; the order depends
        on the content alone.

        Raises:
            Damaged: a list is missing or wrong.
        """
        if not 0 <= content.depth <= MAX_DEPTH:
            raise Damaged("a content is damaged", f"depth {content.depth}")
        # Few lists that name each other often may stand for more bytes than anybody can count.
        seen: set[tuple[Entry, int]] = set()
        waiting = [(content.root, content.depth)] if content.size else []
        while waiting:
            entry, depth = waiting.pop()
            if entry[0] == HOLE or (entry, depth) in seen:
                continue
            seen.add((entry, depth))
            if depth == 0:
                yield entry
                continue
            data = self.read_object(entry[0])
            limits.spend(len(data))
            yield entry[0], len(data)
            waiting += [(below, depth - 1) for below in reversed(decode_list(data, entry[1]))]

    def has(self, content: Content) -> bool:
        """Whether all objects that a content needs are there."""
        try:
            return all(self.place(digest) for digest, _ in self.needs(content))
        except Damaged:
            return False

    def reach(self, content: Content) -> set[bytes]:
        """The hashes of all objects that the content needs, lists included.

        Raises:
            Damaged: a list is missing or wrong.
        """
        return {digest for digest, _ in self.needs(content)}

    def read_pieces(self, content: Content) -> Iterator[tuple[bytes | None, int]]:
        """The file's bytes in order as (data, length); data is None for a hole.

        Raises:
            Damaged: an object is missing or wrong, or the whole has another hash.
        """
        digest = Sha256()
        for name, length in self.pieces(content):
            limits.spend(length)
            if name == HOLE:
                for zeros in zero_blocks(length):
                    digest.update(zeros)
                yield None, length
                continue
            data = self.read_object(name)
            if len(data) != length:
                raise Damaged(f"object {name.hex()[:16]} has {len(data)} bytes",
                              f"its list says {length}", "see: rex check")
            digest.update(data)
            yield data, length
        if content.sha256 not in (content.tree, digest.hexdigest()):     # a content may have no hash but those of its objects
            raise Damaged(f"content {content.sha256[:16]} is damaged",
                          "the whole does not have its hash", "see: rex check")

    def open(self, content: Content) -> BinaryIO:
        """The content as a stream; reading it raises Damaged as `read_pieces`."""
        return cast(BinaryIO, io.BufferedReader(ContentStream(self, content), 1 << 17))

    def read(self, content: Content, limit_bytes: int = READ_LIMIT_BYTES) -> bytes:
        """The whole content, verified.

        Raises:
            Damaged: objects are missing or wrong.
            UsageError: it is larger than the limit.
        """
        if content.size > limit_bytes:
            raise UsageError(f"a content of {content.size} bytes is too large to be read at once")
        limits.check_memory(2 * content.size, f"a content of {content.size} bytes")
        return b"".join([data if data is not None else bytes(length)
                         for data, length in self.read_pieces(content)])


class ContentStream(io.RawIOBase):
    """A content to read from front to back, verified on the way; wrap it in a buffer."""

    def __init__(self, store: Store, content: Content) -> None:
        self._pieces = store.read_pieces(content)
        self._data = memoryview(b"")
        self._zeros = 0

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer's front; the number of bytes, 0 at the end.

        Raises:
            Damaged: as Store.read_pieces.
        """
        while not self._data and not self._zeros:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            data, length = piece
            self._data, self._zeros = memoryview(data or b""), 0 if data else length
        if self._zeros:
            count = min(len(buffer), self._zeros)
            buffer[:count] = bytes(count)
            self._zeros -= count
        else:
            count = min(len(buffer), len(self._data))
            buffer[:count] = self._data[:count]
            self._data = self._data[count:]
        return count


def zero_blocks(size: int) -> Iterator[bytes]:
    """The zeros that a hole reads as, in pieces."""
    zeros = bytes(min(size, _ZEROS_BYTES))
    for at in range(0, size, _ZEROS_BYTES):
        yield zeros[:size - at]
