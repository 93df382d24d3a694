"""The archive: experiments, and the objects they consist of (docs/formats/archive.md).

Upkeep lives beside it: `rex.archive.check`, `rex.archive.gc`, `rex.archive.usage`.
"""

from rex.archive.archive import Archive
from rex.archive.capture import below, state_of
from rex.archive.content import Content
from rex.archive.experiment import COMPLETE, INCOMPLETE, RECORDING, Experiment, Recording
from rex.archive.locks import append_whole
from rex.archive.manifest import (APPARATUS, INPUT, OUTPUT, ElfFacts, FileEntry, FileState,
                                  Line, Manifest, Process, line)
from rex.archive.unpacked import Unpacked

__all__ = ["APPARATUS", "COMPLETE", "INCOMPLETE", "INPUT", "OUTPUT", "RECORDING", "Archive",
           "Content", "ElfFacts", "Experiment", "FileEntry", "FileState", "Line", "Manifest", "Process",
           "Recording", "Unpacked", "append_whole", "line", "state_of"]
