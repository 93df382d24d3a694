"""What a page asks for, checked word by word: from JSON to changes of an experiment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, TypeVar
from urllib.parse import quote, unquote_to_bytes

from rex import codec
from rex.errors import Conflicts, UsageError
from rex.runnew import Changes
from rex.web import words

T = TypeVar("T")


@dataclass(frozen=True)
class Wish:
    """A new experiment as somebody wants it.

    Attributes:
        name: of the recorded run; None takes the next free one.
    """

    experiment: str
    changes: Changes
    outdir: str
    is_recorded: bool
    name: str | None


def key_of(path: str) -> str:
    """A path of an archive in ASCII: names may hold bytes that are no text."""
    return quote(codec.raw(path), safe="/")


def path_of(key: str) -> str:
    """The path that `key_of` made a key of."""
    return codec.text(unquote_to_bytes(key))


def local_path(given: str, what: str) -> str:
    """A path on this machine as somebody typed it: ~ is home, others go out from our working directory.

    Raises:
        UsageError: nothing was typed, or no path can be like it.
    """
    given = given.strip()
    if not given:
        raise UsageError(f"no file is chosen for {what}", "", "give its path, or take it from the archive")
    if "\0" in given:
        raise UsageError(f"the path for {what} holds a character that no path can have")
    return os.path.abspath(os.path.expanduser(given))


def read_wish(data: Any) -> Wish:
    """The wish in a request's JSON.

    Raises:
        UsageError: the request makes no sense.
        Conflicts: what was typed does not, all of it at once.
    """
    if not isinstance(data, dict):
        raise UsageError("the request makes no sense", "it is no object")
    conflicts: list[str] = []

    def tried(make: Callable[[], T], otherwise: T) -> T:
        try:
            return make()
        except UsageError as error:
            conflicts.append(str(error))
            return otherwise

    def local(given: str, what: str) -> str:
        return tried(lambda: local_path(given, what), "")

    command, name = _text(data, "command"), (_text(data, "name") or "").strip()
    no_words: list[str] = []
    args = None if command is None else tuple(tried(lambda: words.split(command), no_words))
    files = {path_of(key): local(path, path_of(key)) for key, path in _texts(data, "files").items()}
    apps = {path_of(key): local(path, path_of(key)) for key, path in _texts(data, "apps").items()}
    added = {path.strip(): local(file, path.strip() or "an added file") for path, file in _pairs(data, "added")}
    if "" in added:
        conflicts.append("an added file has no name: say under which path the experiment sees it")
    if len(added) < len(_pairs(data, "added")):
        conflicts.append("two added files have one name: give each its own")
    outdir = _text(data, "outdir") or ""
    if not outdir.strip():
        conflicts.append("there is no output directory: say where the results are to go")
    elif not conflicts:
        outdir = local(outdir, "the results")
    if conflicts:
        raise Conflicts(conflicts)
    changes = Changes(args, _text(data, "cwd") or None, env_set=_texts(data, "set"),
                      env_unset=tuple(_list(data, "unset")), files=files, apps=apps, added=added)
    return Wish(_text(data, "experiment") or "", changes, outdir, data.get("record") is True, name or None)


def _text(data: dict[str, Any], key: str) -> str | None:
    value = data.get(key)
    if value is not None and not isinstance(value, str):
        raise UsageError("the request makes no sense", f"{key} is no text")
    return value


def _list(data: dict[str, Any], key: str) -> list[str]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise UsageError("the request makes no sense", f"{key} is no list of texts")
    return value


def _texts(data: dict[str, Any], key: str) -> dict[str, str]:
    value = data.get(key, {})
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise UsageError("the request makes no sense", f"{key} is no object of texts")
    return value


def _pairs(data: dict[str, Any], key: str) -> list[tuple[str, str]]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(
            isinstance(each, list) and len(each) == 2 and all(isinstance(t, str) for t in each) for each in value):
        raise UsageError("the request makes no sense", f"{key} is no list of pairs")
    return [(path, local) for path, local in value]
