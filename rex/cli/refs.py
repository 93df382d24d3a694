"""How users name experiments: ARCHIVE:EXP, or -l ARCHIVE -e EXP."""

from __future__ import annotations

import os

from rex.config import ARCHIVE as DEFAULT_ARCHIVE, settings
from rex.errors import UsageError
from rex.types import ExperimentRef


def parse_ref(text: str) -> ExperimentRef:
    """The experiment that ARCHIVE:EXP names; a folder of that very name is an archive."""
    return ExperimentRef(text, None) if os.path.isdir(text) else ExperimentRef.parse(text)


def is_archive_ref(text: str) -> bool:
    """Whether this names an archive that is there, with an experiment or without."""
    from rex.archive.topfiles import FIRST_FILE   # few ask
    return os.path.exists(os.path.join(parse_ref(text).archive, FIRST_FILE))


def either(ref: str | None, archive: str, experiment: str | None) -> tuple[str, str | None]:
    """Archive and experiment, named in one of the two ways.

    Raises:
        UsageError: in both.
    """
    if ref is None:
        return archive, experiment
    if experiment or not (archive == DEFAULT_ARCHIVE or any(each.option == "archive" and each.value == archive for each in settings())):
        raise UsageError(f"{ref} and -l or -e at once", "", "give one of them")
    named = parse_ref(ref)
    return named.archive, named.experiment
