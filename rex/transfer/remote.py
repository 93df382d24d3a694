"""A remote archive: the same folder as a local one, behind any fsspec URL.

The only importer of fsspec. Packs are read where they lie, in ranges.
"""

from __future__ import annotations

import errno
import os
import re
import time
from contextlib import contextmanager, suppress
from typing import Any, Iterator

from rex.archive.amendments import ABOUT, MAX_ABOUT_BYTES
from rex.archive.topfiles import DEFAULT, DEFAULT_BYTES, EXPERIMENTS, FIRST_BYTES, FIRST_FILE, FIRST_TEXT, LOCK, PACKS, RULES, RULES_BYTES, check_first, default_in, is_name, refuse_other_files
from rex.archive.content import Content
from rex.archive.experiment import BEGUN, IDENTITY, MAX_BEGUN_BYTES, MAX_IDENTITY_BYTES
from rex.archive.folder import Folder
from rex.archive.locks import FileLock
from rex.archive.packs import PackReader
from rex.archive.rulesfile import decode_rules, encode_rules
from rex.archive.sealed import unseal_content
from rex.archive.store import Store
from rex.errors import Damaged, NotFound, RexError, UsageError
from rex.extras import missing
from rex.hostfailure import advice

# A file appears in these stores whole or not at all; elsewhere it is renamed when it is whole.
_WHOLE_OR_NOT = {"s3", "s3a", "gs", "gcs", "abfs", "az", "adl", "memory", "oci", "r2"}
_RANGES = _WHOLE_OR_NOT | {"http", "https"}   # their cat_file knows ranges
_NO_LINKS = {errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL, errno.EXDEV}   # of file systems without links
_LOCAL = {"file", "local"}
_PROBES = 3
_PAUSES = (0.1, 0.4)   # seconds before a file is created again
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs", "az": "adlfs",
             "ssh": "paramiko", "sftp": "paramiko", "smb": "smbprotocol", "webdav": "webdav4"}


