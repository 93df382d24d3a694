"""What comparisons of an archive's experiments allow to differ: a small file at its top, so that it travels along."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from rex.archive.jsonform import read_json
from rex.archive.locks import write_atomically
from rex.archive.sealed import seal, unseal
from rex.archive.topfiles import RULES, RULES_BYTES
from rex.errors import Damaged, TooLarge

if TYPE_CHECKING:
    from rex.archive import Archive


def read_rules(archive: "Archive") -> Any:
    """The rules of an archive as JSON knows them; None: it has none.

    Raises:
        Damaged: nobody can tell.
    """
    try:
        line = archive.folder.read(RULES, RULES_BYTES)
    except FileNotFoundError:
        return None
    return decode_rules(line, f"{archive.path}/{RULES}")


def decode_rules(line: bytes, where: str) -> Any:
    """The rules of a sealed line; raises as `read_rules`."""
    try:
        return read_json(unseal(line, where), where)
    except ValueError as error:
        raise Damaged(f"{where} is damaged", str(error), "set them again: rex rules") from error


def encode_rules(rules: dict[str, Any]) -> bytes:
    """The sealed line of rules; raises as `write_rules`."""
    line = seal(json.dumps(rules, sort_keys=True).encode())
    if len(line) > RULES_BYTES:
        raise TooLarge("the rules are too long", f"they have more than {RULES_BYTES} bytes", "use fewer expressions")
    return line


def write_rules(archive: "Archive", rules: dict[str, Any] | None) -> None:
    """Set the rules of an archive; None: it has none any more.

    Raises:
        TooLarge: they are too long.
    """
    path = os.path.join(archive.path, RULES)
    if rules is None:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass
        return
    write_atomically(path, encode_rules(rules))
