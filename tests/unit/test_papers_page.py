"""The page of the papers: each has its part, and a run by name replaces no other."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "papers"))

import page  # noqa: E402  (bench/papers/page.py)


def test_every_paper_has_a_part() -> None:
    text = (ROOT / "docs" / "papers.md").read_text()
    parts = re.findall(r"<!-- (\w+): made by `make papers` -->(?s:.*?)<!-- end of (\w+) -->", text)
    listed = (ROOT / "bench" / "papers" / "__main__.py").read_text().split('"""')[1]
    assert [begin for begin, _ in parts] == [end for _, end in parts]
    assert {begin for begin, _ in parts} == set(re.findall(r"^    (\w+) +\S", listed, re.MULTILINE))


def test_one_part_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "papers.md"
    path.write_text("head\n<!-- a: made by `make papers` -->\nold a\n<!-- end of a -->\nbetween\n"
                    "<!-- b: made by `make papers` -->\nold b\n<!-- end of b -->\n")
    monkeypatch.setattr(page, "PAGE", path)
    page.put("b", page.table(("x", "y"), [(1, 2)]))
    assert path.read_text() == ("head\n<!-- a: made by `make papers` -->\nold a\n<!-- end of a -->\nbetween\n"
                                "<!-- b: made by `make papers` -->\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\n<!-- end of b -->\n")
    with pytest.raises(SystemExit, match="no part 'c'"):
        page.put("c", "text")


def test_numbers_are_kept_beside_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "FOLDER", tmp_path / "papers")
    assert page.write_csv("t.csv", ("tree", "s"), [("a,b", 1.5)]) == "[t.csv](papers/t.csv)"
    assert (tmp_path / "papers" / "t.csv").read_text() == 'tree,s\n"a,b",1.5\n'
