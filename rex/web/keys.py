"""How a browser comes by its cookie: an address that is good once, handed over by a file that only the user can read.

A command line is no place for a token: every user of a machine can read it. So the browser is given the name of a file,
and the file redirects it to the address. When that address has been used, the file gets the next one.
All of it is in memory and in that file: nothing is good for longer than the server runs.
"""

from __future__ import annotations

import contextlib
import html
import os
import secrets
import shutil
import stat
import tempfile
from typing import Callable, Iterator

_PAGE = ('<!doctype html><html lang="en"><meta charset="utf-8"><title>Rex</title><meta name="referrer" content="no-referrer">'
         '<meta http-equiv="refresh" content="0;url={0}"><p><a href="{0}">Open the archive</a></p></html>\n')


class Keys:
    """Tokens, each good once, and the sessions that browsers got for them.

    Attributes:
        cookie: the cookie's name. Cookies do not know ports: servers beside each other must not overwrite theirs.
        when_used: called after each use of a token.
    """

    def __init__(self) -> None:
        self.cookie = f"rex_{secrets.token_hex(6)}"
        self.when_used: Callable[[], None] = lambda: None
        self._tokens: set[str] = set()
        self._sessions: set[str] = set()

    def new_token(self) -> str:
        """A token that opens one session."""
        token = secrets.token_urlsafe(24)
        self._tokens.add(token)
        return token

    def open_session(self, token: str) -> str | None:
        """The cookie of a new session, if the token is good; it is not any more."""
        found = _equal_one(token, self._tokens)
        if found is None:
            return None
        self._tokens.discard(found)
        session = secrets.token_urlsafe(32)
        self._sessions.add(session)
        self.when_used()
        return session

    def is_open(self, session: str) -> bool:
        """Whether a cookie is that of a session."""
        return _equal_one(session, self._sessions) is not None


def _equal_one(given: str, known: set[str]) -> str | None:
    """The one among these that was given; how long that takes does not tell how much of it is right."""
    return next((each for each in list(known) if secrets.compare_digest(given.encode("utf-8", "surrogateescape"), each.encode())), None)


def _folder() -> str:
    """A new folder of the user's alone, which does not outlive the login where the system has a place for that."""
    place = os.environ.get("XDG_RUNTIME_DIR", "")
    with contextlib.suppress(OSError):
        info = os.stat(place)
        if stat.S_ISDIR(info.st_mode) and info.st_uid == os.getuid() and not info.st_mode & 0o077:
            return tempfile.mkdtemp(prefix="rex-", dir=place)
    return tempfile.mkdtemp(prefix="rex-")


@contextlib.contextmanager
def redirecting_file(keys: Keys, address: Callable[[str], str]) -> Iterator[str]:
    """A file that sends a browser to an address that is still good; its path. It goes with the server.

    Args:
        address: makes an address of a token.
    """
    folder = _folder()
    path = os.path.join(folder, "open.html")

    def write() -> None:
        fresh = os.path.join(folder, "next.html")
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(fd, "w", encoding="utf-8") as file:
            file.write(_PAGE.format(html.escape(address(keys.new_token()))))
        os.rename(fresh, path)

    try:
        write()
        keys.when_used = lambda: _quietly(write)
        yield path
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _quietly(write: Callable[[], None]) -> None:
    with contextlib.suppress(OSError):   # a disk that is full, a folder that was removed: the session goes on
        write()
