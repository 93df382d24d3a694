"""The archive: experiments, and the objects they consist of (docs/formats/archive.md).

Upkeep lives beside it: `rex.archive.check`, `rex.archive.gc`, `rex.archive.usage`.
"""


from rex.archive.archive import Archive
from rex.archive.content import Content
from rex.archive.experiment import COMPLETE, INCOMPLETE, RECORDING, Experiment
from rex.archive.locks import append_whole
from rex.archive.manifest import (APPARATUS, INPUT, OUTPUT, ElfFacts, FileEntry, FileState,
                                  Line, Manifest, Process, line)
from rex.archive.unpacked import Unpacked
from rex.hints import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rex.archive.capture import state_of
    from rex.archive.recording import Recording

__all__ = ["APPARATUS", "COMPLETE", "INCOMPLETE", "INPUT", "OUTPUT", "RECORDING", "Archive",
           "Content", "ElfFacts", "Experiment", "FileEntry", "FileState", "Line", "Manifest", "Process",
           "Recording", "Unpacked", "append_whole", "line", "state_of"]


def __getattr__(name: str) -> Any:
    """Those who only read an archive import nothing that writes one."""
    if name == "Recording":
        from rex.archive.recording import Recording
        return Recording
    if name == "state_of":
        from rex.archive.capture import state_of
        return state_of
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
