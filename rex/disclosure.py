"""What an experiment would give away: the credentials that it holds, named by place and kind, never shown."""

from __future__ import annotations

import re

from rex.credentials import (BY_NAME, KEY_FILE, SMALL_BYTES, credential_variables, find, find_in_arguments, is_template, kind_of_file,
                             names_credential)
from rex.hints import TYPE_CHECKING, Callable, Iterable, Iterator
from rex.text import quoted
from rex.values import dataclass

if TYPE_CHECKING:
    from rex.archive import Archive, Content, Experiment, FileEntry, Process

# A recording looks into so many files at its end, and so many bytes, which takes 20 ms; `rex check --secrets` looks into all.
_FILES, _FILES_BYTES = 500, 512 << 10
_BLOCK_BYTES, _OVERLAP_BYTES = 1 << 20, 8 << 10
# Of a log, whose records are binary: what is no text ends a line.
_VARIABLE = r"(?m)^([A-Za-z_]\w*)=(.{4,})$"
_LINES = bytes(c if 32 <= c < 127 else 10 for c in range(256))


@dataclass(frozen=True, slots=True)
class Disclosure:
    """A credential in an experiment.

    Attributes:
        place: where it is, in words.
        kind: what it looks like.
        is_whole: whether the place is the credential, and does not only hold it.
    """

    place: str
    kind: str
    is_whole: bool = True

    def words(self) -> str:
        """The place, and what it looks like."""
        return f"{self.place} {'looks like' if self.is_whole else 'holds what looks like'} {self.kind}"


def in_arguments(commands: Iterable[tuple[str, ...]]) -> Iterator[tuple[Disclosure, str]]:
    """The credentials in the commands of an experiment's processes, each once, and what they are."""
    known: set[str] = set()
    for command in dict.fromkeys(commands):
        for each in find_in_arguments(command):
            secret = command[each.index][each.finding.begin:each.finding.end]
            if secret not in known:
                known.add(secret)
                program = command[0].rpartition("/")[2]
                is_whole = len(secret) == len(command[each.index])
                yield Disclosure(f"argument {each.index} of {program}", each.finding.kind, is_whole), secret


def commands_of(command: tuple[str, ...], processes: Iterable[Process]) -> list[tuple[str, ...]]:
    """The commands of an experiment, its own first."""
    return [command, *(process.command for process in processes)]


def in_files(files: Iterable[tuple[str, FileEntry]], read: Callable[[str, Content], bytes]) -> Iterator[Disclosure]:
    """The files that hold credentials, by their names or by what small ones hold.

    Args:
        read: the bytes of a file's content.
    """
    for path, entry in files:
        for content in entry.contents():
            def data() -> bytes:
                return read(path, content) if 0 < content.size <= SMALL_BYTES else b""
            if kind := kind_of_file(path, data):
                yield Disclosure(path, kind, kind == KEY_FILE)
                break


def _smallest(file: tuple[str, FileEntry]) -> int:
    return min((content.size for content in file[1].contents()), default=0)


def warnings_of(commands: list[tuple[str, ...]], files: Iterable[tuple[str, FileEntry]], peek: Callable[[str], bytes]) -> list[str]:
    """What a recording says of credentials in its arguments and files. The smallest files come first: settings are short, data is long.

    Args:
        peek: the bytes of a small file as it is now.
    """
    left = [_FILES, _FILES_BYTES]

    def read(path: str, content: Content) -> bytes:
        if not left[0] or left[1] < content.size:
            return b""
        left[0], left[1] = left[0] - 1, left[1] - content.size
        return peek(path)

    return [f"{each.words()} and is in the archive; to put a placeholder there: rex record --redact" for each, _ in in_arguments(commands)
            ] + [f"{each.words()} and is in the archive; to leave it out: rex record --exclude {quoted(each.place)}"
                 for each in sorted(in_files(sorted(files, key=_smallest), read), key=lambda each: each.place)]


def disclosures(archive: Archive, experiment: Experiment) -> list[Disclosure]:
    """All credentials that a finished experiment holds, as far as the rules know them.

    Looked at are variables, arguments, small text files and attachments, and the log, which has what was sent and received.

    Raises:
        Damaged, TooNew: the experiment cannot be read.
    """
    manifest = experiment.manifest
    variables = credential_variables(manifest.environment)
    found = [Disclosure(f"the variable {name}", kind) for name, kind in variables.items()]
    known = {manifest.environment[name] for name in variables}
    for each, secret in in_arguments(commands_of(manifest.command, manifest.processes)):
        found.append(each)
        known.add(secret)
    found += in_files(manifest.files.items(), lambda _, content: archive.read(content))
    for name, content in manifest.attachments.items():
        if kind := kind_of_file(f"/{name}", lambda: archive.read(content) if content.size <= SMALL_BYTES else b""):
            found.append(Disclosure(f"the attachment {name}", kind, False))
    if manifest.log:
        found += _in_log(experiment, known, frozenset(manifest.environment))
    return found


def _in_log(experiment: Experiment, known: set[str], given: frozenset[str]) -> list[Disclosure]:
    """What the log holds beyond what is known: other kinds, each once, and variables that the experiment itself set."""
    found: dict[Disclosure, None] = {}
    with experiment.open_log() as stream:
        rest = b""
        while block := stream.read(_BLOCK_BYTES):
            text = (rest + block).translate(_LINES).decode("ascii")
            for each in find(text, is_file=True):
                if text[each.begin:each.end] not in known:
                    found[Disclosure("its log", each.kind, False)] = None
            for name, value in re.findall(_VARIABLE, text):
                if name not in given and value not in known and names_credential(name, value) and not is_template(value):
                    found[Disclosure(f"the variable {name} of one of its processes", BY_NAME)] = None
            rest = (rest + block)[-_OVERLAP_BYTES:]
    return list(found)
