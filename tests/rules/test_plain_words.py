"""The manual is in plain words: no old house words, sentences of at most 40 words, at most 20 in the mean."""

from __future__ import annotations

import re
import tokenize
from pathlib import Path

import pytest

from prose import length, sentences

ROOT = Path(__file__).resolve().parents[2]
PAGES = {str(page.relative_to(ROOT)): page for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])}
LONGEST, MEAN = 40, 20
CODE = {str(path.relative_to(ROOT)): path for path in sorted((ROOT / "rex").rglob("*.py"))}
OLD_WORDS = re.compile(r"\b(mates?|kin|naps?|napping|deeds?|prods?|prodded|askers?|who asks|hastens?|hastened|waives?|waived|stands? in for|"
                       r"(?:is|are|was|were) told(?! apart)|tells? of|told of|takes? (?:\w+ )?ill|in vain|in the midst|comes? round|"
                       r"anew|rooms?|house)\b", re.IGNORECASE)


SPEECH = re.compile(r"\b(told|heard|hears?|speaks?|plays?|played)\b", re.IGNORECASE)    # input and output are no speech
C_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def old_words(text: str) -> list[str]:
    """The old house words of a text, in their order."""
    return [match.group(0) for match in OLD_WORDS.finditer(text)]


def too_long(text: str) -> list[str]:
    """What is wrong with the sentences of a text: those above the limit, and a mean above its own."""
    prose, cells = sentences(text)
    found = [each for each in prose + cells if length(each) > LONGEST]
    mean = sum(map(length, prose)) / max(1, len(prose))
    return [*found, f"{mean:.1f} words in the mean"] if mean > MEAN else found


@pytest.mark.parametrize("page", PAGES)
def test_page_has_no_old_words(page: str) -> None:
    assert old_words(PAGES[page].read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES)
def test_page_has_short_sentences(page: str) -> None:
    assert too_long(PAGES[page].read_text(encoding="utf-8")) == []


def comments(path: Path) -> str:
    """The comments and texts of a module, messages among them."""
    with path.open("rb") as file:
        return "\n".join(token.string for token in tokenize.tokenize(file.readline) if token.type in (tokenize.COMMENT, tokenize.STRING))


def test_code_has_no_old_words() -> None:
    """A room is space there: memory, or part of a budget."""
    found = {name: [word for word in old_words(comments(path)) if not word.lower().startswith("room")] for name, path in CODE.items()}
    assert {name: words for name, words in found.items() if words} == {}


ENGINE = {str(path.relative_to(ROOT)): path for path in sorted((ROOT / "rex/native").rglob("*.[ch]"))}


@pytest.mark.parametrize("folder", sorted({str(path.parent) for path in (ROOT / "rex/native").rglob("*.[ch]")}))
def test_engine_has_no_old_words(folder: str) -> None:
    """Its comments, and its names, whose words stand between underscores; room is space there, too."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(Path(folder).glob("*.[ch]"))}
    found = {name: [word for word in old_words(text.replace("_", " ")) if not word.lower().startswith("room")] for name, text in texts.items()}
    assert {name: words for name, words in found.items() if words} == {}


def test_comments_do_not_call_input_speech() -> None:
    """Programs read, write, send, query and report; they are told nothing, and hear nothing."""
    texts = {name: "\n".join(C_COMMENT.findall(path.read_text(encoding="utf-8"))) for name, path in ENGINE.items()}
    texts |= {name: re.sub(r"\{[^{}]*\}", "", comments(path)) for name, path in CODE.items()}
    found = {name: SPEECH.findall(text) for name, text in texts.items()}
    assert {name: words for name, words in found.items() if words} == {}


def test_measure_of_prose() -> None:
    text = ("# A heading of many words is not prose\n\nOne two `three four`, `five`. Five\nsix [seven](x.md). (Eight.) *nine* ten.\n\n    code that is long enough to see\n\n"
            "- an item\n- another. And more!\n\n| a cell | two. Cells |\n|---|---|\n\n```\nfenced code\n```\n")
    prose, cells = sentences(text)
    assert prose == ["One two X.", "Five six seven.", "(Eight.)", "*nine* ten.", "an item", "another.", "And more!"]
    assert cells == ["a cell", "two.", "Cells"]
    assert too_long("word " * 41) == [" ".join(["word"] * 41), "41.0 words in the mean"]
    assert old_words("its mate takes it ill, in a room; the roommate's inmates do not") == ["mate", "takes it ill", "room"]
