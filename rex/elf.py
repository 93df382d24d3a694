"""What a program needs before its first instruction: loader, libraries, script interpreter.

Reads a few hundred bytes per file instead of the whole, because a recording
asks this of every library that it saw. The rules are those of execve(2) and ld.so(8).
"""

from __future__ import annotations

import functools
import os
import re
import struct

from rex.errors import Damaged, Unsupported
from rex.hints import Iterator, Mapping
from rex.values import dataclass

LIBC, UNWINDER = "libc.so.6", "libgcc_s.so.1"
MAGIC = b"\x7fELF"
EXECUTABLE, SHARED = 2, 3   # e_type

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")   # type, flags, offset, vaddr, paddr, filesz, memsz, align
_DYNAMIC = struct.Struct("<qQ")
_NOTE = struct.Struct("<III")
_CACHE_ENTRY_BYTES, _CACHE_NUMBER = 24, struct.Struct("<I")   # flags, key, value, and what we need not know
_CACHE_MAGIC = b"glibc-ld.so.cache1.1"
_CACHE_HEADER_BYTES = 48

_LOAD, _DYNAMIC_SEGMENT, _INTERP, _NOTES = 1, 2, 3, 4
_NEEDED, _STRTAB, _SONAME, _RPATH, _RUNPATH, _FLAGS_1 = 1, 5, 14, 15, 29, 0x6FFFFFFB
_BUILD_ID, _PIE = 3, 0x08000000

_MAX_TABLE_BYTES = 4 << 20   # of anything that a hostile file makes us read at once
_MAX_NAME_BYTES = 4096       # PATH_MAX, to the kernel and to us
_SCRIPT_BYTES = 256          # BINPRM_BUF_SIZE of the kernel


@dataclass(frozen=True, slots=True)
class Elf:
    """What an ELF file says about itself; texts are "" where it says nothing."""

    type: int
    machine: int
    interpreter: str = ""
    soname: str = ""
    needed: tuple[str, ...] = ()
    rpath: str = ""
    runpath: str = ""
    build_id: str = ""
    is_pie: bool = False

    @property
    def is_static(self) -> bool:
        """Whether this is a program that no loader completes."""
        return not self.interpreter and (self.type == EXECUTABLE or self.is_pie)


@dataclass(frozen=True, slots=True)
class _Segment:
    type: int
    flags: int
    offset: int
    vaddr: int
    paddr: int
    filesz: int
    memsz: int
    align: int


def is_elf(path: str | os.PathLike[str]) -> bool:
    """Whether the file begins like ELF."""
    with open(path, "rb", buffering=0) as file:
        return file.read(4) == MAGIC


def read(path: str | os.PathLike[str]) -> Elf | None:
    """What the ELF file says; None if it is no ELF file.

    Raises:
        Unsupported: ELF, but not 64-bit little-endian.
        Damaged: ELF, but cut short or inconsistent.
    """
    with open(path, "rb", buffering=0) as file:
        fd = file.fileno()
        header = _read_header(fd, path)
        if header is None:
            return None
        try:
            return _read_elf(fd, header)
        except (struct.error, ValueError) as error:
            raise Damaged(f"{os.fspath(path)} is a damaged ELF file", str(error)) from error


def _read_header(fd: int, path: str | os.PathLike[str]) -> tuple[int, ...] | None:
    data = os.pread(fd, _HEADER.size, 0)
    if not data.startswith(MAGIC):
        return None
    if len(data) < _HEADER.size:
        raise Damaged(f"{os.fspath(path)} is a damaged ELF file", "its header is cut short")
    if data[4:6] != b"\x02\x01":
        raise Unsupported(f"{os.fspath(path)} is not a 64-bit little-endian program",
                          "Rex traces x86-64 only")
    return _HEADER.unpack(data)


def _segments(fd: int, header: tuple[int, ...]) -> list[_Segment]:
    offset, entry_size, count = header[5], header[9], header[10]
    if entry_size != _SEGMENT.size:
        raise ValueError(f"program headers of {entry_size} bytes")
    return [_Segment(*item) for item in
            _SEGMENT.iter_unpack(_exactly(fd, count * entry_size, offset))]


