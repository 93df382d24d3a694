"""Command lines: shlex decides, and what it refuses is explained."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rex.errors import UsageError
from rex.web import words


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",))), min_size=1).filter(lambda w: w[0]))
def test_joined_words_split_again(given_words: list[str]) -> None:
    assert words.split(shlex.join(given_words)) == given_words


@given(st.text("ab'\"\\ \n\t$", max_size=12))
def test_refused_exactly_where_shlex_refuses(text: str) -> None:
    try:
        expected = shlex.split(text)
    except ValueError:
        expected = []
    if expected and expected[0]:
        assert words.split(text) == expected
    else:
        with pytest.raises(UsageError):
            words.split(text)


@pytest.mark.parametrize("text, problem", [
    ("a 'b c", "the quotation mark ' before b has no partner"), ('a "b\\" c', 'the quotation mark " before b\\" has no partner'),
    ("a '", "the quotation mark ' before the end has no partner"), ("it's", "the quotation mark ' before s has no partner"),
    ("a\\", "the backslash at the end"), ('"a" \'b" c', "the quotation mark ' before b\""), ("a\0b", "no program can be given")])
def test_problems_name_the_place(text: str, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        words.split(text)
    assert problem in str(caught.value)


def test_signs_of_a_shell() -> None:
    assert words.has_shell_signs(["a", "|", "b"]) and words.has_shell_signs(["a", ">", "b"])
    assert not words.has_shell_signs(["a", "-e", "a|b"])
