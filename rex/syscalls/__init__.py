"""What Rex knows of every system call: arguments, outputs, policy; and how to print one."""

from rex.syscalls.argspec import (Arg, Call, Dir, Hook, Key, NO_ARG, Policy, Size, SizeKind,
                                  Stop, WORDS)
from rex.syscalls.table import BY_NAME, CALLS

__all__ = ["Arg", "BY_NAME", "CALLS", "Call", "Dir", "Hook", "Key", "NO_ARG", "Policy", "Size",
           "SizeKind", "Stop", "WORDS"]
