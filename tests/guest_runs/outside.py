"""Servers and callers outside the recording, for guests that talk to them: gone when they are replayed."""

from __future__ import annotations

import contextlib
import itertools
import random
import socket
import socketserver
import threading
import time
from typing import BinaryIO, Iterator

HELLO = b"hello"


class Lines(socketserver.StreamRequestHandler):
    """Greets, and answers each line a moment later, `late` after some more: `next` with the next number, `tell` after
    all that said `hear`."""

    server: Server

    def handle(self) -> None:
        self.wfile.write(b"%s %d\n" % (HELLO, next(self.server.callers)))
        for line in self.rfile:
            time.sleep(random.random() / (20 if line.startswith(b"late") else 500))
            if line.startswith(b"bye"):
                return
            if line.startswith(b"hear"):
                self.server.hearers.append(self.wfile)
            for hearer in self.server.hearers if line.startswith(b"tell ") else ():
                hearer.write(line[5:])
            self.wfile.write(b"%d\n" % next(self.server.numbers) if line == b"next\n" else b"an answer to %s" % line)


class Pages(socketserver.StreamRequestHandler):
    """Enough of HTTP: tells what was asked, at some length."""

    def handle(self) -> None:
        while asked := self.rfile.readline():
            fields = dict(line.strip().lower().split(b": ", 1) for line in iter(self.rfile.readline, b"\r\n"))
            body = self.rfile.read(int(fields.get(b"content-length", 0)))
            time.sleep(random.random() / 200)
            answer = b"%s %s\n" % (asked.strip(), body) * (1 + len(asked) % 7 * 40)
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(answer))
            self.wfile.write(answer)
            if fields.get(b"connection") == b"close":
                return


class Datagrams(socketserver.BaseRequestHandler):
    """Answers each a moment later."""

    def handle(self) -> None:
        data, line = self.request
        time.sleep(random.random() / 500)
        line.sendto(b"an answer to " + data, self.client_address)


class Server(socketserver.ThreadingTCPServer):
    """A thread a connection."""

    allow_reuse_address = daemon_threads = True
    request_queue_size = 64

    def __init__(self, at: tuple[str, int], kind: type[socketserver.BaseRequestHandler]) -> None:
        super().__init__(at, kind)
        self.callers, self.numbers = itertools.count(1), itertools.count(1)
        self.hearers: list[BinaryIO] = []


@contextlib.contextmanager
def servers() -> Iterator[int]:
    """Two of them, on a port and the next, and one for datagrams on the first; the first port."""
    for _ in range(50):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with contextlib.ExitStack() as stack:
            try:
                those = [stack.enter_context(Server(("127.0.0.1", port + i), kind)) for i, kind in enumerate((Lines, Pages))]
                those.append(stack.enter_context(socketserver.ThreadingUDPServer(("127.0.0.1", port), Datagrams)))
            except OSError:
                continue
            for server in those:
                threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
                stack.callback(server.shutdown)
            yield port
            return
    raise OSError("no two free ports beside each other")


def _called(port: int, patience_s: float = 60) -> socket.socket:
    end = time.monotonic() + patience_s
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=patience_s)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def _ask(port: int, lines: list[bytes]) -> None:
    with _called(port) as line, line.makefile("rwb") as file:
        for text in lines:
            file.write(text)
            file.flush()
            file.readline()


def _ask_all(port: int) -> None:
    with contextlib.suppress(OSError):
        callers = [threading.Thread(target=_ask, args=(port, [b"%d asks %d\n" % (i, k) for k in range(6)])) for i in range(4)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        _ask(port, [b"stop\n"])


@contextlib.contextmanager
def callers() -> Iterator[int]:
    """Several that call a guest at once, when it listens; the port where it is to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    asking = threading.Thread(target=_ask_all, args=(port,))
    asking.start()
    try:
        yield port
    finally:
        asking.join()