class Remote:
    """Files below a URL.

    Attributes:
        url: for people: without a password.
        is_local: whether it is a folder of this machine.
    """

    def __init__(self, url: str, options: dict[str, Any] | None = None) -> None:
        """Connect.

        Args:
            options: for the file system, as fsspec names them.
        Raises:
            UsageError: nobody knows how to reach such a URL.
            RexError: it cannot be reached.
        """
        self.url = re.sub(r"(://[^/:@]*):[^/@]*@", r"\1@", url.rstrip("/"))   # passwords are not shown
        scheme = url.partition("://")[0] if "://" in url else "file"
        self.is_local = scheme in _LOCAL
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise missing("remote", "push and pull need fsspec") from error
        try:
            with self.explained():
                self._fs, root = url_to_fs(url, **(options or {}))
        except RexError as error:
            package = _PACKAGES.get(scheme)
            if package and isinstance(error.__cause__, ImportError):
                raise UsageError(f"cannot reach {scheme} URLs", f"{package} is not installed",
                                 f"install it with: pip install {package}") from error
            raise
        self._root = root.rstrip("/")
        self._scheme = scheme
        self._is_whole_or_not = scheme in _WHOLE_OR_NOT
        self.folder = Folder(self._root) if self.is_local else None   # of this machine: only plain files are opened

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn whatever a file system raises into one line; absent files stay what they are."""
        try:
            yield
        except (RexError, FileNotFoundError, FileExistsError):
            raise
        except Exception as error:   # each backend has a family of exceptions of its own
            of_host = advice(error.errno) if isinstance(error, OSError) and self.is_local else ""
            raise RexError(f"cannot use {self.url}", (of_host and getattr(error, "strerror", "")) or str(error) or type(error).__name__,
                           of_host or "check the URL, the network and your credentials") from error

    def path(self, *names: str) -> str:
        """A path as the file system knows it."""
        return "/".join((self._root, *names))

    def names(self, *folder: str) -> list[str]:
        """The names in a folder; none if it is not there."""
        if self.folder:
            try:
                return sorted(self.folder.below(*folder).names())
            except (FileNotFoundError, NotADirectoryError):
                return []
        with self.explained():
            self._fs.invalidate_cache(self.path(*folder))
            try:
                found = self._fs.ls(self.path(*folder), detail=False)
            except (FileNotFoundError, NotADirectoryError):
                return []
        here = self.path(*folder).rstrip("/")
        names = {str(name).rstrip("/").rpartition("/")[2] for name in found
                 if str(name).rstrip("/") != here.lstrip("/") and str(name).rstrip("/") != here}
        return sorted(names - {""})

    def size(self, *names: str) -> int:
        """The size of a file.

        Raises:
            FileNotFoundError: it is not there.
            Damaged: it is a link, a pipe, a device, ...
        """
        if self.folder:
            return self.folder.below(*names[:-1]).info(names[-1]).st_size
        with self.explained():
            info = self._fs.info(self.path(*names))
        if info.get("type") != "file":
            raise Damaged(f"{self.url}/{'/'.join(names)} is no plain file", "an archive holds plain files in plain directories")
        return int(info["size"])

    def read(self, limit_bytes: int, *names: str) -> bytes:
        """A whole file.

        Raises:
            FileNotFoundError: it is not there.
            Damaged: it is larger than the limit.
        """
        # One more than allowed tells a file that is larger.
        data = self.read_range(0, min(self.size(*names), limit_bytes + 1), *names)
        if len(data) > limit_bytes:
            raise Damaged(f"{self.url}/{'/'.join(names)} is damaged", "it is too large")
        return data

    def read_range(self, begin: int, size: int, *names: str) -> bytes:
        """Bytes of a file; fewer where it ends."""
        if size <= 0:
            return b""
        if self.folder:
            fd = self.folder.below(*names[:-1]).descriptor(names[-1])
            try:
                return os.pread(fd, size, begin)
            finally:
                os.close(fd)
        with self.explained():
            if self._scheme in _RANGES:
                return bytes(self._fs.cat_file(self.path(*names), start=begin, end=begin + size))
            with self._fs.open(self.path(*names), "rb") as file:
                if hasattr(file, "readv"):   # of paramiko: asks for all of it at once
                    return b"".join(file.readv([(begin, size)]))
                file.seek(begin)
                return bytes(file.read(size))

    def create(self, data: bytes, *names: str) -> bool:
        """Write a small file unless there is one, in one step for all who try; whether we did."""
        # Asked first because not every backend can do it in one step.
        if self._is_there(*names):
            return False
        self.make_folder(*names[:-1])
        try:
            self._create_surely(self.path(*names), data)
            return True
        except FileExistsError:
            return False

    def check_exclusive(self) -> None:
        """Make sure that of two who create one file only the first does: some servers ignore the condition, and the last one wins.

        Raises:
            UsageError: this server does so.
            RexError: it cannot be written at all.
        """
        if self.is_local:
            return
        for _ in range(_PROBES):
            path = self.path(f".tmp-probe-{os.urandom(8).hex()}")
            try:
                self._create_surely(path, b"first")
                self._check_second(path)
                return
            except FileExistsError:     # nobody else has this name: the answer to a repeated request
                continue
            finally:
                self._forget(path)

    def _check_second(self, path: str) -> None:
        """Make sure that a file of ours is not created again."""
        try:
            with self.explained():
                self._create(path, b"second")
        except FileExistsError:
            return
        except RexError:                # servers say in many ways that a file is there already
            with self.explained():
                self._fs.invalidate_cache(path)
                if self._fs.cat_file(path) == b"first":
                    return
        raise UsageError(f"the server of {self.url} ignores conditional writes (If-None-Match)",
                         "of two pushes at once it would lose one", "if nobody else pushes there meanwhile: rex push --alone")

    def _create_surely(self, path: str, data: bytes) -> None:
        """Create a file; again where a server is in trouble, as S3 is (409) while another client creates the same.

        Raises:
            FileExistsError: it is there; servers say so in many ways, also of a request that they answer twice.
        """
        for pause_s in (*_PAUSES, None):
            try:
                with self.explained():
                    self._create(path, data)
                return
            except RexError as error:
                if self._exists(path):
                    raise FileExistsError(path) from error
                if pause_s is None:
                    raise
                time.sleep(pause_s)

    def _create(self, path: str, data: bytes) -> None:
        if hasattr(self._fs, "ftp"):   # fsspec's SFTP does not hand "x" on to paramiko
            with self._fs.ftp.open(path, "wx") as file:
                file.write(data)
            return
        if self.is_local:   # a crash must not leave an empty file that nobody can write any more
            temporary = os.path.join(os.path.dirname(path), f".tmp-{os.urandom(8).hex()}")
            try:
                self._fs.pipe_file(temporary, data)
                _link(temporary, path)
                return
            finally:
                self._forget(temporary)
        self._fs.pipe_file(path, data, mode="create")

    def _is_there(self, *names: str) -> bool:
        return self._exists(self.path(*names))

    def _exists(self, path: str) -> bool:
        with self.explained():
            self._fs.invalidate_cache(path.rpartition("/")[0])
            return bool(self._fs.exists(path))

    def make_folder(self, *names: str) -> None:
        """Make a folder with those above it, where the file system has folders."""
        if self.folder:
            with suppress(FileNotFoundError):   # what is not there yet is no link to elsewhere
                for depth in range(len(names) + 1):
                    self.folder.below(*names[:depth]).names()
        if not self._is_whole_or_not:
            with self.explained():
                self._fs.makedirs(self.path(*names), exist_ok=True)

    def put(self, source: str, *names: str) -> None:
        """Send a local file; it gets its name when it is whole."""
        self.make_folder(*names[:-1])
        with self.explained():
            if self._is_whole_or_not:
                self._fs.put_file(source, self.path(*names))
                return
            temporary = self.path(*names[:-1], f".tmp-{os.urandom(8).hex()}")
            try:
                self._fs.put_file(source, temporary)
                self._rename(temporary, self.path(*names))
            except BaseException:
                self._forget(temporary)
                raise

    def _rename(self, source: str, target: str) -> None:
        if self.is_local:
            os.replace(source, target)
            return
        try:
            self._fs.mv(source, target)
        except Exception:
            # Some servers do not replace; what is there under a name of ours is the same.
            if not self._fs.exists(target):
                raise
            self._forget(source)

    def _forget(self, path: str) -> None:
        try:
            self._fs.rm_file(path)
        except Exception:   # it is waste, and the failure that led here matters more
            pass


def _link(source: str, target: str) -> None:
    """Give a whole file a second name, unless somebody has it; on a file system without links the name instead of its first."""
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(target):
            raise FileExistsError(target) from error
        os.replace(source, target)


class RemotePack(PackReader):
    """A pack of a remote archive."""

    def __init__(self, remote: Remote, name: str) -> None:
        self._remote = remote
        self.path = f"{remote.url}/{PACKS}/{name}"
        self.name = name
        self.places = {}
        self.stored_bytes = remote.size(PACKS, name)
        self._load(self.read_at, self.stored_bytes)

    def read_at(self, offset: int, size: int) -> bytes:
        """Bytes of the pack from an offset on."""
        return self._remote.read_range(offset, size, PACKS, self.name)


class RemoteStore(Store):
    """The objects of a remote archive."""

    def __init__(self, remote: Remote) -> None:
        super().__init__(Folder(remote.path(PACKS)))
        self._remote = remote

    def pack_names(self) -> list[str]:
        """The file names of all packs."""
        return self._remote.names(PACKS)

    def open_pack(self, name: str) -> PackReader:
        """A reader of one pack."""
        return RemotePack(self._remote, name)


class RemoteArchive:
    """An archive behind a URL."""

    def __init__(self, remote: Remote) -> None:
        """Use `open` or `create` instead."""
        self.remote = remote
        self.store = RemoteStore(remote)

    @classmethod
    def open(cls, remote: Remote) -> "RemoteArchive":
        """Open an existing archive.

        Raises:
            NotFound, TooNew, Damaged: as for a local one.
        """
        try:
            check_first(remote.read(FIRST_BYTES, FIRST_FILE), remote.url)
        except FileNotFoundError:
            raise NotFound(f"no archive at {remote.url}", f"it has no {FIRST_FILE}",
                           "make one with: rex push") from None
        return cls(remote)

    @classmethod
    def create(cls, remote: Remote) -> "RemoteArchive":
        """Open an archive, made now if nothing is there.

        Raises:
            UsageError: something else is there.
        """
        names = remote.names()
        if FIRST_FILE not in names:
            refuse_other_files(names, remote.url)
            # Before the first file: after a kill, an archive without this folder looks damaged.
            remote.make_folder(EXPERIMENTS)
            remote.create(FIRST_TEXT, FIRST_FILE)
        return cls.open(remote)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep `gc` away while we write, where the archive has a lock that can be taken."""
        if not self.remote.is_local:
            yield
            return
        lock = FileLock(self.remote.path(LOCK), wait=False)
        try:
            yield
        finally:
            lock.release()

    def experiments(self) -> list[str]:
        """Names of all experiments, begun ones too."""
        return [name for name in self.remote.names(EXPERIMENTS) if is_name(name)]

    def is_complete(self, name: str) -> bool:
        """Whether the experiment has an identity."""
        return IDENTITY in self.remote.names(EXPERIMENTS, name)

    def begun(self, name: str) -> bytes:
        """The line of `begun` of an experiment; empty if there is none."""
        try:
            return self.remote.read(MAX_BEGUN_BYTES, EXPERIMENTS, name, BEGUN)
        except FileNotFoundError:
            return b""

    def root(self, name: str) -> Content:
        """The content that is the manifest of an experiment.

        Raises:
            NotFound: the experiment is not there, or not complete.
            Damaged: nobody can tell.
        """
        try:
            line = self.remote.read(MAX_IDENTITY_BYTES, EXPERIMENTS, name, IDENTITY)
        except FileNotFoundError:
            raise NotFound(f"no finished experiment {name} at {self.remote.url}") from None
        return unseal_content(line, f"{IDENTITY} of {name} at {self.remote.url}")

    def about_line(self, name: str) -> bytes:
        """The line of `about` of an experiment; empty if there is none."""
        try:
            return self.remote.read(MAX_ABOUT_BYTES, EXPERIMENTS, name, ABOUT)
        except FileNotFoundError:
            return b""

    def default(self) -> str | None:
        """Name of the experiment that somebody made the default one."""
        try:
            return default_in(self.remote.read(DEFAULT_BYTES, DEFAULT), self.remote.url)
        except FileNotFoundError:
            return None

    def rules(self) -> Any:
        """What comparisons of the archive's outputs allow to differ, as `read_rules` has it."""
        try:
            return decode_rules(self.remote.read(RULES_BYTES, RULES), f"{self.remote.url}/{RULES}")
        except FileNotFoundError:
            return None

    def offer_rules(self, rules: dict[str, Any] | None) -> None:
        """Set the rules, unless the archive has its own; None: there are none to set."""
        if rules is not None and RULES not in self.remote.names():
            self.remote.create(encode_rules(rules), RULES)
