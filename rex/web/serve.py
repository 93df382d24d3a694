"""Serves the pages on this machine until somebody ends it."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
import threading
import webbrowser
from typing import Callable, Iterator, Literal
from urllib.parse import quote

import uvicorn

from rex.errors import OwnFailure
from rex.web.app import make_app
from rex.web.keys import Keys, redirecting_file
from rex.web.services import Services
from rex.web.site import Site

PORT = 7490
_TRIES = 100
_QUEUE = 128
_LAST_PORT = 65535


def bind(port: int) -> list[socket.socket]:
    """Listening sockets on loopback, of both families: at this port, or the next that is free in both.

    A stranger's server at [::1] would be what `localhost` means first, and be shown the token.

    Raises:
        OwnFailure: there is none.
    """
    for number in range(port, min(port + _TRIES, _LAST_PORT + 1)):
        found = [each for each in (_listen(socket.AF_INET, "127.0.0.1", number),
                                   _listen(socket.AF_INET6, "::1", number)) if each is not None]
        if all(found):
            return [each for each in found if each]
        for each in found:
            if each:
                each.close()
    raise OwnFailure(f"no port from {port} on is free", "", "choose another with --port")


def _listen(family: socket.AddressFamily, host: str, port: int) -> "socket.socket | Literal[False] | None":
    """A listening socket; False where the port is taken, None where the family is not there."""
    try:
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError:
        return None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_QUEUE)
        return listener
    except OSError as error:
        listener.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            return False
        if family == socket.AF_INET6:
            return None
        raise OwnFailure("the page cannot be served", error.strerror or str(error)) from error


def _open_browser(path: str, address: Callable[[], str], tell: Callable[[str], None]) -> None:
    """Open the file that redirects: what a browser is started with, every user of the machine can read."""
    if not webbrowser.open(f"file://{quote(path)}"):
        tell(f"no browser can be opened; open {address()}")


def _announce(path: str, address: Callable[[], str], is_browser_wanted: bool, tell: Callable[[str], None]) -> None:
    """Open the browser, or say what to open."""
    if is_browser_wanted:
        tell(f"opening {path} in the browser; open it again, and no copied address, in another one")
        # Some browsers wait for their own end: not in our way.
        threading.Thread(target=_open_browser, args=(path, address, tell), daemon=True).start()
    else:
        tell(f"open {address()}")
        tell(f"that address is good once; this file leads to the next: {path}")


@contextlib.contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM and the end of the terminal end the server as Ctrl-C does, so that nothing of it is left."""
    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt   # uvicorn has ended in order, and passes the signal on

    def hang_up(_number: int, _frame: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    saved = {signal.SIGTERM: signal.signal(signal.SIGTERM, interrupt)}
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:   # nohup
        saved[signal.SIGHUP] = signal.signal(signal.SIGHUP, hang_up)
    try:
        yield
    finally:
        for number, handler in saved.items():
            signal.signal(number, handler)


def _first_page(site: Site, experiment: str | None, is_at_form: bool) -> str:
    """The address to begin with; raises NotFound if there is no such experiment."""
    name = site.catalog.experiment(experiment).name if experiment else ""
    if is_at_form:
        return site.links.form(name)
    return site.links.experiment(name) if name else site.links.archive()


def serve(archive: str, services: Services, port: int = PORT, is_browser_wanted: bool = True,
          tell: Callable[[str], None] = print, experiment: str | None = None, is_at_form: bool = True,
          is_read_only: bool = False) -> None:
    """Serve an archive's pages until Ctrl-C; what still runs then is ended.

    Args:
        tell: is given each line for the user.
        experiment: the one that is shown first; None for the default one in the form, and for the table of all else.
        is_at_form: begin with the form of a new experiment.
        is_read_only: refuse all changes, and new experiments too.
    Raises:
        NotFound, TooNew, Damaged: the archive or the experiment cannot be read.
        OwnFailure: no port is free.
    """
    keys = Keys()
    app = make_app(archive, services, keys, is_read_only)
    first = quote(_first_page(app.state.site, experiment, is_at_form), safe="")
    listeners = bind(port)
    try:
        found = listeners[0].getsockname()[1]
        if found != port:
            tell(f"port {port} is taken; using {found}")

        def address(token: str) -> str:
            return f"http://localhost:{found}/?token={token}&to={first}"

        with _ended_in_order(), redirecting_file(keys, address) as path:
            _announce(path, lambda: address(keys.new_token()), is_browser_wanted, tell)
            tell("for this machine and its user only; end with Ctrl-C")
            config = uvicorn.Config(app, log_level="error", access_log=False, server_header=False, lifespan="on",
                                    timeout_graceful_shutdown=1)
            uvicorn.Server(config).run(sockets=listeners)
    except KeyboardInterrupt:   # the ordinary end
        pass
    finally:
        for listener in listeners:
            listener.close()
