"""Changed lines of a text, applied one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rex.bisect.lines import edited, find_edits

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n"]), max_size=12).map(b"".join)


@given(LINES, LINES)
def test_all_edits_make_the_other_text_and_none_leave_it(old: bytes, new: bytes) -> None:
    edits = find_edits(old, new)
    assert edited(old, edits) == new and edited(old, []) == old


def test_each_edit_is_a_line_that_a_reader_finds() -> None:
    edits = find_edits(b"a 1\nb 1\nc 1\n", b"a 2\nb 1\nc 2\nd 1\ne 1\n")
    assert [each.describe() for each in edits] == ["line 1 ('a 1' became 'a 2')", "line 3 ('c 1' became 'c 2' and 2 more)"]
    assert [each.describe() for each in find_edits(b"a\n", b"a\nb\nc\n")] == ["a line added behind line 1 ('b')", "a line added behind line 1 ('c')"]
    assert edited(b"a 1\nb 1\nc 1\n", edits[:1]) == b"a 2\nb 1\nc 1\n"


def test_what_is_no_text_has_no_lines() -> None:
    assert find_edits(b"a\0\n", b"b\0\n") == []
