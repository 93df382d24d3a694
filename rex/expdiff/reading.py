"""Read the logs of two experiments, long ones at the same time."""

from __future__ import annotations

import multiprocessing
import threading
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from rex.errors import NotFound
from rex.expdiff.canonical import read_trace
from rex.expdiff.spool import Spool
from rex.expdiff.trace import Trace

if TYPE_CHECKING:
    from rex.archive import Experiment

_LONG_BYTES = 32 << 20   # of a log before compression: some hundred thousand events, or a second


def read_both(left: "Experiment", right: "Experiment") -> tuple[Trace, Trace]:
    """The traces of two experiments; of one that was exported without its log an empty one.

    Raises:
        Damaged, TooNew: a log cannot be read.
    """
    sizes = [experiment.manifest.log.size if experiment.manifest.log else 0 for experiment in (left, right)]
    # A fork copies only the thread that asked for it; what locks the others held stays locked.
    if min(sizes) < _LONG_BYTES or threading.active_count() > 1:
        return _read(left, None), _read(right, None)
    spool = Spool()   # its file is shared with the child
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_read_and_send, args=(left, spool, sender), daemon=True)
    child.start()
    sender.close()
    try:
        two = _read(right, None)
        try:
            one = receiver.recv()
        except EOFError:   # the child was killed
            spool.close()
            return _read(left, None), two
    finally:
        child.kill()
        child.join()
        receiver.close()
    if isinstance(one, Exception):
        raise one
    spool.adopt(one.entries)
    one.entries = spool
    return one, two


def _read(experiment: "Experiment", spool: Spool | None) -> Trace:
    try:
        return read_trace(experiment.open_log(), experiment.manifest.cwd, spool)
    except NotFound:
        return Trace(spool)   # exported without its log: nobody knows


def _read_and_send(experiment: "Experiment", spool: Spool, sender: Connection) -> None:
    try:
        told: Trace | Exception = _read(experiment, spool)
    except Exception as error:   # for the parent to raise
        told = error
    sender.send(told)
    sender.close()
