"""What the log says of names whose files are not in the archive.

A program that found no /etc/foo.conf must find none again, one that only looked at a file's time must
see that time, and a directory that was listed has those names, whatever this machine has there. Only
the first mention of a name counts: later ones may tell what the experiment itself had done.
"""

from __future__ import annotations

import functools
import os
import stat
from dataclasses import dataclass, field
from errno import ELOOP, ENOENT, ENOTDIR
from typing import Collection

from rex import codec
from rex.archive import Experiment
from rex.errors import Damaged
from rex.log import LogReader
from rex.log import directories
from rex.log.decoded import stat_in
from rex.log.records import OUT, RESOLVED, TASK, Event
from rex.runnew.names import Names
from rex.runnew.refusals import CHANGES, REFUSED, Refusals, creates, follows, means_directory, wants
from rex.syscalls.numbers import NUMBERS

_MOST_LINKS = 40
_KERNEL = ("/proc", "/sys", "/dev")


def _numbers(*names: str) -> set[int]:
    return {NUMBERS[name] for name in names}


_STATS = _numbers("stat", "lstat", "newfstatat", "statx")
_READLINKS = _numbers("readlink", "readlinkat")
_LOOKS = _STATS | _READLINKS | _numbers("access", "faccessat", "faccessat2", "execve", "execveat")
_OPENS = _numbers("open", "openat", "openat2", "creat")
_LISTS = _numbers("getdents", "getdents64")
_MAKES = _numbers("mkdir", "mkdirat", "mknod", "mknodat", "symlink", "symlinkat", "link", "linkat",
                  "rename", "renameat", "renameat2")
_MAKES_ONE = _numbers("mkdir", "mkdirat", "mknod", "mknodat")
_NO_WAY = frozenset((-ELOOP, -ENOTDIR))     # what is on the way to the name leads nowhere
_ALL = _LOOKS | _OPENS | _LISTS | _MAKES | CHANGES | directories.CALLS_READ | {TASK, NUMBERS["statfs"]}


@dataclass(frozen=True, slots=True)
class Look:
    """What a stat returned for a file or directory; the size is None if only a listing named it."""

    mode: int
    mtime_ns: int = 0
    size: int | None = None


@dataclass
class Answers:
    """Names that the archive knows of without having their files.

    Attributes:
        absent: nothing was there.
        looks: files and directories that were looked at, not opened.
        links: symbolic links that were read, and their targets.
        listings: directories that were listed to the end, with all their names.
        refused: what was refused for want of rights: a letter (see `refusals.wants`) and the path, with the errno.
    """

    absent: set[str] = field(default_factory=set)
    looks: dict[str, Look] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    listings: dict[str, list[str]] = field(default_factory=dict)
    refused: dict[tuple[str, str], int] = field(default_factory=dict)

    def denies(self, path: str) -> bool:
        """Whether nothing was at a path, or in its directory under that name."""
        above, name = os.path.split(path)
        return path in self.absent or (above in self.listings and name not in self.listings[above])


    def without(self, files: Collection[str], folders: Collection[str]) -> "Answers":
        """What is left where these files, and all in these folders, are others."""
        def is_other(path: str) -> bool:
            return path in files or any(path == each or path.startswith(each + "/") for each in folders)

        return Answers({path for path in self.absent if not is_other(path)},
                       *({path: value for path, value in known.items() if not is_other(path)}
                         for known in (self.looks, self.links, self.listings)),
                       {key: code for key, code in self.refused.items() if not is_other(key[1])})


def read_answers(experiment: Experiment) -> Answers:
    """Go through an experiment's log; nothing is known without one.

    Raises:
        Damaged: it names a process of which it has no birth.
    """
    reader = _Reader(experiment)
    try:
        if experiment.manifest.log:
            with LogReader(experiment.open_log()) as log:
                for event in log.select(_ALL):
                    reader.take(event)
    except KeyError as error:
        raise Damaged(f"the log of {experiment.name} is damaged", f"it has no birth of process {error}", "see: rex check") from error
    return reader.finish()


