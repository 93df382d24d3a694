"""Sealed lines: the small files of an archive, each a text and the hash of it."""

from __future__ import annotations

from rex.archive.content import Content, check_content
from rex.digest import Sha256
from rex.errors import Damaged

_SEAL_BYTES = 66   # a space, 64 digits, a newline


def seal(text: bytes) -> bytes:
    """A line of this text, in which is no line break, and its sha256."""
    return text + b" " + Sha256(text).hexdigest().encode() + b"\n"


def is_sealed(line: bytes) -> bool:
    """Whether this is one sealed line."""
    text = line[:-_SEAL_BYTES]
    return b"\n" not in text and seal(text) == line


def unseal(line: bytes, where: str) -> bytes:
    """The text of a sealed line.

    Args:
        where: the file that holds the line, for people.
    Raises:
        Damaged: it is none.
    """
    text = line[:-_SEAL_BYTES]
    if not is_sealed(line):
        raise Damaged(f"{where} is damaged", "it does not have the hash that it ends with", "see: rex check")
    return text


def seal_content(content: Content) -> bytes:
    """A sealed line that names a content."""
    return seal(f"{content.sha256} {content.size} {content.depth} {content.tree}".rstrip().encode())


def unseal_content(line: bytes, where: str) -> Content:
    """The content that a sealed line names.

    Raises:
        Damaged: it names none.
    """
    words = unseal(line, where).decode("ascii", "replace").split(" ")
    try:
        sha256, size, depth, *tree = words
        if len(tree) > 1 or not all(word.isdecimal() and len(word) < 20 for word in (size, depth)):
            raise ValueError("numbers")
        content = Content(sha256, int(size), int(depth), "".join(tree))
        check_content(content)
    except ValueError as error:
        raise Damaged(f"{where} is damaged", "it names no content", "see: rex check") from error
    return content
