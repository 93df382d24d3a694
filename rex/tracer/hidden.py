"""The names of directories that a recorded program is not to have: its own archive, and the cache."""

from __future__ import annotations

import os

from rex.hints import Iterable


def _decoded(field: bytes) -> bytes:
    """A path of /proc/self/mountinfo, where blanks and backslashes are octal."""
    first, *rest = field.split(b"\\")
    return first + b"".join(bytes([int(part[:3], 8)]) + part[3:] for part in rest)


def _mounts() -> list[tuple[bytes, bytes, bytes]]:
    """Of each mount its file system, which directory of that it shows, and where."""
    with open("/proc/self/mountinfo", "rb") as file:
        return [(fields[2], _decoded(fields[3]), _decoded(fields[4])) for fields in map(bytes.split, file)]


def _rest(path: bytes, top: bytes) -> bytes | None:
    """What follows the directory `top` in a path, with its slash; None: the path is not below it."""
    top = top.rstrip(b"/")
    return path[len(top):] if path == top or path.startswith(top + b"/") else None


def _is_same(one: bytes, other: bytes) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except OSError:
        return False


def names_of(directory: bytes, mounts: list[tuple[bytes, bytes, bytes]]) -> list[bytes]:
    """All paths of a directory, without links: its own, and by each mount that shows it, or what is in it, elsewhere."""
    found = [directory]
    here = max((mount for mount in mounts if _rest(directory, mount[2]) is not None), key=lambda mount: len(mount[2]), default=None)
    if here is None:
        return found
    inside = here[1].rstrip(b"/") + (_rest(directory, here[2]) or b"")
    for system, root, place in mounts:
        below, within = _rest(inside, root), _rest(root, inside)
        if system != here[0]:
            continue
        if below is not None and (name := place.rstrip(b"/") + below) not in found and _is_same(name, directory):
            found.append(name)
        elif within and place not in found and _is_same(place, directory + within):
            found.append(place)
    return found


def _keep_back(names: list[bytes]) -> None:
    """Open files of ours in these directories, as by `9<ARCHIVE`, are none of the program's."""
    for number in map(int, os.listdir("/proc/self/fd")):
        try:
            path = os.fsencode(os.readlink(f"/proc/self/fd/{number}"))
            if number > 2 and os.get_inheritable(number) and any(_rest(path, name) is not None for name in names):
                os.set_inheritable(number, False)
        except OSError:   # the one that listed them
            continue


def hidden_names(directories: Iterable[bytes], needed: Iterable[bytes]) -> list[bytes]:
    """What an engine is to hide; descriptors that lead there are not inherited from now on.

    Args:
        directories: those to hide, if they are there.
        needed: paths that the program begins with: a directory with one of them in it is not hidden.
    """
    needed, found = [os.path.realpath(path) for path in needed], []
    real = [path for path in dict.fromkeys(map(os.path.realpath, directories)) if os.path.isdir(path) and path != b"/"]
    mounts = _mounts() if real else []
    for path in real:
        if not any(_rest(name, path) is not None for name in needed):
            found += names_of(path, mounts)
    _keep_back(found)
    return found
