"""Where a user's cache is, and whether programs can be started from there."""

from __future__ import annotations

import os
import stat

from rex.errors import OwnFailure

ADVICE = "set REX_CACHE to a directory that you may write and run programs from"


def cache_root() -> str:
    """$REX_CACHE, else rex below $XDG_CACHE_HOME or ~/.cache; where that cannot be used, a directory of this user's among the temporary files."""
    if given := os.environ.get("REX_CACHE"):
        return os.path.abspath(given)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")   # relative without HOME and without an entry in passwd
    root = os.path.join(base, "rex")
    return root if os.path.isabs(root) and not why_unusable(root) else _temporary_root()


def _temporary_root() -> str:
    import tempfile   # few need it
    return os.path.join(tempfile.gettempdir(), f"rex-cache-{os.geteuid()}")


def why_unusable(root: str) -> str:
    """Why a cache cannot be at this path; "" if it can."""
    place = root
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        return f"{place} is not a directory"
    flags = os.statvfs(place).f_flag
    if flags & os.ST_RDONLY:
        return "its file system is read-only"
    if not os.access(place, os.W_OK | os.X_OK):
        return f"this user may not write in {place}"
    if flags & os.ST_NOEXEC:
        return "its file system is mounted with noexec"
    if place == root and not is_private(root) and root == _temporary_root():   # anybody may have made it
        return "it is not this user's alone"
    return ""


def make_cache(root: str) -> None:
    """Make the cache's directory, if it is not there yet.

    Raises:
        OwnFailure: no cache can be there.
    """
    why = why_unusable(root)
    try:
        if not why:
            os.makedirs(root, mode=0o700, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        raise OwnFailure(f"the cache cannot be in {root}", why, ADVICE)


def is_private(directory: str) -> bool:
    """Whether a directory is this user's, and nobody else may write there."""
    try:
        info = os.lstat(directory)
    except OSError:
        return False
    return stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & 0o022
