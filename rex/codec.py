"""Hashing, zstd, and the escape that carries any file name in JSON text.

Everything read here may come from a stranger: a declared size is a limit,
and nothing is decompressed beyond it.
"""

from __future__ import annotations

import threading

from rex.digest import Sha256
from rex.errors import Damaged
from rex.hints import IO, TYPE_CHECKING, BinaryIO, Iterable, Sequence
from rex.zstd import zstd

if TYPE_CHECKING:
    import zstandard   # at run time `zstd` by those who use it: a recorded program is not to wait for it

# What a stranger's frame may make us allocate for its window while streaming.
MAX_WINDOW_BYTES = 1 << 27
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_COPY_BYTES = 1 << 20
# The window reaches over the base and as much again.
MAX_BASE_BYTES, _BASE_WINDOW_LOG = 32 << 20, 26

# A window over the whole of a large frame: the levels' own are smaller.
_WIDE_BYTES, _WIDE_WINDOW_LOG = 4 << 20, 24

_JOIN_BYTES = 4 << 20
_BLOCK_BYTES = 128 << 10   # the most that a block of a frame holds
# zstd contexts are costly to make and must not be shared by running threads.
_contexts = threading.local()


def sha256(data: bytes | memoryview) -> bytes:
    """The 32-byte digest of the data; the GIL is free meanwhile."""
    return Sha256(data).digest()


def text(name: bytes) -> str:
    """A file name as text: UTF-8, and U+DC80..U+DCFF for each byte that is not."""
    return name.decode("utf-8", "surrogateescape")


def raw(name: str) -> bytes:
    """The bytes of a file name that `text` made."""
    return name.encode("utf-8", "surrogateescape")


RUN = 64          # records; programs call in loops


def is_run(words: memoryview, at: int) -> bool:
    """Whether so many records of a log, all of the call and size of the first, follow each other.

    Args:
        words: whole words of 8 bytes; a record's first one holds its size in bytes, its call and its flags.
        at: where a record begins, whose size is a multiple of 8.
    """
    head = words[at]
    step = (head & 0xFFFFFFFF) >> 3
    last = at + (RUN - 1) * step
    return last + step <= len(words) and words[last] == head == words[at + step] and words[at:last + 1:step].tolist().count(head) == RUN


def compress(data: bytes | memoryview, level: int) -> bytes:
    """One zstd frame that declares its size; the GIL is free meanwhile."""
    made: dict[tuple[int, bool], zstandard.ZstdCompressor] = _contexts.__dict__.setdefault("compressors", {})
    is_wide = len(data) > _WIDE_BYTES
    if (level, is_wide) not in made:
        library = zstd()
        wide = library.ZstdCompressionParameters.from_level(level, window_log=_WIDE_WINDOW_LOG)
        made[level, is_wide] = (library.ZstdCompressor(compression_params=wide) if is_wide else
                                library.ZstdCompressor(level=level))
    return made[level, is_wide].compress(data)


def compress_together(parts: Sequence[bytes | memoryview], level: int) -> bytes:
    """As `compress`, of parts back to back; the memory to join them in is used again."""
    if len(parts) == 1:
        return compress(parts[0], level)
    size = sum(map(len, parts))
    if size > _JOIN_BYTES:
        return compress(b"".join(parts), level)
    joined: bytearray = _contexts.__dict__.setdefault("joined", bytearray())
    if len(joined) < size:
        joined = _contexts.joined = bytearray(size)
    at = 0
    for part in parts:
        joined[at:at + len(part)] = part
        at += len(part)
    with memoryview(joined) as view:
        return compress(view[:size], level)


def frame_of(pieces: Sequence[bytes | memoryview]) -> list[bytes | memoryview]:
    """One zstd frame that holds pieces as they are, in parts that stand back to back: nothing is compressed, or copied."""
    views = [memoryview(piece)[at:at + _BLOCK_BYTES] for piece in pieces for at in range(0, len(piece), _BLOCK_BYTES)]
    parts: list[bytes | memoryview] = [ZSTD_MAGIC + b"\xe0" + sum(map(len, views)).to_bytes(8, "little")]     # its size is declared
    for view in views:
        parts += [(len(view) << 3).to_bytes(3, "little"), view]
    return [*parts, b"\x01\0\0"]     # the last block is empty


def decompress(frame: bytes, limit_bytes: int) -> bytes:
    """The content of one frame that declares at most limit_bytes.

    Raises:
        Damaged: no frame, more than one, no declared size, or a larger one.
    """
    library = zstd()
    if not hasattr(_contexts, "decompressor"):
        _contexts.decompressor = library.ZstdDecompressor()
    decompressor: zstandard.ZstdDecompressor = _contexts.decompressor
    try:
        declared = library.frame_content_size(frame)
        if not 0 <= declared <= limit_bytes:
            raise Damaged("compressed data is damaged",
                          f"its declared size is {declared}, the limit is {limit_bytes}")
        return decompressor.decompress(frame, allow_extra_data=False)
    except library.ZstdError as error:
        raise Damaged("compressed data is damaged", str(error)) from error


def compress_blocks(blocks: Iterable[bytes], target: IO[bytes], level: int, base: bytes = b"") -> None:
    """Compress blocks, as one, into a stream.

    Args:
        base: similar bytes, which whoever decompresses it must have; at most MAX_BASE_BYTES.
    """
    library = zstd()
    # Tables for a small size are made in a fraction of the time.
    size = sum(map(len, blocks)) if isinstance(blocks, list) else -1
    if base:
        known = library.ZstdCompressionDict(base, dict_type=library.DICT_TYPE_RAWCONTENT)
        params = library.ZstdCompressionParameters.from_level(level, window_log=_BASE_WINDOW_LOG,
                                                                write_checksum=True)
        compressor = library.ZstdCompressor(dict_data=known, compression_params=params)
    else:
        compressor = library.ZstdCompressor(level=level, write_checksum=True)
    with compressor.stream_writer(target, size=size, closefd=False) as writer:
        for block in blocks:
            writer.write(block)


def open_stream(path: str) -> BinaryIO:
    """A file's bytes, decompressed on the fly when it is zstd; close it after use."""
    stream = open(path, "rb")
    return decompressed(stream) if stream.peek(4)[:4] == ZSTD_MAGIC else stream


def decompressed(stream: BinaryIO, base: bytes = b"") -> BinaryIO:
    """What a zstd stream holds, to be read by `read_stream`; closing it closes the stream.

    Args:
        base: what the stream was compressed with.
    """
    library = zstd()
    known = library.ZstdCompressionDict(base, dict_type=library.DICT_TYPE_RAWCONTENT) if base else None
    reader = library.ZstdDecompressor(dict_data=known, max_window_size=MAX_WINDOW_BYTES)
    return reader.stream_reader(stream, read_across_frames=True, closefd=True)


def read_stream(stream: BinaryIO, size: int) -> bytes:
    """Read until size bytes are there or the stream ends.

    Raises:
        Damaged: the compressed stream is broken.
    """
    library = zstd()
    blocks: list[bytes] = []
    try:
        while size > 0 and (block := stream.read(min(size, _COPY_BYTES))):
            blocks.append(block)
            size -= len(block)
    except library.ZstdError as error:
        raise Damaged("compressed data is damaged", str(error)) from error
    return b"".join(blocks)
