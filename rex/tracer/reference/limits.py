"""What the reference engine leaves to the native one, by name.

It is the executable specification of programs without threads, and the fallback where there is no compiler. A guest that
it cannot replay says `engine: native (NAME)` with a name from here (tests/guest_runs/guests.py).
"""

from __future__ import annotations

from rex.errors import Unsupported
from rex.syscalls import Hook
from rex.tracer.reference.calls import fork_flags
from rex.tracer.reference.kernel import CLONE_THREAD
from rex.tracer.reference.tasks import Task

# Refused as they are recorded: the first two end the recording.
REFUSED = {
    "threads": "it follows one thread of each process",
    "System V IPC": "its replays would use the machine's own objects",
    "memory of other processes": "process_vm_readv and its like fail with EPERM",
    "--serialize": "refused before the program starts",
}
# Recorded, but a replay may come out otherwise: no call shows these to a tracer that stops at calls alone.
NOT_FOLLOWED = {
    "processes that share memory": "which of them does a piece of work, and who waits for whom in that memory",
    "order between processes": "who takes a lock, or writes to a pipe or a file, before whom",
    "order by sleeps": "a replay skips sleeps, so that a later sleeper may come first",
    "sizes of pipe reads": "a read of an internal pipe takes what is there, which may be more or less than recorded",
    "signals between calls": "a signal during computation is delivered at the next call that stops",
    "passed descriptors": "the ends of sockets, and what is sent over an end that another process has now",
    "process ids in messages": "SCM_CREDENTIALS and SO_PEERCRED have the numbers of the replay's processes",
    "descriptors of other processes": "files opened by /proc/PID/fd/N",
    "inherited files": "plain files that the caller has opened for the program, beyond the standard streams",
    "long names": "OUTDIR, or the cache, in front of a path or a program whose name is as long as the kernel takes",
    "results by rights": "locked memory, capabilities, holes, extents and attributes of files are those of the replaying machine",
    "rdrand": "the instruction runs for real",
}


def unsupported(name: str) -> Unsupported:
    """The error that ends a run for one of REFUSED."""
    return Unsupported(f"the reference engine runs no program that uses {name}", REFUSED[name],
                       "use the native engine, see: rex doctor")


def refuse(task: Task) -> None:
    """At an entry-stop: end the run if the call is one that this engine has no part of.

    Raises:
        Unsupported: it makes a thread, or uses an object of System V IPC.
    """
    hook = task.call.hook if task.call else Hook.NONE
    if hook is Hook.FORK and fork_flags(task) & CLONE_THREAD:
        raise unsupported("threads")
    if hook is Hook.IPC:
        raise unsupported("System V IPC")
