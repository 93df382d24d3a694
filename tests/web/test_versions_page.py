"""The page of versions: the lines in which they part, why else they do, and the code of each cell."""

from __future__ import annotations

import html
from typing import Any

import pytest
from starlette.testclient import TestClient

from cli.builders import Bench
from rex.multiversion.merge import merge
from rex.web import versions as page
from unit.multiversion.versions import make_version

EVIL = "<script>alert(1)</script>"
PLAIN = ["import x", "limit = 1\nkept = 2", "print(kept)"]


def made() -> list[Any]:
    """Four versions: another limit, another file that is read, and another last line."""
    return [make_version("plain", PLAIN), make_version("strict", [PLAIN[0], "limit = 5\nkept = 2", PLAIN[2]]),
            make_version("other", PLAIN, facts={1: {"events": "other", "files": {"/w/data.csv": "2"}}}),
            make_version("last", [*PLAIN[:2], f"print('{EVIL}')"])]


def test_versions_part_at_changed_lines_or_for_another_reason() -> None:
    after, end = page.partings(merge(made()))
    assert (after.after, after.first, after.versions) == ("1", "2a", ["plain", "last"])
    strict, other = after.branches
    assert strict.versions == ["strict"] and [row.right.spans[-1] for row in strict.rows if row.right.kind == "new"] == [("5", True)]
    assert other.versions == ["other"] and other.rows == [] and other.reasons == ["file /w/data.csv"]
    assert end.after == "2a" and end.branches[0].versions == ["last"]


def test_a_removed_comment_of_another_language_is_shown() -> None:
    (parting,) = page.partings(merge([make_version("a", ["%%sql\n-- note\nselect 1"]), make_version("b", ["%%sql\nselect 1"])]))
    assert parting.after == "" and [row.left.spans for row in parting.branches[0].rows if row.left.kind == "old"] == [(("-- note", False),)]


def test_the_page_shows_tree_partings_and_code(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/versions").status_code == 404
    monkeypatch.setattr(page, "load_versions", lambda path: (None, made()))
    text = client.get("/versions").text
    assert "4 versions with 12 cells, of which 8 are distinct" in text
    assert text.count('href="#cell-') == text.count('<details id="cell-') == 8
    assert "limit = <mark>5</mark>" in text and html.escape("print('") in text and EVIL not in text


def test_the_history_leads_to_the_versions(client: TestClient, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.web.history.load_versions", lambda path: (None, made()))
    assert 'href="/versions#cell-2a"' in client.get("/history/steps").text
