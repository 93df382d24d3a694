"""An experiment's file system as it was at the start: as a directory, or as a tar file.

The paths come from strangers. Nothing is written through a symbolic link: a
path below one is refused, and links are made after everything else.
"""

from __future__ import annotations

import base64
import contextlib
import io
import os
import tarfile
from dataclasses import dataclass
from typing import BinaryIO, Iterator, Mapping

from rex import codec
from rex.archive import Archive, FileState, Manifest
from rex.archive.manifest_checks import is_plain_path
from rex.errors import Damaged

# The kernel and the machine provide what is below.
PROVIDED = ("/dev", "/proc", "/sys")
_MAX_STEPS = 400
_TYPES = {"file": tarfile.REGTYPE, "dir": tarfile.DIRTYPE, "symlink": tarfile.SYMTYPE,
          "fifo": tarfile.FIFOTYPE}


@dataclass(frozen=True)
class Tree:
    """The file system to write.

    Attributes:
        states: by absolute path, parents before what is below them; without "/".
        missing: files whose bytes the archive does not hold.
        hollow: files that the experiment asked about but never read: zeros of the same size.
    """

    states: dict[str, FileState]
    missing: tuple[str, ...]
    hollow: frozenset[str] = frozenset()


def initial_tree(manifest: Manifest, seen: Mapping[str, FileState] | None = None) -> Tree:
    """What the experiment found when it began, with places to mount /dev, /proc and /sys.

    Args:
        seen: what it asked about besides (`rex.transfer.seen`).

    Raises:
        Damaged: something lies below a path that is no directory.
    """
    found: dict[str, FileState] = {}
    for path, entry in manifest.files.items():
        if entry.initial and entry.initial.type in _TYPES and path != "/" and not _is_provided(path):
            found[path] = entry.initial
    for path in (*PROVIDED, manifest.cwd):
        found.setdefault(path, FileState("dir", 0o755))
    found.setdefault("/tmp", FileState("dir", 0o1777))
    found.pop("/", None)
    _add_loaders(found, manifest)
    hollow = _add_seen(found, manifest, seen or {})
    for path in list(found):
        for parent in _above(path):
            if found.setdefault(parent, FileState("dir", 0o755)).type != "dir":
                raise Damaged("a manifest is damaged", f"{path!r} lies below {parent!r}, which is "
                              "no directory")
    missing = tuple(sorted(p for p, s in found.items() if s.type == "file" and not s.content
                           and p not in hollow))
    states = {p: found[p] for p in sorted(found, key=lambda p: p.split("/")) if p not in missing}
    return Tree(states, missing, frozenset(hollow))


def _add_loaders(found: dict[str, FileState], manifest: Manifest) -> None:
    """Make the kernel find each program's ELF interpreter, which it opens by a name of its own."""
    for program, loader in manifest.extra.get("record", {}).get("loaders", {}).items():
        entry = manifest.files.get(program)
        name = entry.elf.interpreter if entry and entry.elf else ""
        if not is_plain_path(name) or loader not in found:
            continue
        place = resolve(found, name)
        if place not in found and not _is_provided(place):
            found[place] = FileState("symlink", 0o777, target=loader)


def _add_seen(found: dict[str, FileState], manifest: Manifest,
              seen: Mapping[str, FileState]) -> set[str]:
    hollow = set()
    # Links first: they decide what the other names mean.
    for path, state in sorted(seen.items(), key=lambda item: item[1].type != "symlink"):
        parent, name = os.path.split(path)
        # lstat and readlink do not follow the last part; what it leads to is seen by its own name.
        place = os.path.join(resolve(found, parent), name)
        if state.type != "symlink" and place in found:
            place = resolve(found, place)
        if place in found or place in manifest.files or _is_provided(place) or place == "/":
            continue
        if any(found[up].type != "dir" for up in _above(place) if up in found):
            continue   # it was there at another time than what is above it
        found[place] = state
        if state.type == "file":
            hollow.add(place)
    return hollow


def resolve(states: dict[str, FileState], path: str) -> str:
    """The path that a name means in a tree, links followed; the name itself for circles."""
    done, left = "", path.split("/")[1:]
    for _ in range(_MAX_STEPS):
        if not left:
            return done or "/"
        part = left.pop(0)
        if part in ("", "."):
            continue
        if part == "..":
            done = os.path.dirname(done).rstrip("/")
            continue
        state = states.get(f"{done}/{part}")
        if state is None or state.type != "symlink":
            done = f"{done}/{part}"
            continue
        left = state.target.split("/") + left
        done = "" if state.target.startswith("/") else done
    return path