class _Reader:
    def __init__(self, experiment: Experiment) -> None:
        manifest = experiment.manifest
        self.files = manifest.files
        self.resolve = functools.cache(Names(manifest.files).resolve)     # programs ask for the same names again and again
        self.answers = Answers()
        self.refusals = Refusals()
        self.made: set[str] = set()
        self.leader: dict[int, int] = {}
        self.directories = directories.Directories(manifest.cwd)

    def take(self, event: Event) -> None:
        if event.call == TASK:
            self._born(event)
            return
        leader = self.leader.get(event.task, event.task)
        if event.result in REFUSED or self.refusals.codes and event.result >= 0:
            self._refuse(event, leader)
        elif event.result in _NO_WAY and event.call in _LOOKS | _OPENS:
            self._lead_nowhere(event, leader)
        elif event.result == -ENOENT and (event.call in _MAKES_ONE or event.call in _OPENS and creates(event)):
            self._lack_directory(event, leader)
        if event.call in _LISTS:
            self._list(event, leader)
        elif event.call in _OPENS:
            self._open(event, leader)
        elif event.call in _MAKES:
            if event.result == 0:
                self.made.update(codec.text(path) for path in event.all_data(RESOLVED) if path.startswith(b"/"))
        elif event.call in _LOOKS:
            self._look(event, leader)
        self.directories.take(leader, event)

    def _born(self, event: Event) -> None:
        parent, leader = self.leader.get(event.args[0], event.args[0]), event.args[5]
        self.leader[event.task] = leader
        if leader == event.task:
            self.directories.begin(leader, parent)

    def _refuse(self, event: Event, leader: int) -> None:
        path = self._place(event, leader)
        if path and not self._is_made(path):
            self.refusals.take(event, self.resolve(path) if follows(event) else path)

    def _lead_nowhere(self, event: Event, leader: int) -> None:
        """Nothing can be at a name below a file, or behind links in a circle."""
        path = self._path(event, leader)
        if path and path not in self.answers.looks and follows(event) and not means_directory(event):
            self.answers.absent.add(path)
            for letter in wants(event):
                self.refusals.codes.setdefault((letter, path), -event.result)

    def _lack_directory(self, event: Event, leader: int) -> None:
        """A name that could not be made for want of its directory."""
        path = self._place(event, leader)
        above = os.path.dirname(path) if path else ""
        if above and not above.startswith(_KERNEL) and above not in self.files and above not in self.answers.looks and not self._is_made(above):
            self.answers.absent.add(above)

    def _path(self, event: Event, leader: int, is_followed: bool = False) -> str | None:
        """The path that a look meant, or where links lead from it, where the archive and the log before have no answer."""
        path = self._place(event, leader)
        if path and is_followed:
            path = self._through_links(path)
        if path and (path in self.files or path in self.made or path.startswith(_KERNEL) or path in self.answers.absent):
            return None
        return path

    def _through_links(self, path: str) -> str:
        for _ in range(_MOST_LINKS):
            path = self.resolve(path)
            if path not in self.answers.links:
                break
            path = os.path.normpath(os.path.join(os.path.dirname(path), self.answers.links[path]))
        return path

    def _place(self, event: Event, leader: int) -> str | None:
        """The path that a call meant, links on the way followed; None if that is not known."""
        given = self.directories.given_path(leader, event)
        if not given:
            return None
        head, _, last = given.rpartition("/")
        return self.resolve(given) if last in ("", "..") else _below(self.resolve(head or "/"), last)

    def _look(self, event: Event, leader: int) -> None:
        path = self._path(event, leader, event.call in _STATS and event.result == 0 and follows(event))
        known = self.answers.looks.get(path) if path else None
        if path is None or (known and known.size is not None) or path in self.answers.links:
            return
        data = event.data(OUT) or b""
        if event.result == -ENOENT:
            if self.resolve(path) == path:      # of a dangling link it would be the target
                self.answers.absent.add(path)
        elif event.call in _STATS and event.result == 0:
            told = stat_in(data, event.call == NUMBERS["statx"])
            if told and not stat.S_ISLNK(told.mode):
                self.answers.looks[path] = Look(told.mode, told.mtime_ns, told.size)
        elif event.call in _READLINKS and event.result > 0:
            self.answers.links[path] = codec.text(data[:event.result])

    def _open(self, event: Event, leader: int) -> None:
        path = codec.text(event.data(RESOLVED) or b"")
        if event.result < 0:
            asked = self._path(event, leader) if event.result == -ENOENT else None
            if asked is not None and asked not in self.answers.looks and self.resolve(asked) == asked:
                self.answers.absent.add(asked)
            return
        if not path.startswith("/"):                  # a pipe, opened by its name in /proc
            return
        if path.endswith(" (deleted)"):               # a file without a name: its directory was there
            path = os.path.dirname(path)
            if path not in self.files and not self._is_made(path):
                self.answers.looks.setdefault(path, Look(stat.S_IFDIR | 0o755))
        elif path not in self.files and path not in self.answers.looks and not path.startswith(_KERNEL):
            self.made.add(path)

    def _is_made(self, path: str) -> bool:
        """Whether the experiment itself made what is at a path, or a directory above it."""
        while path != "/" and not self._is_new(path):
            path = os.path.dirname(path)
        return path != "/"

    def _is_new(self, path: str) -> bool:
        """Whether a path is the experiment's own work, whoever made what is above it."""
        entry = self.files.get(path)
        return path in self.made or bool(entry and not entry.initial)

    def _list(self, event: Event, leader: int) -> None:
        path = self.directories.of_descriptor(leader, event.args[0])
        found = self.directories.listing(leader, event) if path not in self.answers.listings else None
        if found is None or not path or path.startswith(_KERNEL) or self._is_made(path):
            return
        self.answers.listings[path] = list(found)      # what the run makes again has its place among them
        self.answers.absent.update(inner for name in found if self._is_new(inner := _below(path, name)))
        for name, mode in found.items():
            self._name(_below(path, name), mode)

    def _name(self, path: str, mode: int) -> None:
        if mode in (stat.S_IFREG, stat.S_IFDIR) and path not in self.files and not self._is_new(path):
            self.answers.looks.setdefault(path, Look(mode | (0o755 if mode == stat.S_IFDIR else 0o644)))

    def finish(self) -> Answers:
        for path in self.made:                        # what was made was made in a directory that was there
            above = os.path.dirname(path)
            if above not in self.files and not self._is_made(above) and not above.startswith(_KERNEL):
                self.answers.looks.setdefault(above, Look(stat.S_IFDIR | 0o755))
        self.answers.refused = self.refusals.codes
        for path in self.answers.absent & set(self.answers.looks):
            del self.answers.looks[path]
        return self.answers


def _below(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory != "/" else f"/{name}"
