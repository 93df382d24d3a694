"""What `rex record` says of a recording."""

from __future__ import annotations

from rex.cli.record_run import verify_text


def test_what_to_do_where_a_replay_differs() -> None:
    assert verify_text(True, "identical", False, False) == "verified: a replay is identical"
    assert verify_text(False, "out: missing", False, False) == "NOT verified: a replay differs: out: missing; record it with --serialize"
    assert verify_text(False, "x", True, False).endswith("record it without --exclude")
    assert verify_text(False, "x", False, True).endswith("see docs/known-issues.md")
