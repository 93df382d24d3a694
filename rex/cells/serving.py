"""Runs cells and forks on request: the executor's part inside a replay of versions.

Runs inside replays: it imports nothing of Rex. Orders and answers are JSON behind four bytes of
length, over a socket. Each fork has a socket of its own, whose other end is handed over the old one.

    {"do": "cell", "number", "kind", "path", "source" | "text", "first", "last", "may_raise",
     "arguments", "variables", "world", "is_first"}   run a cell; the answer is what it showed and took
    {"do": "fork", "branch"}     fork; the answer says whether it could be done, and hands over a socket
    {"do": "end"}                end as a program ends
    {"do": "drop"}               be gone
"""

from __future__ import annotations

import array
import gc
import json
import os
import socket
import struct
import sys
from types import SimpleNamespace
from typing import Any

CONTROL = 1001
BRANCH = "/.rex-cell/branch/"
WORLD = "/.rex-cell/world/"

_LENGTH = struct.Struct("<I")


def send(control: socket.socket, message: dict[str, Any], descriptor: int | None = None) -> None:
    """Send one message, and maybe a descriptor with it."""
    data = json.dumps(message).encode("utf-8", "surrogatepass")
    data = _LENGTH.pack(len(data)) + data
    rights = []
    if descriptor is not None:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))]
    sent = control.sendmsg([data[:1]], rights)
    control.sendall(data[sent:])


def receive(control: socket.socket) -> tuple[dict[str, Any] | None, int | None]:
    """One message and the descriptor that came with it; None when the other side is gone."""
    descriptor = None
    first, ancillary, _, _ = control.recvmsg(1, socket.CMSG_SPACE(4))
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptor = array.array("i", data[:4])[0]
    rest = _read(control, _LENGTH.size - 1) if first else b""
    if len(first + rest) < _LENGTH.size:
        return None, descriptor
    length = _LENGTH.unpack(first + rest)[0]
    data = _read(control, length)
    if len(data) < length:
        return None, descriptor
    return json.loads(data.decode("utf-8", "surrogatepass")), descriptor


def _read(control: socket.socket, size: int) -> bytes:
    blocks = []
    while size:
        block = control.recv(min(size, 1 << 20))
        if not block:
            break
        blocks.append(block)
        size -= len(block)
    return b"".join(blocks)


class Server:
    """One process of the replay: a live state, or a checkpoint that waits."""

    def __init__(self, session: Any, control: socket.socket) -> None:
        self._session = session
        self._control = control
        self._forking = session.forking

    def run(self) -> None:
        """Follow orders until one says to end."""
        send(self._control, {"ready": True, "pid": self._forking.process_id(), "problem": ""})
        while True:
            order, _ = receive(self._control)
            if order is None or order["do"] == "drop":
                os._exit(0)
            if order["do"] == "end":
                gc.unfreeze()            # what is frozen would not be closed, nor its buffers written
                sys.exit(0)
            if order["do"] == "cell":
                send(self._control, self._cell(order))
            elif order["do"] == "fork":
                self._fork(order["branch"])

    def _cell(self, order: dict[str, Any]) -> dict[str, Any]:
        if order["world"] is not None:
            os.access(f"{WORLD}{order['world']}", os.F_OK)
        for name, value in order["variables"].items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if order["is_first"]:
            self._session.begin(order["kind"], order["path"], order["arguments"])
        else:
            list.__setitem__(sys.argv, slice(None), [order["path"], *order["arguments"]])
        cell = SimpleNamespace(source=order["source"], first=order["first"], last=order["last"],
                               may_raise=order["may_raise"])
        data = order["text"].encode("utf-8", "surrogateescape")
        line: dict[str, Any] = self._session.run(order["number"], order["kind"], order["path"], data, cell,
                                                 lambda line: send(self._control, line))
        return {**line, "widgets": self._session.widgets.take()}

    def _fork(self, branch: str) -> None:
        """Answer that it cannot be done, or hand over the child's socket; the child goes on here."""
        self._forking.pause()
        reason = self._forking.reason_against()
        if not reason and not self._forking.survives_fork():
            reason = "it has other threads"
        if reason:
            send(self._control, {"reason": reason})
            return
        files = self._forking.plain_files()
        ours, theirs = socket.socketpair()
        if self._forking.fork():
            ours.close()
            os.dup2(theirs.fileno(), self._control.fileno())
            theirs.close()
            self._become_branch(branch, files)
            return
        theirs.close()
        send(self._control, {"reason": ""}, ours.fileno())
        ours.close()

    def _become_branch(self, branch: str, files: list[tuple[int, str]]) -> None:
        os.access(f"{BRANCH}{branch}", os.F_OK)
        problem = self._forking.reopen(files)
        send(self._control, {"ready": True, "pid": self._forking.process_id(), "problem": problem})


def serve(session: Any) -> None:
    """Follow the orders that come through the inherited socket."""
    control = socket.socket(fileno=CONTROL)
    os.set_inheritable(CONTROL, False)
    Server(session, control).run()
