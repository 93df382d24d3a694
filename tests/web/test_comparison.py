"""Side by side: every line of a unified diff stands on its side, level with its counterpart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rex.expdiff.bytesdiff import Source, detail_of, unified_diff
from rex.expdiff.difference import COMMAND, OUTPUTS, Comparison, Difference
from rex.web.comparison import Row, show, side_by_side
from rex.web.links import Links

LINES = st.lists(st.sampled_from(["a\n", "b\n", "same words here\n", "same words there\n", "\t<x>\n"]), max_size=20)


def texts(rows: list[Row], side: str) -> dict[int, str]:
    cells = [getattr(row, side) for row in rows if not row.note]
    return {cell.number: "".join(text for text, _ in cell.spans) for cell in cells if cell.number}


@given(LINES, LINES)
def test_lines_keep_their_numbers(left: list[str], right: list[str]) -> None:
    rows = side_by_side(unified_diff("".join(left), "".join(right)))
    for side, lines in (("left", left), ("right", right)):
        for number, text in texts(rows, side).items():
            assert text == lines[number - 1].rstrip("\n")
    changed = [row for row in rows if not row.note and (row.left.kind or row.right.kind)]
    assert bool(changed) == (left != right)
    for row in rows:
        if not row.note and not row.left.kind and not row.right.kind:
            assert row.left.spans == row.right.spans


def test_what_differs_in_a_line_is_marked() -> None:
    row = side_by_side(unified_diff("11 hits of score 20\n", "8 hits of score 40\n"))[1]
    assert [text for text, is_marked in row.left.spans if is_marked] == ["11", "20"]
    assert [text for text, is_marked in row.right.spans if is_marked] == ["8", "40"]
    row = side_by_side(unified_diff('version = "2.0"\n', 'version = "2.1.3"\n'))[1]
    assert [text for text, is_marked in row.right.spans if is_marked] == ["2.1.3"]
    assert not any(is_marked for _, is_marked in side_by_side(unified_diff("abc\n", "123 456\n"))[1].left.spans)


def test_lines_that_stand_for_each_other_are_level() -> None:
    left = "".join(f"q{n:02} gene{n * 7} {n}\n" for n in range(9))
    right = "".join(f"q{n:02} gene{n * 7} {n}.5\n" for n in range(9) if n not in (2, 6))
    rows = [row for row in side_by_side(unified_diff(left, right)) if not row.note]
    for row in rows:
        if row.left.number and row.right.number:
            assert row.left.spans[0][0].split()[0] == row.right.spans[0][0].split()[0]
    assert [row.left.number for row in rows if not row.right.number] == [3, 7]


def test_ranges_and_their_places_on_the_strip() -> None:
    one, two = bytes(10_000), bytes(5000) + b"\1\2\3" + bytes(4997)
    item = Difference("/w/x", left={"size": 10_000, "sha256": "a"}, right={"size": 10_000, "sha256": "b"},
                      details=detail_of(Source.held(one), Source.held(two)), left_path="/w/x", right_path="/w/x")
    shown = show(Comparison(2, {OUTPUTS: [item]}), ("exp0", "exp1"), Links())
    found = shown.came_out[0].items[0]
    assert found.ranges == ["bytes 5000 to 5002"] and found.marks == [(500, 4)]
    assert found.links == ("/experiments/exp0/file?role=output&path=/w/x", "/experiments/exp1/file?role=output&path=/w/x")


def test_very_many_differences_are_counted() -> None:
    many = [Difference(f"argument {n}", left=["a"], right=["b"]) for n in range(200)]
    section = show(Comparison(1, {COMMAND: many}), ("a", "b"), Links()).changed[0]
    assert section.count == 200 and len(section.items) == 60
