"""Files of several workers below one folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rex.hindsight.replay.gathered import gather, with_content


def told(tmp_path: Path, name: str, content: str, path: str, after: int) -> dict[str, Any]:
    (tmp_path / name).write_text(content)
    return {"e": "file", "path": path, "at": str(tmp_path / name), "after": after}


def test_parts_follow_each_other_and_whole_files_replace(tmp_path: Path) -> None:
    out = tmp_path / "out"
    events = [told(tmp_path, "one", "mine 0 1 ", "/d/grows", 5), told(tmp_path, "two", "mine 2 3 ", "/d/grows", 5),
              told(tmp_path, "three", "old", "/d/same", -1), told(tmp_path, "four", "new", "/d/same", -1)]
    assert gather(events, str(out)) == [f"{out}/d/grows", f"{out}/d/same"]
    assert (out / "d/grows").read_text() == "mine 0 1 2 3 "
    assert (out / "d/same").read_text() == "new"
    assert gather(events[2:3], str(out)) and (out / "d/same").read_text() == "old"     # of another replay


def test_content_comes_from_another_machine(tmp_path: Path) -> None:
    event = with_content(told(tmp_path, "one", "content", "/d/file", 3))
    (tmp_path / "one").unlink()
    gather([{**event, "after": -1}, event], str(tmp_path / "out"))
    assert (tmp_path / "out/d/file").read_text() == "contenttent"


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "users").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "users")
    events = [{"e": "file", "path": "/d", "at": str(tmp_path / "link"), "after": 0}, told(tmp_path, "one", "x", "/d/file", -1)]
    assert gather(events, str(tmp_path / "out")) == [f"{tmp_path}/out/d"]
    assert not list((tmp_path / "users").iterdir())
