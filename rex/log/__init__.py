"""The syscall log: its records, a reader and a writer (docs/formats/log.md)."""

from rex.log.reader import LogReader
from rex.log.records import Event
from rex.log.writer import LogWriter

__all__ = ["Event", "LogReader", "LogWriter"]