def _exactly(fd: int, size: int, offset: int) -> bytes:
    if size > _MAX_TABLE_BYTES or offset >= 1 << 62:
        raise ValueError(f"a table of {size} bytes at {offset}")
    data = os.pread(fd, size, offset)
    if len(data) < size:
        raise ValueError(f"cut short at {offset + len(data)}")
    return data


def _read_elf(fd: int, header: tuple[int, ...]) -> Elf:
    segments = _segments(fd, header)
    interpreter = build_id = ""
    dynamic: dict[int, list[int]] = {}
    for segment in segments:
        if segment.type == _INTERP:
            interpreter = os.fsdecode(_exactly(fd, segment.filesz, segment.offset).split(b"\0")[0])
        elif segment.type == _DYNAMIC_SEGMENT:
            dynamic = _read_dynamic(_exactly(fd, segment.filesz, segment.offset))
        elif segment.type == _NOTES and not build_id:
            build_id = _find_build_id(_exactly(fd, segment.filesz, segment.offset))
    strings = _file_offset(segments, dynamic[_STRTAB][0]) if _STRTAB in dynamic else 0

    def names(tag: int) -> tuple[str, ...]:
        if not strings:
            return ()
        return tuple([_read_name(fd, strings + at) for at in dynamic.get(tag, ())])

    def name(tag: int) -> str:
        return next(iter(names(tag)), "")

    return Elf(header[1], header[2], interpreter, name(_SONAME), names(_NEEDED), name(_RPATH),
               name(_RUNPATH), build_id, bool(dynamic.get(_FLAGS_1, [0])[0] & _PIE))


