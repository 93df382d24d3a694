"""Recording without the credentials of a command line: a placeholder takes the place of each.

The program runs with its true arguments. What is kept of it has placeholders, of as many bytes, and a replay
gives them to the program: its arguments, its environment, and all that it read or wrote of them in the log.
Not changed are files, which hold what the program wrote.
"""

from __future__ import annotations

import os
from typing import Mapping, Sequence

from rex import codec
from rex.credentials import find_in_arguments, placeholder_for, redacted

_BLOCK_BYTES = 1 << 20
_LEAST_BYTES = 6   # a shorter credential may stand in a log by chance: only the whole argument is replaced there


class Redaction:
    """What is to be replaced of a command, and by what.

    Attributes:
        command: the arguments with their placeholders.
        arguments: which of them have any, counted from the program as 0.
    """

    def __init__(self, command: Sequence[str]) -> None:
        """Look for credentials in a command's arguments, text as `codec.text` makes it."""
        self.command = redacted(command)
        findings = find_in_arguments(command)
        self.arguments = sorted({each.index for each in findings})
        pairs = {}
        for each in findings:
            old, new = command[each.index], self.command[each.index]
            secret = old[each.finding.begin:each.finding.end]
            if len(codec.raw(secret)) >= _LEAST_BYTES:
                pairs[codec.raw(secret)] = codec.raw(placeholder_for(secret))
            else:
                pairs[codec.raw(old) + b"\0"] = codec.raw(new) + b"\0"
        self._pairs = sorted(pairs.items(), key=lambda pair: -len(pair[0]))

    def apply(self, data: bytes) -> bytes:
        """The bytes with every credential replaced; their number stays."""
        for old, new in self._pairs:
            data = data.replace(old, new)
        return data

    def apply_to(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Variables whose values hold no credential of the command any more."""
        return {name: codec.text(self.apply(codec.raw(value) + b"\0")[:-1]) for name, value in variables.items()}

    def copy(self, source: int, target: str) -> None:
        """Write a log to a new file, credentials replaced.

        Args:
            source: a descriptor of the log, which is whole.
        """
        longest = max([len(old) for old, _ in self._pairs], default=1)
        rest, at = b"", 0
        with open(target, "xb") as file:
            while block := os.pread(source, _BLOCK_BYTES, at):
                at += len(block)
                data = self.apply(rest + block)      # what was replaced in the rest is not found again
                file.write(data[:-longest])
                rest = data[-longest:]
            file.write(rest)


def nameless_file(folder: str) -> int:
    """A descriptor of a new file in a folder that has no name any more: whatever ends us, nothing of it is left."""
    path = os.path.join(folder, ".tmp-log")
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    os.unlink(path)
    return fd
