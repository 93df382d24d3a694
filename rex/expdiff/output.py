"""What an experiment wrote to its standard output and error, as its log has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from rex.log import LogReader
from rex.log.records import IN
from rex.syscalls import BY_NAME, CALLS

if TYPE_CHECKING:
    from rex.archive import Experiment

STDOUT, STDERR = 2, 3   # stream numbers in the log
WRITES = frozenset(BY_NAME[name].nr for name in (
    "write", "writev", "pwrite64", "pwritev", "pwritev2", "sendto", "sendmsg"))
_MESSAGE_DATA = 0x20    # mark of a sendmsg's data in the argument of its field


def output_pieces(experiment: "Experiment") -> Iterator[tuple[int, bytes]]:
    """The (stream, bytes) of every write to standard output or error, in order.

    Raises:
        NotFound: it has no log.
        Damaged, TooNew: the log cannot be read.
    """
    with LogReader(experiment.open_log()) as reader:
        for event in reader.select(WRITES):
            if event.stream in (STDOUT, STDERR) and event.result > 0:
                args = CALLS[event.call].args
                for arg, kind, data in event.fields:
                    is_data = (args[arg].word in ("buf", "iov") if arg < len(args)
                               else arg & 0xF0 == _MESSAGE_DATA)
                    if kind == IN and is_data:
                        yield event.stream, data[:event.result]
                        break
