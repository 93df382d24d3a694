"""The prose of a page: its sentences, without code, headings and the words of links' addresses."""

from __future__ import annotations

import re

FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE = re.compile(r"``.+?``|`[^`]*`(?:, `[^`]*`)*", re.DOTALL)    # a list of names in code is one word
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
ITEM = re.compile(r"^ *(?:[-*+]|\d+\.) +")
END = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][*_\")]))\s+(?=[*_\"(\[]*[A-Z]|[*_]\w)")


def sentences(text: str) -> tuple[list[str], list[str]]:
    """The sentences of a page's paragraphs and items, and those of its tables' cells."""
    paragraphs: list[list[str]] = [[]]
    cells: list[str] = []
    for line in COMMENT.sub("", FENCE.sub("", text)).splitlines():
        line = CODE.sub("X", line)
        if not line.strip() or line.startswith(("#", "    ", "\t", "!!!")):
            paragraphs.append([])
        elif line.startswith("|"):
            cells += line.strip().strip("|").split("|")
        else:
            if ITEM.match(line):
                paragraphs.append([])
            paragraphs[-1].append(ITEM.sub("", line).strip())
    return split([" ".join(lines) for lines in paragraphs]), split(cells)


def split(parts: list[str]) -> list[str]:
    """The sentences of each part that has words."""
    found = [each for part in parts for each in END.split(LINK.sub(r"\1", CODE.sub("X", part)).strip())]
    return [each for each in found if re.search(r"\w", each)]


def length(sentence: str) -> int:
    """Its words: what stands between spaces and has a letter or a digit."""
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())
