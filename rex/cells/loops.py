"""Event loops of asyncio that wait for nothing: a fork may copy them, if each side then has descriptors of its own.

IPython keeps one for `await` and one for `%%bash`, so else no state after such a cell could be forked.
Runs inside recorded experiments: it imports nothing of Rex.
"""

from __future__ import annotations

import weakref
from typing import Any

_loops: "weakref.WeakSet[Any]" = weakref.WeakSet()


def watch() -> None:
    """Take note of all loops that are made from now on."""
    from asyncio.selector_events import BaseSelectorEventLoop
    plain = BaseSelectorEventLoop.__init__

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        plain(self, *args, **kwargs)
        _loops.add(self)

    BaseSelectorEventLoop.__init__ = __init__   # type: ignore[method-assign]


def find_idle() -> list[Any]:
    """The open loops in which nothing is going on."""
    return [loop for loop in list(_loops) if _is_idle(loop)]


def _is_idle(loop: Any) -> bool:
    if loop.is_closed() or loop.is_running():
        return False
    try:
        waits = [key.fd for key in loop._selector.get_map().values()]
        return (waits == [loop._ssock.fileno()] and not loop._ready and not loop._scheduled
                and not loop._signal_handlers and type(loop._selector).__name__ == "EpollSelector")
    except AttributeError:                   # another Python's, or another kind of loop
        return False


def descriptors(loop: Any) -> set[int]:
    """What an idle loop has open: its selector, and the socket pair by which it is woken."""
    return {loop._selector.fileno(), loop._ssock.fileno(), loop._csock.fileno()}


def renew(loop: Any) -> None:
    """In a child: the same descriptors, shared with nobody. What is registered with the old ones stays the parent's."""
    selector = loop._selector
    selector.close()
    loop._ssock.close()
    loop._csock.close()
    loop._ssock = loop._csock = None
    loop._internal_fds -= 1
    loop._selector = type(selector)()
    loop._make_self_pipe()