def _above(path: str) -> Iterator[str]:
    while (path := os.path.dirname(path)) != "/":
        yield path


def _is_provided(path: str) -> bool:
    return any(path == top or path.startswith(top + "/") for top in PROVIDED)


def write_directory(archive: Archive, tree: Tree, root: str) -> None:
    """Write the tree below a new directory root, owned by us.

    Raises:
        FileExistsError: something is at root.
        Damaged: objects are missing or wrong.
    """
    os.mkdir(root)
    made: dict[str, str] = {}
    for path, state in tree.states.items():
        where = codec.raw(root + path)
        if state.type == "dir":
            os.mkdir(where, 0o700)
        elif state.type == "fifo":
            os.mkfifo(where, state.mode & 0o777)
        elif state.link_of in made:
            os.link(codec.raw(made[state.link_of]), where)
        elif state.content:
            archive.extract(state.content, os.fsdecode(where), state.mode & 0o777)
            made[path] = root + path
        elif path in tree.hollow:
            with open(where, "xb") as file:
                file.truncate(state.size)
            os.chmod(where, state.mode & 0o777)
    for path, state in tree.states.items():
        _set_xattrs(codec.raw(root + path), state)
    for path, state in tree.states.items():
        if state.type == "symlink":
            os.symlink(codec.raw(state.target), codec.raw(root + path))
    for path, state in reversed(tree.states.items()):   # what is below comes before its directory
        where = codec.raw(root + path)
        if state.type == "dir":
            # Its owner must be able to enter and remove it, whatever it was.
            os.chmod(where, (state.mode & 0o1777) | 0o700)
        os.utime(where, ns=(state.mtime_ns, state.mtime_ns), follow_symlinks=False)


def _set_xattrs(where: bytes, state: FileState) -> None:
    for name, value in _xattrs(state):
        with contextlib.suppress(OSError):   # a file system without, or that has no room
            if state.type == "file":
                os.chmod(where, 0o600)       # whoever may not write may not do this either
            os.setxattr(where, name, value)
    if state.type == "file" and state.xattrs:
        os.chmod(where, state.mode & 0o777)


def _xattrs(state: FileState) -> Iterator[tuple[bytes, bytes]]:
    """Names and values, of users' attributes only, which mean nothing to the system.

    Raises:
        Damaged: a value is none.
    """
    if state.type in ("file", "dir"):
        for name, value in sorted(state.xattrs.items()):
            try:
                data = base64.b64decode(value, validate=True)
            except ValueError as error:
                raise Damaged("a manifest is damaged", f"the value of {name!r} is not base64") from error
            if name.startswith("user.") and "\0" not in name:
                yield codec.raw(name), data


def write_tar(archive: Archive, tree: Tree, stream: BinaryIO) -> None:
    """Write the tree as a tar file (pax) with owners and modes; always the same bytes.

    Raises:
        Damaged: objects are missing or wrong.
    """
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT, encoding="utf-8",
                      errors="surrogateescape") as tar:
        written: set[str] = set()
        for path, state in tree.states.items():
            info = tarfile.TarInfo(path[1:])
            info.type = _TYPES[state.type]
            info.mode, info.uid, info.gid = state.mode & 0o1777, state.uid, state.gid
            info.mtime = state.mtime_ns // 10**9
            if state.mtime_ns % 10**9:
                info.pax_headers["mtime"] = f"{info.mtime}.{state.mtime_ns % 10**9:09d}"
            for name, value in _xattrs(state):
                info.pax_headers[f"SCHILY.xattr.{codec.text(name)}"] = codec.text(value)
            if state.type == "symlink":
                info.linkname = state.target
            if state.type == "file" and state.link_of in written:
                info.type, info.linkname = tarfile.LNKTYPE, state.link_of[1:]
                tar.addfile(info)
            elif state.type == "file" and state.content:
                info.size = state.content.size
                tar.addfile(info, archive.store.open(state.content))
                written.add(path)
            elif path in tree.hollow:
                info.size = state.size
                tar.addfile(info, io.BytesIO(bytes(state.size)))
            else:
                tar.addfile(info)
