"""What a replay says of its problems."""

from __future__ import annotations

from rex.replayer import told_once


def test_failed_changes_are_told_once() -> None:
    failed = [f"change_failed: link /x/{i}: No such file or directory" for i in range(1200)]
    assert told_once(failed[:1]) == ["a change of files could not be made again: link /x/0: No such file or directory"]
    assert told_once(failed) == [told_once(failed[:1])[0] + " (and 1,199 more)"]


def test_each_kind_is_told() -> None:
    told = told_once(["change_failed: truncate a: b", "copy_failed: c: d", "change_failed: link e: f", "other: g: h"])
    assert told == ["a change of files could not be made again: truncate a: b (and 1 more)", "a file could not be copied: c: d", "other: g: h"]
