"""What a cell read beside the namespace, by identity: files, modules and their versions, credentials.

A cell that is computed again later gives the same only if these are the same. Files that Python opens are seen as they
are opened. Of those that C libraries open are seen the ones that a cell leaves open, and those whose path stands
as text in the cell or in a variable that it names.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import re
import site
import stat
import sys
import threading
import time
from typing import Any, Collection, Iterable

import xxhash

from rex.state import audit, descriptors
from rex.credentials import credential_variables

_MOST_FILES, _ENDS_BYTES, _LONGEST_PATH = 1000, 64 << 10, 1024
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_LIBRARIES = tuple({_OURS, os.path.dirname(os.__file__) + os.sep, *(path + os.sep for path in site.getsitepackages())})
_SYSTEM = ("/proc/", "/sys/", "/dev/", *_LIBRARIES)
_MAY_OPEN = re.compile(r"open|read|load|connect|Path|list|scan|walk|glob")
_QUOTED = re.compile(r"""(['"])([^'"\n]{1,1024})\1""")

_CALLER = 4                # frames up from `_is_importing` to who lists, past the hook and what it calls
_GRAIN_NS = 10_000_000     # of times in file systems

Identity = list[Any]     # bytes, modification in ns, hash of both ends in hex


def identity_of(path: str) -> Identity | None:
    """The identity of a regular file; None where there is none that can be read."""
    try:
        facts = os.stat(path)
        if not stat.S_ISREG(facts.st_mode):
            return None
        with open(path, "rb") as file:
            digest = xxhash.xxh3_64(file.read(_ENDS_BYTES))
            if facts.st_size > _ENDS_BYTES:
                file.seek(-_ENDS_BYTES, os.SEEK_END)
                digest.update(file.read())
        return [facts.st_size, facts.st_mtime_ns, digest.hexdigest()]
    except (OSError, ValueError):
        return None


def listing_of(path: str) -> Identity | None:
    """The identity of what a directory lists: as of a file with its names in it."""
    try:
        names = sorted(os.listdir(path))
    except OSError:
        return None
    return [len(names), 0, xxhash.xxh3_64("/".join(names).encode("utf-8", "surrogateescape")).hexdigest()]


def _is_importing() -> bool:
    return sys._getframe(_CALLER).f_code.co_filename.startswith("<frozen importlib")


def _is_same(then: Identity, now: Identity | None) -> bool:
    if now is None or now[0] != then[0] or now[2] != then[2]:
        return False
    return bool(now[1] == then[1] or now[0] <= 2 * _ENDS_BYTES)     # of larger files the middle is not known


class Reads:
    """Notes what the running cell reads."""

    def __init__(self, own_threads: Collection[int]) -> None:
        """Args: own_threads: identities of Rex's threads, which read for themselves."""
        self._own = own_threads
        self._files: dict[str, Identity] = {}
        self._is_looking, self._has_more = False, False
        self._open: set[str] = set()
        self._began_ns = 0
        self._modules: dict[str, tuple[Any, str, Identity]] = {}     # the user's: spec, path, identity
        self._seen_modules: set[str] = set()
        self._secrets: dict[int, dict[str, str | None]] = {}      # by node, in this process only

    def begin(self, code: str) -> None:
        """A cell is about to run.

        Python's opens are watched from the first cell on whose text may open files, or that comes after a module of the
        user's: each `id()` then costs more, in the walks of rex.state too.
        """
        self._files, self._has_more = {}, False
        self._began_ns = time.time_ns() - _GRAIN_NS
        self._look_for_modules()
        self._open = _open_files()
        audit.unwatch(self._told)     # of a cell whose end was not seen
        if audit.is_installed() or self._modules or _MAY_OPEN.search(code):
            audit.watch(self._told)

    def stop(self) -> None:
        """The cell's code has ended: what is opened from now on is no work of the cell."""
        audit.unwatch(self._told)

    def end(self, node: int, code: str, texts: Iterable[Any], roots: Collection[str]) -> dict[str, Any]:
        """What the cell read, as JSON; it was stopped.

        Args:
            texts: values of the variables that it names.
            roots: top-level modules that it could use.
        """
        for path in _open_files() - self._open:
            self._note(path, self._began_ns)
        for text in (*(found[1] for found in _QUOTED.findall(code)), *texts):
            if isinstance(text, (str, os.PathLike)) and 0 < len(name := str(text)) < _LONGEST_PATH and "\n" not in name:
                self._note(name, self._began_ns)
        self._look_for_modules()
        if secrets := {name: os.environ.get(name) for name in credential_variables(os.environ) if name in code}:
            self._secrets[node] = secrets
        users = {name: [path, *identity] for name, (_, path, identity) in self._modules.items()}
        is_using = any(name.partition(".")[0] in roots for name in users)
        versions = {root: version for root in sorted(roots) if (version := _version_of(root))}
        found = {"files": self._files, "modules": users if is_using else {}, "versions": versions,
                 "secrets": sorted(secrets), "has_more": self._has_more}
        return {name: value for name, value in found.items() if value}

    def why_changed(self, node: int, read: dict[str, Any]) -> str:
        """What of it is not what it was when the cell ran; "" if all is."""
        if read.get("has_more"):
            return f"it read more than {_MOST_FILES} files"
        for path, identity in read.get("files", {}).items():
            if not _is_same(identity, listing_of(path) if os.path.isdir(path) else identity_of(path)):
                return f"{path} changed since the cell read it" if os.path.exists(path) else f"{path} is gone"
        self._look_for_modules()
        for name, (path, *identity) in read.get("modules", {}).items():
            now = self._modules[name][2] if name in self._modules else identity_of(path)
            if not _is_same(identity, now):
                return f"the module {name} changed since the cell used it"
        for name, version in read.get("versions", {}).items():
            if (now := _version_of(name)) != version:
                return f"{name} was {version} and is {now or 'missing'}"
        known = self._secrets.get(node, {})
        for name in read.get("secrets", ()):
            if name not in known or known[name] != os.environ.get(name):
                return f"it read ${name}, which is not kept" if name not in known else f"${name} changed since the cell read it"
        return ""

    def _told(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            self._opened(*arguments[:3])
        elif event in ("os.listdir", "os.scandir"):
            self._listed(arguments[0])

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        """A file is about to be opened in this process."""
        if self._is_looking or threading.get_ident() in self._own or not isinstance(path, (str, bytes, os.PathLike)):
            return
        if mode is None:
            descriptors.note_opened(os.path.abspath(os.fsdecode(path)))
        if not (set(mode) & set("wax+") if isinstance(mode, str) else (flags or 0) & _WRITING):
            self._note(os.fsdecode(path))

    def _listed(self, path: Any) -> None:
        """A directory is about to be listed in this process; not for an import, which looks through all of them."""
        if self._is_looking or threading.get_ident() in self._own or isinstance(path, int) or _is_importing():
            return
        where = os.path.abspath(os.fsdecode(path or "."))
        if where not in self._files and not where.startswith(_SYSTEM) and len(self._files) < _MOST_FILES:
            self._is_looking = True
            try:
                if identity := listing_of(where):
                    self._files[where] = identity
            finally:
                self._is_looking = False

    def _note(self, path: str, before_ns: int | None = None) -> None:
        """Note a file; with a time only if it was last changed before."""
        where = os.path.abspath(path)
        if where in self._files or where.startswith(_SYSTEM) or where.endswith((".py", ".pyc")):
            return
        if len(self._files) >= _MOST_FILES:
            self._has_more = True
            return
        self._is_looking = True
        try:
            identity = identity_of(where)
            if identity and (before_ns is None or identity[1] < before_ns):
                self._files[where] = identity
        finally:
            self._is_looking = False

    def _look_for_modules(self) -> None:
        """Learn of the user's modules that were imported, or imported again, since this was last done."""
        self._is_looking = True
        try:
            new = sys.modules.keys() - self._seen_modules
            self._seen_modules |= new
            for name in (*new, *self._modules):
                spec = getattr(sys.modules.get(name), "__spec__", None)
                if name in self._modules and self._modules[name][0] is spec:
                    continue
                path = getattr(spec, "origin", None)
                if isinstance(path, str) and path.endswith(".py") and not path.startswith(_LIBRARIES) and (
                        identity := identity_of(path)):
                    self._modules[name] = spec, path, identity
        finally:
            self._is_looking = False


def _open_files() -> set[str]:
    found = set()
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError):
                path = os.readlink(f"/proc/self/fd/{name}")
                if path.startswith("/") and not path.startswith("/dev/"):
                    found.add(path)
    return found


def _version_of(root: str) -> str | None:
    if root in sys.stdlib_module_names or root == "__main__":
        return None
    version = getattr(sys.modules.get(root), "__version__", None)
    if isinstance(version, str):
        return version
    with contextlib.suppress(importlib.metadata.PackageNotFoundError, ValueError):
        return importlib.metadata.version(root)
    return None