def _read_dynamic(data: bytes) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for tag, value in _DYNAMIC.iter_unpack(data[:len(data) // 16 * 16]):
        if tag == 0:
            break
        found.setdefault(tag, []).append(value)
    return found


def _file_offset(segments: list[_Segment], address: int) -> int:
    for segment in segments:
        if segment.type == _LOAD and 0 <= address - segment.vaddr < segment.filesz:
            return address - segment.vaddr + segment.offset
    return 0


def _read_name(fd: int, offset: int) -> str:
    if offset >= 1 << 62:
        raise ValueError(f"a name at {offset}")
    return os.fsdecode(os.pread(fd, _MAX_NAME_BYTES, offset).partition(b"\0")[0])   # many names may follow


def _find_build_id(notes: bytes) -> str:
    position = 0
    while position + _NOTE.size <= len(notes):
        name_size, size, kind = _NOTE.unpack_from(notes, position)
        begin = position + _NOTE.size + (name_size + 3 & ~3)
        if kind == _BUILD_ID and notes[position + _NOTE.size:begin] == b"GNU\0":
            return notes[begin:begin + size].hex()
        position = begin + (size + 3 & ~3)
    return ""


def with_interpreter(path: str, interpreter: bytes, dest: str) -> None:
    """Write a copy of a program at dest that the kernel starts with another loader.

    The name is appended to the file and PT_INTERP's file offset and size point
    at it: the kernel reads it from there. Addresses stay, because nothing moves in memory.

    Raises:
        Unsupported: the program has no loader, or is not 64-bit.
        Damaged: its headers are cut short.
        FileExistsError: something is at dest.
    """
    import shutil   # it takes a while, and recordings do without
    with open(path, "rb") as source:
        place, segment = _interpreter_segment(source.fileno(), path)
        with open(dest, "xb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
            end = target.tell()
            target.write(interpreter + b"\0")
            target.seek(place)
            target.write(_SEGMENT.pack(segment.type, segment.flags, end, segment.vaddr, segment.paddr, len(interpreter) + 1,
                                       segment.memsz, segment.align))
    shutil.copymode(path, dest)


def _interpreter_segment(fd: int, path: str) -> tuple[int, _Segment]:
    """PT_INTERP, and where in the file it is declared."""
    header = _read_header(fd, path)
    try:
        for number, segment in enumerate(_segments(fd, header) if header else []):
            if header and segment.type == _INTERP:
                return header[5] + number * _SEGMENT.size, segment
    except ValueError as error:
        raise Damaged(f"{path} is a damaged ELF file", str(error)) from error
    raise Unsupported(f"{path} has no loader that could be replaced")


@dataclass(frozen=True, slots=True)
class Script:
    """The `#!` line of a script."""

    interpreter: str
    argument: str | None


def script_line(path: str | os.PathLike[str]) -> Script | None:
    """The interpreter that execve would start for this file, or None.

    Linux looks at 256 bytes, padded with NUL. Everything behind the first word
    is one argument, and an interpreter cut off by the limit does not count.
    """
    with open(path, "rb", buffering=0) as file:
        head = file.read(_SCRIPT_BYTES).ljust(_SCRIPT_BYTES, b"\0")
    if not head.startswith(b"#!"):
        return None
    end = head.find(b"\n")
    if end < 0:
        if not re.search(rb"[ \t\0]", head[2:].lstrip(b" \t")):
            return None
        end = _SCRIPT_BYTES - 1
    # Blanks at the very end of a file without a newline stand before NULs, and stay.
    line = head[2:end].strip(b" \t")
    match = re.match(rb"([^ \t\0]+)(?:[ \t]+([^\0]*))?", line)
    if not match:
        return None
    return Script(os.fsdecode(match[1]), None if match[2] is None else os.fsdecode(match[2]))


@dataclass(frozen=True, slots=True)
class Libraries:
    """Libraries of a program: path by the name that asked first, and names not found."""

    found: dict[str, str]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Loaded:
    path: str
    elf: Elf
    loader: "_Loaded | None"   # the object that asked for this one


def resolve_needed(path: str, env: Mapping[str, str]) -> Libraries:
    """The libraries that ld.so would load for a program or library, breadth first.

    Args:
        path: the ELF file; a file of another kind needs nothing.
        env: the program's environment, for LD_LIBRARY_PATH.
    Raises:
        Unsupported, Damaged: as `read`.
    """
    elf = read(path)
    found: dict[str, str] = {}
    missing: list[str] = []
    if elf is None:
        return Libraries(found, ())
    is_musl = os.path.basename(elf.interpreter).startswith("ld-musl")
    queue = [_Loaded(os.path.realpath(path), elf, None)]
    for asking in queue:   # grows while it is walked
        for name in asking.elf.needed:
            if name in found or name in missing:
                continue
            loaded = _find(name, asking, env, is_musl)
            if loaded is None:
                missing.append(name)
                continue
            found[name] = loaded.path
            if loaded.elf.soname:
                found.setdefault(loaded.elf.soname, loaded.path)
            queue.append(loaded)
    return Libraries(found, tuple(missing))


def resolve_unwinder(libraries: Libraries, env: Mapping[str, str]) -> str | None:
    """The library that glibc loads as a thread ends by pthread_exit() or is cancelled: it names it only in its code."""
    libc = libraries.found.get(LIBC)
    facts = _read_known(libc) if libc else None
    late = _find(UNWINDER, _Loaded(libc, facts, None), env, is_musl=False) if libc and facts else None
    return late.path if late else None


def _find(name: str, asking: _Loaded, env: Mapping[str, str], is_musl: bool) -> _Loaded | None:
    for candidate in _candidates(name, asking, env, is_musl):
        try:
            elf = _read_known(candidate)
        except (OSError, Unsupported, Damaged):
            continue   # ld.so, too, passes over files of another kind
        if elf is not None and elf.machine == asking.elf.machine:
            return _Loaded(os.path.normpath(candidate), elf, asking)
    return None


def _read_known(path: str) -> Elf | None:
    """As `read`, of what many programs need: once for all of them."""
    info = os.stat(path)
    return _read_once(path, info.st_ino, info.st_size, info.st_mtime_ns)


@functools.lru_cache(maxsize=1024)
def _read_once(path: str, _inode: int, _size: int, _mtime_ns: int) -> Elf | None:
    return read(path)


def _candidates(name: str, asking: _Loaded, env: Mapping[str, str],
                is_musl: bool) -> Iterator[str]:
    if "/" in name:
        yield from _expand(name, asking)
        return
    directories: list[str] = []
    holder: _Loaded | None = asking
    while holder is not None and not asking.elf.runpath:
        # DT_RPATH counts for everything below the object that carries it.
        if not holder.elf.runpath:
            directories += _directories(holder.elf.rpath, ":", holder)
        holder = holder.loader
    directories += _directories(env.get("LD_LIBRARY_PATH", ""), ":;"[:2 - is_musl], asking)
    directories += _directories(asking.elf.runpath, ":", asking)
    for directory in directories:
        yield from _in_directory(directory, name)
    if is_musl:
        defaults = ["/lib", "/usr/local/lib", "/usr/lib"]
    else:
        yield from _cached_libraries(name)
        defaults = ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
                    "/usr/lib64", "/lib", "/usr/lib"]
    for directory in defaults:
        yield from _in_directory(directory, name)


def _directories(value: str, separators: str, holder: _Loaded) -> list[str]:
    if not value:
        return []
    return [directory for part in re.split(f"[{separators}]", value)
            for directory in _expand(part or ".", holder)]


def _expand(text: str, holder: _Loaded) -> list[str]:
    """Fill in $ORIGIN, $PLATFORM, and each directory that $LIB may be."""
    words = {"ORIGIN": os.path.dirname(holder.path), "PLATFORM": "x86_64"}
    pattern = re.compile(r"\$(?:(ORIGIN|LIB|PLATFORM)\b|\{(ORIGIN|LIB|PLATFORM)\})")
    results = []
    for lib in ("lib/x86_64-linux-gnu", "lib64", "lib") if "LIB" in text else ("",):
        results.append(pattern.sub(lambda m: {**words, "LIB": lib}[m[1] or m[2]], text))
    return results


def _in_directory(directory: str, name: str) -> Iterator[str]:
    for level in range(_cpu_level(), 1, -1):
        yield f"{directory}/glibc-hwcaps/x86-64-v{level}/{name}"
    yield f"{directory}/{name}"


@functools.cache
def _cpu_level() -> int:
    """The x86-64 level of this processor, 1 to 4: ld.so prefers libraries made for it."""
    flags: set[str] = set()
    try:
        with open("/proc/cpuinfo") as file:
            flags = next((set(line.partition(":")[2].split()) for line in file if line.startswith("flags")), flags)
    except OSError:
        pass
    wanted = [{"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"},
              {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"},
              {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}]
    level = 1
    while level < 4 and wanted[level - 1] <= flags:
        level += 1
    return level


def _cached_libraries(name: str) -> list[str]:
    """Where /etc/ld.so.cache has this library: paths, those for better processors first."""
    try:
        info = os.stat("/etc/ld.so.cache")
    except OSError:
        return []
    data, entries = _read_cache("/etc/ld.so.cache", info.st_mtime_ns, info.st_size)
    wanted, found, key = os.fsencode(name) + b"\0", [], -1
    while (key := data.find(wanted, key + 1)) >= 0:
        for value in _values(entries, key):
            where = os.fsdecode(data[value:data.index(b"\0", value)])
            _, is_for_some, rest = where.partition("/glibc-hwcaps/x86-64-v")
            level = int(rest[0]) if is_for_some and rest[:1].isdigit() else 1
            if level <= _cpu_level():
                found.append((level, where))
    return [where for _, where in sorted(found, key=lambda p: -p[0])]


def _values(entries: bytes, key: int) -> Iterator[int]:
    """Where the paths of the entries with this key begin; few of many are asked for."""
    wanted, at = _CACHE_NUMBER.pack(key), -1
    while (at := entries.find(wanted, at + 1)) >= 0:
        if at % _CACHE_ENTRY_BYTES == 4:
            yield _CACHE_NUMBER.unpack_from(entries, at + 4)[0]


@functools.lru_cache(maxsize=1)
def _read_cache(path: str, _mtime_ns: int, _size: int) -> tuple[bytes, bytes]:
    """The cache's bytes, and the table of its entries."""
    with open(path, "rb") as file:
        data = file.read()
    # An old table may stand in front; offsets count from the new one.
    data = data[max(0, data.find(_CACHE_MAGIC)):]
    if not data.startswith(_CACHE_MAGIC):
        return b"", b""
    count = int.from_bytes(data[20:24], "little")
    return data, data[_CACHE_HEADER_BYTES:_CACHE_HEADER_BYTES + count * _CACHE_ENTRY_BYTES]
