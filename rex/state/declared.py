"""What users say of classes: those never stored, those left as they live, and classes that tell their own state (docs/state.md).

Notebooks and hindsight both follow it. It holds for the process.
"""

from __future__ import annotations

import os
import re
import sys
import weakref
from typing import Any, Callable, Mapping

from rex import config
from rex.errors import UsageError

NEVER, LEAVE = "never", "leave"
TREATMENTS = (NEVER, LEAVE)
SAVE, RESTORE = "__rex_state__", "__rex_restore__"
WHY_NEVER = "is declared as never stored"
_TABLE = "state"
_names: dict[str, str] = {}
_listeners: list[Callable[[], None]] = []     # they keep treatments by class


class HookError(Exception):
    """A class's own hook failed, or there is only one of the two."""


def from_config() -> dict[str, str]:
    """Treatments by the name of a class, from the table `[state]` of the user's files.

    Raises:
        UsageError: it has other keys, or a list of other things than names.
    """
    found: dict[str, str] = {}
    for each in config.settings():
        if each.command != _TABLE:
            continue
        if each.option not in TREATMENTS:
            raise UsageError(f"{each.source} sets {each.option} of [{_TABLE}]", "it has never and leave only", "see: docs/config.md")
        if not isinstance(each.value, list) or not all(isinstance(name, str) for name in each.value):
            raise UsageError(f"{each.source}: {each.option} of [{_TABLE}] is no list of names", "", 'write: ["module.Class"]')
        found |= dict.fromkeys(each.value, each.option)
    return found


def declare(names: Mapping[str, str]) -> None:
    """Follow these treatments from now on, and no others."""
    _names.clear()
    _names.update({name: how for name, how in names.items() if how in TREATMENTS})
    for forget in _listeners:
        forget()


def on_change(forget: Callable[[], None]) -> None:
    """Have a function called when treatments change."""
    _listeners.append(forget)


def treatment(kind: type) -> str:
    """NEVER or LEAVE for instances of a class that the user named, or of one derived from it; "" for others."""
    if not _names:
        return ""
    named = {id(found): how for name, how in _names.items() if (found := _class_of(name)) is not None}
    for base in kind.__mro__:
        if how := _names.get(f"{base.__module__}.{base.__qualname__}") or named.get(id(base)):
            return how
    return ""


def _class_of(name: str) -> Any:
    """What a name stands for, by which a class is imported that lies elsewhere; None if its module is not there yet."""
    module, _, path = name.rpartition(".")
    return getattr(sys.modules.get(module), path, None)


def has_hook(kind: type) -> bool:
    """Whether a class tells what is stored of its instances."""
    return hasattr(kind, SAVE)


def own_state(value: Any) -> Any:
    """What an object's class wants stored of it.

    Raises:
        HookError: it raised an exception, or nothing could restore it.
    """
    kind = type(value)
    if not hasattr(kind, RESTORE):
        raise HookError(f"{kind.__qualname__} has {SAVE}, but no {RESTORE}")
    try:
        return getattr(kind, SAVE)(value)
    except Exception as error:   # the user's code raises what it likes
        raise HookError(f"{kind.__qualname__}.{SAVE} raised {type(error).__name__}: {error}") from error


def restore_own(value: Any, state: Any) -> None:
    """Give an object what `own_state` returned.

    Raises:
        HookError: its class raised an exception.
    """
    kind = type(value)
    try:
        getattr(kind, RESTORE)(value, state)
    except Exception as error:
        raise HookError(f"{kind.__qualname__}.{RESTORE} raised {type(error).__name__}: {error}") from error


class _Left:
    """Objects that are left as they live, by a key that no other process has."""

    def __init__(self) -> None:
        self._process, self._count = f"rex-left-{os.urandom(8).hex()}", 0
        self._keys: dict[int, str] = {}                       # by id()
        self._found: dict[str, Callable[[], Any]] = {}

    def key_of(self, value: Any) -> str:
        known = self._keys.get(id(value))
        if known is not None:
            return known
        self._count += 1
        key, address = f"{self._process}-{self._count}", id(value)

        def forget(_: Any) -> None:
            self._keys.pop(address, None)
            self._found.pop(key, None)

        try:
            self._found[key] = weakref.ref(value, forget)
        except TypeError:     # kept alive, as nobody would see its end
            self._found[key] = lambda: value
        self._keys[address] = key
        return key

    def object_of(self, key: str) -> Any:
        return self._found.get(key, lambda: None)()

    def pass_on(self, former: bytes, now: bytes) -> None:
        keys, others = (list(dict.fromkeys(map(bytes.decode, _KEY.findall(stream)))) for stream in (former, now))
        if len(keys) == len(others):
            self._found |= {key: self._found[other] for key, other in zip(keys, others) if other in self._found}


_KEY = re.compile(rb"rex-left-[0-9a-f]{16}-\d+")
_left = _Left()
key_of_left: Callable[[Any], str] = _left.key_of


def has_left(stream: bytes) -> bool:
    """Whether a pickle has objects that were left."""
    return _KEY.search(stream) is not None


def pass_on_left(former: bytes, now: bytes) -> None:
    """Have live objects in a pickle go by the keys that a former pickle of the same variables has, too."""
    _left.pass_on(former, now)


def left_object(key: str, name: str) -> Any:
    """The live object of a key.

    Raises:
        LookupError: it is gone, or lived in another process.
    """
    found = _left.object_of(key)
    if found is None:
        raise LookupError(f"a {name} was left as it lived, and is gone")
    return found
